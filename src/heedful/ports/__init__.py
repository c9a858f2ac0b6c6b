"""What the service needs of the outside, as small protocols whose docstrings state guarantees."""
