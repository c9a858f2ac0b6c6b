"""The embedded store: one SQLite file for each tenant, one writer each, many readers."""
