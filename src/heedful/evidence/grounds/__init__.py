"""Grounds: which of what was found proves an answer, and which only looks as if it did."""
