"""Erasure: what is forgotten, in stages, what is held back from that, and what is left to show for it."""
