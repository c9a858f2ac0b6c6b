"""Projections: states that declarative rules read out of records, and how they follow one another. Pure."""
