"""The kept registry is the parsed one, or is not used: nothing that lies in the cache changes what the registry says."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from heedful.adapters.registry_cache import (
    _PART,
    CACHE_FILE,
    _code_digest,
    _header,
    _key_of,
    cached_registry,
)
from heedful.adapters.registry_files import default_policy, folder_documents, pack_documents, registry_of
from heedful.bootstrap import init_store, open_store
from heedful.bridges.compiled import compiled_bytes
from heedful.bridges.index import books_of
from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import find_phrases, wording
from heedful.kernel.errors import InvalidInputError
from heedful.settings import Settings

PACKS = ("delivery", "everyday")
ALL = (*pack_documents(*PACKS), ("policy.yaml", default_policy("person:ana", PACKS)))
SMALL = """
action_classes:
  cook:
    description: Something is cooked.
    phrases: {en: [cook ... dinner], zh: [做...饭]}
    on_no_bridge: retrieve
kinds:
  food.allergy:
    description: What someone must not eat.
    form: constraint
    cardinality: many
    comparator: text
    risk: high
    phrases: {en: [allergic to], zh: [过敏]}
    applies_to: [cook]
bridges:
  cook.allergy:
    from: [cook]
    activates: [food.allergy]
    effect: ask
    risk: high
    authority: maintainer-approved
    evidence: a test
    source_opened: true
    reason: It could make someone ill.
    owner: tests
    examples: {must_fire: [{tool: Bash, args: {number: 7}}]}
"""
DOCUMENTS = (("own.yaml", SMALL),)
OTHER = (("own.yaml", SMALL.replace("effect: ask", "effect: notice")),)
PROCESSES = 4
REQUESTS = 40


def whole(registry: Registry) -> tuple[object, ...]:
    """All that a registry says, its lookups with it."""
    index = registry.index
    for book in (index.class_phrases, index.entity_phrases, index.kind_phrases, index.kind_ends):
        book.read_whole()
    return registry, books_of(index), index.bridges_from, index.links, index.request_fields


def forged(documents: tuple[tuple[str, str], ...], content: bytes) -> bytes:
    """A cache file of these documents that says something else: its key and digest are right."""
    key = _key_of(documents)
    assert key is not None
    return _header(key, content) + content


def compiled(documents: tuple[tuple[str, str], ...]) -> bytes:
    """What is kept of these documents."""
    content = compiled_bytes(registry_of(documents))
    assert content is not None
    return content


def put(folder: Path, content: bytes) -> Path:
    """The file of the cache, with this content."""
    folder.mkdir(exist_ok=True)
    (folder / CACHE_FILE).write_bytes(content)
    (folder / CACHE_FILE).chmod(0o600)
    return folder / CACHE_FILE


def test_what_is_kept_of_the_bundled_packs_is_the_registry_that_was_parsed(tmp_path: Path) -> None:
    """Same revision, same objects, same lookups; and phrases are found before the books are read whole, and after."""
    parsed = cached_registry(ALL, tmp_path / "cache")
    kept = cached_registry(ALL, tmp_path / "cache")
    assert kept is not parsed
    assert (kept.revision, kept.body_json) == (parsed.revision, parsed.body_json)
    written = sorted(
        phrase
        for table in (parsed.vocabulary.action_classes, parsed.vocabulary.kinds)
        for entry in table.values()
        for listed in entry.phrases.values()
        for phrase in listed
    )
    for request in written[:: len(written) // REQUESTS]:
        text = wording(request.replace("...", ""))
        found = [
            [list(find_phrases(text, book)) for book in (each.class_phrases, each.kind_phrases)]
            for each in (kept.index, parsed.index, kept.index)
        ]
        assert found[0] == found[1] == found[2]
        assert any(found[0]), f"the control: {request} is a phrase"
    assert whole(kept) == whole(parsed)
    assert kept.index.knowledge.table() == parsed.index.knowledge.table()


def test_a_class_has_the_bridges_of_every_class_that_covers_it() -> None:
    """By ancestors, as by comparing each with each."""
    registry = registry_of(ALL)
    ordered = [registry.bridges[each] for each in sorted(registry.bridges)]
    assert registry.index.bridges_from == {
        each: tuple(bridge for bridge in ordered if any(covers(start, each) for start in bridge.from_classes))
        for each in registry.vocabulary.action_classes
    }


def test_the_kept_registry_is_what_is_used(tmp_path: Path) -> None:
    """The control of the tests below: what lies under the right key and digest comes back, also where it is forged."""
    put(tmp_path, forged(DOCUMENTS, compiled(OTHER)))
    assert cached_registry(DOCUMENTS, tmp_path) == registry_of(OTHER)


@pytest.mark.parametrize(
    "changed",
    [
        OTHER,
        (("own.yml.yaml", SMALL),),
        (("team/own.yaml", SMALL),),
        (*DOCUMENTS, ("z.yaml", "shell_tools: {Shell: command}")),
        (("own.yaml", SMALL + "\n"),),
    ],
)
def test_other_documents_are_parsed(tmp_path: Path, changed: tuple[tuple[str, str], ...]) -> None:
    """A changed, renamed, moved or added file, and so a line end, is never answered by what was kept before."""
    before = put(tmp_path, forged(DOCUMENTS, compiled(OTHER))).read_bytes()
    assert whole(cached_registry(changed, tmp_path)) == whole(registry_of(changed))
    assert (tmp_path / CACHE_FILE).read_bytes() != before
    assert (tmp_path / CACHE_FILE).read_bytes() == forged(changed, compiled(changed))


def _cut(at: float) -> Callable[[bytes], bytes]:
    return lambda content: content[: int(len(content) * at)]


def _flipped(at: float) -> Callable[[bytes], bytes]:
    def flip(content: bytes) -> bytes:
        place = int((len(content) - 1) * at)
        return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]

    return flip


DAMAGES: tuple[Callable[[bytes], bytes], ...] = (
    *(_cut(at) for at in (0, 0.01, 0.5, 0.9, 0.9999)),
    *(_flipped(at) for at in (0, 0.02, 0.1, 0.5, 0.9, 1)),
    lambda content: content + b" ",
    lambda content: b"\0" * len(content),
    lambda content: content.partition(b"\n")[2],
    lambda _: b"x" * 100_000,
    # Key and digest are right, and yet it is none: a writer's fault must not keep a store shut.
    lambda _: forged(DOCUMENTS, b""),
    lambda _: forged(DOCUMENTS, b"{}\n[]"),
    lambda _: forged(DOCUMENTS, b"[]\n[[{},{}],[{},{}],[{},{}],[{},{}]]"),
    lambda _: forged(DOCUMENTS, b"{}\n[[{},{}],[{},{}],[{},{}],[{},{}]]"),
    lambda _: forged(DOCUMENTS, b'{"packs": 1}\n[[{},{}],[{},{}],[{},{}],[{},{}]]'),
    lambda _: forged(DOCUMENTS, b"\xff\n\xff"),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_parsed_anew_and_mended(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """The forged content would come back if it were whole: so each damage was noticed."""
    sound = forged(DOCUMENTS, compiled(DOCUMENTS))
    file = put(tmp_path, damage(forged(DOCUMENTS, compiled(OTHER))))
    assert whole(cached_registry(DOCUMENTS, tmp_path)) == whole(registry_of(DOCUMENTS))
    assert file.read_bytes() == sound


def test_what_another_could_have_written_is_not_read(tmp_path: Path) -> None:
    """A file that others may write, a link, a pipe: who may not write the registry must not decide what it says."""
    file = put(tmp_path / "cache", forged(DOCUMENTS, compiled(OTHER)))
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(OTHER), "the control"
    file.chmod(0o660)
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(DOCUMENTS)
    target = put(tmp_path / "elsewhere", forged(DOCUMENTS, compiled(OTHER)))
    file.unlink()
    file.symlink_to(target)
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(DOCUMENTS)
    assert target.read_bytes() == forged(DOCUMENTS, compiled(OTHER)), "nor is anything written through it"
    file.unlink()
    os.mkfifo(file)
    assert cached_registry(DOCUMENTS, tmp_path / "cache") == registry_of(DOCUMENTS)


def _file_for_folder(folder: Path) -> None:
    folder.touch()


def _folder_for_part(folder: Path) -> None:
    (folder / _PART).mkdir(parents=True)


def _folder_for_file(folder: Path) -> None:
    (folder / CACHE_FILE).mkdir(parents=True)


def _no_parent(folder: Path) -> None:
    folder.parent.rmdir()


@pytest.mark.parametrize("spoil", [_file_for_folder, _folder_for_part, _folder_for_file, _no_parent])
def test_where_nothing_can_be_kept_the_registry_is_parsed(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """As in a store's folder that may only be read: no error, and nothing is left behind."""
    folder = tmp_path / "store" / "cache"
    folder.parent.mkdir()
    spoil(folder)
    before = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        assert cached_registry(DOCUMENTS, folder) == registry_of(DOCUMENTS)
    assert sorted(tmp_path.rglob("*")) == before


def test_while_another_writes_nothing_is_written_and_a_killed_ones_half_is_replaced(tmp_path: Path) -> None:
    """The lock goes with its process; what that left under the other name is never read."""
    (tmp_path / _PART).write_bytes(forged(DOCUMENTS, compiled(OTHER))[:200])
    held = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert cached_registry(DOCUMENTS, tmp_path) == registry_of(DOCUMENTS)
        assert [each.name for each in tmp_path.iterdir()] == [_PART]
    finally:
        os.close(held)
    assert cached_registry(DOCUMENTS, tmp_path) == registry_of(DOCUMENTS)
    assert [each.name for each in tmp_path.iterdir()] == [CACHE_FILE]
    assert (tmp_path / CACHE_FILE).read_bytes() == forged(DOCUMENTS, compiled(DOCUMENTS))


def _revision(folder: str) -> str:
    return str(cached_registry(DOCUMENTS, Path(folder)).revision)


def test_several_processes_open_at_once(tmp_path: Path) -> None:
    """Each has the registry, and one whole file is there afterwards."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        found = pool.map(_revision, [str(tmp_path)] * PROCESSES * 2)
    assert set(found) == {registry_of(DOCUMENTS).revision}
    assert [each.name for each in tmp_path.iterdir()] == [CACHE_FILE]
    assert (tmp_path / CACHE_FILE).read_bytes() == forged(DOCUMENTS, compiled(DOCUMENTS))


def test_what_is_wrong_is_told_each_time_alike_and_never_kept(tmp_path: Path) -> None:
    """With file and line, as where nothing is kept."""
    broken = (("own.yaml", SMALL.replace("effect: ask", "effect: block")),)
    told = []
    for _ in range(2):
        with pytest.raises(InvalidInputError) as caught:
            cached_registry(broken, tmp_path)
        told.append(caught.value.to_dict())
    with pytest.raises(InvalidInputError) as caught:
        registry_of(broken)
    assert told == [caught.value.to_dict()] * 2
    assert "own.yaml:20:" in str(told[0])
    assert list(tmp_path.iterdir()) == []


def test_what_would_not_come_back_equal_is_not_kept(tmp_path: Path) -> None:
    """Canonical bytes hold a number beyond 2**53 - 1 as a text; the control is kept."""
    large = (("own.yaml", SMALL.replace("number: 7", f"number: {2**53}")),)
    for _ in range(2):
        (bridge,) = cached_registry(large, tmp_path).bridges.values()
        assert bridge.must_fire[0].args == {"number": 2**53}
    assert list(tmp_path.iterdir()) == []
    for _ in range(2):
        (bridge,) = cached_registry(DOCUMENTS, tmp_path).bridges.values()
        assert bridge.must_fire[0].args == {"number": 7}
    assert [each.name for each in tmp_path.iterdir()] == [CACHE_FILE]


def test_other_code_has_another_key(tmp_path: Path) -> None:
    """One changed letter, or one file more, in what reads or looks up; without the source nothing is kept."""
    package = files("heedful")
    for stage in ("kernel", "policy", "bridges"):
        shutil.copytree(str(package / stage), tmp_path / "a" / stage)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    shutil.copytree(tmp_path / "a", tmp_path / "c")
    words = tmp_path / "b" / "bridges" / "words.py"
    words.write_text(words.read_text("utf-8").replace("GAP_WORDS_MAX = 6", "GAP_WORDS_MAX = 7"), "utf-8")
    (tmp_path / "c" / "policy" / "more.py").touch()
    same, changed, added = (_code_digest(tmp_path / name) for name in "abc")
    assert same == _code_digest(package)
    assert len({same, changed, added}) == 3
    assert _code_digest(tmp_path) is None


def test_a_store_opens_by_its_cache_and_reads_what_was_edited(tmp_path: Path) -> None:
    """Its registry is that of its folder each time, without a home too; taking the cache away changes nothing."""
    settings = Settings(keys_dir=str(tmp_path / "keys"), principal="person:ana", store=str(tmp_path))
    with init_store(tmp_path, settings, scope=("project:x",), packs=("delivery",)) as app:
        assert app.folder is not None
        store, first = app.folder, app.registry
    file = store.cache / CACHE_FILE
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_bytes()
    with open_store(settings) as app:
        assert whole(app.registry) == whole(first)
    put(store.cache, forged(folder_documents(store.registry), compiled(OTHER)))
    with open_store(settings) as app:
        assert app.registry == registry_of(OTHER), "the control: it is the cache that is read"
    (store.registry / "own.yaml").write_text(SMALL, "utf-8")
    with open_store(settings) as app:
        edited = app.registry
    assert edited.revision != first.revision
    assert "cook.allergy" in edited.bridges
    (store.registry / "own.yaml").unlink()
    shutil.rmtree(store.cache)
    with open_store(settings) as app:
        assert whole(app.registry) == whole(first)
    assert file.read_bytes() == kept
