"""Task class: which sort of question a text asks, by its form alone."""

from __future__ import annotations

import time

import pytest

from heedful.recall.task_class import recognised

SECONDS_MAX = 0.5


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
        ("Did last night's kernel patch take the mail relay down?", "causal"),
        ("Is the new cache what slowed the checkout?", "causal"),
        ("昨晚的丢包和换网卡有关吗？", "causal"),
        ("构建怎么突然变慢了？", "causal"),
        ("Should I drain the node first?", "gotcha"),
        ("Is it known that the agent loses its token after an upgrade?", "gotcha"),
        ("打包之前要不要先清缓存？", "gotcha"),
        ("重启后是不是一定要手动挂盘？", "gotcha"),
        ("Which switch has to be off before I merge the shards?", "workflow"),
        ("怎样申请只读权限？", "workflow"),
        ("合并之前先关哪个开关？", "workflow"),
        ("The staging quota is the same here, right?", "premise"),
        ("既然不用审批，怎么重放？", "premise"),
        ("Since the last deploy, how many errors did we see?", "state"),
        ("Is the indexer still listening on port 8080?", "state"),
        ("缓存写满之后会怎么样？", "state"),
        ("任务几点跑？", "state"),
        ("Restart the search cluster.", "general"),
        ("帮我订个位子", "general"),
        ("Thanks, lovely weather.", "general"),
        ("谢谢。", "general"),
        ("", "general"),
    ],
)
def test_the_form_of_a_question_tells_its_class(question: str, expected: str) -> None:
    """In both languages; what is no question of these is a general one."""
    assert recognised(question) == expected


def test_a_word_of_another_script_beside_it_changes_nothing() -> None:
    """Texts that are plain ASCII are looked at by fewer forms; they are of the class that all of them give."""
    for question in ("Did the upgrade cause the outage", "WHY did it fail", "Should I drain the node first", "I see"):
        assert recognised(f"{question}?") == recognised(f"{question}? 好")
    assert recognised("It is fine, 为什么?") == "causal"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("Restart the search cluster.", "workflow"),
        ("把搜索集群重启一下", "workflow"),
        ("Roll back Monday's proxy change, it broke the uploads.", "causal"),
        ("把周一的代理改动撤掉，上传都失败了", "causal"),
        ("Restart it now.", "workflow"),
        ("Is it running now?", "state"),
        ("  ", "general"),
    ],
)
def test_an_order_before_an_execute_has_a_class_too(order: str, expected: str) -> None:
    """It does what is done here in some way; where it takes back what it blames, it rests on a cause."""
    assert recognised(order, acts=True) == expected
    if expected != "state":
        assert recognised(order) in {"general", "state", "causal"}, "whoever only reads gives no order"


def test_a_long_text_is_read_in_no_time() -> None:
    """Only its start is looked at."""
    began = time.process_time()
    recognised("how " * 5_000 + "为什么" * 5_000)
    recognised("do , " * 4_000)
    assert time.process_time() - began < SECONDS_MAX
