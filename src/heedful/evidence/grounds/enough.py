"""Enough: whether grounds meet what a class of question needs, by the table of seed 003, and what is asked for then."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.evidence.grounds.choose import Grounds, independent_runs
from heedful.evidence.grounds.event import is_outcome
from heedful.evidence.grounds.told import NOTHING_TOLD, Told
from heedful.evidence.packet import SufficiencyLabel
from heedful.evidence.sufficiency import Sufficiency
from heedful.kernel.ladder import Decision, Impact
from heedful.recall.request import TaskClass

GAP_MIN = 0.3
"""From here on what was found rather shows that the answer is not here: to ask costs less than to answer wrongly."""
_ANSWERED_OTHERWISE = ("causal", "workflow")
"""What is no cause, or refused here, is an answer to these."""
INDEPENDENT_MIN = 2
"""Observations that a gotcha rests on, each of another run (seed 003)."""


@dataclass(frozen=True, slots=True)
class Enough:
    """The label for grounds, with what the request then asks for."""

    sufficiency: Sufficiency
    decision: Decision


def enough(task_class: TaskClass, impact: Impact, grounds: Grounds, told: Told = NOTHING_TOLD) -> Enough:
    """Whether these grounds are enough to answer, or to act.

    Whoever asks may be answered from grounds, or told that there are none. Nobody acts on them alone: an order goes to
    a person; one to undo a cause that nobody has proved is asked back; one whose object the events show not to be
    there is denied, and nothing is guessed in its place. A state or workflow that carries the answer stands in for
    events that do not; a state that is too old makes what was seen of it stale.
    """
    missing = _missing(task_class, grounds, told)
    if task_class == "state" and told.too_old and not told.answers:
        return _stale(impact, missing)
    if impact is not Impact.EXECUTE:
        if not missing or missing == (HYPOTHESIS,):
            label = SufficiencyLabel.SUFFICIENT if not missing else SufficiencyLabel.INSUFFICIENT
            said = missing or ("grounds-found",)
            return Enough(Sufficiency(label, said), Decision.NOTICE if missing else Decision.ALLOW)
        return Enough(Sufficiency(SufficiencyLabel.INSUFFICIENT, missing), Decision.ASK)
    reasons = (*missing, *((NO_EFFECT,) if told.no_effect else ()), "execute-needs-a-person")
    if "shows-a-gap" in missing or "no-grounds" in missing:
        return Enough(Sufficiency(SufficiencyLabel.INSUFFICIENT, reasons), Decision.DENY)
    decision = Decision.ASK if task_class == "causal" else Decision.REVIEW
    return Enough(Sufficiency(SufficiencyLabel.HUMAN_REVIEW_REQUIRED, reasons), decision)


def _stale(impact: Impact, missing: tuple[str, ...]) -> Enough:
    """What was seen of a thing whose state is too old is told with that; whoever would act looks again first."""
    sufficiency = Sufficiency(SufficiencyLabel.STALE, (TOO_OLD, *missing))
    if impact is Impact.EXECUTE:
        return Enough(sufficiency, Decision.DENY if "shows-a-gap" in missing else Decision.REVIEW)
    return Enough(sufficiency, Decision.ASK if missing else Decision.NOTICE)


TOO_OLD, NO_EFFECT = "state-too-old", "state-not-in-effect"
"""Reasons: the state of what is named is not known any more; it has failed, was taken back, or is not in effect."""
HYPOTHESIS = "hypothesis-only"
"""The reason where one observation is all that a general claim rests on: it is told as that."""


def _missing(task_class: TaskClass, grounds: Grounds, told: Told) -> tuple[str, ...]:
    support = grounds.support
    if told.answers:
        return ()
    if not any(is_outcome(each.event.record) for each in support):
        return ("no-grounds",)
    if grounds.gap >= GAP_MIN and task_class not in _ANSWERED_OTHERWISE:
        return ("shows-a-gap",)
    if task_class == "gotcha" and independent_runs(support) < INDEPENDENT_MIN:
        return (HYPOTHESIS,)
    return ()
