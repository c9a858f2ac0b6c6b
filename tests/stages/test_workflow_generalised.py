"""Templates from runs: what differs becomes a variable, and every run's call fits what comes of it."""

from __future__ import annotations

import pytest

from heedful.claims.projections.workflow_generalised import INPUT_BYTES_MAX, generalised, shape_of

SHELL = {"Bash": "command"}


def command(*runs: str) -> object:
    """The template of one shell command in these runs."""
    calls: list[list[dict[str, object]]] = [[{"command": text}] for text in runs]
    made = generalised(["Bash"], calls, SHELL)
    return None if made is None else made[0]["command"]


@pytest.mark.parametrize(
    ("runs", "template"),
    [
        (("make deploy", "make deploy"), "make deploy"),
        (("docker push web:1.2", "docker push web:1.3"), "docker push web:{{command}}"),
        (("helm upgrade --set=tag=1 web", "helm upgrade --set=tag=2 web"), "helm upgrade --set=tag={{set_tag}} web"),
        (("kubectl -f a.yaml apply", "kubectl -f b.yaml apply"), "kubectl -f {{f}} apply"),
        (("roll 'web 1'", "roll 'web 2'"), "roll 'web {{command}}'"),
        (("roll 'web1'", "roll 'api2'"), "roll '{{command}}'"),
        (("cp a1 a1", "cp b2 b2"), "cp {{command}} {{command}}"),
        (("cp a1 c1", "cp b2 d2"), "cp {{command}} {{command_2}}"),
        (("say 'a b'", "say c\\ d"), None),
    ],
)
def test_a_command_is_generalised_word_by_word(runs: tuple[str, str], template: str | None) -> None:
    """Up to where a name ends; where the shell would read the template otherwise there is none."""
    assert command(*runs) == template


def test_other_arguments_are_generalised_as_they_are() -> None:
    """A part of a text, or the whole value; the same in two calls is one variable."""
    runs: list[list[dict[str, object]]] = [
        [{"image": "web:1", "n": 1, "deep": {"a": [1]}}, {"tag": "1", "same": None}],
        [{"image": "web:2", "n": 2, "deep": {"a": [2]}}, {"tag": "2", "same": None}],
    ]
    assert generalised(["Ship", "Roll"], runs, SHELL) == [
        {"deep": "{{deep}}", "image": "web:{{image}}", "n": "{{n}}"},
        {"same": None, "tag": "{{image}}"},
    ]


def test_what_is_too_long_has_no_template() -> None:
    """The control is one that is not."""
    for size, has in ((INPUT_BYTES_MAX - 100, True), (INPUT_BYTES_MAX, False)):
        made = generalised(["Ship"], [[{"text": "x" * size}], [{"text": "x" * size}]], SHELL)
        assert (made is not None) is has


def test_calls_of_one_step_have_one_shape() -> None:
    """The names of their arguments, and of a command the program and how many words it has."""
    assert shape_of("Bash", {"command": "a b c"}, SHELL) == shape_of("Bash", {"command": "a x y"}, SHELL)
    for other in ({"command": "b b c"}, {"command": "a b"}, {"command": "a b c", "timeout": 1}, {"command": 1}):
        assert shape_of("Bash", other, SHELL) != shape_of("Bash", {"command": "a b c"}, SHELL)
    assert shape_of("Bash", {"command": "a b;c"}, SHELL) != shape_of("Bash", {"command": "a b"}, SHELL)
    assert shape_of("Ship", {"a": 1, "b": 2}, SHELL) == shape_of("Ship", {"b": 3, "a": "x"}, SHELL)
