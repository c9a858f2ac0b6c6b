"""A message -> its sentences, and whom one is about. English and Chinese; other languages by their full stops."""

from __future__ import annotations

import re

from heedful.bridges.words import fold

SENTENCES_MAX = 60
"""Of one message; what follows is not read for facts."""
SENTENCE_CHARACTERS_MAX = 600

SYMBOLS_SHARE_MAX = 0.06
"""Of a text, signs that code and data are full of; with more it is no prose."""
_SYMBOLS = tuple('{}[]()<>=;|\\"')
# What tools print of files: `path:12: line`, `12<tab>line`, and objects.
_OF_FILES = re.compile(r"^[ \t]*(?:[^\s:]+\.\w{1,8}:\d+:|\d+(?:\t|\u2192)|[{\[](?:[\"'{\[]|[ \t]*$))", re.MULTILINE)
_SYMBOLS_MIN = 4

# A full stop ends a sentence before a space only: `v1.2` and `e.g.` in the middle of a line have none after them.
_ENDS = re.compile(r"(?<=[.!?…])[\"'\u201d\u2019)]*\s+|(?<=[。！？…；])|\n+|(?<=;)\s+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|vs|e\.g|i\.e|etc|approx|no|dept|u\.s|a\.m|p\.m)\.)$", re.IGNORECASE
)

_RELATIONS = {
    "daughter": "daughter|girl|little girl|女儿|闺女|丫头|大宝|小宝|二宝|宝宝",
    "son": "son|boy|little boy|儿子|犬子",
    "child": "kid|kids|child|children|toddler|baby|newborn|infant|孩子|娃|小孩|小朋友",
    "partner": "wife|husband|partner|spouse|girlfriend|boyfriend|fiance|fiancee|fiancé|fiancée|"
    "老公|老婆|妻子|丈夫|媳妇|先生|太太|女朋友|男朋友|对象|爱人",
    "mother": "mother|mom|mum|mama|妈妈|妈|母亲|老妈",
    "father": "father|dad|papa|爸爸|爸|父亲|老爸",
    "parents": "parents|爸妈|父母|爹妈",
    "grandparent": "grandma|grandpa|grandmother|grandfather|nana|奶奶|爷爷|外婆|外公|姥姥|姥爷",
    "sibling": "brother|sister|sibling|哥哥|弟弟|姐姐|妹妹|哥|姐|表弟|表妹|堂哥",
    "in-law": "mother-in-law|father-in-law|in-laws|婆婆|公公|岳父|岳母|丈母娘",
    "friend": "friend|best friend|buddy|mate|朋友|闺蜜|哥们|同学|室友",
    "roommate": "roommate|flatmate|housemate|合租",
    "colleague": "boss|manager|colleague|coworker|co-worker|teammate|老板|领导|同事|上司",
    "pet": "dog|puppy|cat|kitten|rabbit|parrot|hamster|budgie|horse|狗|猫|狗狗|猫咪|兔子|鹦鹉|仓鼠|金毛|柯基",
}
_WORDS = {word: relation for relation, listed in _RELATIONS.items() for word in listed.split("|")}
_ENGLISH = re.compile(
    r"\b(?:my|our)\s+(?:[\w-]+\s+){0,3}?("
    + "|".join(sorted((re.escape(word) for word in _WORDS if word.isascii() or "é" in word), key=len, reverse=True))
    + r")\b(?!')"
)
_CHINESE = re.compile(
    "(?:我们家|我家|我们|我|咱家|咱)(?:的|那个|们)?("
    + "|".join(sorted((word for word in _WORDS if not word.isascii() and "é" not in word), key=len, reverse=True))
    + ")"
)


_OTHERS = re.compile(
    r"\b(?:colleagues?|co-?workers?|neighbou?rs?|friends?|classmates?|someone|somebody|other people)\b"
    "|同事|邻居|隔壁|朋友|同学|别人|人家|网友",
    re.IGNORECASE,
)


_END = r"lifted|over|gone|finished|ended|cleared|outgrown|outgrew|off|stopped|cured|resolved|expired|revoked|cancell?ed"
_NOT_OVER = re.compile(
    # It is denied, or said of a time to come: "is not lifted", "nobody took me off it", "will be over in March".
    rf"(?:\b(?:not|never|nobody|no one|refuse[sd]?|refusing)|n't)\s+(?:yet\s+)?(?:[\w']+\s+){{0,3}}?(?:{_END})\b"
    rf"|\b(?:will|shall|going to|might|may|could|should)\s+(?:[\w']+\s+){{0,3}}?(?:{_END}|lift|stop|end)\b"
    r"|(?:还没|没有|没|尚未|未|不会|将|将要|即将|打算)(?:有)?(?:[^，。；\s]{0,4})(?:解除|结束|取消|停药|停用|停了|痊愈|撤销|过期)",
    re.IGNORECASE,
)


_QUOTED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$", re.DOTALL | re.MULTILINE)


def own_words(text: str) -> str:
    """The text without what it quotes: fenced blocks, and lines that begin with `>`."""
    return _QUOTED.sub("", text) if "```" in text or ">" in text else text


def denies_an_end(sentence: str) -> bool:
    """True where it says that something is not over, or will be at another time."""
    return _NOT_OVER.search(sentence.replace("\u2019", "'")) is not None


QUESTION_MARKS = "?\uff1f\u061f\u2047\u2048\u2049\u203d"


def names_others(sentence: str) -> bool:
    """True where it names somebody who is none of the speaker's own household."""
    return _OTHERS.search(sentence) is not None


def is_prose(text: str) -> bool:
    """False for lines of files, objects and code, in which nobody tells anything."""
    signs = sum(map(text.count, _SYMBOLS))
    return signs < max(_SYMBOLS_MIN, SYMBOLS_SHARE_MAX * len(text)) and _OF_FILES.search(text) is None


def is_question(sentence: str) -> bool:
    """True where a question mark stands behind its last word, whatever else does: quotes, brackets, emoji."""
    end = next((at for at in range(len(sentence), 0, -1) if sentence[at - 1].isalnum()), 0)
    return any(mark in QUESTION_MARKS for mark in sentence[end:])


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a message, in order, stripped, at most SENTENCES_MAX; a longer one is cut."""
    found: list[str] = []
    for piece in _ENDS.split(text):
        stripped = piece.strip()
        if not stripped:
            continue
        if found and (_ABBREVIATION.search(found[-1]) or not any(map(str.isalnum, stripped))):
            found[-1] = f"{found[-1]} {stripped}"[:SENTENCE_CHARACTERS_MAX]
        elif len(found) == SENTENCES_MAX:
            break
        else:
            found.append(stripped[:SENTENCE_CHARACTERS_MAX])
    return tuple(found)


def relation_in(sentence: str) -> str | None:
    """Whom of the speaker's own the sentence is about (`daughter`, `pet`), by the first that it names; None: nobody."""
    folded = fold(sentence)
    match = _ENGLISH.search(folded) or _CHINESE.search(folded)
    return None if match is None else _WORDS[match[1]]
