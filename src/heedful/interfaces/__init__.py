"""Doors: they translate, they decide nothing."""
