"""Matters: whose a sentence is, and the scope that it is told in: one element for each topic of that person or project.

A reader must be granted every element, so a sentence on two topics is for those alone who may know of both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from heedful.evaluation.governance.episodes import Episode, Turn
from heedful.evaluation.governance.logistics import tells_more, when_and_where
from heedful.evaluation.governance.topics import (
    CLINICAL,
    CLOCK,
    DESK_ROLES,
    LOGISTICS,
    PERSON_TOPICS,
    PROJECT_TOPICS,
    SCHEDULE,
    person_topics,
    project_topics,
)

APART = "apart"
"""Whose a sentence is that is about several persons at once: nobody asks there."""
HISTORY = "history"
"""Beside its topics: where what was replaced is kept."""
_SENTENCE = re.compile(r"(?<=[.!?;])(?<!\bDr\.)(?<!\bM[rs]\.)(?<!\bMrs\.)\s+(?=[A-Z0-9\"'“])|(?<=[。！？；])")
_TITLES = {"dr", "dr.", "nurse", "pharmacist", "lab", "tech", "mr", "mrs", "ms"}
_NAME_RUN = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][A-Za-z]+(?: (?:of |the )?[A-Z][A-Za-z]+)+")
_WHY = re.compile(r"\s+(?=because (?:of )?\w)")
_OF_KIN = re.compile(r"\b(rides?|pick-?ups?|drop-?offs?|transportation)\b|接送", re.IGNORECASE)
KIN_ROLES = frozenset({"family_member", "family", "friend", "caregiver"})
_OWNED = ("patient", "client", "customer", "student", "member")
"""Roles of people whose own matters an episode without projects is about."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a turn that has one scope.

    Attributes:
        is_history: what it tells was replaced; nobody of the episode is granted that.
    """

    turn: Turn
    subject: str
    topics: frozenset[str]
    sentences: tuple[str, ...]
    is_history: bool = False

    @property
    def scope(self) -> tuple[str, ...]:
        """Its elements."""
        topics = self.topics | {HISTORY} if self.is_history else self.topics
        return tuple(f"{topic}:{self.subject}" for topic in sorted(topics))


@dataclass(slots=True)
class Matters:
    """What the sentences of one episode are about, turn after turn.

    Attributes:
        owners: persons or projects whose matters these are -> the names they go by.
        are_projects: they are projects.
        main: the owner of most; the one meant where nobody is named.
        names: words of people's names, in lower case, without what else their titles say.
        private_names: project -> names that its people told of customers and the like.
    """

    owners: Mapping[str, re.Pattern[str]]
    are_projects: bool
    main: str
    homes: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, str]
    known_words: frozenset[str]
    names: frozenset[str]
    private_names: dict[str, set[str]] = field(default_factory=dict)
    _last: str | None = None
    _before: str | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics."""
        return PROJECT_TOPICS if self.are_projects else PERSON_TOPICS

    def topics_asked(self, granted: Collection[str]) -> tuple[str, ...]:
        """The topics that a question of somebody is about, at most as many as a scope has dimensions.

        Who may know what a visit is for is shown it, and not when and where it is once more.
        """
        if self.are_projects:
            return PROJECT_TOPICS
        left_out = LOGISTICS if CLINICAL in granted else CLINICAL
        return tuple(topic for topic in PERSON_TOPICS if topic != left_out)

    def named(self, text: str) -> list[str]:
        """The owners that a text names, in the order of their names in it."""
        found = [(match.start(), owner) for owner, names in self.owners.items() if (match := names.search(text))]
        return [owner for _, owner in sorted(found)]

    def asked(self, asker: str, query: str) -> list[str]:
        """Whose matters a question is about: those named, else the asker's own, else those of most."""
        return self.named(query) or list(self.homes.get(asker, ()))[:1] or [self.main]

    def pieces(self, turn: Turn) -> list[Piece]:
        """The turn, cut where its sentences differ in whose they are or what they are about; all of it, in order."""
        found: list[Piece] = []
        whole = self._subject(turn, turn.text)
        for sentence in self._parts_of(turn.text):
            named = self.named(sentence)
            subject = self._subject(turn, sentence) if named else whole
            if subject == APART and named:
                subject = named[0] if len(named) == 1 else APART
            if self.are_projects and self._names_of_another(subject, sentence):
                subject = APART
            for topics, told in self._told(sentence, turn):
                beside = next((each for each in found[-2:] if (each.subject, each.topics) == (subject, topics)), None)
                if beside is not None:
                    found[found.index(beside)] = Piece(turn, subject, topics, (*beside.sentences, told))
                else:
                    found.append(Piece(turn, subject, topics, (told,)))
        self._last = turn.speaker if turn.speaker in self.owners else None
        self._before = turn.speaker
        return found

    def _subject(self, turn: Turn, text: str) -> str:
        named = self.named(text)
        if self.are_projects:
            return named[0] if named else (*self.homes.get(turn.speaker, ()), self.main)[0]
        if turn.speaker in self.owners:
            return turn.speaker if named in ([], [turn.speaker]) else APART
        if len(named) > 1:
            return APART
        if named:
            return named[0]
        # An answer to somebody whose matters these mostly are not may be about either.
        return APART if self._last not in (None, self.main) else self.main

    def _told(self, sentence: str, turn: Turn) -> Iterator[tuple[frozenset[str], str]]:
        """The sentence with its topics; and where it tells what a visit is for, once more with when and where alone."""
        if self.are_projects:
            names = frozenset(name for some in self.private_names.values() for name in some)
            yield project_topics(sentence, names), sentence
            return
        topics = person_topics(sentence, turn.role)
        if topics & {SCHEDULE, LOGISTICS} and tells_more(sentence, self.names):
            booked = turn.role in DESK_ROLES - {"reception"} and CLOCK.search(sentence) is not None
            to_kin = topics <= {SCHEDULE, "access"} and self._is_for_kin(turn, sentence)
            logistics = sentence if to_kin else when_and_where(sentence, self.names)
            yield (topics if booked or topics != {SCHEDULE} else topics | {CLINICAL}), sentence
            if logistics is not None:
                yield frozenset({LOGISTICS}), logistics
        else:
            yield topics, sentence
            if topics == {SCHEDULE}:
                yield frozenset({LOGISTICS}), sentence

    def _parts_of(self, text: str) -> Iterator[str]:
        """Its sentences; of a project what happened apart from why, which others may know."""
        for sentence in sentences_of(text):
            yield from (_WHY.split(sentence) if self.are_projects else (sentence,))

    def _is_for_kin(self, turn: Turn, sentence: str) -> bool:
        """Whether somebody answers kin with a time, or a desk tells one of what kin do: they may know that."""
        if turn.role in KIN_ROLES or turn.speaker in self.owners or not CLOCK.search(sentence):
            return False
        answers = self.roles.get(self._before or "") in KIN_ROLES
        return answers or (turn.role in DESK_ROLES and _OF_KIN.search(sentence) is not None)

    def _names_of_another(self, subject: str, sentence: str) -> bool:
        """Whether it has a private name of another project; the names that it tells are its subject's from now on."""
        own = self.private_names.setdefault(subject, set())
        of_others = {name for other, some in self.private_names.items() if other != subject for name in some}
        for run in _NAME_RUN.findall(sentence):
            words = [word for word in run.split() if word.lower() not in self.known_words]
            if len(words) > 1:
                own |= {" ".join(words), words[0]} - of_others
        for name in sorted(own, key=len, reverse=True):
            sentence = re.sub(rf"\b{re.escape(name)}\b", " ", sentence)
        return any(re.search(rf"\b{re.escape(name)}\b", sentence) for name in of_others)


def matters_of(episode: Episode) -> Matters:
    """Whose matters the episode is about, told from its people and relations alone."""
    projects = dict.fromkeys(each["project_id"] for each in episode.relations if "project_id" in each)
    homes: dict[str, list[str]] = {}
    if projects:
        owners = {each: _project_names(each) for each in projects}
        for each in episode.relations:
            if "project_id" in each:
                homes.setdefault(each.get("principal_id", ""), []).append(each["project_id"])
        for each in episode.relations:
            if "for_principal_id" in each:
                homes.setdefault(each.get("principal_id", ""), []).extend(homes.get(each["for_principal_id"], ()))
    else:
        people = [each for each in episode.people.values() if each.role in _OWNED] or list(episode.people.values())
        owners = {each.principal_id: _person_names(each.name, episode) for each in people}
        homes = {each: [each] for each in owners}
        for each in episode.relations:
            if "patient_id" in each:
                for key in ("clinician_id", "family_id", "principal_id"):
                    homes.setdefault(each.get(key, ""), []).append(each["patient_id"])
    spoken = {
        owner: sum(turn.speaker == owner or bool(names.search(turn.text)) for turn in episode.turns)
        for owner, names in owners.items()
    }
    known = {word.lower() for each in episode.people.values() for word in each.name.split()}
    known |= {word for each in projects for word in re.split(r"[_\W]+", each.lower())}
    return Matters(
        owners=owners,
        are_projects=bool(projects),
        main=max(spoken, key=lambda owner: spoken[owner]),
        homes={person: tuple(dict.fromkeys(some)) for person, some in homes.items()},
        roles={each.principal_id: each.role for each in episode.people.values()},
        known_words=frozenset(known | {"project"}),
        names=frozenset(
            word.lower()
            for each in episode.people.values()
            for word in each.name.split()
            if not word.isupper() and word.lower() not in _TITLES
        ),
    )


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text, without the blanks between them."""
    return (part.strip() for part in _SENTENCE.split(text) if part.strip())


def given_name(name: str) -> str:
    """The name by which somebody is called: without titles, the first of what is left."""
    words = [word for word in name.split() if word.lower() not in _TITLES]
    return words[0] if words else name


def _project_names(project_id: str) -> re.Pattern[str]:
    name = project_id.removeprefix("project_").removeprefix("project-").replace("_", " ")
    return re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", re.IGNORECASE)


def _person_names(name: str, episode: Episode) -> re.Pattern[str]:
    """The whole name, and each word of it that nobody else of the episode has."""
    everybody = [word for each in episode.people.values() for word in each.name.split()]
    own = [word for word in name.split() if everybody.count(word) == 1 and word.lower() not in _TITLES]
    texts = [name, *own]
    return re.compile("|".join(rf"(?<![A-Za-z]){re.escape(text)}(?![A-Za-z])" for text in texts))
