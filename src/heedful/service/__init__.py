"""One verb a file: the only code that joins stages to ports."""
