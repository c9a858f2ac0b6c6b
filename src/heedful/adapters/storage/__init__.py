"""Stores; what the dialects share (rows, named statements, migrations) lies here."""
