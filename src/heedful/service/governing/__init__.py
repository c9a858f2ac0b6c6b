"""What people set: bridges of the store's own, modes, and which registry is in use."""
