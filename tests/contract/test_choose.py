"""Where more rows match than may be handed out, the weightiest are, whatever the engine."""

from hypothesis import given
from hypothesis import strategies as st

from heedful.adapters.storage.choose import choose
from heedful.recall.score import term_weights

TERMS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True)
ROWS = st.dictionaries(st.integers(1, 10**6), TERMS, max_size=30)


def _counts(rows: dict[int, list[str]]) -> dict[str, int]:
    return {term: sum(term in terms for terms in rows.values()) for term in "abcde"}


@given(rows=ROWS, limit=st.integers(0, 40), others=st.integers(0, 50))
def test_no_row_that_is_left_out_weighs_more_or_is_newer_and_equal(
    rows: dict[int, list[str]], limit: int, others: int
) -> None:
    """Compared with a plain sort; as many as there are or may be, in falling order."""
    counts = _counts(rows)
    visible_count = len(rows) + others
    weights = term_weights(counts, visible_count, counts)
    order = sorted(rows, key=lambda position: (sum(weights[term] for term in rows[position]), position), reverse=True)
    assert choose(rows, visible_count, counts, limit) == sorted(order[:limit], reverse=True)


@given(rows=ROWS, limit=st.integers(0, 40))
def test_the_order_in_which_rows_and_terms_come_changes_nothing(rows: dict[int, list[str]], limit: int) -> None:
    """Engines find them in different orders."""
    turned = {position: terms[::-1] for position, terms in reversed(rows.items())}
    assert choose(turned, len(rows), _counts(rows), limit) == choose(rows, len(rows), _counts(rows), limit)


def test_a_rare_term_outweighs_newness() -> None:
    """The oldest row alone has the rare term: it stays where newest-first would lose it (the control)."""
    rows: dict[int, list[str]] = {position: ["common"] for position in range(2, 100)} | {1: ["common", "rare"]}
    counts = {"common": 99, "rare": 1}
    assert choose(rows, 99, counts, 2) == [99, 1]
    assert 1 not in sorted(rows, reverse=True)[:2]
