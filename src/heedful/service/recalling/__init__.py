"""What is handed over for a request: what must be in mind, what is found, and why something is not."""
