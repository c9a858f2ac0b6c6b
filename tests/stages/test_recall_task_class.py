"""Task class: which sort of question a text asks, by its form alone."""

from __future__ import annotations

import pytest

from heedful.recall.task_class import recognised


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many workers does the pool have now?", "state"),
        ("Which team owns the ledger?", "state"),
        ("现在的超时是多少？", "state"),
        ("Why did the nightly job fail?", "causal"),
        ("Did the upgrade cause the outage?", "causal"),
        ("是那次升级造成的吗？", "causal"),
        ("How do I restart the search cluster?", "workflow"),
        ("怎么重启搜索集群？", "workflow"),
        ("Do I still need to clear the cache by hand?", "gotcha"),
        ("Does the export always fail?", "gotcha"),
        ("上传前还需要先压缩吗？", "gotcha"),
        ("Does that also apply here?", "premise"),
        ("这个前提在这里也成立吗？", "premise"),
        ("Thanks, lovely weather.", "general"),
        ("谢谢。", "general"),
        ("", "general"),
    ],
)
def test_the_form_of_a_question_tells_its_class(question: str, expected: str) -> None:
    """In both languages; what is no question of these is a general one."""
    assert recognised(question) == expected
