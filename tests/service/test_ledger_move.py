"""A ledger moves: the same heads, views, packets and verdicts wherever it comes to, and nothing by halves."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from ledger_moves import LONG, answers, bring, heads, key_in, lived, memory, place, views
from worlds import HIDDEN, code_of

from heedful.ports.store import Chain


@pytest.fixture(scope="module", name="source")
def source_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store in which something of everything happened, and its export beside it."""
    folder = tmp_path_factory.mktemp("source")
    lived(folder)
    with place(folder) as app:
        memory(app).export_ledger(folder / "out.jsonl")
    return folder


@pytest.fixture(scope="module", name="bundle")
def bundle_fixture(source: Path) -> Path:
    """The file."""
    return source / "out.jsonl"


def test_heads_and_views_are_the_same_where_it_came_to(source: Path, bundle: Path, tmp_path: Path) -> None:
    """Byte for byte, and a refold gives them too."""
    with place(source) as there, place(tmp_path) as here:
        bring(here, bundle, keys_of=source)

        assert heads(here) == heads(there)
        assert views(here) == views(there)
        assert memory(here).verify(views=True).holds


def test_packets_and_verdicts_are_the_same_where_it_came_to(source: Path, bundle: Path, tmp_path: Path) -> None:
    """At the same moment, for the same requests: ids, order, scores and all."""
    shutil.copytree(source, tmp_path / "there")
    with place(tmp_path / "here") as app:
        bring(app, bundle, keys_of=source)
    with place(tmp_path / "there") as there, place(tmp_path / "here") as here:
        expected = answers(there)
        assert answers(here) == expected
    assert len(expected) > len(set(expected)) // 2 > 5


def test_it_comes_back_as_it_went(source: Path, bundle: Path, tmp_path: Path) -> None:
    """Exported again it is the same file."""
    with place(tmp_path) as app:
        bring(app, bundle, keys_of=source)
        memory(app).export_ledger(tmp_path / "again.jsonl")

    assert (tmp_path / "again.jsonl").read_bytes() == bundle.read_bytes()


def test_a_packed_file_holds_the_same_lines(source: Path, bundle: Path, tmp_path: Path) -> None:
    """And is imported whatever it is called."""
    with place(tmp_path / "x") as app:
        bring(app, bundle, keys_of=source)
        memory(app).export_ledger(tmp_path / "ü 包.jsonl.gz")
    packed = tmp_path / "packed"
    (tmp_path / "ü 包.jsonl.gz").rename(packed)
    assert gzip.decompress(packed.read_bytes()) == bundle.read_bytes()
    with place(tmp_path / "y") as app:
        bring(app, packed, keys_of=source)
        assert memory(app).verify(views=True).holds


def test_what_came_goes_on_living(source: Path, bundle: Path, tmp_path: Path) -> None:
    """Writes follow the head, and content that was kept before has the name that it had."""
    with place(tmp_path) as app:
        bring(app, bundle, keys_of=source)
        here = memory(app)
        before = {path.name for path in (tmp_path / "blobs").rglob("*") if path.is_file()}
        here.remember(LONG, scope=("project:payments", "task:9"))
        here.remember("Totals are rounded up.", kind="note")

        assert {path.name for path in (tmp_path / "blobs").rglob("*") if path.is_file()} == before
        assert here.verify(views=True).holds


def test_an_export_leaves_the_ledger_as_it_is(source: Path, tmp_path: Path) -> None:
    """Two exports are one file, and nothing was appended."""
    with place(source) as app:
        before = heads(app)
        for name in ("one", "two"):
            memory(app).export_ledger(tmp_path / name)
        assert heads(app) == before
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_export_is_of_one_moment(tmp_path: Path) -> None:
    """What is written meanwhile is not in it, and the writer does not wait."""
    lived(tmp_path)
    with place(tmp_path) as app:
        writer = memory(app)
        exported = writer.export_ledger(tmp_path / "out", progress=lambda done: _write_at(writer, done))
        with app.session(principal="person:ana").store.read() as reading:
            assert reading.head(Chain.LEDGER).position > exported.ledger.position
    with place(tmp_path / "there") as app:
        bring(app, tmp_path / "out", keys_of=tmp_path)
        assert heads(app)[0] == exported.ledger


def _write_at(writer: object, done: int) -> None:
    if done in (1, 5):
        writer.remember(f"written while it was exported {done}")  # type: ignore[attr-defined]


def test_a_file_is_never_replaced(source: Path, tmp_path: Path) -> None:
    """`bundle_exists`, and what was there is still there; so with a link that leads nowhere."""
    (tmp_path / "mine").write_text("my own")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with place(source) as app:
        for name in ("mine", "link"):
            assert code_of(lambda name=name: memory(app).export_ledger(tmp_path / name)) == "bundle_exists"  # type: ignore[misc]
        assert code_of(lambda: memory(app).export_ledger(tmp_path / "no" / "folder")) == "bundle_unavailable"
    assert (tmp_path / "mine").read_text() == "my own"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "mine"]


@pytest.mark.parametrize("name", ["nul\0in.jsonl", "half-\ud800.jsonl", "x" * 5_000])
def test_a_name_that_no_file_can_have_is_an_error_that_says_so(source: Path, tmp_path: Path, name: str) -> None:
    """Not one of the system's; the control is a name that a file can have."""
    with place(source) as app:
        assert code_of(lambda: memory(app).export_ledger(tmp_path / name)) == "bundle_unavailable"
        assert memory(app).export_ledger(tmp_path / "名.jsonl").ledger.position > 0


def test_a_ledger_that_does_not_hold_is_not_exported(tmp_path: Path) -> None:
    """`ledger_broken`, and no file; the same for content that was changed."""
    lived(tmp_path)
    blob = next(path for path in (tmp_path / "blobs").rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes())
    kept = blob.read_bytes()
    blob.write_bytes(b"another")
    with place(tmp_path) as app:
        assert code_of(lambda: memory(app).export_ledger(tmp_path / "out")) == "blob_changed"
    blob.unlink()
    with place(tmp_path) as app:
        assert code_of(lambda: memory(app).export_ledger(tmp_path / "out")) == "blob_not_found"
    blob.write_bytes(kept)
    with place(tmp_path) as app:
        memory(app).export_ledger(tmp_path / "control")
    for path in (tmp_path / "tenants").glob("*.db"):
        path.write_bytes(path.read_bytes().replace(b"totals are rounded per", b"totals are rounded par"))
    with place(tmp_path) as app:
        assert code_of(lambda: memory(app).export_ledger(tmp_path / "out")) == "ledger_broken"
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".part-*"))


@pytest.mark.parametrize(
    ("who", "exports", "imports"),
    [
        ("person:ana", True, True),
        ("person:aud", True, False),
        ("person:bob", False, False),
        ("agent:pip", False, False),
    ],
)
def test_who_may_move_a_ledger(
    source: Path, bundle: Path, tmp_path: Path, who: str, exports: bool, imports: bool
) -> None:
    """Out: an owner or auditor who sees everything. In: an owner alone."""
    with place(source) as app:
        export = memory(app, who)
        if exports:
            export.export_ledger(tmp_path / "out")
        else:
            assert code_of(lambda: export.export_ledger(tmp_path / "out")) == "principal_may_not"
    assert (tmp_path / "out").exists() is exports
    with place(tmp_path / "there") as app:
        if imports:
            bring(app, bundle, keys_of=source, who=who)
        else:
            assert code_of(lambda: bring(app, bundle, keys_of=source, who=who)) == "principal_may_not"
        assert bool(app.store.tenants()) is imports


def test_an_owner_through_an_agents_door_moves_nothing(source: Path, bundle: Path, tmp_path: Path) -> None:
    """The door is an agent's, whoever is named."""
    with place(source) as app:
        agent = memory(app, channel="agent")
        assert code_of(lambda: agent.export_ledger(tmp_path / "out")) == "principal_may_not"
        assert code_of(lambda: agent.import_ledger(bundle, name="again")) == "principal_may_not"
    assert not (tmp_path / "out").exists()


def test_an_auditor_who_does_not_see_everything_exports_nothing(source: Path, tmp_path: Path) -> None:
    """The file holds what they may not see."""
    for narrower in ('clearance: sensitive, grants: ["*"]', 'clearance: restricted, grants: ["project:*"]'):
        policy = HIDDEN.replace(
            '"person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}',
            f'"person:aud": {{roles: [auditor], {narrower}}}',
        )
        with place(tmp_path / narrower[11:15]) as app:
            bring(app, source / "out.jsonl", keys_of=source)
        with place(tmp_path / narrower[11:15], policy=policy) as app:
            auditor = memory(app, "person:aud")
            assert code_of(lambda auditor=auditor: auditor.export_ledger(tmp_path / "out")) == "principal_may_not"  # type: ignore[misc]


def test_without_its_key_nothing_comes(source: Path, bundle: Path, tmp_path: Path) -> None:
    """Missing, or another's: refused before anything is written; copied to its place, it is found there."""
    with place(tmp_path / "other") as app:
        app.add_tenant("default", "person:ana")  # type: ignore[arg-type]
        other = next((tmp_path / "other" / "keys").iterdir())
    right = key_in(source, bundle)
    with place(tmp_path / "here") as app:
        assert code_of(lambda: bring(app, bundle)) == "keys_missing"
        wrong = memory_less_import(app, bundle, other)
        assert wrong == "keys_mismatch"
        assert app.store.tenants() == ()
        assert not (tmp_path / "here" / "keys").exists()
        (tmp_path / "here" / "keys").mkdir()
        (tmp_path / "here" / "keys" / right.name).write_bytes(other.read_bytes())
        assert code_of(lambda: bring(app, bundle)) == "keys_mismatch"
        assert code_of(lambda: bring(app, bundle, keys_of=source)) == "keys_mismatch"
        assert app.store.tenants() == ()
        (tmp_path / "here" / "keys" / right.name).write_bytes(right.read_bytes())
        bring(app, bundle)
        assert memory(app).verify().holds


def memory_less_import(app: object, bundle: Path, key_file: Path) -> str:
    """The code with which an import under this key is refused."""
    renamed = key_file.parent.parent / "wrong" / "keys"
    renamed.mkdir(parents=True)
    key_in(renamed.parent, bundle).write_bytes(key_file.read_bytes())
    return code_of(lambda: bring(app, bundle, keys_of=renamed.parent))  # type: ignore[arg-type]


def test_a_name_or_a_tenant_that_is_there_is_not_touched(source: Path, bundle: Path, tmp_path: Path) -> None:
    """`tenant_taken`; under another name it comes, once."""
    with place(tmp_path) as app:
        app.add_tenant("default", "person:ana")  # type: ignore[arg-type]
        before = heads(app)
        assert code_of(lambda: bring(app, bundle, keys_of=source)) == "tenant_taken"
        assert len(app.store.tenants()) == 1
        bring(app, bundle, keys_of=source, name="从旧库 🥜")
        assert heads(app) == before
        assert memory(app, tenant="从旧库 🥜").verify(views=True).holds
        assert code_of(lambda: bring(app, bundle, keys_of=source, name="third")) == "tenant_taken"
        for bad in ("", "a\x01b", "x" * 129, "\ud800"):
            assert code_of(lambda bad=bad: bring(app, bundle, name=bad)) in {"name_malformed", "name_too_long"}  # type: ignore[misc]


def test_another_registry_is_told(source: Path, bundle: Path, tmp_path: Path) -> None:
    """The ledger comes all the same; what comes to mind is the registry's to say."""
    with place(source) as there:
        owner = memory(there)
        owner.export_ledger(tmp_path / "out")
    for policy, told in ((HIDDEN, "different"), (None, "same")):
        with place(tmp_path / told, policy=policy) if policy else place(tmp_path / told) as app:
            app.add_tenant("mine", "person:ana")  # type: ignore[arg-type]
            came = memory(app, tenant="mine").import_ledger(tmp_path / "out", key_file=key_in(source, bundle))
            assert came.registry == told
