"""A verdict in sentences."""

from __future__ import annotations

from gate_builders import RELEASE, activation, classified, in_mind, matter, verified

from heedful.gate.explain import explain_verdict
from heedful.gate.judge import judge
from heedful.kernel.ladder import Decision, Impact, Mode


def test_a_denial_tells_why_what_is_missing_and_what_to_do() -> None:
    """Each rule by name, each missing thing, and one next step for each sort of it."""
    lines = explain_verdict(judge(matter(RELEASE, activations=in_mind(activation()))))
    text = "\n".join(lines)
    assert lines[0] == "Bash by agent:gardener in environment:production, project:garden is denied (deny)."
    assert lines[1] == "It decides: release.production; impact: execute."
    assert "deny: Nothing is released before Monday (1) (A freeze must be known.) [bridge:release.low]" in lines
    assert "[verification-required]" in text
    assert "Missing evidence: that this has ended: Nothing is released before Monday (1)." in lines
    assert sum(line.startswith("Next: ") for line in lines) == 2


def test_a_permit_says_that_nothing_speaks_against_it() -> None:
    """The permit beside: no missing thing, no next step."""
    assert explain_verdict(judge(matter("water")))[-1] == "No rule spoke against it."
    lines = explain_verdict(judge(matter(RELEASE, verifications=(verified(),))))
    assert "may go ahead (allow)" in lines[0]
    assert not [line for line in lines if line.startswith(("Missing", "Next"))]


def test_rules_in_shadow_are_said_to_be_so() -> None:
    """With what the decision would have been."""
    lines = explain_verdict(judge(matter("water", activations=in_mind(activation(Decision.DENY, Mode.SHADOW)))))
    assert any(line.endswith("[bridge:release.low, in shadow, not counted]") for line in lines)
    assert lines[-1] == "With rules in shadow counted it would be: deny."


def test_an_action_without_a_class_says_so() -> None:
    """And what would give it one."""
    lines = explain_verdict(judge(matter(classified=classified(impact=Impact.EXECUTE, known=False))))
    assert lines[1] == "It decides nothing of any class that is known; impact: execute."
    assert "Next: Add a tool pattern to the registry, or let a person answer." in lines
