"""Evaluation: the same cases through several arms, what each handed out, and by what each failed."""
