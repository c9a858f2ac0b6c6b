"""Drills: that what is forgotten or taken back is gone is tried out on the store itself, with canaries of its own."""
