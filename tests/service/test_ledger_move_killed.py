"""An import or export that is killed at any point: never half a tenant, never half a file, and it goes on when repeated."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from ledger_moves import bring, heads, key_in, killed, lived, memory, place, views
from worlds import code_of

from heedful.kernel.errors import HeedfulError, NotFoundError
from heedful.service.auditing import import_ledger
from heedful.service.tenant import unfinished_name


@pytest.fixture(scope="module", name="source")
def source_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which something of everything happened, and its export."""
    folder = tmp_path_factory.mktemp("killed")
    lived(folder)
    with place(folder) as app:
        memory(app).export_ledger(folder / "out.jsonl")
    return folder


def test_an_import_that_was_killed_is_no_tenant_and_goes_on_when_repeated(source: Path, tmp_path: Path) -> None:
    """At many points of both readings; each time the tenant is as it would have been."""
    file, key = source / "out.jsonl", key_in(source, source / "out.jsonl")
    items = len(file.read_bytes().splitlines())
    with place(tmp_path / "whole") as app:
        bring(app, file, keys_of=source)
        expected = heads(app), views(app)
    resumed = []
    for stop_at in (2, items, items + 2, items + items // 3, items + items // 2, 2 * items - 2):
        folder = tmp_path / str(stop_at)
        assert killed("import", folder, file, key, stop_at)
        with place(folder) as app:
            names = {tenant.name for tenant in app.store.tenants()}
            assert "default" not in names
            assert code_of(lambda app=app: memory(app)) == "tenant_not_found"  # type: ignore[misc]
            app.add_tenant("spare", "person:ana")  # type: ignore[arg-type]
            came = memory(app, tenant="spare").import_ledger(file, key_file=key)
            resumed.append(came.resumed_from)
            assert (heads(app), views(app)) == expected
            assert memory(app).verify(views=True).holds
    assert resumed[0] is None
    assert (resumed[-1] or 0) > 0


def test_a_tenant_that_came_by_half_can_not_be_asked_by_any_name(source: Path, tmp_path: Path) -> None:
    """Not even by the one that it has meanwhile; the error says how to go on."""
    file, key = source / "out.jsonl", key_in(source, source / "out.jsonl")
    items = len(file.read_bytes().splitlines())
    assert killed("import", tmp_path, file, key, items + items // 2)
    with place(tmp_path) as app:
        (tenant,) = app.store.tenants()
        assert tenant.name == unfinished_name(tenant.tenant_id)
        for name in (tenant.name, "default"):
            with pytest.raises(NotFoundError) as raised:
                memory(app, tenant=name)
            assert "ledger import" in raised.value.next_step
        assert code_of(lambda: app.add_tenant(tenant.name, "person:ana")) == "name_malformed"  # type: ignore[arg-type]


def test_an_export_that_was_killed_is_no_file(source: Path, tmp_path: Path) -> None:
    """And another is made beside what it left."""
    folder = tmp_path / "copy"
    shutil.copytree(source, folder)
    for name in ("out", "out.gz"):
        assert killed("export", folder, tmp_path / name, Path(), 5)
        assert not (tmp_path / name).exists()
    with place(folder) as app:
        memory(app).export_ledger(tmp_path / "out")


def test_another_history_does_not_go_on_with_it(source: Path, tmp_path: Path) -> None:
    """`history_differs` for a store that was copied and went another way, and for a file that ends too early."""
    fork = tmp_path / "fork"
    shutil.copytree(source, fork)
    with place(fork) as app:
        owner = memory(app)
        owner.export_ledger(tmp_path / "early")
        for number in range(9):
            owner.remember(f"only here {number}")
        owner.export_ledger(tmp_path / "fork.jsonl")
    other = tmp_path / "other"
    shutil.copytree(source, other)
    with place(other) as app:
        owner = memory(app)
        for number in range(9):
            owner.remember(f"only there {number}")
        owner.export_ledger(tmp_path / "other.jsonl")
    file, key = tmp_path / "fork.jsonl", key_in(source, source / "out.jsonl")
    items = len(file.read_bytes().splitlines())
    assert killed("import", tmp_path / "here", file, key, 2 * items - 5)
    with place(tmp_path / "here") as app:
        assert code_of(lambda: bring(app, tmp_path / "other.jsonl")) == "history_differs"
        assert code_of(lambda: bring(app, tmp_path / "early")) == "history_differs"
        bring(app, file)
        assert memory(app).verify(views=True).holds


def test_a_later_export_goes_on_with_an_earlier_one(source: Path, tmp_path: Path) -> None:
    """What an interrupted import brought is the beginning of it."""
    later = tmp_path / "later"
    shutil.copytree(source, later)
    file, key = source / "out.jsonl", key_in(source, source / "out.jsonl")
    items = len(file.read_bytes().splitlines())
    assert killed("import", tmp_path / "here", file, key, items + items // 2)
    with place(later) as app:
        memory(app).remember("written later")
        memory(app).export_ledger(tmp_path / "later.jsonl")
        expected = heads(app)
    with place(tmp_path / "here") as app:
        bring(app, tmp_path / "later.jsonl")
        assert heads(app) == expected


def test_two_imports_at_once_make_one_tenant(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One may be refused, and neither brings anything twice."""
    monkeypatch.setattr(import_ledger, "BATCH_EVENTS_MAX", 2)
    codes: list[str] = []

    def import_one() -> None:
        with place(tmp_path) as app:
            try:
                bring(app, source / "out.jsonl", keys_of=source)
            except HeedfulError as error:
                codes.append(error.code)

    threads = [threading.Thread(target=import_one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) <= {"position_taken", "tenant_taken"}
    with place(tmp_path) as app:
        if not any(tenant.name == "default" for tenant in app.store.tenants()):
            bring(app, source / "out.jsonl", keys_of=source)
        assert len(app.store.tenants()) == 1
        assert memory(app).verify(views=True).holds
