"""Any endpoint that speaks the chat call of OpenAI, asked to propose. What it is asked leaves this machine."""

from __future__ import annotations

import msgspec

from heedful.kernel.errors import UnavailableError

ANSWER_SECONDS_MAX = 60.0
RETRIES_MAX = 1
ANSWER_TOKENS_MAX = 1_000
ANSWER_CHARACTERS_MAX = 20_000
"""Of a longer answer nothing is read: it is not what was asked for."""

_NO_KEY = "none"  # the client insists on one; endpoints on one's own machine often want none


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message


class _Answer(msgspec.Struct):
    choices: list[_Choice]


class OpenAiProposer:
    """See Proposer. May be used from several threads."""

    def __init__(self, *, url: str | None, name: str, key: str | None) -> None:
        """A proposer that connects when first asked; `url` None is the client's own default."""
        self._url, self._name, self._key = url, name, key

    @property
    def model(self) -> str:
        """See Proposer. The address is no part of it: one model may move."""
        return f"openai:{self._name}"

    def ask(self, prompt: str) -> str:
        """See Proposer.ask.

        Raises:
            UnavailableError: `proposer_unavailable` where the endpoint does not answer in time, refuses, or answers
                otherwise than with one text.
        """
        try:
            import openai  # noqa: PLC0415  # an extra, and slow to load
        except ImportError as error:
            raise self._unavailable("the package openai is not installed") from error
        clean = prompt.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
        try:
            client = openai.OpenAI(
                base_url=self._url,
                api_key=self._key or _NO_KEY,
                timeout=ANSWER_SECONDS_MAX,
                max_retries=RETRIES_MAX,
            )
            with client:
                raw = client.chat.completions.with_raw_response.create(
                    model=self._name,
                    messages=[{"role": "user", "content": clean}],
                    temperature=0,
                    max_tokens=ANSWER_TOKENS_MAX,
                )
                answer = msgspec.json.decode(raw.content, type=_Answer)
        except openai.APIStatusError as error:
            raise self._unavailable(f"it refused with status {error.status_code}") from error
        except openai.OpenAIError as error:
            raise self._unavailable(f"it gave no answer ({type(error).__name__})") from error
        except msgspec.DecodeError as error:
            raise self._unavailable("its answer is not that of a chat call") from error
        if not answer.choices or len(answer.choices[0].message.content) > ANSWER_CHARACTERS_MAX:
            raise self._unavailable("it answered with no text, or with one that is too long")
        return answer.choices[0].message.content

    def _unavailable(self, what: str) -> UnavailableError:
        return UnavailableError(
            "proposer_unavailable",
            f"the endpoint for the model {self._name} proposes nothing: {what}",
            next_step="look at proposer_url and proposer_model, and whether the endpoint runs",
            details={"model": self.model},
        )
