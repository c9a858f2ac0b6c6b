"""The sections of the registry schema, one constant each."""

from __future__ import annotations

from heedful.policy.schema_parts import (
    CLASSIFICATIONS,
    DENIED_KINDS_MAX,
    DOTTED_ID,
    EVIDENCE_LABELS,
    FORMS,
    MODES,
    PRINCIPAL_ID,
    RISKS,
    ROLES,
    SCOPE_ELEMENT,
    SEVERITIES,
    Schema,
    entry,
    flag,
    ids,
    one_of,
    phrases,
    record,
    text,
    texts,
    whole,
)

PACK = record(
    "What this folder of documents is; one a folder.",
    {
        "name": text("The pack's name.", pattern=DOTTED_ID),
        "version": text("Its version, a text such as '1.2.0'."),
        "description": text("What it is for."),
        "licence": text("An SPDX expression."),
        "requires": ids("Packs that it builds on; they come with it."),
        "dimensions": texts("Scope dimensions where it is at home, such as user; left out: everywhere."),
    },
    ("name", "version", "description", "licence"),
)

ACTION_CLASS = entry(
    "What a request is about to decide; deploy.production descends from deploy.",
    {
        "description": text("What is decided, one sentence."),
        "phrases": phrases("phrases of intent"),
        "on_no_bridge": one_of(("retrieve", "ask", "review", "deny"), "What to do where no bridge carries anything."),
        "mode": one_of(MODES, "The mode that it ships in; advise by default."),
    },
    ("description", "on_no_bridge"),
)

KIND = entry(
    "What a claim is about.",
    {
        "description": text("What such a claim says, one sentence."),
        "form": one_of(FORMS, "The form of its claims where none is given."),
        "cardinality": one_of(("one", "many"), "How many values a subject has at a time."),
        "comparator": one_of(("text", "number", "time", "boolean"), "How two values are compared."),
        "risk": one_of(RISKS, "What forgetting or forging it could do."),
        "classification": one_of(CLASSIFICATIONS, "The least classification of its claims; normal by default."),
        "applies_to": ids("Default action classes of its claims; those of `consequences` where it is left out."),
        "consequences": {
            "type": "object",
            "description": "Action class -> what forgetting such a claim there does; a class covers what is below it.",
            "propertyNames": {"pattern": DOTTED_ID, "maxLength": 128},
            "additionalProperties": one_of(SEVERITIES, "How much it hurts."),
        },
        "narrow": flag(
            "True: its claims hold in the narrowest scope, and their subject confirms them; false by default."
        ),
        "phrases": phrases("how people tell such a claim"),
        "ends": phrases("how people say that it is over"),
        "not_for": ids("Default action classes before which its claims stay silent."),
        "expires_after_days": whole("Life of its claims where none is given.", 1),
        "retain_days": whole("How long its claims are kept from when they were learned of; else as policy says.", 1),
        "after_retention": one_of(("archive", "revoke"), "What becomes of them then; archive by default."),
        "expiry_test": text("How one proves that such a claim has expired."),
    },
    ("description", "form", "cardinality", "comparator", "risk"),
)

ENTITY = entry(
    "Something that requests name.",
    {
        "phrases": texts("Words for it, any language.", items_min=1),
        "properties": {
            "type": "object",
            "description": "Property -> values. A value that is another entity's id links to it.",
            "additionalProperties": texts("Values.", items_min=1),
        },
        "source": text("Where the link comes from."),
    },
    ("phrases", "properties", "source"),
)

_EXAMPLE: Schema = {
    "type": ["string", "object"],
    "description": "A request: its text, or text and tool call.",
    "minLength": 1,
    "properties": {
        "text": text("What is asked."),
        "tool": text("The tool's name."),
        "args": {"type": "object", "description": "The tool's arguments."},
    },
    "additionalProperties": False,
    "minProperties": 1,
}

BRIDGE = entry(
    "A reviewed rule that carries action classes to kinds of claim. It narrows; it never grants.",
    {
        "from": ids("Action classes that it starts from; each covers its descendants.", items_min=1),
        "when": record(
            "What must hold of an entity in the request; left out: the class alone is enough.",
            {
                "entity": text("A property of an entity, `tool`, `args.<name>` or `metadata.<name>`."),
                "operator": one_of(("equals", "contains", "in"), "How a value is compared."),
                "values": texts("What it is compared with.", items_min=1),
            },
            ("entity", "operator", "values"),
        ),
        "activates": ids("Kinds that it brings; each covers its descendants.", items_min=1),
        "effect": one_of(("notice", "ask", "review", "deny"), "The most that it asks for."),
        "risk": one_of(RISKS, "What is at stake."),
        "authority": one_of(("domain-policy", "maintainer-approved", "public-reference"), "Whose word it is."),
        "evidence": text("Where that can be read: title, section, address."),
        "source_opened": flag("True: the owner has opened the evidence."),
        "reason": text("Why the class needs the kinds, one sentence."),
        "owner": text("Who answers for it."),
        "expires": text("A date after which it carries nothing.", pattern=r"^\d{4}-\d{2}-\d{2}"),
        "jurisdiction": text("Where it holds, if not everywhere."),
        "certainty": one_of(("established", "probable"), "How sure the link is; established by default."),
        "contested": flag("True: experts disagree; false by default."),
        "mode": one_of(MODES, "The mode that it ships in; advise by default."),
        "examples": record(
            "Requests that must, and must not, make it fire; `heedful registry check` runs them.",
            {
                "must_fire": {"type": "array", "description": "It fires on each.", "items": _EXAMPLE},
                "must_not_fire": {"type": "array", "description": "It fires on none.", "items": _EXAMPLE},
            },
        ),
    },
    ("from", "activates", "effect", "risk", "authority", "evidence", "source_opened", "reason", "owner"),
)

TOOL = entry(
    "Which tool calls these are, what they decide, and how much they change.",
    {
        "tool": {
            "type": ["string", "array"],
            "description": "Glob on the tool's name, or a list of them; `*` by default.",
            "minLength": 1,
            "minItems": 1,
            "items": text("A glob."),
        },
        "arguments": {
            "type": "object",
            "description": "Argument -> regular expression that must be found in its text; all must.",
            "additionalProperties": text("A regular expression."),
        },
        "commands": texts("Globs on one simple command of a shell tool.", items_min=1),
        "class": text("The action class; left out: it decides nothing.", pattern=DOTTED_ID),
        "impact": one_of(("read", "propose", "execute"), "What the call changes."),
    },
    ("impact",),
)

_PRINCIPAL = entry(
    "What one principal may do.",
    {
        "roles": {**texts("Its roles."), "items": one_of(ROLES, "A role.")},
        "clearance": one_of(CLASSIFICATIONS, "The highest classification that it reads; normal by default."),
        "grants": texts("Scope elements, `dimension:*`, or `*` for the whole tenant."),
        "denied_kinds": ids("Kinds that it does not see, each with what is below it.") | {"maxItems": DENIED_KINDS_MAX},
        "speaks_for": texts("Subjects besides itself that it speaks for: `user:tim`, `user:*`.", pattern=SCOPE_ELEMENT),
    },
    ("roles",),
)

_SCOPE = entry(
    "Who reads a scope element, and which forms claims may have there.",
    {
        "readers": texts("Principals, `role:NAME`, or `self`: the value is the principal's own name."),
        "allowed_forms": {**texts("Forms; empty: any."), "items": one_of(FORMS, "A form.")},
    },
    (),
)

POLICY = record(
    "Who may store, see and act on what. Each field may be set in one document only.",
    {
        "solo": flag("True: one person may approve what they proposed, also at high risk."),
        "unreviewed": one_of(("hidden", "advisory"), "Whether unreviewed claims may come to mind."),
        "principals": {
            "type": "object",
            "description": "Principal, or `type:*` for every one of a type -> what it may do.",
            "propertyNames": {"pattern": PRINCIPAL_ID},
            "additionalProperties": _PRINCIPAL,
        },
        "scopes": {
            "type": "object",
            "description": "Scope element, or `dimension:*` -> who reads it.",
            "propertyNames": {"pattern": SCOPE_ELEMENT},
            "additionalProperties": _SCOPE,
        },
        "auto_approve": record(
            "First-party statements that need no reviewer.",
            {
                "enabled": flag("False: every claim waits for a person."),
                "forms": {**texts("Forms."), "items": one_of(FORMS, "A form.")},
                "kind_risks": {**texts("Risks of the kind."), "items": one_of(RISKS, "A risk.")},
                "classifications": {**texts("Classifications."), "items": one_of(CLASSIFICATIONS, "One.")},
                "consent_explicit": flag("True: only with explicit consent."),
            },
            ("enabled", "forms", "kind_risks", "classifications", "consent_explicit"),
        ),
        "bridge_approval": one_of(
            ("high", "all"),
            "Which bridges of the store's own stay in shadow until people approve them; high by default.",
        ),
        "require_current_verification_for": ids("Action classes whose execution needs a verification record."),
        "verification_max_age_seconds": whole("How old that record may be.", 1),
        "deny_on_evidence_label": {
            **texts("Sufficiency labels on which an execution is denied."),
            "items": one_of(EVIDENCE_LABELS, "A label."),
        },
        "default_retain_days": {
            "type": ["integer", "null"],
            "description": "Retention of records that name none; null: until erased.",
            "minimum": 1,
        },
    },
)
