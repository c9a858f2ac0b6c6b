"""Named: a request names a thing by a whole word, and a bare number only after the word for what it numbers."""

from __future__ import annotations

import pytest

from heedful.claims.projections.named import name_in, subject_name


@pytest.mark.parametrize(
    ("subject", "text", "name"),
    [
        ("pod:shop/web", "Is web ready?", "web"),
        ("pod:shop/web", "kubectl get pod -n shop shop/web", "shop/web"),
        ("pod:shop/web", "现在web怎么样？", "web"),
        ("pod:shop/web", "WEB is down", "WEB".casefold()),
        ("pod:shop/web-7f9c6d5b4-x2k9p", "Is web ready?", "web"),
        ("pod:shop/web-x2k9p", "Is web ready?", "web"),
        ("pod:shop/backup-28391820-x2k9p", "Did backup end?", "backup"),
        ("deployment:web@staging", "roll web back", "web"),
        ("pull-request:41@shop/web", "Is pull request 41 merged?", "41"),
        ("pull-request:41@shop/web", "Is PR 41 merged?", "41"),
        ("pull-request:41@shop/web", "Is #41 merged?", "41"),
        ("workflow-run:777", "did run 777 pass?", "777"),
    ],
)
def test_a_thing_is_named_by_a_whole_word(subject: str, text: str, name: str) -> None:
    """With or without its space, in any case, also where Chinese stands beside it."""
    assert name_in(subject, text) == name


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("pod:shop/web", "Is the webhook ready?"),
        ("pod:shop/web", "Is web-api ready?"),
        ("pod:shop/web", "open web.example"),
        ("deployment:shop/web-store", "Is web ready?"),
        ("deployment:shop/web-https", "Is web ready?"),
        ("deployment:shop/mobile-web-cache", "Is mobile ready?"),
        ("pull-request:41@shop/web", "41 pods are ready"),
        ("pull-request:41@shop/web", "Is PR 417 merged?"),
        ("working-tree:.", "Is it clean."),
        ("pod:", "anything"),
    ],
)
def test_a_part_of_a_word_or_a_bare_number_names_nothing(subject: str, text: str) -> None:
    """A longer name is another thing's."""
    assert not name_in(subject, text)


def test_the_parts_of_a_subject_are_told_apart() -> None:
    """Type, environment, and its names, the longest first."""
    name = subject_name("deployment:shop/web@staging")
    assert (name.type, name.environment, name.names) == ("deployment", "staging", ("shop/web", "web"))
    assert subject_name("tenant").names == ()
