"""What a request decides: by its caller, its tool, its metadata, its words; and what it names."""

from __future__ import annotations

import pytest
from registry_builders import SMALL, asked, built, delivery, small_with

from heedful.bridges.classify import PHRASE_CLASSES_MAX, classify
from heedful.bridges.entities import ENTITIES_MAX, predicate_holds
from heedful.bridges.request import RequestFeatures
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import BridgeId
from heedful.kernel.ladder import Impact

SMALL_REGISTRY = small_with()


def classes(text: str = "", tool: str | None = None, **more: object) -> list[tuple[str, str]]:
    """(class, method) of each match, in order."""
    found = classify(asked(text, tool, **more), SMALL_REGISTRY)
    return [(match.action_class, match.method) for match in found.classes]


def test_words_tell_a_class_and_other_words_do_not() -> None:
    """English by word form, Chinese by substring; a text about something else has no class."""
    assert classes("We are baking tonight") == [("cook", "phrase")]
    assert classes("今晚做饭") == [("cook", "phrase")]
    assert classes("the bakery is closed") == []


def test_of_a_class_and_its_descendant_words_tell_the_descendant() -> None:
    """Ancestors are covered anyway."""
    assert classes("cook something for our guests") == [("cook.guests", "phrase")]


def test_the_caller_names_a_class_that_must_exist() -> None:
    """An unknown name is an error, never `nothing recognised`."""
    assert classes("hello", action_class="travel") == [("travel", "named")]
    with pytest.raises(InvalidInputError) as error:
        classes("hello", action_class="fly")
    assert error.value.code == "action_class_unknown"
    with pytest.raises(InvalidInputError):
        classes("hello", metadata={"action_class": "fly"})


def test_a_tool_tells_its_class_and_impact() -> None:
    """A known read has no class; an unknown tool is not known."""
    found = classify(asked(tool="oven.on"), SMALL_REGISTRY)
    assert [(match.action_class, match.method, match.confidence) for match in found.classes] == [("cook", "tool", 1.0)]
    assert (found.impact, found.tool_known) == (Impact.EXECUTE, True)
    look = classify(asked(tool="shelf.look"), SMALL_REGISTRY)
    assert (look.classes, look.impact, look.tool_known) == ((), Impact.READ, True)
    assert not classify(asked(tool="drill"), SMALL_REGISTRY).tool_known


def test_without_a_tool_there_is_no_impact() -> None:
    """A question changes nothing by itself."""
    found = classify(asked("hello"), SMALL_REGISTRY)
    assert (found.impact, found.tool_known) == (None, True)


def test_metadata_tells_classes_by_name_and_by_route() -> None:
    """A form field names a class; a route is read for phrases."""
    assert classes(metadata={"action_class": "travel"}) == [("travel", "metadata")]
    assert classes(metadata={"route": "/v1/dinner-party"}) == [("cook.guests", "metadata")]


def test_a_word_or_a_name_never_takes_a_class_away() -> None:
    """The tool's class stays, whatever the caller or the text adds."""
    found = classes("a dinner party, book a flight", "oven.on", action_class="travel")
    assert found == [("travel", "named"), ("cook", "tool"), ("cook.guests", "phrase")]


def test_words_near_an_explanation_weigh_less() -> None:
    """`What is a cook?` decides nothing; a plain intent beside it still counts."""
    assert classes("What is a cook?") == [("inert.explain", "phrase")]
    assert ("travel", "phrase") in classes("What is a visa, and please book the flight")


def test_words_alone_add_only_so_many_classes() -> None:
    """The surest are kept; classes of tools and names are not counted."""
    many = "".join(
        f"  c{n}: {{description: C., on_no_bridge: ask, phrases: {{en: [topic{n} please]}}}}\n" for n in range(9)
    )
    registry = built(SMALL.replace("  cook: {", many + "  cook: {", 1))
    text = " ".join(f"topic{n} please" for n in range(9))
    found = classify(asked(text, "oven.on"), registry)
    assert [match.method for match in found.classes] == ["tool"] + ["phrase"] * PHRASE_CLASSES_MAX


def test_entities_come_with_their_links_and_sources() -> None:
    """A macaron contains almond, an almond is a tree nut, each on somebody's word."""
    found = classify(asked("Bake macarons"), SMALL_REGISTRY).entities
    assert [(match.entity_id, match.matched) for match in found] == [
        ("almond", "macaron: macaron contains almond"),
        ("macaron", "macaron"),
        ("tree-nut", "macaron: macaron contains almond, almond is tree-nut"),
    ]
    assert found[0].source == "a list of allergens"
    assert found[1].source == "a French cook book (named in the text)"


def test_entities_come_from_arguments_and_metadata() -> None:
    """Nested arguments are read; a metadata field is a property by its own name."""
    found = classify(asked("", "oven.on", args={"plan": [{"dish": "马卡龙"}]}), SMALL_REGISTRY).entities
    assert "macaron" in {match.entity_id for match in found}
    named = classify(asked("hi", metadata={"season": "winter", "route": "/x"}), SMALL_REGISTRY).entities
    assert [(match.entity_id, dict(match.properties)) for match in named] == [
        ("metadata.season", {"season": ("winter",)})
    ]


def test_entities_are_bounded() -> None:
    """A flood of metadata is cut."""
    metadata = {f"field{number}": "x" for number in range(200)}
    assert len(classify(asked("hi", metadata=metadata), SMALL_REGISTRY).entities) == ENTITIES_MAX


def test_only_fields_that_a_bridge_asks_for_are_carried_along() -> None:
    """Arguments may be private: none is copied unless some predicate needs it."""
    text = SMALL.replace(
        "{entity: type, operator: equals, values: [allergen]}",
        "{entity: args.heat, operator: in, values: ['250', 'true']}",
    )
    registry = built(text)
    found = classify(asked("", "oven.on", args={"heat": 250, "secret": "x"}), registry).entities
    assert [(match.entity_id, dict(match.properties)) for match in found] == [("args.heat", {"args.heat": ("250",)})]
    assert classify(asked("", "oven.on", args={"heat": {"a": 1}}), registry).entities == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deploying the payments service to prod tonight", {"deploy.production"}),
        ("把支付服务部署到生产环境", {"deploy.production"}),
        ("deploy the branch to staging", {"deploy.staging"}),
        ("drop the legacy column and backfill the new one", {"migrate.schema", "migrate.data"}),
        ("rotating the signing keys", {"rotate.credentials"}),
        ("轮换签名密钥", {"rotate.credentials"}),
        ("force-push my branch", {"push.force", "push.branch"}),
        ("git push", {"push.branch"}),
        ("why is the checkout page failing", {"diagnose.production"}),
        ("run the tests", {"run.tests"}),
        ("what is a feature?", {"inert.explain"}),
        ("what time is it in Lisbon", set()),
        ("我今天心情很好", set()),
    ],
)
def test_the_delivery_pack_recognises_everyday_requests(text: str, expected: set[str]) -> None:
    """Both languages, and nothing where nothing is decided."""
    assert {match.action_class for match in classify(asked(text), delivery()).classes} == expected


@pytest.mark.parametrize(
    "text", ["", "\x00", "🦊" * 500, "مرحبا بالعالم", "デプロイして", "'; DROP TABLE x; --", "..."]
)
def test_any_text_is_ordinary_input(text: str) -> None:
    """Nothing in a request is syntax."""
    classify(asked(text), delivery())


def test_the_same_request_is_classified_alike() -> None:
    """Twice the same, field for field."""
    request = asked("deploy the cart to production", "Bash", args={"command": "ls"}, metadata={"b": "1", "a": "2"})
    assert classify(request, delivery()) == classify(request, delivery())


@pytest.mark.parametrize(
    ("predicate", "request_", "holds"),
    [
        ("{entity: tool, operator: equals, values: [OVEN.ON]}", asked("", "oven.on"), True),
        ("{entity: tool, operator: equals, values: [oven.off]}", asked("", "oven.on"), False),
        ("{entity: tool, operator: equals, values: [oven.on]}", asked("Bake bread"), False),
        ("{entity: tool, operator: contains, values: [off, on]}", asked("", "oven.on"), True),
        ("{entity: tool, operator: contains, values: [off]}", asked("", "oven.on"), False),
        ("{entity: tool, operator: in, values: [x, oven.on]}", asked("", "oven.on"), True),
        ("{entity: tool, operator: equals, values: [x, oven.on]}", asked("", "oven.on"), False),
        (
            "{entity: args.pan.size, operator: in, values: ['30']}",
            asked("", "oven.on", args={"pan": {"size": [20, 30]}}),
            True,
        ),
        ("{entity: args.pan.size, operator: in, values: ['30']}", asked("", "oven.on", args={"pan": "30"}), False),
        ("{entity: args.fan, operator: equals, values: ['true']}", asked("", "oven.on", args={"fan": True}), True),
        (
            "{entity: metadata.season, operator: equals, values: [winter]}",
            asked("bake", metadata={"season": "Winter"}),
            True,
        ),
        (
            "{entity: metadata.season, operator: equals, values: [winter]}",
            asked("bake", metadata={"month": "winter"}),
            False,
        ),
        ("{entity: season, operator: equals, values: [winter]}", asked("bake", metadata={"season": "winter"}), True),
        ("{entity: is, operator: equals, values: [tree-nut]}", asked("bake", metadata={"wish": "杏仁"}), True),
    ],
)
def test_a_predicate_asks_for_what_the_request_names(predicate: str, request_: RequestFeatures, holds: bool) -> None:
    """Tool, arguments, metadata and entities; compared without case; each operator beside its denial."""
    text = SMALL.replace("{entity: type, operator: equals, values: [allergen]}", predicate)
    registry = built(text)
    bridge = registry.bridges[BridgeId("cook.allergy")]
    assert predicate_holds(bridge, classify(request_, registry).entities)[0] is holds


def test_an_inert_route_is_no_class() -> None:
    """A page that explains decides nothing."""
    assert classes(metadata={"route": "/help/what-is-a-visa"}) == []


def test_arguments_are_read_only_so_deep() -> None:
    """Nothing is searched beyond the limit of depth."""
    args = {"a": {"b": {"c": {"d": {"e": "macaron"}}}}}
    assert classify(asked("", "oven.on", args=args), SMALL_REGISTRY).entities == ()


def test_the_words_of_a_call_are_read_only_where_no_pattern_knows_it() -> None:
    """A note in the arguments of a known call decides nothing; an unknown tool's name and arguments are all there is."""
    args = {"note": "bake bread"}
    known = classify(asked(tool="shelf.look", args=args), SMALL_REGISTRY)
    assert known.tool_known
    assert known.classes == ()
    unknown = classify(asked(tool="kitchen.do", args=args), SMALL_REGISTRY)
    assert not unknown.tool_known
    assert [match.method for match in unknown.classes] == ["phrase"]
