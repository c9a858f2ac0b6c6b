"""Every command: what it answers for programs, what for people, and its exit code."""

from __future__ import annotations

from pathlib import Path

from command_line import DEPLOY, FREEZE, QUESTION, CommandLine, bare_fixture, heedful_fixture, transcript  # noqa: F401  # pytest finds the fixtures here

from heedful import Memory
from heedful.settings import Settings

LINE = "remember: release.freeze: Nothing goes out before the third of May. applies_to=deploy.production"


def proposed(heedful: CommandLine) -> str:
    """The id of a freeze that waits for review."""
    kept = heedful("remember", FREEZE, "-k", "release.freeze", "--until", "2099-01-01", "--json").json
    return str(kept["claims"][0]["claim_id"])


def active(heedful: CommandLine) -> str:
    """The id of a freeze that was approved."""
    claim_id = proposed(heedful)
    assert heedful("review", "approve", claim_id).code == 0
    return claim_id


def test_init_makes_a_store_and_says_what_is_next(bare: CommandLine) -> None:
    """The folder's name is the default scope; whoever makes it owns it."""
    made = bare("init", "--json")

    assert made.code == 0
    assert made.json["made"] == "store"
    assert made.json["scope"] == ["project:home"]
    assert made.json["principal"] == "person:ana"
    assert (bare.folder / ".heedful" / "registry" / "policy.yaml").is_file()


def test_init_again_is_a_conflict_and_with_another_tenant_adds_it(heedful: CommandLine) -> None:
    """A second store in one folder is nobody's wish; the default tenant is taken as well."""
    assert (heedful("init").code, heedful("init", "--json").json["error"]["code"]) == (5, "store_exists")
    assert heedful("--tenant", "default", "init", "--json").json["error"]["code"] == "store_exists"
    added = heedful("--tenant", "acme", "init", ".")
    assert added.code == 0
    assert "Made a tenant in" in added.out
    assert heedful("--tenant", "acme", "init", "--json").json["error"]["code"] == "tenant_taken"
    assert heedful("--tenant", "acme", "status").code == 0


def test_init_adds_a_tenant_to_the_folder_that_is_named(heedful: CommandLine, tmp_path: Path) -> None:
    """Another store in the settings does not take its place."""
    other = tmp_path / "other"
    other.mkdir()
    heedful("init", str(other))
    heedful("--store", str(other), "--tenant", "acme", "init", ".")

    assert heedful("--tenant", "acme", "status").code == 0
    assert heedful("--store", str(other), "--tenant", "acme", "status").code == 4


def test_init_in_a_folder_that_is_not_there_makes_none(bare: CommandLine) -> None:
    """A slip of the hand makes no store somewhere."""
    assert bare("init", "nowhere").code == 2
    assert not (bare.folder / "nowhere").exists()


def test_status_shows_counts_modes_and_the_registry(heedful: CommandLine) -> None:
    """In one look."""
    active(heedful)
    heedful("registry", "mode", "pre-router", "shadow")
    told = heedful("status")
    status = heedful("status", "--json").json

    assert status["status"]["counts"]["claims.active"] == 1
    assert status["default_scope"] == ["project:payments"]
    assert "you are person:ana" in told.out
    assert "mode of pre-router pre-router: shadow" in told.out


def test_remember_says_what_was_kept_and_what_to_do_next(heedful: CommandLine) -> None:
    """Kept, cut, proposed; a refusal exits 1."""
    kept = heedful("remember", f"{FREEZE} password=hunter2-Zq9!", "-k", "release.freeze")
    again = [heedful("remember", "x y", "--source-ref", "ticket/1") for _ in range(2)]
    refused = heedful("remember", "my salary", "--consent", "denied")

    assert kept.code == 0
    assert "cut out a secret (password)" in kept.out
    assert "next: `heedful review approve" in kept.out
    assert "hunter2" not in kept.out
    assert ["it was kept before" in each.out for each in again] == [False, True]
    assert (refused.code, "consent-denied" in refused.out) == (1, True)


def test_remember_reads_standard_input_as_bytes(heedful: CommandLine) -> None:
    """Whatever they are."""
    kept = heedful("remember", "-", "--type", "document", "--json", stdin=b"\xff\x00\xfe").json

    assert heedful("review", "show", kept["record_id"], "--json").json["item"]["record"]["content_base64"] == "/wD+"


def test_attributes_are_typed_and_filter_a_recall(heedful: CommandLine) -> None:
    """A number is a number, true is true."""
    heedful("remember", "the cache lies", "--attribute", "severity=3", "--attribute", "open=true")

    def found(*filters: str) -> int:
        return len(heedful("recall", "cache", "--json", *filters).json["items"])

    assert found("--attribute", "severity=3") == found("--attribute", "open=true") == found() == 1
    assert found("--attribute", "severity=4") == found("--type", "document") == 0
    assert heedful("remember", "x", "--attribute", "severity").code == 2


def test_import_reports_every_row_and_proposes(heedful: CommandLine, tmp_path: Path) -> None:
    """Again, nothing is new; one secret is one secret."""
    path = transcript(tmp_path / "t.jsonl", "hello", LINE, "password=hunter2-Zq9!")
    first, again = heedful("import", str(path)), heedful("import", str(path), "--json")

    assert first.code == 0
    assert "3 records kept, 0 pending, 0 refused, 0 known before" in first.out
    assert "1 secret was cut out" in first.out
    assert "proposed: release.freeze: Nothing goes out" in first.out
    assert (again.json["admitted"], again.json["duplicates"]) == (0, 3)


def test_import_counts_secrets_and_says_where_nothing_is_proposed(heedful: CommandLine, tmp_path: Path) -> None:
    """Two secrets are two; no claim is said plainly; problems are shown up to a number."""
    words = ["password=hunter2-Zq9!", "password=hunter3-Zq9!", *(f"remember: no.such.k{n}: x" for n in range(12))]
    told = heedful("import", str(transcript(tmp_path / "t.jsonl", *words)))

    assert "2 secrets were cut out" in told.out
    assert "no claim was proposed" in told.out
    assert "and 2 more problems" in told.out


def test_recall_shows_what_must_be_in_mind(heedful: CommandLine) -> None:
    """For people, for a prompt, and for programs."""
    claim_id = active(heedful)
    packet = heedful("recall", QUESTION, "--json").json

    assert packet["items"][0]["item_id"] == claim_id
    assert packet["decision"] == "review"
    assert "because of bridge deploy.freeze" in heedful("recall", QUESTION).out
    assert FREEZE in heedful("recall", QUESTION, "--prompt").out
    by_call = heedful("recall", "go on", "--tool", "Bash", "--args", DEPLOY, "--impact", "execute", "--json").json
    assert by_call["items"][0]["item_id"] == claim_id
    assert (
        heedful("recall", "x", "--action-class", "deploy.production", "--as-of", "2100-01-01", "--json").json["items"]
        == []
    )


def test_review_lists_shows_approves_and_rejects(heedful: CommandLine) -> None:
    """Ids stand whole on their line; each answer says where the item stands now."""
    assert "Nothing waits" in heedful("review", "list").out
    claim_id = proposed(heedful)
    listed = heedful("review", "list")
    assert claim_id in listed.out
    assert [claim["claim_id"] for claim in heedful("review", "list", "--json").json["claims"]] == [claim_id]
    shown = heedful("review", "show", claim_id)
    assert (FREEZE in shown.out, "evidence:" in shown.out) == (True, True)
    approved = heedful("review", "approve", claim_id, "--reason", "checked")
    assert (f"claim {claim_id} is active" in approved.out, "solo profile" in approved.out) == (True, True)
    record_id = heedful("review", "show", claim_id, "--json").json["evidence"][0]["record"]["record_id"]
    rejected = heedful("review", "reject", record_id, "--reason", "out of date")
    assert f"claim {claim_id} lost its evidence" in rejected.out
    assert heedful("review", "approve", record_id, "--json").json["status"] == "admitted"
    assert record_id in heedful("review", "show", record_id).out


def test_a_pending_record_is_listed_and_a_second_person_is_asked_for(heedful: CommandLine) -> None:
    """Under a two-person policy the first approval says that another is needed."""
    policy = heedful.folder / ".heedful" / "registry" / "policy.yaml"
    reviewer = '    "person:bob": {roles: [reviewer], clearance: restricted, grants: ["*"]}\n    "agent:*":\n'
    text = policy.read_text("utf-8").replace("solo: true", "solo: false")
    policy.write_text(text.replace('    "agent:*":\n', reviewer), "utf-8")
    claim_id = proposed(heedful)
    first = heedful("--as", "person:bob", "review", "approve", claim_id)

    assert heedful("review", "approve", claim_id).code == 3
    assert "another person has to approve" in first.out


def test_judge_exits_by_its_answer_and_outcome_is_tied_to_it(heedful: CommandLine) -> None:
    """0 to execute, 1 where a person must look or it is denied."""
    active(heedful)
    read = heedful("judge", "Bash", "--args", '{"command": "git log"}')
    deploy = heedful("judge", "Bash", "--args", DEPLOY, "--json")
    told = heedful("judge", "Bash", "--args", DEPLOY)

    assert (read.code, deploy.code, told.code) == (0, 1, 1)
    assert (deploy.json["execution"], "REVIEW (review)" in told.out) == ("review", True)
    verdict_id = deploy.json["verdict_id"]
    assert heedful("review", "approve", verdict_id, "--json").json["item"] == "verdict"
    reported = heedful("outcome", verdict_id, "--status", "succeeded", "--text", "12 pods ready")
    assert "kept as record" in reported.out
    assert heedful("outcome", verdict_id, "--status", "failed", "--json").json["status"] == "failed"


def test_everything_that_waits_is_listed_and_shown(heedful: CommandLine) -> None:
    """An agent's sensitive record, what it proposes, and an action that asks for a person."""
    settings = Settings(keys_dir=heedful.environment["HEEDFUL_KEYS_DIR"])
    with Memory.open(heedful.folder, principal="agent:pip", channel="agent", settings=settings) as agent:
        kept = agent.remember("the cache lies", kind="environment.gotcha", classification="sensitive")
        verdict = agent.judge("Bash", {"command": "kubectl --context production apply -f web.yaml"}, text="go on")
    listed = heedful("review", "list").out
    shown = heedful("review", "show", verdict.verdict_id).out

    for item_id in (kept.record_id, kept.claims[0].claim_id, verdict.verdict_id):
        assert item_id in listed
    assert "kubectl --context production apply -f web.yaml" in shown
    assert "said to be: go on" in shown
    assert heedful("review", "approve", verdict.verdict_id, "--json").json["solo"] is False
    assert heedful("review", "approve", kept.record_id, "--json").json["status"] == "admitted"


def test_long_content_and_bytes_are_told_by_what_they_are(heedful: CommandLine) -> None:
    """A beginning of a long text; the size of a blob; the type of bytes."""
    long = heedful("remember", "word " * 200, "--json").json["record_id"]
    blob = heedful("remember", "-", "--json", stdin=b"word " * 20_000).json["record_id"]
    raw = heedful("remember", "-", "--json", stdin=b"\xff\xfe").json["record_id"]

    assert "word…" in heedful("review", "show", long).out.replace(" …", "…")
    assert "100000 bytes in the blob store" in heedful("review", "show", blob).out
    assert "(text/plain)" in heedful("review", "show", raw).out


def test_a_packet_gives_a_verdict_citations(heedful: CommandLine) -> None:
    """And nothing else."""
    active(heedful)
    packet_id = heedful("recall", QUESTION, "--json").json["packet_id"]
    verdict = heedful("judge", "Bash", "--args", DEPLOY, "--packet", packet_id, "--json").json

    assert verdict["citations"] == [f"{packet_id}#1"]


def test_why_walks_the_ledger_for_each_sort_of_item(heedful: CommandLine) -> None:
    """Claim, record, packet and verdict."""
    claim_id = active(heedful)
    record_id = heedful("why", claim_id, "--json").json["records"][0]["record"]["record_id"]
    packet_id = heedful("recall", QUESTION, "--json").json["packet_id"]
    verdict_id = heedful("judge", "Bash", "--args", DEPLOY, "--json").json["verdict_id"]

    assert "claim.approved" in heedful("why", claim_id).out
    assert f"record {record_id}  admitted" in heedful("why", record_id).out
    for item_id in (packet_id, verdict_id):
        told = heedful("why", item_id).out
        assert (item_id in told, "review" in told, FREEZE in told) == (True, True, True)


def test_verify_says_that_the_chains_hold_or_where_they_break(heedful: CommandLine) -> None:
    """Exit 1, and the first broken event by its number."""
    active(heedful)
    whole = heedful("verify", "--views")
    (database,) = (heedful.folder / ".heedful" / "tenants").glob("*.db")
    database.write_bytes(database.read_bytes().replace(b"quarter is closed", b"quarter is opened"))
    broken = heedful("verify")

    assert whole.code == 0
    assert "views" in whole.out
    assert (broken.code, "ledger: BROKEN at event 3: payload-mismatch" in broken.out) == (1, True)
    assert heedful("verify", "--json").json["audit"]["ledger"]["broken"]["position"] == 3
    assert heedful("verify", "--json").code == 1


def test_registry_check_show_diff_and_mode(heedful: CommandLine) -> None:
    """Every problem with its place, every section, what changed, and a switch that is taken back."""
    assert heedful("registry", "check").out.strip() == "no problem"
    for section in ("action-classes", "kinds", "bridges", "entities", "tools", "policy"):
        assert heedful("registry", "show", section).code == 0
        assert heedful("registry", "show", section, "--json").json["entries"]
    assert "effect: review" in heedful("registry", "show", "bridges", "deploy.freeze").out
    heedful("status")
    assert "used no other revision" in heedful("registry", "diff").out
    own = heedful.folder / ".heedful" / "registry" / "own.yaml"
    own.write_text(
        "kinds:\n  own.kind:\n    description: x\n    form: fact\n    cardinality: many\n    comparator: text\n"
        "    risk: low\n    applies_to: [deploy]\n    expires_after_days: 3\n    expiry_test: y\n"
    )
    changed = heedful("registry", "diff")
    assert (changed.code, "own.kind" in changed.out) == (0, True)
    assert heedful("registry", "diff", "--json").json["changes"]
    assert "is in off now" in heedful("registry", "mode", "deploy.freeze", "off").out
    assert "at its default again" in heedful("registry", "mode", "deploy.freeze", "default").out
    assert heedful("registry", "mode", "pre-router", "off", "--json").json["setting"]["mode"] == "off"


def test_a_broken_registry_is_checked_with_its_places(heedful: CommandLine) -> None:
    """Exit 1; other commands name the first problems and exit 2."""
    own = heedful.folder / ".heedful" / "registry" / "own.yaml"
    own.write_text("kinds:\n  Bad Kind: 3\n")

    assert heedful("registry", "check").code == 1
    assert "own.yaml:2" in heedful("registry", "check").out
    assert heedful("registry", "check", "--json").json["problems"]
    assert heedful("status", "--json").json["error"]["code"] == "registry_invalid"
    assert heedful("registry", "check", str(heedful.folder)).code == 0, "the control: a folder without problems"
