"""The promises of ports/store.py as tests; an adapter's own test subclasses them."""
