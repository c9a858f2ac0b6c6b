"""The kept registry is the parsed one: same revision, same objects, same lookups, and parsed anew where anything differs."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from kept_registries import DOCUMENTS, OTHER, SMALL, compiled, forged, put, whole

from heedful.adapters.registry_cache import CACHE_FILE, _code_digest, cached_registry
from heedful.adapters.registry_files import default_policy, folder_documents, pack_documents, registry_of
from heedful.bootstrap import init_store, open_store
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import find_phrases, wording
from heedful.kernel.errors import InvalidInputError
from heedful.settings import Settings

PACKS = ("delivery", "everyday")
ALL = (*pack_documents(*PACKS), ("policy.yaml", default_policy("person:ana", PACKS)))
REQUESTS = 40


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
