"""Grade: on whose word a record stands. The door decides how much may be claimed; nothing raises itself.

| door    | may be                                        | what is claimed beyond that becomes |
| ------- | --------------------------------------------- | ----------------------------------- |
| person  | user; operator with the right to state rules; | user (or operator, for system)      |
|         | system for a `system:` principal with it;     |                                     |
|         | any data grade                                |                                     |
| agent   | agent; user where a captured message says so  | agent                               |
| capture | user, agent, tool, document, summary          | document                            |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from heedful.kernel.frozen import quickly_made
from heedful.kernel.ids import PrincipalId
from heedful.kernel.ladder import Tier
from heedful.observations.record import Channel, SourceGrade

AGENT_SAYS_USER_SAID = "agent-says-user-said"
SPEAKS_FOR_ANOTHER = "speaks-for-another"
SYSTEM_PRINCIPAL_PREFIX = "system:"

DATA_GRADES = frozenset({SourceGrade.TOOL, SourceGrade.DOCUMENT, SourceGrade.SUMMARY})
"""Whatever these say, it is data."""

RULE_GRADES = frozenset({SourceGrade.SYSTEM, SourceGrade.OPERATOR})


@quickly_made
@dataclass(frozen=True, slots=True)
class Graded:
    """The grade that holds, what was noticed, and why it is not the one that was declared."""

    grade: SourceGrade
    flags: tuple[str, ...]
    reasons: tuple[str, ...]


def grade_source(
    declared: SourceGrade,
    channel: Channel,
    principal: PrincipalId,
    *,
    speaker: str | None,
    may_state_rules: bool,
    matches_captured: bool,
) -> Graded:
    """The grade that this door and this principal may claim, never more than was declared.

    `may_state_rules`: policy lets the principal state rules. `matches_captured`: the words equal a message that a hook
    or an importer captured from that user.
    Reasons: `agents-word`, `matches-captured-message`, `source-may-not-state-rules`.
    """
    match channel:
        case Channel.AGENT:
            return _through_agent(declared, matches_captured=matches_captured)
        case Channel.CAPTURE:
            if declared in RULE_GRADES:
                return Graded(SourceGrade.DOCUMENT, (), ("source-may-not-state-rules",))
            return Graded(declared, (), ())
        case Channel.PERSON:
            return _by_person(declared, principal, speaker, may_state_rules=may_state_rules)
        case _:
            assert_never(channel)


def _through_agent(declared: SourceGrade, *, matches_captured: bool) -> Graded:
    if declared is SourceGrade.USER and matches_captured:
        return Graded(SourceGrade.USER, (), ("matches-captured-message",))
    if declared is SourceGrade.AGENT:
        return Graded(SourceGrade.AGENT, (), ())
    flags = (AGENT_SAYS_USER_SAID,) if declared in (SourceGrade.USER, SourceGrade.OPERATOR) else ()
    reasons = ("source-may-not-state-rules",) if declared in RULE_GRADES else ()
    return Graded(SourceGrade.AGENT, flags, ("agents-word", *reasons))


def _by_person(declared: SourceGrade, principal: PrincipalId, speaker: str | None, *, may_state_rules: bool) -> Graded:
    grade = declared
    if grade is SourceGrade.SYSTEM and not principal.startswith(SYSTEM_PRINCIPAL_PREFIX):
        grade = SourceGrade.OPERATOR
    if grade in RULE_GRADES and not may_state_rules:
        grade = SourceGrade.USER
    reasons = () if grade is declared else ("source-may-not-state-rules",)
    other = (
        grade is SourceGrade.USER and speaker is not None and speaker not in (principal, principal.partition(":")[2])
    )
    return Graded(grade, (SPEAKS_FOR_ANOTHER,) if other else (), reasons)


def tier_for(grade: SourceGrade) -> Tier:
    """The authority of a claim that rests on one record of this grade; CORROBORATED takes a second source."""
    if grade is SourceGrade.SYSTEM:
        return Tier.SYSTEM
    return Tier.OPERATOR if grade is SourceGrade.OPERATOR else Tier.UNVERIFIED
