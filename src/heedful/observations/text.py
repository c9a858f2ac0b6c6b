"""Search tokens: what a text is found by. Documents and queries are cut the same way, so that one finds the other.

Full-text engines take a Chinese sentence for one word, and drop the signs in `C++` or `v1.2.3`; so words are cut here.
Scripts written without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) become overlapping pairs of characters,
and single characters in documents, so that a query of one character finds them too. English words lose their plain
inflections (observations.stems); an identifier stays whole beside its parts.
"""

from __future__ import annotations

import itertools
import operator
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator

from heedful.kernel.kept import drops_texts
from heedful.observations.stems import stem

TOKENS_MAX = 50_000
"""A document is found by its first so many tokens."""
CHARACTERS_MAX = 1_000_000
"""Of a document, so many characters are read."""
TOKEN_CHARACTERS_MAX = 64
"""What is longer is found by its first so many characters: no name is longer, and base64 is no word."""
CHUNKS_CACHED = 32_768
"""So many short pieces of ASCII text are remembered with their tokens."""
_PAIR = 2
QUERY_TERMS_MAX = 32
"""At most so many terms in a query; the store's `search` takes no more."""

_DENSE = (
    "\u0e00-\u0edf\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u312f\u3130-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Characters that combine with the one before them: `\w` leaves them out, and a word would break in two.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b"
    "\u08d3-\u0963\u0971-\u0df3\u0f18-\u0f39\u0f71-\u0fbc\u135d-\u135f\u1712-\u1714\u1732-\u1734\u18a9\u1920-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1aff\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a"
    "\ufe20-\ufe2f"
)
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
# Zero width, joiners, direction marks, soft hyphen, variation selectors, tags: nothing that anyone types to search.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_JOINT = r"[-._@/:\\+']"
# Whatever can stand in no ASCII token becomes a space; splitting is then much faster than a regular expression.
_ASCII_FOLDED = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) in "_-.@/:\\+'#" else ord(" ") for code in range(128)
).ljust(256)
_WORD = rf"[\w{_MARKS}]+"
_TOKEN = re.compile(rf"{_WORD}(?:{_JOINT}{_WORD})*(?:\+\+|#)?|[{_EMOJI}]")
# Full-width signs end a word; without them most Chinese text is in its normal form already.
_WIDE_SIGNS = re.compile("[\u3000-\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]")
_DENSE_RUN = re.compile(rf"([{_DENSE}](?:[{_DENSE}{_MARKS}])*)")
_DOTTED = re.compile(r"[-.+#']+")
_SEGMENT = re.compile(r"[/\\@:]")
_ATOM = re.compile(r"[-._@/:\\+#']+")
_MARK = re.compile(f"[{_MARKS}]")


def search_tokens(text: str) -> tuple[str, ...]:
    """The tokens of a document, in order, repeats kept; at most TOKENS_MAX.

    Tokens are NFKC and case folded. An identifier gives itself and its parts: `Foo_bar.baz` -> `foo_bar.baz`,
    `foo_bar`, `foo`, `bar`, `baz`. A run of a script without spaces gives each character, then each pair.
    """
    text = text[:CHARACTERS_MAX]
    tokens = tuple(_ascii_tokens(text)) if text.isascii() else tuple(_cut(text, singles=True))
    return tokens if len(tokens) <= TOKENS_MAX else tokens[:TOKENS_MAX]


def query_terms(text: str, limit: int = QUERY_TERMS_MAX) -> tuple[str, ...]:
    """The distinct tokens of a query, in order, at most `limit`; function words only where nothing else is left.

    Single characters of a longer CJK run are left out too: its pairs say more.
    """
    terms = dict.fromkeys(_cut(text[:CHARACTERS_MAX], singles=False))
    telling = [term for term in terms if not is_function_word(term)]
    return tuple((telling or list(terms))[:limit])


def words_and_runs(text: str) -> tuple[list[str], list[str]]:
    """The tokens of a text but those of scripts without spaces, and the runs of these, folded and not yet cut."""
    if text.isascii():
        return list(_ascii_tokens(text)), []
    words: list[str] = []
    pieces = _DENSE_RUN.split(_folded(text))
    for piece in pieces[::2]:
        _add_spaced(piece, words)
    return words, pieces[1::2]


def is_function_word(term: str) -> bool:
    """True for words that say nothing of what a text is about, in English and Chinese."""
    if term in _ENGLISH or term in _CHINESE:
        return True
    return not term.isascii() and all(character in _CHINESE_CHARACTERS for character in term)


def cut_by_accident(terms: Iterable[str], seen: Container[str]) -> frozenset[str]:
    """Those of a query's terms that ask for nothing: pairs that no text has, and that stand where two words meet.

    One of the two characters is a function word (the 吗 of 过敏吗), or the pair begins or ends with a pair that some
    text has (the 市工 of 城市工作, where some text has 工作). `seen` are the terms that some text has.
    """
    pairs = [term for term in terms if len(term) == _PAIR and not term.isascii() and _DENSE_RUN.fullmatch(term)]
    known = [term for term in pairs if term in seen]
    first, last = {term[0] for term in known}, {term[1] for term in known}
    unknown = (term for term in pairs if term not in seen)
    return frozenset(
        term
        for term in unknown
        if len(_CHINESE_CHARACTERS.intersection(term)) == 1 or term[0] in last or term[1] in first
    )


def _cut(text: str, *, singles: bool) -> list[str]:
    if text.isascii():
        return list(_ascii_tokens(text))
    tokens: list[str] = []
    for place, piece in enumerate(_DENSE_RUN.split(_folded(text))):
        if place % 2:
            _add_dense(piece, tokens, singles=singles)
        else:
            _add_spaced(piece, tokens)
    return tokens


def _folded(text: str) -> str:
    return _INVISIBLE.sub("", _compatible(_compatible(_WIDE_SIGNS.sub(" ", text)).casefold()))


def _add_spaced(piece: str, tokens: list[str]) -> None:
    if piece.isascii():
        tokens.extend(_ascii_tokens(piece))
    else:
        for word in _TOKEN.findall(piece):
            _add_word(word, tokens)


def _compatible(text: str) -> str:
    """NFKC; asking first is a hundred times cheaper than doing it."""
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


def _ascii_tokens(text: str) -> Iterator[str]:
    chunks = text.encode("ascii").translate(_ASCII_FOLDED).decode("ascii").split()
    return itertools.chain.from_iterable(map(_TOKENS_OF_CHUNK.__getitem__, chunks))


class _TokensOfChunk(dict[str, tuple[str, ...]]):
    """Pieces with their tokens; when it is full it starts anew, which is cheaper than knowing what was used last."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        tokens = _chunk(chunk)
        if len(chunk) <= TOKEN_CHARACTERS_MAX:
            if len(self) >= CHUNKS_CACHED:
                self.clear()
            self[chunk] = tokens
        return tokens


_TOKENS_OF_CHUNK = _TokensOfChunk()
drops_texts(_TOKENS_OF_CHUNK.clear)


def _chunk(chunk: str) -> tuple[str, ...]:
    """The tokens of a piece of ASCII text without spaces, such as `(foo_bar.baz),`."""
    if chunk.isalnum() and len(chunk) <= TOKEN_CHARACTERS_MAX:
        return (_stemmed(chunk),)
    tokens: list[str] = []
    for word in _TOKEN.findall(chunk):
        _add_word(word, tokens)
    return tuple(tokens)


def _add_word(word: str, tokens: list[str]) -> None:
    if len(word) > TOKEN_CHARACTERS_MAX:
        parts = [word, *_SEGMENT.split(word), *_ATOM.split(word)]
        tokens.extend(dict.fromkeys(part[:TOKEN_CHARACTERS_MAX] for part in parts if part.strip("_")))
    elif word.isalnum():
        tokens.append(_stemmed(word))
    else:
        tokens.extend(_parts(word))


def _parts(word: str) -> list[str]:
    """An identifier, its segments (of a path, an address), the words in those, and their parts; each once."""
    found = [word]
    for segment in _SEGMENT.split(word):
        found.append(segment)
        for dotted in _DOTTED.split(segment):
            found.append(dotted)
            found.extend(dotted.split("_"))
    return [part for part in dict.fromkeys(map(_stemmed, found)) if part.strip("_")]


def _stemmed(word: str) -> str:
    # Function words are known by their own form.
    return word if word in _ENGLISH else stem(word)


def _add_dense(run: str, tokens: list[str], *, singles: bool) -> None:
    characters = list(run) if _MARK.search(run) is None else _with_marks(run)
    if len(characters) == 1:
        tokens.append(characters[0])
        return
    if singles:
        tokens.extend(characters)
    tokens.extend(map(operator.add, characters, characters[1:]))


def _with_marks(run: str) -> list[str]:
    characters: list[str] = []
    for character in run:
        if characters and _MARK.match(character):
            characters[-1] += character
        else:
            characters.append(character)
    return characters


_ENGLISH_WORDS = """
a about after all also am an and any are as at be because been before being but by can could did do does doing don for
from get had has have having he her here him his how i if in into is it its just let like ll m may me might my no nor of
off on once only or other our out over own please re s same shall she should so some such t than that the their them
then there these they this those through to too under until up us ve very was we were what when where which while who
whom why will with would you your
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_CHINESE_WORDS = """
什么 怎么 怎样 如何 为什 为何 可以 能否 是否 是不 不是 这个 那个 哪个 一个 一下 一些 我们 你们 他们 她们
它们 我的 你的 他的 现在 请问 请你 帮我 给我 告诉 诉我 有没 没有 还有 以及 或者 并且 但是 如果 因为 所以
这些 那些 哪些 这里 那里 哪里 多少 一般 么时 时候 么样 多久 几点 几号 哪天 哪儿 来着
"""
_CHINESE = frozenset(_CHINESE_WORDS.split())
_CHINESE_CHARACTERS = frozenset(
    "个什怎样的了是在我你他她它们吗呢吧啊呀嘛么着过和与或就都也还又很把被给对向从到以之其这那哪请谁几"
)
