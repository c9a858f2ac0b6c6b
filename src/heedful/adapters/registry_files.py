"""Registry files: the bundled packs and a store's own `registry/` folder -> the text of its documents."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from heedful.adapters.knowledge_files import knowledge_loader
from heedful.bridges.build import build_registry
from heedful.bridges.registry import Registry
from heedful.kernel.errors import InvalidInputError, UnavailableError
from heedful.policy.parse import Problem

PACKS_FILE = "packs.yaml"
PACK_FILE = "pack.yaml"
DOCUMENT_BYTES_MAX = 4_194_304
DOCUMENTS_MAX = 500
REGISTRIES_KEPT = 8
"""Registries that a process remembers as built: parsing one takes a second."""
PROBLEMS_SHOWN = 5


_Loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""The C parser where there is one: every store that is opened reads which packs it has."""


@cache
def bundled_packs() -> tuple[str, ...]:
    """Names of the packs that come with this release, in order."""
    folder = resources.files("heedful") / "packs"
    return tuple(sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("_")))


def pack_documents(*names: str) -> tuple[tuple[str, str], ...]:
    """(file name, text) of each YAML document of these bundled packs and of those that they build on, each once.

    A pack comes after what it builds on, its documents in order of names.

    Raises:
        InvalidInputError: `pack_unknown`.
    """
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for name in names:
        documents = _own_documents(name)
        for required in _requires(dict(documents).get(f"{name}/{PACK_FILE}", "")):
            found.setdefault(required, _own_documents(required))
        found.setdefault(name, documents)
    return tuple(document for documents in found.values() for document in documents)


def _own_documents(name: str) -> tuple[tuple[str, str], ...]:
    if name not in bundled_packs():
        raise InvalidInputError(
            "pack_unknown",
            f"no pack {name[:80]!r} comes with this release",
            next_step=f"packs are: {', '.join(bundled_packs())}",
            details={"field": "packs"},
        )
    folder = resources.files("heedful") / "packs" / name
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return tuple((f"{name}/{entry.name}", entry.read_text("utf-8")) for entry in files)


@lru_cache(maxsize=16)
def _requires(pack_text: str) -> tuple[str, ...]:
    """What a bundled pack builds on; those build on nothing themselves."""
    return tuple((_read(pack_text) or {}).get("pack", {}).get("requires", ()))


def default_policy(principal: str, packs: tuple[str, ...]) -> str:
    """The policy document that `init` writes, with this principal as its owner.

    Without the delivery pack, whose action classes it names, it asks for no verification of any class.
    """
    template = (resources.files("heedful") / "packs" / "default_policy.yaml").read_text("utf-8")
    if "delivery" not in packs:
        template = re.sub(r"(require_current_verification_for:) \[.*\]", r"\1 []", template)
    return template.replace('"{principal}"', json.dumps(principal, ensure_ascii=False))


def folder_documents(folder: Path) -> tuple[tuple[str, str], ...]:
    """(file name, text) of everything that a store's registry holds: its packs first, then its own files.

    Raises:
        UnavailableError: `registry_unavailable` where a file can't be read, or is no regular file.
        InvalidInputError: `pack_unknown`, `packs_malformed`, `registry_too_large`, `registry_not_text`.
    """
    try:
        files = sorted(folder.glob("*.yaml"), key=lambda path: path.name)
        if len(files) > DOCUMENTS_MAX:
            raise InvalidInputError(
                "registry_too_large",
                f"the registry folder has {len(files)} files; at most {DOCUMENTS_MAX} are read",
                details={"limit": DOCUMENTS_MAX},
            )
        own = tuple((path.name, _text(path)) for path in files if path.name != PACKS_FILE)
        packs = _pack_names(folder / PACKS_FILE)
    except OSError as error:
        raise UnavailableError(
            "registry_unavailable",
            "the registry folder can't be read",
            next_step="see that the store's registry/ is there and readable",
        ) from error
    return pack_documents(*packs) + own


@lru_cache(maxsize=REGISTRIES_KEPT)
def registry_of(documents: tuple[tuple[str, str], ...]) -> Registry:
    """The registry of these documents. The last few are remembered: `init` checks what it then opens.

    Raises:
        InvalidInputError: `registry_invalid`, with every problem in its details.
    """
    built = build_registry(documents, knowledge_loader(documents))
    if isinstance(built, Registry):
        return built
    shown = "; ".join(_line(problem) for problem in built.problems[:PROBLEMS_SHOWN])
    raise InvalidInputError(
        "registry_invalid",
        f"the registry has {len(built.problems)} problems: {shown}",
        next_step="`heedful registry check` shows them all",
        details={"problems": [_line(problem) for problem in built.problems]},
    )


def _line(problem: Problem) -> str:
    return f"{problem.file}:{problem.line}: {problem.message}"


def _read(text: str) -> Any:
    return yaml.load(text, Loader=_Loader)  # noqa: S506  # either is safe


def _pack_names(path: Path) -> tuple[str, ...]:
    if not path.exists():
        return ()
    try:
        names = (_read(_text(path)) or {}).get("packs", [])
    # The reader of YAML calls itself at each level, and takes what looks like a date, and is none, for one.
    except (yaml.YAMLError, AttributeError, RecursionError, ValueError) as error:
        raise _packs_malformed() from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _packs_malformed()
    return tuple(names)


def _packs_malformed() -> InvalidInputError:
    return InvalidInputError(
        "packs_malformed", f"{PACKS_FILE} is not of the form `packs: [name, ...]`", details={"field": PACKS_FILE}
    )


def _text(path: Path) -> str:
    # A pipe would be waited for without end; passing it over would leave out what somebody meant to be in force.
    if not path.is_file():
        raise UnavailableError(
            "registry_unavailable",
            f"{path.name} in the registry folder is no regular file",
            next_step="replace it with a file, or remove it",
            details={"file": path.name},
        )
    if path.stat().st_size > DOCUMENT_BYTES_MAX:
        raise InvalidInputError(
            "registry_too_large",
            f"{path.name} is over {DOCUMENT_BYTES_MAX} bytes",
            next_step="split it",
            details={"file": path.name, "limit": DOCUMENT_BYTES_MAX},
        )
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            "registry_not_text",
            f"{path.name} is not UTF-8 text",
            next_step="save it as UTF-8",
            details={"file": path.name},
        ) from error
