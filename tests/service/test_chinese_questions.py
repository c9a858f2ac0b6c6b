"""A Chinese question is met by what answers it, as an English one is, whatever function words stand around it."""

from __future__ import annotations

from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here

ANSWERED = (
    ("我对花生过敏", "我对什么过敏吗？我能吃花生吗？"),
    ("我在成都工作", "我是在哪个城市工作的？"),
    ("我喜欢靠窗的座位", "我坐飞机的时候喜欢什么样的座位？"),
    ("会议室在三楼", "会议室是在几楼来着？"),
    ("日志保留三十天", "日志会被保留多久？"),
    ("我的猫叫豆豆", "我的猫叫什么名字啊？"),
)
UNANSWERED = ("今天的天气怎么样呢？", "我的车是什么颜色的？", "谁是我们的律师？", "我的护照什么时候过期？")


def test_it_is_met_by_what_answers_it_and_by_nothing_else(house: World) -> None:
    """Sufficient, with the answer first; where nothing is known it says so."""
    for told, _ in ANSWERED:
        house.ana.remember(told)
    for told, question in ANSWERED:
        packet = house.ana.recall(question)
        assert (packet.sufficiency, packet.items[0].text) == ("sufficient", told)
    assert {house.ana.recall(question).sufficiency for question in UNANSWERED} == {"insufficient"}
