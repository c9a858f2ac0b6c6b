"""What counts as added since a commit, what of it shares a rare word with a case, and what is left without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bench_modules import leakage, pack_entries, rare_words

KINDS = """\
kinds:
  pet.bird:
    phrases:
      en: [my cockatoo{added}]
      zh: [我的鹦鹉]
    ends:
      en: []
"""
ENTITIES = """\
entities:
  bird.food:
    phrases: [millet]
"""
NAMES = "key\tlanguages\tentities\nmillet\ten\tseed{added}\n"
LINKS = "entity\tlinks\nseed\tis grain wordnet-3.1{added}\n"
LINES = "".join(f"S\ten\t-\tNothing lasting was said on day {number}, as always\n" for number in range(1_000))
CASES = ["Our budgie only eats quinoa; nothing else was said.", "我家虎皮鹦哥只吃藜麦"]


def write_packs(repository: Path, files: dict[str, str]) -> Path:
    """The folder of packs, with these files in it."""
    folder = repository / pack_entries.PACKS
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def git(repository: Path, *words: str) -> None:
    """A command of git in that repository, by nobody in particular."""
    identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(repository), *identity, *words], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    """A repository with one commit; its folder of packs."""
    files = {
        "pets/kinds.yaml": KINDS.format(added=""),
        "pets/knowledge/names.tsv": NAMES.format(added=""),
        "pets/knowledge/links.tsv": LINKS.format(added=""),
        "pets/training/lines.tsv": LINES + "S\ten\tpet.bird\tOur budgie sings\n",
    }
    folder = write_packs(tmp_path, files)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "blind")
    return folder


def leaked_since(packs: Path) -> leakage.Leak:
    """What leaked from CASES since the commit."""
    then = pack_entries.entries_of(pack_entries.tree_at("HEAD", packs.parents[2]))
    return leakage.leak_of(then, pack_entries.entries_of(pack_entries.tree_of(packs)), CASES)


def test_nothing_was_added_where_nothing_changed(packs: Path) -> None:
    """The commit and the folder have the same entries, however they are read."""
    assert pack_entries.tree_at("HEAD", packs.parents[2]) == pack_entries.tree_of(packs)
    assert leaked_since(packs).added == frozenset()


def test_what_was_added_with_a_rare_word_of_a_case_is_told(packs: Path) -> None:
    """In every sort of entry; what was there before, and what shares only a common word, is none of it."""
    write_packs(
        packs.parents[2],
        {
            "pets/kinds.yaml": KINDS.format(added=", my budgies ... loudly, my macaw, as always, 虎皮, 的我"),
            "pets/entities.yaml": ENTITIES.replace("millet", "quinoa salad"),
            "pets/bridges.yaml": "bridges: {pet.feed: {examples: {must_fire: ['Quinoa?', {tool: quinoa_cook}]}}}\n",
            "pets/tools.yaml": "tools: {feed: {tool: [budgie_feed]}}\n",
            "pets/knowledge/names.tsv": NAMES.format(added=",sorghum\nquinoa\ten\tseed,salad"),
            "pets/knowledge/links.tsv": LINKS.format(added="\tcontains quinoa wordnet-3.1\tis plant wordnet-3.1"),
            "pets/training/lines.tsv": LINES + "S\ten\tpet.bird\tOur budgie sings\nS\ten\tpet.bird\tA budgie, always\n",
        },
    )
    leak = leaked_since(packs)
    told = {(entry.sort, entry.place, entry.text): words for entry, words in leak.leaked.items()}
    assert told == {
        ("phrase", "kinds pet.bird phrases en", "my budgies ... loudly"): ("budgy",),
        ("phrase", "kinds pet.bird phrases en", "虎皮"): ("虎皮",),
        ("phrase", "entities bird.food phrases", "quinoa salad"): ("quinoa",),
        ("example", "bridges pet.feed examples must_fire", "Quinoa?"): ("quinoa",),
        ("example", "bridges pet.feed examples must_fire", '{"tool": "quinoa_cook"}'): ("quinoa",),
        ("tool", "tools feed tool", "budgie_feed"): ("budgy",),
        ("name", "seed", "quinoa"): ("quinoa",),
        ("name", "salad", "quinoa"): ("quinoa",),
        ("link", "seed contains", "seed quinoa"): ("quinoa",),
        ("training line", "S en pet.bird", "A budgie, always"): ("budgy",),
    }
    assert {entry.text for entry in leak.added - leak.leaked.keys()} >= {"my macaw", "as always", "millet"}


def test_what_leaked_is_taken_out_and_nothing_else(packs: Path) -> None:
    """A list, an entry that is nothing without it, a cell and a row; other files stay as they are written."""
    write_packs(
        packs.parents[2],
        {
            "pets/kinds.yaml": KINDS.format(added=", budgie, macaw") + "    # a remark\n",
            "pets/entities.yaml": ENTITIES.replace("millet", "quinoa"),
            "pets/same.yaml": "# a remark\n" + ENTITIES.replace("bird.food", "bird.meal"),
            "pets/knowledge/names.tsv": NAMES.format(added="\nquinoa\ten\tseed"),
            "pets/knowledge/links.tsv": LINKS.format(added="\tcontains quinoa wordnet-3.1"),
        },
    )
    tree, leak = pack_entries.tree_of(packs), leaked_since(packs)
    reduced = pack_entries.without(tree, leak.leaked.keys())
    assert pack_entries.entries_of(reduced) == pack_entries.entries_of(tree) - leak.leaked.keys()
    assert reduced["pets/entities.yaml"] == "entities: {}\n"
    assert reduced["pets/knowledge/names.tsv"] == NAMES.format(added="")
    assert reduced["pets/knowledge/links.tsv"] == LINKS.format(added="")
    assert "macaw" in reduced["pets/kinds.yaml"]
    assert "budgie" not in reduced["pets/kinds.yaml"]
    for path in ("pets/same.yaml", "pets/training/lines.tsv"):
        assert reduced[path] == tree[path]
    assert pack_entries.without(tree, []) == tree


def test_an_entry_in_another_file_is_the_same_and_under_another_kind_another() -> None:
    """Moving files adds nothing; giving a phrase to another kind does."""
    first = pack_entries.entries_of({"pets/kinds.yaml": KINDS.format(added="")})
    assert pack_entries.entries_of({"birds/all.yaml": KINDS.format(added="")}) == first
    assert not pack_entries.entries_of({"pets/kinds.yaml": KINDS.format(added="").replace("pet.bird", "pet")}) & first


def test_a_word_is_rare_below_two_in_a_thousand_lines() -> None:
    """At the share itself it no longer is."""
    lines = ["a heron's feather", "two feathers", *["nothing"] * 998]
    assert rare_words.rare_words(["feather herons nothing"], lines[1:]) == {"feather", "heron"}
    assert rare_words.rare_words(["feather herons nothing"], lines) == {"heron"}
    assert rare_words.words_of("Would the herons' two feathers") == {"heron", "feather"}


def test_nothing_to_tell_rarity_by_is_an_error(packs: Path) -> None:
    """A commit without training lines, and one that is not there, are no clean result."""
    with pytest.raises(ValueError, match="no training lines"):
        leakage.leak_of([], pack_entries.entries_of(pack_entries.tree_of(packs)), CASES)
    with pytest.raises(subprocess.CalledProcessError):
        pack_entries.tree_at("no-such-commit", packs.parents[2])


def test_the_fall_is_in_points_of_the_same_cases() -> None:
    """Two lost and one won of four are 25 points."""
    before = {"a": True, "b": True, "c": False, "d": True}
    assert leakage.fall_points(before, {"a": False, "b": False, "c": True, "d": True}) == 25
    assert leakage.fall_points(before, before) == 0
    for other in ({}, {"a": True}):
        with pytest.raises(ValueError, match="same cases"):
            leakage.fall_points(before, other)


def test_the_digest_of_training_lines_is_that_of_what_they_say() -> None:
    """Whatever their order and file; one line more is another digest."""
    first, second = "S\ten\tb, a\tone\n", "R\tzh\t-\t二\n"
    digest = pack_entries.training_digest({"x/training/a.tsv": first + second})
    assert pack_entries.training_digest({"y/training/b.tsv": second, "x/training/a.tsv": first * 2}) == digest
    assert pack_entries.training_digest({"x/training/a.tsv": first}) != digest


def test_what_is_written_for_training_has_every_script_that_the_script_needs(tmp_path: Path) -> None:
    """It is run there, where nothing else of the repository is."""
    leakage.write_for_training({}, tmp_path)
    scripts = Path(leakage.ROOT) / "scripts"
    source = (scripts / "train_router.py").read_text("utf-8")
    needed = {path.name for path in scripts.glob("*.py") if f"from {path.stem} import" in source}
    assert needed
    assert {path.name for path in (tmp_path / "scripts").iterdir()} == {"train_router.py", *needed}


def test_the_control_leaves_out_as_many_by_chance_and_the_same_ones_again() -> None:
    """Of what was added alone."""
    entries = [pack_entries.Entry("training line", f"S en {number}", f"text {number}") for number in range(50)]
    leak = leakage.Leak(frozenset(entries), dict.fromkeys(entries[:20], ("text",)))
    drawn = leakage.as_many(leak)
    assert len(drawn.leaked) == 20
    assert drawn.leaked.keys() <= leak.added
    assert drawn.leaked.keys() != leak.leaked.keys()
    assert leakage.as_many(leak) == drawn
