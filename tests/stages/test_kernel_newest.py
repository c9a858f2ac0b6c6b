"""Newest: a mapping that stays small and forgets the oldest."""

from __future__ import annotations

from heedful.kernel.newest import Newest


def test_the_newest_are_known_and_no_more_than_twice_as_many() -> None:
    """Whatever was put among the last so many is there, and it tells once something is gone."""
    newest: Newest[int, str] = Newest(10)
    for number in range(19):
        newest.put(number, str(number))
    assert not newest.has_forgotten
    for number in range(19, 100):
        newest.put(number, str(number))
        known = [each for each in range(number + 1) if each in newest]
        assert known[-10:] == list(range(number - 9, number + 1))
        assert len(known) <= 20
    assert newest.has_forgotten
    assert newest.get(0) is None
    assert 0 not in newest


def test_what_is_put_again_is_new_again() -> None:
    """The value is the last one, and it outlives its neighbours."""
    newest: Newest[str, int] = Newest(2)
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4), ("d", 5)):
        newest.put(key, value)
    assert newest.get("a") == 3
    assert "b" not in newest
