r"""Search tokens in a form that no tokenizer splits or folds: a token matches only itself, byte for byte.

Lower-case ASCII letters, digits and everything beyond ASCII stay as they are, which is nearly all text. Other ASCII
characters move to U+E000 + code; those private characters themselves, and lone surrogates, are escaped behind U+E080
or U+E081. A token longer than TOKEN_BYTES_MAX is kept as its SHA-256 behind U+E082.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Sequence

# FTS5 cuts tokens after 32,768 bytes; a safe form has at most three times the bytes of its token.
TOKEN_BYTES_MAX = 8_192
_TOKEN_CHARACTERS_MAX = TOKEN_BYTES_MAX // 4
_ASCII = 0xE000
_ESCAPE = 0xE080
_SURROGATE = 0xE081
_LONG = 0xE082
_RESERVED_END = 0xE083
_UNSAFE = re.compile("[\x00-\x2f\x3a-\x60\x7b-\x7f\ud800-\udfff\ue000-\ue082]")
# Of the joined tokens, what stays as it is.
_SAFE_BYTES = bytes(
    byte for byte in range(256) if byte >= 0x80 or chr(byte) in string.ascii_lowercase + string.digits + " "
)
# Leads U+E000 to U+EFFF in UTF-8, where the reserved characters are.
_PRIVATE_BYTE = b"\xee"


def encode_token(token: str) -> str:
    """The token's safe form; two tokens never share one (up to SHA-256 for the long ones)."""
    if len(token) > _TOKEN_CHARACTERS_MAX:
        token_bytes = token.encode("utf-8", "surrogatepass")
        if len(token_bytes) > TOKEN_BYTES_MAX:
            return chr(_LONG) + hashlib.sha256(token_bytes).hexdigest()
    return _UNSAFE.sub(_escaped, token)


def pack_tokens(tokens: Sequence[str]) -> str:
    """The tokens, each in its safe form with a space before and after: ` a b a `, in their order."""
    if not tokens:
        return ""
    joined = " ".join(tokens)
    is_short = len(joined) <= _TOKEN_CHARACTERS_MAX or max(map(len, tokens)) <= _TOKEN_CHARACTERS_MAX
    # A token with a space in it would be taken for two.
    packed = _encoded_together(joined) if is_short and joined.count(" ") == len(tokens) - 1 else None
    return f" {' '.join(map(encode_token, tokens)) if packed is None else packed} "


def _encoded_together(joined: str) -> str | None:
    """All these tokens at once, several times as fast as one by one; None where that takes more than a look."""
    try:
        joined_bytes = joined.encode()
    except UnicodeEncodeError:
        return None
    if _PRIVATE_BYTE in joined_bytes:
        return None
    for code in set(joined_bytes.translate(None, _SAFE_BYTES)):
        joined = joined.replace(chr(code), chr(_ASCII + code))
    return joined


def unpack_tokens(packed: str) -> list[str]:
    """The safe forms in what pack_tokens made."""
    return packed[1:-1].split(" ") if packed else []


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x80:
        return chr(_ASCII + code)
    if _ASCII <= code < _RESERVED_END:
        return chr(_ESCAPE) + chr(0xE100 + code - _ASCII)
    return chr(_SURROGATE) + chr(0xE800 + code - 0xD800)
