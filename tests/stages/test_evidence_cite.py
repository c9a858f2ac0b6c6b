"""Citations: every key must be in the packet, and the past is not claimed without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packet_builders import a_material, a_record, a_request, found_record, scored

from heedful.evidence.assemble import assemble
from heedful.evidence.cite import CitationReport, check_citations
from heedful.kernel.ids import PacketId
from heedful.recall.select import Selection

KEPT = tuple(scored(found_record(a_record(f"r{at}", f"text {at}"))) for at in range(3))
PACKET = assemble(a_request(), PacketId("p1"), a_material(selection=Selection(KEPT, (), ())))


@pytest.mark.parametrize(
    ("answer", "used", "unknown"),
    [
        ("Frozen [1].", ["1"], []),
        ("Frozen[2, 3] until Friday [1].", ["1", "2", "3"], []),
        ("冻结中【1】，参见【２、３】。", ["1", "2", "3"], []),
        ("全角［2］也算。", ["2"], []),
        ("A range [1-3], a dash [2–3].", ["1", "2", "3"], []),
        ("Invented [4], [1, 9] and [4] again.", ["1"], ["4", "9"]),
        ("No such [0] and no [1-9999].", ["1"], ["0", "9999"]),
        ("[3-1]", ["1", "3"], []),
        ("A link [1](https://example.org) cites nothing.", [], []),
        ("Code `rows[2]` and\n```\nx[7]\n```\ncites nothing, nor does [a] or [].", [], []),
        ("", [], []),
    ],
)
def test_citations_are_read_in_every_writing(answer: str, used: list[str], unknown: list[str]) -> None:
    """Brackets of three sorts, lists, ranges, full-width digits; not links, not code."""
    report = check_citations(answer, PACKET)
    assert (list(report.used), list(report.unknown)) == (used, unknown)
    assert report.is_clean == (not unknown)


@pytest.mark.parametrize(
    "claim",
    [
        "You told me that payments is frozen",
        "As you've already mentioned, checkout is down",
        "Last time the deploy failed",
        "Based on your history, I would wait",
        "According to our records this is closed",
        "As we discussed, the audit comes first",
        "I remember that Friday is off",
        "In our previous conversation the plan was Monday",
        "你之前说过不要发布",
        "之前你说过不要发布",
        "之前您提到过敏",
        "根据历史，周五不发布",
        "根据你的历史记录，支付服务被冻结",
        "上次发布失败了",
        "您曾经告诉过我坚果过敏",
        "如你所说，先审计",
        "根據歷史紀錄，週五不發布",
        "我记得你不吃坚果",
    ],
)
def test_a_claim_of_history_needs_a_citation(claim: str) -> None:
    """Without one it is reported; with one in the same sentence, or right behind it, it is not."""
    bare = check_citations(f"Fine so far. {claim}. All good.", PACKET)
    assert bare.uncited_history_claim
    assert [claim in sentence for sentence in bare.uncited_sentences] == [True]
    for cited in (f"{claim} [1].", f"{claim}. [1]", f"{claim}[2]", f"{claim}。【3】"):
        assert check_citations(cited, PACKET).is_clean
    elsewhere = check_citations(f"{claim}. Something else [1].", PACKET)
    assert elsewhere.uncited_history_claim


def test_an_invented_key_does_not_cover_a_claim_of_history() -> None:
    """Both are reported."""
    report = check_citations("You told me so [8].", PACKET)
    assert report == CitationReport((), ("8",), True, ("You told me so [8].",))


@pytest.mark.parametrize(
    "answer",
    [
        "Have you told me everything?",
        "If you told me the version, I could check.",
        "You can tell me later; you say when.",
        "The history of Rome is long. Deploys take time.",
        "The last deploy failed at times.",
        "你可以告诉我版本号吗？",
        "请说明原因。",
        "这是历史课。",
        "你没有说过版本号。",
    ],
)
def test_ordinary_sentences_claim_no_history(answer: str) -> None:
    """The control: questions, conditions and plain words are left alone."""
    assert check_citations(answer, PACKET).is_clean


def test_a_wrapped_sentence_is_one_sentence() -> None:
    """A citation on the next line of the same paragraph counts; one in the next list item does not."""
    assert check_citations("You told me that payments\nis frozen [1].", PACKET).is_clean
    assert check_citations("- You told me so\n- Frozen [1]", PACKET).uncited_history_claim


@given(st.text(st.one_of(st.sampled_from("[]【】,-123 `.\n你说过"), st.characters()), max_size=120))
def test_any_answer_gets_a_report(answer: str) -> None:
    """Used keys are the packet's own, unknown ones are not, whatever was written."""
    report = check_citations(answer, PACKET)
    assert set(report.used) <= {"1", "2", "3"}
    assert not set(report.unknown) & {"1", "2", "3"}
    assert report.uncited_history_claim == bool(report.uncited_sentences)
