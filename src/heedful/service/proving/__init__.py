"""Proving: what a store signs of its chains, and what others can check without it."""
