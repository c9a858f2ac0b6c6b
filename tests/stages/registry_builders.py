"""Registries for the tests of the bridge stage: a small one written here, and the bundled delivery pack."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from heedful.bridges.build import build_registry
from heedful.bridges.registry import Registry
from heedful.bridges.request import Modes, RequestFeatures
from heedful.claims.claim import Claim
from heedful.kernel.ids import ActionClassId, KindId
from heedful.kernel.ladder import Mode
from heedful.kernel.scope import parse_scope
from heedful.testing.builders import build_claim

SCOPE = parse_scope(["project:garden"])
ALL_MODES = Modes({}, {}, Mode.ENFORCE)

SMALL = """\
pack: {name: small, version: "1", description: A pack for tests., licence: Apache-2.0}
action_classes:
  inert: {description: Nothing., on_no_bridge: retrieve}
  inert.explain: {description: Words., on_no_bridge: retrieve, phrases: {en: [what is a], zh: [什么是]}}
  cook: {description: Food is made., on_no_bridge: retrieve, phrases: {en: [cook, bake], zh: [做饭]}, mode: enforce}
  cook.guests:
    description: Food is made for others.
    on_no_bridge: ask
    phrases: {en: [cook ... guests, dinner party], zh: [做...给客人]}
    mode: enforce
  travel: {description: A trip., on_no_bridge: review, phrases: {en: [book ... flight], zh: [订机票]}, mode: enforce}
kinds:
  diet.allergy:
    {description: A., form: fact, cardinality: many, comparator: text, risk: high, applies_to: [cook], expiry_test: Ask.}
  diet.taste: {description: B., form: preference, cardinality: many, comparator: text, expiry_test: A., risk: low, applies_to: [cook]}
entities:
  macaron: {phrases: [macaron, 马卡龙], properties: {type: [dish], contains: [almond]}, source: a French cook book}
  almond: {phrases: [almond, 杏仁], properties: {type: [ingredient], is: [tree-nut]}, source: a list of allergens}
  tree-nut: {phrases: [tree nuts, 坚果], properties: {type: [allergen]}, source: a list of allergens}
bridges:
  cook.allergy:
    from: [cook]
    when: {entity: type, operator: equals, values: [allergen]}
    activates: [diet.allergy]
    effect: deny
    risk: high
    authority: domain-policy
    evidence: a list of allergens
    source_opened: true
    reason: What harms somebody must be known before cooking.
    owner: the cook
    mode: enforce
    examples: {must_fire: [Bake macarons, 做饭要用坚果], must_not_fire: [Bake bread, 做饭吃面条]}
  cook.taste:
    from: [cook]
    activates: [diet]
    effect: notice
    risk: low
    authority: maintainer-approved
    evidence: common sense
    source_opened: false
    reason: Taste matters.
    owner: the cook
    mode: enforce
    examples: {must_fire: [Bake bread, 做饭], must_not_fire: [Book a flight, 订机票]}
tools:
  oven: {tool: oven.*, class: cook, impact: execute}
  shelf: {tool: shelf.look, impact: read}
policy:
  solo: true
  unreviewed: advisory
  principals: {"person:ana": {roles: [owner], clearance: restricted, grants: ["*"]}}
"""


def built(*documents: str | tuple[str, str]) -> Registry:
    """The registry of these documents, which must have no problem."""
    named = [text if isinstance(text, tuple) else (f"{number}.yaml", text) for number, text in enumerate(documents)]
    registry = build_registry(named)
    assert isinstance(registry, Registry), [str(problem) for problem in registry.problems]
    return registry


def small_with(old: str = "", new: str = "") -> Registry:
    """The small registry with one piece of its text replaced."""
    assert old in SMALL
    return built(SMALL.replace(old, new) if old else SMALL)


def delivery_documents() -> list[tuple[str, str]]:
    """The bundled pack, the one that it builds on, and the policy template, as an adapter would read them."""
    packs = files("heedful") / "packs"
    found = [
        (f"{name}/{entry.name}", entry.read_text("utf-8"))
        for name in ("base", "delivery")
        for entry in (packs / name).iterdir()
        if entry.name.endswith(".yaml")
    ]
    policy = (packs / "default_policy.yaml").read_text("utf-8").replace("{principal}", "person:ana")
    return [*sorted(found), ("policy.yaml", policy)]


@cache
def delivery() -> Registry:
    """The registry of the bundled pack and the one that it builds on."""
    return built(*delivery_documents())


def asked(text: str = "", tool: str | None = None, **more: Any) -> RequestFeatures:
    """A request."""
    named = more.get("action_class")
    return RequestFeatures(
        text, tool, more.get("args", {}), None if named is None else ActionClassId(named), more.get("metadata", {})
    )


def state(kind: str, number: int = 1, **changes: Any) -> Claim:
    """An active decision state of the garden project that applies to cooking."""
    fields: dict[str, Any] = {"kind": KindId(kind), "scope": SCOPE, "applies_to": (ActionClassId("cook"),), **changes}
    return build_claim(number, **fields)
