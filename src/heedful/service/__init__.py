"""One verb a file: the only code that joins stages to ports.

A folder imports only what is below it in `pyproject.toml` (keeping and belief lie side by side); what lies beside the
folders is for all of them, but for `review` and `maintain`, which are above.
"""
