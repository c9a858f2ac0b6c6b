"""The outside: each driver is imported in one folder, and chosen in bootstrap alone."""
