"""Who may store, see and act on what, and why. Configuration, read from the registry."""
