"""Access: who is told what of whom, by role and relation, and by what the owners said of it so far -> policy grants.

One rule for every episode. Owners know all of their own. Whoever treats somebody knows all of that; those who help in
one respect know of that respect. Kin know when and where visits are, as long as the owner lets them. Members of a
project know what their trade needs, who looks after one side of it that side, its sponsor how it stands; its
contractors know what they are told by those whom they help.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from heedful.evaluation.governance.episodes import Episode, Turn
from heedful.evaluation.governance.matters import KIN_ROLES, Matters, given_name, sentences_of
from heedful.evaluation.governance.topics import (
    CLINICAL,
    LOGISTICS,
    PERSON_TOPICS,
    SCHEDULE,
    person_topics,
)
from heedful.kernel.ladder import Classification
from heedful.policy.model import TENANT_WIDE, Policy, PrincipalPolicy

_ALL_OF_A_PERSON = frozenset(PERSON_TOPICS)
_CARE = frozenset({CLINICAL, "labs", "medication", LOGISTICS, SCHEDULE})
_TIMES = frozenset({LOGISTICS})
_BOOKED = _TIMES | {SCHEDULE}
BY_ROLE: Mapping[str, frozenset[str]] = {
    "nurse": _ALL_OF_A_PERSON,
    "pharmacist": _BOOKED | {"medication"},
    "lab_tech": _BOOKED | {"labs"},
    "reception": _TIMES | {"access"},
    "scheduler": _BOOKED | {"access"},
    "social_worker": _BOOKED | {"access", "contact", "support"},
    "billing": _TIMES | {"billing"},
}
"""What those who work with everybody's matters are told of each person: of visits when and where, not what for."""
TREATING_ROLES = frozenset({"clinician", "doctor", "physician", "therapist"})
KIN_TOPICS = _TIMES
"""What an owner's kin may be told, where the owner lets them know anything."""

_STATUS = frozenset({"access", "broad", "status"})
_TERMS = _STATUS | {"budget", "commercial"}
_SYSTEMS = _STATUS | {"incident", "secrets"}
MEMBERS_BY_ROLE: Mapping[str, frozenset[str]] = {
    "engineer": _SYSTEMS,
    "sre": _SYSTEMS,
    "security": _SYSTEMS,
    "operations": _SYSTEMS,
    "sales": frozenset({"broad", "commercial", "customer", "status"}),
}
"""What members with a trade in a project are told: who builds or guards it its systems, who sells it its terms."""
_MEMBER = _TERMS | {"customer"}
BY_RELATION: Mapping[str, frozenset[str]] = {
    "project_member": _MEMBER,
    "executive_sponsor": _STATUS | {"incident"},
    "budget_owner": _TERMS,
    "procurement_owner": _TERMS,
    "legal_reviewer": _TERMS,
    "operations_owner": _STATUS | {"budget", "incident"},
    "contractor_for_project": frozenset(),
}
"""What those beside a project, and its other members, are told."""
DELEGATE_TOPICS = frozenset({"access", "broad", "status"})
_OUTSIDE_ROLES = frozenset({"contractor", "agent", "customer", "guest"})

CARE_TURNS = 40
"""For so many turns after somebody who covers for another last saw to a person, they are told of that person."""

_KIN_WORDS = (
    r"mother|mom|mum|father|dad|sister|brother|aunt|uncle|cousin|son|daughter|wife|husband|partner|family|friend|"
    r"妈妈|母亲|爸爸|父亲|姐姐|妹妹|哥哥|弟弟|家人|丈夫|妻子"
)
_REVOKES = re.compile(
    r"\b(revok\w+|no longer|remove\w*|stop (sharing|giving|telling|copying|sending)|cut off|end (her|his|their)|"
    r"should not (receive|get|have|hear) any|no (more )?(updates|rides|exceptions)|do not (share|send|give|release|"
    r"leave)|"
    r"narrow \w+ access)\b|撤销|不要再|别再|停止",
    re.IGNORECASE,
)
_ABOUT_SHARING = re.compile(
    r"\b(access|updates?|schedul\w*|rides?|receive|information|logistics|details|sharing|pickup|times?)\b|权限|告诉|"
    r"通知|知道",
    re.IGNORECASE,
)
_GRANTS = re.compile(
    r"\b(can|may|could|is (okay|ok|fine|allowed)|ok(ay)? to)\b.*\b(times?|schedul\w*|logistics|rides?|arrival|"
    r"parking|check-in)\b|"
    r"\b(logistics|rides?|scheduling|times?|appointment times) (only|and)\b|可以(知道|告诉).*(时间|预约|接送)",
    re.IGNORECASE,
)
_SHARED_AT_FIRST = re.compile(r"ride|schedul|logistic|pickup|check_in|transport", re.IGNORECASE)
_ENDS_COVER = re.compile(
    r"\bcoverage (has )?(ended|is over|note closed|note archived)|(role|coverage|cover) (ends|is over|ended)|"
    r"\bI covered\b|no longer (cover|assigned)|"
    r"handoff closed|not currently assigned|交班结束",
    re.IGNORECASE,
)
_NOT_TREATING = re.compile(
    r"\bunassigned\b|not (assigned|my patient)|wrong \w+ chart|wrong-chart|should not (access|receive)|"
    r"covering \w+ only|"
    r"belongs? to my|not on (her|his|their)|out of curiosity|coverage list|covering (lunch|general|only)|"
    r"cross-cover only",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Access:
    """Who may know what, as it stands after the turns heard so far."""

    episode: Episode
    matters: Matters
    _shared: set[tuple[str, str]] = field(default_factory=set)
    _revoked: set[tuple[str, str]] = field(default_factory=set)
    _cared: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _barred: set[str] = field(default_factory=set)
    _heard: int = 0

    def __post_init__(self) -> None:
        """What relations say from the start."""
        for each in self.episode.relations:
            if "family_id" in each and _SHARED_AT_FIRST.search(each.get("access_level", "")):
                self._shared.add((each["family_id"], each.get("patient_id", "")))

    def hear(self, turn: Turn) -> None:
        """What the turn changes of it."""
        self._heard += 1
        if self.matters.are_projects:
            return
        subject = (
            turn.speaker
            if turn.speaker in self.matters.owners
            else (*self.matters.named(turn.text), self.matters.main)[0]
        )
        for sentence in sentences_of(turn.text):
            self._hear_of_kin(turn, sentence, subject)
            self._hear_of_care(turn, sentence, subject)

    def may_order(self, person: str, subject: str) -> bool:
        """Whether what this person asks to be forgotten of that owner is forgotten.

        An owner of their own; who works with the owner's matters, on the owner's behalf; of a project its members.
        """
        role = self.matters.roles.get(person, "")
        if self.matters.are_projects:
            return any(
                each.get("principal_id") == person
                and each.get("project_id") == subject
                and each["type"] in BY_RELATION
                and "contractor" not in each["type"]
                for each in self.episode.relations
                if "type" in each
            )
        staff = role in ("agent", "nurse", "reception", "social_worker") or role in TREATING_ROLES
        return person == subject or (staff and person not in self._barred)

    def topics_of(self, person: str, subject: str) -> frozenset[str]:
        """What this person may know of that owner, now."""
        role = self.matters.roles.get(person, "")
        if self.matters.are_projects:
            return self._of_project(person, role, subject)
        if person == subject:
            return _ALL_OF_A_PERSON
        if role in KIN_ROLES:
            pair = (person, subject)
            return KIN_TOPICS if pair in self._shared and pair not in self._revoked else frozenset()
        if role in TREATING_ROLES:
            return self._of_treated(person, subject)
        return BY_ROLE.get(role, frozenset())

    def policy(self, base: Policy, person: str, *, everything: bool = False) -> Policy:
        """The store's policy with this one principal more, and what they are granted now; or everything."""
        owned = (f"{topic}:{owner}" for owner in self.matters.owners for topic in self.topics_of(person, owner))
        grants = (TENANT_WIDE,) if everything else tuple(sorted(owned))
        known = PrincipalPolicy(roles=(), clearance=Classification.RESTRICTED, grants=grants)
        return replace(base, principals={**base.principals, principal_of(person): known})

    def _of_project(self, person: str, role: str, project: str) -> frozenset[str]:
        found = frozenset[str]() if role in _OUTSIDE_ROLES else frozenset({"broad"})
        for each in self.episode.relations:
            if each.get("principal_id") != person:
                continue
            if each.get("project_id") == project:
                relation = each.get("type", "")
                by_relation = BY_RELATION.get(relation, frozenset())
                found |= MEMBERS_BY_ROLE.get(role, by_relation) if relation == "project_member" else by_relation
            elif project in self.matters.homes.get(each.get("for_principal_id", ""), ()):
                found |= DELEGATE_TOPICS
        return found

    def _of_treated(self, person: str, subject: str) -> frozenset[str]:
        types = {
            each.get("type")
            for each in self.episode.relations
            if each.get("clinician_id") == person and each.get("patient_id") == subject
        }
        if "assigned_clinician" in types:
            return _ALL_OF_A_PERSON
        seen = self._cared.get((person, subject), [])
        has_relations = any("clinician_id" in each for each in self.episode.relations)
        if person in self._barred or not seen or (has_relations and not types):
            return frozenset()
        most = max(len(turns) for (_, owner), turns in self._cared.items() if owner == subject)
        if not has_relations and 2 * len(seen) >= most:
            return _ALL_OF_A_PERSON
        return _CARE if self._heard - seen[-1] <= CARE_TURNS else frozenset()

    def _hear_of_kin(self, turn: Turn, sentence: str, subject: str) -> None:
        role = self.matters.roles.get(turn.speaker, "")
        if turn.speaker != subject and (role in KIN_ROLES or role not in BY_ROLE.keys() | TREATING_ROLES | {"agent"}):
            return
        kin = [each for each in self.episode.people.values() if each.role in KIN_ROLES]
        by_name = [
            each
            for each in kin
            if re.search(rf"(?<![A-Za-z]){re.escape(given_name(each.name))}(?![A-Za-z])", turn.text)
        ]
        by_word = kin if re.search(rf"\b({_KIN_WORDS})\b|她|他", turn.text, re.IGNORECASE) else []
        meant = by_name or by_word
        if not meant and len(kin) == 1 and re.search(r"\b(she|her|he|him|his)\b", sentence, re.IGNORECASE):
            meant = kin
        if sentence.endswith(("?", "？")) or not meant:
            return
        pairs = {(each.principal_id, subject) for each in meant}
        if _REVOKES.search(sentence) and _ABOUT_SHARING.search(turn.text) and not re.search(r"only|只", sentence):
            self._revoked |= pairs
        elif _GRANTS.search(sentence) and (turn.speaker == subject or role == "agent"):
            self._shared |= pairs

    def _hear_of_care(self, turn: Turn, sentence: str, subject: str) -> None:
        treating = (each for each in self.episode.people.values() if each.role in TREATING_ROLES)
        for each in treating if _ENDS_COVER.search(sentence) else ():
            if each.principal_id == turn.speaker or each.name in sentence:
                self._cared.pop((each.principal_id, subject), None)
                self._barred.add(each.principal_id)
        if self.matters.roles.get(turn.speaker) not in TREATING_ROLES or turn.speaker in self._barred:
            return
        if _NOT_TREATING.search(sentence):
            self._barred.add(turn.speaker)
        elif not sentence.endswith("?") and person_topics(sentence, turn.role) & _CARE:
            self._cared.setdefault((turn.speaker, subject), []).append(self._heard)


def principal_of(person: str) -> str:
    """The principal as which somebody of an episode asks."""
    return f"person:{person}"
