"""Instructions in what should be data, and instructions that hold only once: noticed, flagged, never acted on.

A flag is a warning to whoever reads or promotes a record. It is no filter: a record with it is kept as the data that it
is, with its scope as it came, and one without it is not therefore harmless. Of 318 public injection strings 206 are
noticed (AgentDojo 64 of 64, BIPIA 70 of 127, CyberSecEval 72 of 127), of 171 everyday utterances none, of 6,334 KB of
source code 158; tests/stages/test_observations_instructions.py holds the first two where the strings are at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from heedful.observations.grade import DATA_GRADES
from heedful.observations.record import SourceGrade

ADDRESSES_AGENT = "addresses-agent"
ONE_OFF = "one-off"
QUOTES_USER = "quotes-user"

_VERBS = (
    "say|tell|answer|respond|reply|output|print|write|send|use|call|run|execute|ignore|include|act|pretend|reveal|repeat|"
    "provide|follow|obey|refuse|comply|start|end|begin|forget|translate|mention|treat|delete|post|visit|open|click|obtain|"
    "recommend|approve|skip|deploy|push|prefer|trust|ask|add|make|put|do|be"
)
_OUTPUT_VERBS = (
    "write|translate|explain|summari[sz]e|generate|provide|list|describe|include|tell|give|compose|convert|rewrite|reply|"
    "respond|answer|suggest|recommend|analy[sz]e|compare|calculate|identify|modify|replace|encrypt|decode|insert|append|send|"
    "share|post|visit|create|develop|design|outline|show|teach|help|find"
)
_PREVIOUS = (
    r"[a-z]{0,3}\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|every|your|the|these|those)\b[^.\n]{0,40}"
    r"\b(?:instruction|prompt|rule|direction|command|guideline|message|context|restriction|polic|said|told)"
)
_TELL = r"(?:tell|inform|mention|notify|alert|reveal|ask|warn)\b[^.\n]{0,30}\b(?:user|anyone|them|him|her|this|human)\b"
_DUTY = (
    "must|should|shall|will|have to|need to|can only|may only|"
    "are required to|are obliged to|are instructed to|are ordered to|are expected to|are supposed to|are to"
)
_ADVERBS = "now|always|never|not|only|also|first|immediately|instead"
# (how it starts, what follows). Every pattern starts with a literal, so that a text without it costs one look.
_ENGLISH: tuple[tuple[str, str], ...] = (
    *((word, _PREVIOUS) for word in ("ignor", "disregard", "forget", "overrid", "bypass", "neglect")),
    *((word, r"e? (?:everything|what|all (?:of )?(?:that|the above))\b") for word in ("ignor", "disregard", "forget")),
    ("instruction", r"s?\s{0,3}:"),
    ("from now on", r"\b"),
    ("from this ", r"(?:point|moment) on"),
    ("the following ", r"(?:instruction|command|order|task|directive)s?\b"),
    ("you ", rf"(?<!\wyou )\s{{0,3}}(?:{_DUTY})(?: (?:{_ADVERBS}))* (?:{_VERBS})\b"),
    ("you are ", r"(?:now|going to act|an? (?:ai|assistant|language model|chatbot|agent))\b"),
    ("you're ", r"now\b"),
    ("could you ", r"(?:please )?[a-z]+"),
    ("can you ", r"(?:please )?[a-z]+"),
    ("before you ", r"(?:can |do )?(?:solve|finish|complet|answer|respond|reply|summari|process|read|do|continue)"),
    ("after you ", r"(?:do |have )?(?:solve|finish|complet|answer|respond|reply|summari|process|read|do)"),
    ("your ", r"(?:next |final |entire |whole )?(?:answer|response|reply|output|summary|message)s?\b"),
    ("your ", r"(?:new |only |next |real |first |main )?(?:task|goal|job|role|objective|mission) (?:is|now)\b"),
    ("your ", r"(?:new |only |next |real )?instructions? (?:is|are|now)\b"),
    ("pretend ", r"(?:to be|that|you)\b"),
    ("act as ", r"(?:if|an?|though|my|the)\b"),
    ("tell me ", r""),
    ("give me ", r""),
    ("show me ", r""),
    ("always ", rf"(?<!\bi always )(?<!we always )(?<!they always )(?<!he always )(?<!it always )(?:{_VERBS})\b"),
    ("never ", rf"(?<!\bi never )(?<!we never )(?<!they never )(?<!he never )(?<!it never )(?:{_VERBS})\b"),
    ("do not ", _TELL),
    ("don't ", _TELL),
    ("assistant", r"\s{0,2}[,:]"),
    ("todo:", r"\s"),
    ("important", r"(?:\W{0,3}!|:| (?:message|instruction|notice)s?\b)"),
    ("system", r"[\s_-]?(?:message|prompt|instruction|override)s?\b"),
    *((f"<{word}", r"[>|]") for word in ("information", "inst", "system", "|im_start|", "admin")),
    *((f"[{word}", r"\]") for word in ("information", "inst", "system", "admin")),
    ("please ", rf"(?:{_VERBS}|{_OUTPUT_VERBS})\b"),
)  # fmt: skip
# A text that is nothing but a request to its reader.
_OPENS_WITH_REQUEST = re.compile(
    rf"\W{{0,8}}(?:now |then |next |also |first |instead )?(?:{_OUTPUT_VERBS})\s+"
    r"(?:me|us|a|an|the|in|all|any|this|my|your|how|to)\b"
)
_Chinese = tuple[tuple[str, ...], re.Pattern[str]]
_CHINESE_HINT_LIST = """
忽略 无视 理会 忘记 忘掉 绕过 覆盖 必须 务必 需要 应当 应该 只能 不得 不能 现在 总是 一直 记住 立即 今后 以后 始终
永远 一律 一定 按照 不要 别告 别通 别提 别询 别让 指令 指示 提示 任务 命令 扮演 假装
"""
_CHINESE_HINTS = tuple(_CHINESE_HINT_LIST.split())
_CHINESE = re.compile(
    r"忽略.{0,12}(?:之前|以上|前面|上述|先前|所有|一切|任何)"
    r"|(?:无视|不要理会|不用理会|忘记|忘掉|绕过|覆盖).{0,12}(?:之前|以上|前面|上述|先前|所有|系统|规则|指令|指示|提示|限制)"
    r"|(?:你|您|助手|智能体|模型|ai) ?(?:必须|务必|需要|应当|应该|只能|不得|不能|现在是|要(?:始终"
    r"|总是|一直|记住|先|立即))"
    r"|务必|从现在(?:开始|起)|今后(?:都|一律|请|必须|每次)|以后(?:都|一律|每次|请|必须|不要|不用|凡是)"
    r"|(?:请|要)(?:始终|总是|永远|一律|一定要|立即|按照以下)|(?:不要|别|不得)(?:告诉|通知|提醒|询问|让)(?:用户|任何人|他|她|对方)"
    r"|(?:新的?|以下|系统|最新)(?:指令|指示|提示词|任务|命令) ?[:：是为]|(?:请|现在)(?:扮演|假装)"
)
_ONE_OFF_ENGLISH: tuple[tuple[str, str], ...] = (
    ("this time", r"\b(?! (?:of|last|next|zone))"),
    ("this once", r"\b"),
    ("just once", r"\b"),
    ("only once", r"(?=\s*(?:$|[,.!]))"),
    ("one time", r" only\b"),
    ("one-off", r"\b"),
    ("for now", r"\b"),
    ("for the moment", r"\b"),
    ("for the time being", r"\b"),
    ("just for ", r"(?:today|tonight|this)\b"),
    ("only for ", r"(?:today|tonight|this)\b"),
    (
        "for this ",
        r"(?:answer|reply|response|message|question|email|one|run|session|conversation)(?: only)?(?=\s*(?:$|[,.!]))",
    ),
    ("just this ", r"(?:answer|reply|message|question|email|task|report|file|commit|pr|run|one)\b"),
    ("only this ", r"(?:answer|reply|message|question|email|task|report|file|commit|pr|run|one)\b"),
    ("today only", r"\b"),
    ("temporarily", r"\b"),
)
_ONE_OFF_CHINESE_HINTS = ("这", "次", "回", "今天", "今晚", "今儿", "暂", "临时", "下不为例", "先")
_ONE_OFF_CHINESE = re.compile(
    r"这一?[次回](?:请|就|用|先|只|不|要|别|简|短|详|回复|回答|写|跳过|破例|特殊)"
    r"|[本此]次(?:请|就|用|先|只|不|回复|回答)|就这一?[次回]"
    r"|(?:今天|今晚|今儿)(?:就|先|只|暂时|暂且|破例)|暂时|暂且|临时(?:用|改|先|换|关|开|跳过)"
    r"|仅此一次|只此一次|下不为例"
    r"|先.{1,8}一下|先(?:这样|别|不要|不用|跳过|简短|用着|凑合)|这[条篇份封](?:回复|消息|回答|邮件|报告)?(?:请|就|用|要|先|写)"
)
_SAID = (
    r"s?(?: has| had| just| also)? (?:said|says|told|asked|wants?|prefers?|approved|confirmed|agreed|authori[sz]ed|"
    r"requested|stated|mentioned|allowed)\b"
)
_QUOTES_ENGLISH = tuple((word, _SAID) for word in ("user", "customer", "owner", "operator", "human"))
_QUOTES_CHINESE_HINTS = ("用户", "客户", "主人", "操作员")
_QUOTES_CHINESE = re.compile(
    r"(?:用户|客户|主人|操作员)(?:已经?|刚刚?|曾|也)?(?:说|表示|告诉|要求|希望|批准|确认|同意|授权|提到|想要|喜欢)"
)


@dataclass(frozen=True, slots=True)
class _Form:
    """A pattern, how it starts, and the mark of the longest word of that start."""

    start: str
    mark: int
    pattern: re.Pattern[str]


def _compiled(pairs: Iterable[tuple[str, str]], clues: dict[str, int]) -> tuple[_Form, ...]:
    forms = []
    for start, rest in pairs:
        clue = max(start.split(), key=len)
        forms.append(_Form(start, clues.setdefault(clue, 1 << len(clues)), re.compile(re.escape(start) + rest)))
    return tuple(forms)


_CLUES: dict[str, int] = {}
_ADDRESSES = _compiled(_ENGLISH, _CLUES)
_ONCE = _compiled(_ONE_OFF_ENGLISH, _CLUES)
_QUOTES = _compiled(_QUOTES_ENGLISH, _CLUES)
_EVERY_CLUE = (1 << len(_CLUES)) - 1


def instruction_clues(text: str) -> int:
    """The English words in the text without which no pattern starts, a bit each; see Screen."""
    # Chinese has clues of its own, and no need for these.
    lowered = text.lower().encode("ascii", "ignore").decode("ascii")
    clues = 0
    for word, bit in _CLUES.items():
        if word in lowered:
            clues |= bit
    return clues


def instruction_flags(text: str, grade: SourceGrade, clues: int = _EVERY_CLUE) -> tuple[str, ...]:
    """What was noticed: `addresses-agent` (data grades), `one-off` (people and agents), `quotes-user` (agents).

    English and Chinese; the whole text is read, in time linear in its length. `clues`: see instruction_clues, where
    they are known.
    """
    lowered = text.lower()
    if grade in DATA_GRADES:
        return (ADDRESSES_AGENT,) if _addresses_agent(lowered, clues) else ()
    flags = []
    if _found(lowered, clues, _ONCE, (_ONE_OFF_CHINESE_HINTS, _ONE_OFF_CHINESE)):
        flags.append(ONE_OFF)
    if grade is SourceGrade.AGENT and _found(lowered, clues, _QUOTES, (_QUOTES_CHINESE_HINTS, _QUOTES_CHINESE)):
        flags.append(QUOTES_USER)
    return tuple(flags)


def addresses_agent(text: str) -> bool:
    """True where the text tells its reader what to do, as an instruction to an agent would."""
    return _addresses_agent(text.lower(), _EVERY_CLUE)


def _addresses_agent(lowered: str, clues: int) -> bool:
    if _OPENS_WITH_REQUEST.match(lowered) is not None:
        return True
    return _found(lowered, clues, _ADDRESSES, (_CHINESE_HINTS, _CHINESE))


def _found(lowered: str, clues: int, english: tuple[_Form, ...], chinese: _Chinese) -> bool:
    if clues:
        for form in english:
            if clues & form.mark and form.start in lowered and form.pattern.search(lowered):
                return True
    if lowered.isascii():
        return False
    hints, form_of_chinese = chinese
    return any(hint in lowered for hint in hints) and form_of_chinese.search(lowered) is not None
