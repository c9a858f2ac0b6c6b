"""Search: any text is a term and nothing in it is syntax; numbers are counted over visible rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heedful.kernel.ladder import Classification
from heedful.observations.record import AttributeValue
from heedful.ports.store import AttributeFilter, Reading, SearchFilter, SearchResult, SearchRow, Visible, Writing
from heedful.testing.builders import ANYTHING, build_search_row, scope_of, visible_to
from heedful.testing.factory import StoreFactory, one_tenant

ANA = scope_of("user:ana")
BEN = scope_of("user:ben")
ANA_SEES = visible_to(ANA)
# More than any adapter keeps outside of its index.
MANY_ROWS = 300
ODD_TOKENS = [
    "", " ", "a", "A", "a*", "*", '"', "'", "near", "NEAR", "NEAR(a b)", "a OR b", "or", "AND", "not", "-a",
    "^a", "a:b", "c++", "c#", "c", "(", "{}", "\\", "%", "_", "\x00", "a\x00b", "a b", "1", "1x1", "\u00e9",
    "e\u0301", "\u00c9", "\u5417", "\u8fc7\u654f", "\u8fc7", "\U0001f95c", "\U0001f95c\U0001f3fd",
    "\u0627\u0644", "\ue000", "\ue041", "\ue080", "\ue080\ue100", "\ufeff", "\u200b", "\ud800", "x" * 300,
    "x" * 301, "x" * 40_000, "x" * 40_001, "\u4e00" * 20_000,
]  # fmt: skip


class TestSearch:
    """ViewReader.search and visible_position; Writing.put_search_row and delete_search_row."""

    def test_a_row_is_found_by_each_of_its_tokens(self, stores: StoreFactory) -> None:
        """With the terms that it has, in the order asked, and the number of its tokens."""
        with _with_rows(stores, build_search_row(1, ("bees", "in", "the", "field", "the"))) as reading:
            result = _search(reading, "field", "roof", "bees", "field")
            hit = result.hits[0]
            assert (hit.position, hit.item, hit.terms, hit.token_count) == (1, "record", ("field", "bees"), 5)
            assert result.term_counts == {"field": 1, "roof": 0, "bees": 1}
            assert result.visible_count == 1

    def test_nothing_is_found_where_there_is_nothing(self, stores: StoreFactory) -> None:
        """No rows, no scopes, no terms: empty, with every term counted 0."""
        with _with_rows(stores) as reading:
            assert _search(reading, "bees") == SearchResult((), 0, {"bees": 0})
        with _with_rows(stores, build_search_row(1)) as reading:
            assert _search(reading) == SearchResult((), 1, {})
            assert _search(reading, "bees", visible=visible_to()) == SearchResult((), 0, {"bees": 0})
            assert _search(reading, "bees", visible=visible_to(BEN)) == SearchResult((), 0, {"bees": 0})

    @pytest.mark.parametrize("extra_rows", [0, MANY_ROWS])
    def test_any_text_is_a_token_and_matches_only_itself(self, stores: StoreFactory, extra_rows: int) -> None:
        """Quotes, operators, wildcards, NUL, CJK, emoji, private characters, halves of pairs, very long ones."""
        rows = [build_search_row(n, (token, "filler")) for n, token in enumerate(ODD_TOKENS, 1)]
        rows += [build_search_row(n, ("noise",)) for n in range(len(rows) + 1, len(rows) + 1 + extra_rows)]
        with _with_rows(stores, *rows) as reading:
            for number, token in enumerate(ODD_TOKENS, 1):
                result = _search(reading, token)
                assert [hit.position for hit in result.hits] == [number], repr(token[:20])
                assert result.term_counts == {token: 1}

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        texts=st.lists(st.lists(st.text(max_size=4) | st.sampled_from("abcAB"), max_size=5), max_size=6),
        terms=st.lists(st.text(max_size=4) | st.sampled_from("abcAB"), max_size=4),
    )
    def test_search_is_membership(self, stores: StoreFactory, texts: list[list[str]], terms: list[str]) -> None:
        """Hits and counts are those of a walk over the rows that asks whether a term is among the tokens."""
        with _with_rows(stores, *(build_search_row(n, tokens) for n, tokens in enumerate(texts, 1))) as reading:
            result = _search(reading, *terms)
            expected = [n for n, tokens in enumerate(texts, 1) if set(tokens) & set(terms)]
            assert [hit.position for hit in result.hits] == expected[::-1]
            assert result.term_counts == {term: sum(term in tokens for tokens in texts) for term in terms}

    def test_those_that_weigh_most_are_returned_and_the_counts_stay_whole(self, stores: StoreFactory) -> None:
        """`limit` cuts hits, never counts; of those with equal terms the newest stay, and they come newest first."""
        rows = [build_search_row(n, ("all", "odd" if n % 2 else "even")) for n in range(1, MANY_ROWS + 1)]
        with _with_rows(stores, *rows) as reading:
            result = _search(reading, "odd", "all", limit=3)
            assert [(hit.position, hit.terms) for hit in result.hits] == [
                (MANY_ROWS - 1, ("odd", "all")),
                (MANY_ROWS - 3, ("odd", "all")),
                (MANY_ROWS - 5, ("odd", "all")),
            ]
            assert result.term_counts == {"odd": MANY_ROWS // 2, "all": MANY_ROWS}
            assert result.visible_count == MANY_ROWS
            assert [hit.position for hit in _search(reading, "all", limit=2).hits] == [MANY_ROWS, MANY_ROWS - 1]
            assert _search(reading, "odd", limit=0).hits == ()

    def test_a_rare_word_in_an_old_row_is_never_cut_by_newer_rows_with_usual_ones(self, stores: StoreFactory) -> None:
        """An exact identifier is found although more rows than `limit` have the other words; else it is cut."""
        rows = [
            build_search_row(1, ("the", "order", "zx-4471-b")),
            *(build_search_row(n, ("the", "order", "was", "late")) for n in range(2, MANY_ROWS + 1)),
        ]
        with _with_rows(stores, *rows) as reading:
            found = _search(reading, "the", "order", "zx-4471-b", "was", "late", limit=10)
            assert [hit.position for hit in found.hits] == [*range(MANY_ROWS, MANY_ROWS - 9, -1), 1]
            assert found.hits[-1].terms == ("the", "order", "zx-4471-b")
            without = _search(reading, "the", "order", "was", "late", limit=10)
            assert [hit.position for hit in without.hits] == [*range(MANY_ROWS, MANY_ROWS - 10, -1)]

    def test_what_is_not_visible_weighs_nothing(self, stores: StoreFactory) -> None:
        """A word that is rare to the reader stays so, however many rows out of sight have it."""
        mine = [build_search_row(n, ("rare" if n == 1 else "usual",)) for n in range(1, 11)]
        others = [build_search_row(n, ("rare",), scope=BEN) for n in range(11, 11 + MANY_ROWS)]
        with _with_rows(stores, *mine, *others) as reading:
            assert [hit.position for hit in _search(reading, "rare", "usual", limit=2).hits] == [10, 1]

    @pytest.mark.parametrize("count", [5, MANY_ROWS])
    def test_what_is_not_visible_changes_nothing(self, stores: StoreFactory, count: int) -> None:
        """A result is equal, byte for byte, with and without rows of other scopes and higher classifications."""
        mine = [build_search_row(3 * n, ("bees", f"w{n % 7}")) for n in range(1, count + 1)]
        others = [build_search_row(3 * n + 1, ("bees", "bees", f"w{n % 5}"), scope=BEN) for n in range(count)]
        secret = [
            build_search_row(3 * n + 2, ("bees", "w1"), classification=Classification.SENSITIVE) for n in range(count)
        ]
        visible = visible_to(ANA, clearance=Classification.NORMAL)
        terms = ("bees", "w1", "w2", "w6")
        with _with_rows(stores, *mine) as reading:
            alone = _search(reading, *terms, visible=visible, limit=20), reading.visible_position(visible)
        with _with_rows(stores, *others, *mine, *secret) as reading:
            together = _search(reading, *terms, visible=visible, limit=20), reading.visible_position(visible)
            assert _search(reading, "bees", visible=visible_to(ANA)).visible_count == 2 * count
        assert together == alone

    def test_the_visible_position_counts_visible_rows(self, stores: StoreFactory) -> None:
        """Over all visible scopes, up to the clearance, wherever they stand in the ledger; 0 where there is none."""
        rows = [
            build_search_row(1),
            build_search_row(5, scope=BEN),
            build_search_row(7, classification=Classification.RESTRICTED),
        ]
        with _with_rows(stores, *rows) as reading:
            assert reading.visible_position(visible_to(ANA, clearance=Classification.SENSITIVE)) == 1
            assert reading.visible_position(visible_to(ANA, BEN, clearance=Classification.NORMAL)) == 2
            assert reading.visible_position(visible_to(ANA, BEN)) == 3
            assert reading.visible_position(visible_to(scope_of("user:cy"))) == 0
            assert reading.visible_position(visible_to()) == 0

    def test_scopes_that_begin_alike_are_apart(self, stores: StoreFactory) -> None:
        """More than ten scopes: the number of one is never taken for the beginning of another's."""
        scopes = [scope_of(f"user:u{n}") for n in range(25)]
        rows = [build_search_row(n + 1, ("bees", f"{n}"), scope=scope) for n, scope in enumerate(scopes)]
        with _with_rows(stores, *rows) as reading:
            for number, scope in enumerate(scopes):
                assert [hit.position for hit in _search(reading, "bees", "1", visible=visible_to(scope)).hits] == [
                    number + 1
                ]
            assert len(_search(reading, "bees", visible=visible_to(*scopes)).hits) == 25

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, [1, 2, 3, 4, 6]),
            ({"item": "record"}, [1, 2, 6]),
            ({"item": "claim"}, [3, 4]),
            ({"record_types": ("message",)}, [1]),
            ({"record_types": ("message", "document")}, [1, 2]),
            ({"record_types": ("messag_",)}, []),
            ({"unreviewed": False}, [1, 2, 3, 6]),
            ({"valid_at_us": 10}, [1, 2, 3, 4, 5, 6]),
            ({"valid_at_us": 20}, [1, 2, 3, 4, 6]),
            ({"valid_at_us": None}, [1, 2, 3, 4, 5, 6]),
            ({"valid_at_us": None, "item": "claim", "unreviewed": False}, [3, 5]),
            ({"attributes": (AttributeFilter("team", ("sre",)),)}, [1]),
            ({"attributes": (AttributeFilter("team", ("sre", "web")), AttributeFilter("size", (2,)))}, [2]),
        ],
    )
    def test_filters_come_before_counts(
        self, stores: StoreFactory, changes: dict[str, object], expected: list[int]
    ) -> None:
        """Hits, visible_count and term_counts all obey every filter."""
        attributes: dict[int, list[tuple[str, AttributeValue]]] = {
            1: [("team", "sre")],
            2: [("team", "web"), ("size", 2.0)],
        }
        rows = [
            build_search_row(1),
            build_search_row(2, record_type="document"),
            build_search_row(3, item="claim", record_type=""),
            build_search_row(4, item="claim", record_type="", unreviewed=True),
            build_search_row(5, item="claim", record_type="", valid_from_us=10, valid_to_us=20),
            build_search_row(6, record_type="action", tokens=("wasps",)),
        ]
        wanted: SearchFilter = replace(ANYTHING, **changes)  # type: ignore[arg-type]
        with _with_rows(stores, *rows, attributes=attributes) as reading:
            result = reading.search(ANA_SEES, ["bees"], wanted, limit=10)
            with_bees = [position for position in expected if position != 6]
            assert [hit.position for hit in result.hits] == with_bees[::-1]
            assert result.visible_count == len(expected)
            assert result.term_counts == {"bees": len(with_bees)}

    @pytest.mark.parametrize("extra_rows", [0, MANY_ROWS])
    def test_a_row_put_again_is_replaced(self, stores: StoreFactory, extra_rows: int) -> None:
        """Old tokens, scope and attributes find it no more, whether it had entered an index or not."""
        extra = [build_search_row(n, ("noise",)) for n in range(2, 2 + extra_rows)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: writing.put_search_row(build_search_row(1), [("team", "sre")]))
            tenant_store.write(lambda writing: _put_all(writing, extra))
            again = build_search_row(1, ("wasps", "roof"), scope=BEN)
            tenant_store.write(lambda writing: writing.put_search_row(again, [("team", "web")]))
            with tenant_store.read() as reading:
                visible = visible_to(ANA, BEN)
                assert _search(reading, "bees", visible=visible).hits == ()
                assert _search(reading, "wasps").hits == ()
                assert [hit.token_count for hit in _search(reading, "wasps", visible=visible).hits] == [2]
                for team, count in (("sre", 0), ("web", 1)):
                    wanted = replace(ANYTHING, attributes=(AttributeFilter("team", (team,)),))
                    assert len(reading.search(visible, ["wasps"], wanted, limit=9).hits) == count

    @pytest.mark.parametrize("extra_rows", [0, MANY_ROWS])
    def test_a_deleted_row_is_not_found_or_counted(self, stores: StoreFactory, extra_rows: int) -> None:
        """Whether it had entered an index or not; deleting where there is nothing does nothing."""
        extra = [build_search_row(n, ("noise",)) for n in range(3, 3 + extra_rows)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put_all(writing, [build_search_row(1), build_search_row(2)]))
            tenant_store.write(lambda writing: _put_all(writing, extra))
            tenant_store.write(lambda writing: writing.delete_search_row(1))
            tenant_store.write(lambda writing: writing.delete_search_row(10_000))
            with tenant_store.read() as reading:
                result = _search(reading, "bees")
                assert [hit.position for hit in result.hits] == [2]
                assert result.term_counts == {"bees": 1}
                assert result.visible_count == 1 + extra_rows

    def test_a_work_finds_what_it_put_itself(self, stores: StoreFactory) -> None:
        """Also what it replaced and deleted again, before anything is committed."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> list[list[int]]:
                _put_all(writing, [build_search_row(1), build_search_row(2), build_search_row(3)])
                found = [[hit.position for hit in _search(writing, "bees").hits]]
                writing.put_search_row(build_search_row(1, ("wasps",)), ())
                writing.delete_search_row(2)
                return [*found, [hit.position for hit in _search(writing, "bees").hits]]

            assert tenant_store.write(work) == [[3, 2, 1], [3]]

    def test_a_work_that_brings_a_scope_sees_it_at_once(self, stores: StoreFactory) -> None:
        """Although it asked before, when the scope was in no row yet."""
        with one_tenant(stores) as tenant_store:

            def work(writing: Writing) -> list[int]:
                before = len(_search(writing, "bees").hits)
                _put_all(writing, [build_search_row(1)])
                return [before, len(_search(writing, "bees").hits)]

            assert tenant_store.write(work) == [0, 1]


@contextmanager
def _with_rows(
    stores: StoreFactory,
    *rows: SearchRow,
    attributes: dict[int, list[tuple[str, AttributeValue]]] | None = None,
) -> Iterator[Reading]:
    given_attributes = attributes or {}
    with one_tenant(stores) as tenant_store:
        tenant_store.write(lambda writing: _put_all(writing, rows, given_attributes))
        with tenant_store.read() as reading:
            yield reading


def _put_all(
    writing: Writing, rows: Sequence[SearchRow], attributes: dict[int, list[tuple[str, AttributeValue]]] | None = None
) -> None:
    for row in rows:
        writing.put_search_row(row, (attributes or {}).get(row.position, ()))


def _search(reading: Reading, *terms: str, visible: Visible = ANA_SEES, limit: int = 1000) -> SearchResult:
    return reading.search(visible, terms, ANYTHING, limit=limit)
