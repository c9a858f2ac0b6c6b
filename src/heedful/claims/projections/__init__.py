"""Projections: what an environment's records come to: states by declarative rules, experience, causes, steps. Pure."""
