"""Checks what Heedful signed, with Python 3.9 or later and nothing else: no Heedful, no library.

    python3 verify.py FILE [--pinned FILE] [--key ID] [--witness ID] [--ledger FILE]

FILE is what `heedful checkpoint`, `heedful prove`, `heedful receipt ID` or `heedful drill` wrote with --out. With
--pinned, FILE must be a continuation of that older checkpoint (made with --since), and its keys are trusted (of a
receipt or a drill's report that alone); with --key, the key of that id is. --witness: that key must have co-signed.
--ledger: what `heedful ledger export` wrote must be the chains that were signed.

Exit 0: everything holds. 1: something does not, and is told. 2: a file could not be read.
Trees are RFC 9162's, signatures Ed25519 (RFC 8032), canonical bytes RFC 8785. docs/proofs.md describes the files.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import hmac
import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from heedful.interfaces.cli.standalone_signatures import is_signed

Json = Any


class Broken(Exception):  # noqa: N818  # what it says is the answer
    """Something does not hold; its text tells what."""


def canonical(value: Json) -> bytes:
    """RFC 8785, for what Heedful signs: texts, whole numbers and null under keys that are ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def is_included(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """RFC 9162, 2.1.3.2."""
    return 0 <= index < size and folded(index, size - 1, leaf, leaf, path)[1] == root


def is_consistent(old_size: int, old_root: bytes, size: int, root: bytes, path: list[bytes]) -> bool:
    """RFC 9162, 2.1.4.2."""
    if old_size == size:
        return old_size > 0 and not path and old_root == root
    steps = ([old_root] if old_size & (old_size - 1) == 0 else []) + path
    if not 0 < old_size < size or not steps:
        return False
    node, last = old_size - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    return folded(node, last, steps[0], steps[0], steps[1:]) == (old_root, root)


def folded(node: int, last: int, old: bytes, new: bytes, steps: list[bytes]) -> tuple[bytes, bytes]:
    """What a path leads to, to the left of the node alone and on both sides; nothing where it is too short or long."""
    for step in steps:
        if last == 0:
            return b"", b""
        if node & 1 or node == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, step)
        node, last = node >> 1, last >> 1
    return (old, new) if last == 0 else (b"", b"")


def root_of(leaves: list[bytes]) -> bytes:
    """The tree's root."""
    peaks: list[bytes] = []
    for size, leaf in enumerate(leaves):
        peak, left = leaf, size
        while left & 1:
            peak, left = node_hash(peaks.pop(), peak), left >> 1
        peaks.append(peak)
    root = peaks.pop() if peaks else hashlib.sha256().digest()
    while peaks:
        root = node_hash(peaks.pop(), root)
    return root


def trusted_keys(told: list[Json], known: set[str]) -> dict[str, bytes]:
    """Key id -> public key, of those that are known and those that follow from them."""
    trusted: dict[str, bytes] = {}
    for key in sorted(told, key=lambda each: each["number"]):
        public = bytes.fromhex(key["public_key"])
        if hashlib.sha256(public).hexdigest() != key["key_id"]:
            continue
        body = canonical({name: key[name] for name in ("number", "key_id", "public_key", "made_at_us", "vouched_by")})
        voucher = trusted.get(key["vouched_by"])
        vouched = voucher and is_signed(voucher, "signing key", body, bytes.fromhex(key["signature"]))
        if key["key_id"] in known or vouched:
            trusted[key["key_id"]] = public
    return trusted


def note_body(note: Json) -> bytes:
    """The canonical bytes of a note."""
    names = ("tenant_id", "chain", "size", "root", "head", "at_us", "key_id")
    return canonical({"what": "heedful checkpoint", "format": 1, **{name: note[name] for name in names}})


def check_notes(file: Json, trusted: dict[str, bytes], name: str) -> dict[str, Json]:
    """The file's notes by chain, each signed by a trusted key."""
    if (file["what"], file["format"]) != ("heedful checkpoint", 1):
        raise Broken(f"{name} is no checkpoint of a format that is known here")
    notes = {}
    for signed in file["notes"]:
        note = signed["note"]
        public = trusted.get(note["key_id"])
        if public is None:
            raise Broken(f"{name}: key {note['key_id']} is not trusted, nor vouched for by one that is")
        if not is_signed(public, "checkpoint", note_body(note), bytes.fromhex(signed["signature"])):
            raise Broken(f"{name}: the signature of the {note['chain']} chain's note does not hold")
        notes[note["chain"]] = note
    if sorted(notes) != ["access", "ledger"] or len(file["notes"]) != 2:
        raise Broken(f"{name} has not one note of each chain")
    if len({note["tenant_id"] for note in notes.values()}) != 1:
        raise Broken(f"{name} is of two tenants")
    return notes


def check_growth(file: Json, notes: dict[str, Json], pinned: dict[str, Json]) -> None:
    """The pinned notes are the beginnings of these."""
    for chain, old in pinned.items():
        new = notes[chain]
        wanted = {"chain": chain, "old_size": old["size"], "old_root": old["root"]}
        paths = [each["path"] for each in file["growth"] if {**each, **wanted} == each]
        path = [bytes.fromhex(step) for step in paths[0]] if paths else []
        begun = old["tenant_id"] == new["tenant_id"]
        if old["size"]:
            roots = bytes.fromhex(old["root"]), bytes.fromhex(new["root"])
            begun = begun and is_consistent(old["size"], roots[0], new["size"], roots[1], path)
        if not begun:
            raise Broken(f"the {chain} chain is not proved to be a continuation of the pinned checkpoint")


def check_inclusion(found: Json, notes: dict[str, Json]) -> None:
    """The event is in its chain, and says what is told."""
    envelope, note = found["envelope"], notes[found["chain"]]
    leaf = hashlib.sha256(b"\x00" + canonical(envelope)).digest()
    path, root = [bytes.fromhex(step) for step in found["path"]], bytes.fromhex(note["root"])
    place = envelope["position"] - 1
    if envelope["tenant_id"] != note["tenant_id"] or not is_included(leaf, place, note["size"], path, root):
        raise Broken("the event is not proved to be in the chain")
    if found["payload"] is not None:
        check_payload(bytes.fromhex(found["salt"]), found["payload"].encode(), envelope)


def check_payload(salt: bytes, payload: bytes, envelope: Json) -> None:
    """The payload is what the envelope commits to."""
    if len(salt) != 32 or hmac.new(salt, payload, "sha256").hexdigest() != envelope["payload_digest"]:
        raise Broken(f"the content of event {envelope['position']} is not what was sealed")


def check_witness(file: Json, key_id: str) -> None:
    """That witness co-signed each note."""
    for signed in file["notes"]:
        for found in signed["cosignatures"]:
            public = bytes.fromhex(found["public_key"])
            body = canonical({"at_us": found["at_us"], "note": note_body(signed["note"]).decode()})
            is_theirs = found["key_id"] == key_id == hashlib.sha256(public).hexdigest()
            if is_theirs and is_signed(public, "cosignature", body, bytes.fromhex(found["signature"])):
                break
        else:
            raise Broken(f"witness {key_id} did not co-sign the {signed['note']['chain']} chain's note")


def check_ledger(lines: Iterable[bytes], notes: dict[str, Json]) -> None:
    """The events of an export are the chains that were signed, as far as those went."""
    leaves: dict[str, list[bytes]] = {chain: [] for chain in notes}
    gone: set[tuple[str, int]] = set()
    named: set[tuple[str, int]] = set()
    heads = dict.fromkeys(notes, "00" * 32)
    for line in map(json.loads, lines):
        if line["line"] != "event":
            continue
        envelope, chain = line["envelope"], line["chain"]
        place, leaf = len(leaves[chain]) + 1, hashlib.sha256(b"\x00" + canonical(envelope)).digest()
        links = (envelope["position"], envelope["tenant_id"], envelope["prev_digest"], line["digest"])
        if links != (place, notes[chain]["tenant_id"], heads[chain], leaf.hex()):
            raise Broken(f"the {chain} chain does not hold at event {place}")
        if line["payload"] is None:
            gone.add((chain, place))
        else:
            payload = base64.b64decode(line["payload"])
            check_payload(base64.b64decode(line["salt"] or ""), payload, envelope)
            if chain == "ledger" and envelope["type"] in ("erasure.requested", "erasure.staged"):
                named |= {(each, place) for each in notes for place in json.loads(payload).get(f"{each}_positions", ())}
        heads[chain] = leaf.hex()
        leaves[chain].append(leaf)
    for chain, place in sorted(gone - named):
        raise Broken(f"the content of event {place} of the {chain} chain is not there, and no erasure names it")
    for chain, note in notes.items():
        if len(leaves[chain]) < note["size"]:
            raise Broken(f"the {chain} chain ends at event {len(leaves[chain])}, and {note['size']} were signed")
        if root_of(leaves[chain][: note["size"]]).hex() != note["root"]:
            raise Broken(f"the {chain} chain is not the one that was signed")


def plain(value: Json) -> Json:
    """A value as RFC 8785 writes its numbers: 3.0 is 3."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check_told(content: bytes, file: Json, trusted: dict[str, bytes]) -> Iterator[str]:
    """What the receipt or report is of; the file is as it was signed, to the byte, by a trusted key."""
    what = file["what"].split()[-1]
    written = json.dumps(file, indent=1, ensure_ascii=False).encode() + b"\n"
    if file["format"] != 1 or written != content:
        raise Broken(f"the file is no {what} of a format that is known here, or not as it was written")
    body = canonical(plain({name: value for name, value in file.items() if name != "signature"}))
    public, signature = trusted.get(file["key_id"]), bytes.fromhex(file["signature"])
    if public is None:
        raise Broken(f"key {file['key_id']} is not trusted, nor vouched for by one that is")
    if signature.hex() != file["signature"] or not is_signed(public, what, body, signature):
        raise Broken(f"the signature of the {what} does not hold")
    if what == "drill":
        yield f"{file['drill']} drill {file['drill_id']}: {'it holds' if file['holds'] else 'IT DOES NOT HOLD'}"
        yield from (f"{each['outcome']}: {each['name']}" for each in file["checks"] if each["outcome"] != "held")
        return
    receipt = file["receipt"]
    yield f"receipt of erasure {receipt['erasure_id']} by {receipt['by']}: {receipt['stage']}"


def check(arguments: argparse.Namespace) -> Iterator[str]:
    """What was found, as lines; Broken where something does not hold."""
    content = Path(arguments.file).read_bytes()
    file = json.loads(content)
    pinned = json.loads(Path(arguments.pinned).read_bytes()) if arguments.pinned else None
    first = [key["key_id"] for key in (pinned or file)["keys"] if key["number"] == 1]
    if len(first) != 1:
        raise Broken("it has not one first key: of two, one would be looked at, and the other sign")
    known = {arguments.key or first[0]}
    pinned_keys = trusted_keys(pinned["keys"], known) if pinned else {}
    if not arguments.key and not pinned:
        yield f"signed under key {first[0]}: compare it with what the store's owner tells, or give --key or --pinned"
    if file["what"] in ("heedful receipt", "heedful drill"):
        yield from check_told(content, file, trusted_keys(file["keys"], known | set(pinned_keys)))
        return
    notes = check_notes(file, trusted_keys(file["keys"], known | set(pinned_keys)), "the file")
    if pinned:
        check_growth(file, notes, check_notes(pinned, pinned_keys, "the pinned checkpoint"))
    if file["inclusion"] is not None:
        check_inclusion(file["inclusion"], notes)
    if arguments.witness:
        check_witness(file, arguments.witness)
    if arguments.ledger:
        packed = arguments.ledger.endswith(".gz")
        with gzip.open(arguments.ledger) if packed else Path(arguments.ledger).open("rb") as lines:
            check_ledger(lines, notes)
    yield from (f"{chain}: {notes[chain]['size']} events, root {notes[chain]['root']}" for chain in sorted(notes))
    if file["inclusion"] is not None:
        event, chain = file["inclusion"]["envelope"], file["inclusion"]["chain"]
        digest = hashlib.sha256(b"\x00" + canonical(event)).hexdigest()
        yield f"event {event['position']}, {event['type']}, is in the {chain} chain; its digest is {digest}"


def told(text: object) -> str:
    """What a file says, as one line that steers no terminal."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("file", "--pinned", "--key", "--witness", "--ledger"):
        parser.add_argument(name)
    try:
        print("\n".join(["holds", *map(told, check(parser.parse_args()))]))
    except Broken as error:
        print(f"DOES NOT HOLD: {told(error)}")
        return 1
    except (OSError, EOFError, zlib.error) as error:
        print(f"could not be read: {told(error)}", file=sys.stderr)
        return 2
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError) as error:
        print(f"DOES NOT HOLD: not what Heedful writes ({type(error).__name__}: {told(error)})")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
