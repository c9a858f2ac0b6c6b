"""Stores; what the engines share (rows, named statements, migrations) lies here."""
