"""Projections: what an environment's records come to: states read by declarative rules, experience, causes. Pure."""
