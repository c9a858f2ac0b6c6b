"""`registry check` of projectors: each thing that it must find, beside the same registry without it."""

from __future__ import annotations

import pytest
from registry_builders import SMALL

from heedful.bridges.build import build_registry, registry_from_body
from heedful.bridges.check import check_registry
from heedful.bridges.registry import Registry
from heedful.kernel.times import parse_time

AT_US = parse_time("2026-11-29", field="at").at_us
LAMPS = """\
kinds:
  oven.state: {description: C., form: state, cardinality: one, comparator: text, risk: low, applies_to: [cook], expiry_test: Look.}
projectors:
  oven.text:
    description: Whether an oven is hot.
    authority: the oven's manual
    owner: the cook
    tools: [oven show *]
    kind: oven.state
    pattern: '^(?P<name>[a-z]+) is (?P<state>hot|cold)'
    call: {floor: '--floor (\\d+)'}
    subject: "oven:{name}"
    property: heat
    value: "{state}"
    expires_seconds: 60
    examples:
      must: [{command: oven show, output: big is hot, subject: "oven:big", property: heat, value: hot}]
      must_not: [{command: oven show, output: big is odd}]
  oven.json:
    description: Whether an oven is hot.
    authority: the oven's manual
    owner: the cook
    tools: [oven.read]
    record_types: [tool_result, verification]
    assurance: verified
    kind: oven.state
    schema: {type: object, required: [ovens]}
    each: ovens
    jmespath: {name: name, hot: hot}
    subject: "oven:{name}"
    property: heat
    value: "{hot}"
    values: {"true": hot}
    examples:
      must: [{tool: oven.read, output: '{"ovens":[{"name":"big","hot":true}]}', subject: "oven:big", property: heat, value: hot}]
      must_not: [{tool: oven.read, output: '{"ovens":[{"name":"big","hot":false}]}'}]
"""
BRIDGE = """\
bridges:
  cook.oven:
    from: [cook]
    activates: [oven.state]
    effect: notice
    risk: low
    authority: maintainer-approved
    evidence: the oven's manual
    source_opened: true
    reason: A hot oven burns.
    owner: the cook
    examples: {must_fire: [Bake bread], must_not_fire: [Book a flight]}
"""
EXPIRES = "expires_seconds: 60\n"
SHOWN = "must_not: [{command: oven show, output: big is odd}]"
EXPIRED = "must_not: [{command: oven show, output: big is hot, subject: 'oven:big', property: heat, value: hot, after_seconds: 60}]"


def codes(*documents: str) -> list[str]:
    """The codes of the problems, each once."""
    named = [(f"{number}.yaml", text) for number, text in enumerate((SMALL, *documents))]
    return sorted({problem.code for problem in check_registry(named, at_us=AT_US)})


def test_the_projectors_are_clean() -> None:
    """The control of every test below."""
    assert codes(LAMPS) == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (
            "value: hot}]\n      must_not: [{command",
            "value: cold}]\n      must_not: [{command",
            "projector_example_silent",
        ),
        ("output: big is odd", "output: big is cold", "projector_example_gives"),
        (
            ", property: heat, value: hot}]\n      must_not: [{command",
            "}]\n      must_not: [{command",
            "projector_example_unsaid",
        ),
        ("      must_not: [{command: oven show, output: big is odd}]\n", "", "projector_example_missing"),
        ("authority: the oven's manual", "authority: ' '", "projector_unsaid"),
        ("form: state", "form: fact", "projector_kind"),
        ("    assurance: verified\n", "", "projector_assurance"),
        ("[tool_result, verification]", "[tool_result]", "projector_assurance"),
        ("    schema: {type: object, required: [ovens]}\n", "", "projector_schema"),
        ("{type: object, required: [ovens]}", "{type: nothing}", "projector_schema"),
        ("{type: object, required: [ovens]}", "{$ref: 'https://example.org/x'}", "projector_schema"),
        ("    jmespath: {name: name, hot: hot}\n", "", "projector_form"),
        ("    each: ovens\n", "    each: 'ovens['\n", "projector_jmespath"),
        ("hot: hot}", "hot: 'hot ||'}", "projector_jmespath"),
        ("(?P<name>[a-z]+)", "(?P<name>[a-z]+", "registry_regex"),
        ("(?P<name>[a-z]+)", "(?P<name>([a-z]+)+)", "registry_regex_slow"),
        ("--floor (\\d+)", "--floor \\d+", "registry_regex"),
        (
            '"oven:{name}"\n    property: heat\n    value: "{state}"',
            '"oven:{nme}"\n    property: heat\n    value: "{state}"',
            "projector_template",
        ),
        ('value: "{state}"', 'value: "{state"', "projector_template"),
        ("kind: oven.state\n    pattern", "kind: oven.stat\n    pattern", "registry_reference_unknown"),
        ("    owner: the cook\n    tools: [oven show *]", "    tools: [oven show *]", "registry_field_missing"),
        ("assurance: verified", "assurance: certain", "registry_word_unknown"),
    ],
)
def test_each_mistake_is_found(old: str, new: str, code: str) -> None:
    """By its code."""
    assert old in LAMPS
    assert code in codes(LAMPS.replace(old, new, 1))


def test_a_state_that_decides_executions_must_expire_and_show_it() -> None:
    """Where a bridge brings its kind before a class that a tool executes; the kind needs its own test as well."""
    whole = LAMPS.replace(SHOWN, EXPIRED)
    assert codes(whole, BRIDGE) == ["projector_expiry_missing"]  # oven.json names no end
    ends = whole.replace("    jmespath:", f"    {EXPIRES}    jmespath:")
    assert codes(ends, BRIDGE) == ["projector_expiry_example_missing"]
    assert "projector_expiry_example_missing" in codes(LAMPS, BRIDGE)
    assert "projector_expiry_missing" in codes(LAMPS.replace(EXPIRES, "\n"), BRIDGE)
    assert "kind_expiry_test_missing" in codes(LAMPS.replace(", expiry_test: Look.", ""), BRIDGE)


def test_a_revision_covers_projectors_and_is_had_back_from_its_body() -> None:
    """One that was kept before there were any has none."""
    first, second = (
        build_registry([("a.yaml", SMALL), ("b.yaml", text)]) for text in (LAMPS, LAMPS.replace("hot|cold", "hot|warm"))
    )
    assert isinstance(first, Registry)
    assert isinstance(second, Registry)
    assert first.revision != second.revision
    again = registry_from_body(first.body_json)
    assert again == first
    assert dict(again.projectors) == dict(first.projectors)
    older = registry_from_body(first.body_json.replace('"projectors":{', '"projector":{', 1))
    assert len(older.projectors) == 0
