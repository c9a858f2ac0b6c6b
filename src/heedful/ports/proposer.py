"""Proposer: a model that is asked in words and answers in words. What it says is never more than a proposal."""

from __future__ import annotations

from typing import Protocol


class Proposer(Protocol):
    """A model behind an endpoint."""

    @property
    def model(self) -> str:
        """Its identity, such as `openai:little`."""
        ...

    def ask(self, prompt: str) -> str:
        """Its answer, whatever it is. What is asked leaves this machine.

        Raises:
            UnavailableError: `proposer_unavailable`.
        """
        ...
