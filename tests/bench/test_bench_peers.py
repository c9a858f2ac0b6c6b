"""The peers' comparison: everybody is told and asked the same, and a wrong answer of ours shows."""

from __future__ import annotations

from pathlib import Path

from bench_modules import peer_systems, peer_texts, peer_worker, peers


class Forgetful:
    """A system that gives another user's memory, or too few."""

    def __init__(self, answers: list[str]) -> None:
        self.answers = answers

    def add(self, told: object) -> None:
        pass

    def add_many(self, many: object) -> None:
        pass

    def search(self, user: int, question: str) -> list[str]:
        return self.answers

    def close(self) -> None:
        pass


def test_no_two_memories_of_a_user_tell_of_the_same_thing() -> None:
    """So each question has one answer; other users have things of the same names."""
    told = list(peer_texts.told(500))
    assert len(told) == 500
    for user in range(5):
        named = {one.text.partition(" is kept in ")[0] for one in told if one.user == user}
        assert len(named) == peer_texts.MEMORIES_EACH
    assert peer_texts.asked(500, 9) == peer_texts.asked(500, 9)


def test_a_question_names_the_thing_of_the_memory_that_answers_it() -> None:
    """The control for every hit that is counted."""
    texts = {(one.user, one.number): one.text for one in peer_texts.told(500)}
    for one in peer_texts.asked(500, 50):
        thing = one.text.removeprefix("Where do we keep the ").removesuffix("?")
        assert f"The {thing} is kept in" in texts[one.user, one.number]
        assert peer_texts.marks(texts[one.user, one.number]) == [(one.user, one.number)]


def test_starved_and_leaked_answers_are_counted() -> None:
    """Nothing, and another user's memory."""
    questions = peer_texts.asked(200, 20)
    starved = peer_worker.ask(Forgetful([]), questions)
    assert (starved["hit_at_5"], starved["starved"], starved["leaked"]) == (0.0, 20, 0)
    leaked = peer_worker.ask(Forgetful(["number m77x1."] * 5), questions)
    assert (leaked["hit_at_5"], leaked["starved"], leaked["leaked"]) == (0.0, 0, 20)


def test_a_row_of_ours_that_starves_leaks_or_misses_fails_the_run() -> None:
    """And one that did not run at all; a peer's never does."""
    right = {"system": "heedful", "starved": 0, "leaked": 0, "hit_at_5": 1.0}
    assert peers.failures([right, {**right, "system": "memd", "leaked": 9}]) == []
    for wrong in ({"starved": 1}, {"leaked": 1}, {"hit_at_5": 0.9}, {"not_run": "no such package"}):
        assert len(peers.failures([{**right, **wrong}])) == 1


def test_ours_finds_each_memory_for_its_owner_alone(tmp_path: Path) -> None:
    """The whole way of the comparison, small: filled, asked, and the bare search beside it."""
    for name in ("heedful", "bare-sqlite-numpy"):
        folder = tmp_path / name
        folder.mkdir()
        system = peer_systems.SYSTEMS[name](folder, None)
        peer_worker.fill(system, 600)
        row = peer_worker.ask(system, peer_texts.asked(600, 40))
        system.close()
        assert (row["starved"], row["leaked"]) == (0, 0)
        assert row["hit_at_5"] >= 0.9
