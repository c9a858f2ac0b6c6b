"""Which sort of question a text asks, by its form alone: no model, and no private record is read."""

from __future__ import annotations

import re

from heedful.recall.request import TaskClass


class _AnyOf:
    """Forms of which a text has one somewhere.

    As one pattern all of them would be tried at every character. Here those of the start are tried there alone, those
    of words where a word begins, and those of other scripts on texts that have other scripts.
    """

    __slots__ = ("_inside", "_other_scripts", "_start", "_words")

    def __init__(self, *forms: str) -> None:
        """`forms` are patterns of lower-case text, none of them alternatives side by side unless all are of one sort.

        A form that is not ASCII requires a character that is not.
        """
        ascii_forms = [each for each in forms if each.isascii()]
        inside = [each for each in ascii_forms if not each.startswith(("^", _WORD))]
        self._start = _one_of([each for each in ascii_forms if each.startswith("^")])
        self._words = _one_of([each.removeprefix(_WORD) for each in ascii_forms if each.startswith(_WORD)], _WORD)
        self._inside = _one_of(inside)
        self._other_scripts = _one_of([each for each in forms if not each.isascii()])

    def is_in(self, text: str) -> bool:
        """True where the text, in lower case, has one of the forms."""
        return (
            self._start.match(text) is not None
            or self._words.search(text) is not None
            or self._inside.search(text) is not None
            or (not text.isascii() and self._other_scripts.search(text) is not None)
        )


def _one_of(forms: list[str], before: str = "") -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(forms)})" if forms else _NEVER)


_WORD = r"\b"
_NEVER = r"(?!)"


LOOKED_AT_CHARACTERS = 2_000
"""Of a question, from its start; what follows is seldom form."""
_WHY = _AnyOf(
    r"^(?:so |and |but )?why\b",
    r"\broot cause\b",
    r"\bculprit\b",
    r"\breasons? (?:why|behind)\b",
    "为什么",
    "为啥",
    "为何",
    "怎么回事",
    "怎么会",
    "怎么(?:又|突然|老是?|总是?)",
    "原因",
    "根源",
    "起因",
    "罪魁",
    "元凶",
)
"""Asks for a cause, whatever else the sentence says."""
_PREMISE = _AnyOf(
    r"\bassum(?:e|es|ing|ption)\b",
    r"\bdoes (?:that|this|it) (?:also )?(?:hold|apply|work)\b.{0,40}\b(?:here|too|as well)\b",
    r"\balso (?:true|the case|apply|applies) \b",
    r"\bas (?:in|on) (?:staging|production|prod)\b",
    r"\bby default here\b",
    r"^(?:seeing (?:that|as)|given that|(?:since|as) (?:nobody|no ?one|every(?:body|one)|nothing|"
    r"(?:it|this|that|they|we|you|there) (?:is|are|does|do|has|have|needs?|can))) .{3,120}, ",
    r", (?:right|correct|isn'?t it|aren'?t they|doesn'?t it|don'?t they|yes|no)\s*\?",
    r"\bi take it\b",
    r"\bis it enough to\b",
    r"\bjust like (?:in|on|we)\b",
    "前提",
    "既然",
    "也成立",
    "也适用",
    "也一样",
    "同样适用",
    "默认.{0,10}吗",
    "(?:就(?:可以|行|好|够)了?|没问题|没错|对|是)吧",
    "跟.{1,12}一样吧",
)
"""Takes something for granted, and asks from there."""
_GOTCHA = _AnyOf(
    r"\balways (?:fail|break|time|crash|happen)",
    r"(?:^|[,;:.] ?(?:so |and |then )?)(?:do|does|must|will|would|do(?:es)?n'?t) [^,;]{1,80}?\b(?:have|need) to\b",
    r"\bstill (?:have|need) to\b",
    r"(?:^|[,;:.] ?)(?:is|are) [^,;]{1,60}?\b(?:needed|necessary|required|mandatory)\b.{0,60}"
    r"\b(?:before|after|when|to)\b",
    r"(?:^|[,;:.] ?(?:so |and |then )?)(?:should|must|shall) (?:i|we|you|one) [^,;]{1,80}?"
    r"\b(?:first|before(?:hand)?|every time|each time|by hand|manually|always)\b",
    r"^(?:should|shall|must|do|can|could) .{1,80}?\b(?:a|an|our|the|mandatory|standard) (?:\w+ )?"
    r"(?:rule|policy|requirement|step|standard|guideline|practice)\b",
    r"\b(?:general|known|common|recurring|systematic|usual|typical) "
    r"(?:issue|problem|bug|quirk|trap|limitation|pattern)s?\b",
    r"\bis it (?:known|a fact|established|proven|confirmed|certain|true) that\b",
    r"\bdoes .{1,60} (?:always|never|ever) ",
    r"^(?:is|does) \w+ing .{3,80}\b(?:still|always)\b",
    r"\bnever works?\b",
    r"\bworkaround\b",
    r"\bpitfalls?\b",
    r"\bgotchas?\b",
    r"\bwatch out\b",
    r"\bsafe to\b",
    r"^must (?:i|we)\b",
    r"\bhow (?:do|did) we (?:fix|handle|deal)\b",
    "[还仍]是?(?:需要|要|得|用)(?![多几着的]|什么|哪)",
    "需要.{1,40}[吗么]",
    "(?:要不要|用不用|需不需要|是否需要|有没有必要|有必要|必不必)",
    "必须.{0,20}[吗么]",
    "(?:是不是|是否)(?:都|就|也)?(?:得|要|必须|应该|需要|该|一定|只能)",
    "(?:是不是|是否)都",
    "(?:会不会|一定会|必然|必定|总是|每次都|老是)",
    "一.{1,16}就.{1,16}[吗么]",
    "(?:规律|通病|普遍|惯例|老问题|已知问题)",
    "(?<!会)怎么(?:解决|处理)",
    "有没有坑",
)
"""Asks whether what went wrong once, or a detour around it, holds in general."""
_CAUSAL = _AnyOf(
    r"\bwhy\b",
    r"\bcaus(?:e|es|ed|ing)\b",
    r"\bbecause of\b",
    r"\breasons? (?:for|that|of)\b",
    r"\bblame\b",
    r"\bdue to\b",
    r"\bresponsible for\b",
    r"\bwhat (?:broke|changed it|made|triggered|led to|brought|took|killed|slowed|happened)\b",
    r"\bthat .{1,60} broke\b",
    r"^(?:was|were|is) it .{1,100}? (?:that|which|who)\b",
    r"^(?:was|were|is|are) .{3,100} (?:what|behind|to blame|at fault|the one that)\b",
    r"^(?:did|has|have|could|can|might) .{3,100} (?:break|broken|slow|slowed|make|made|cut|halve|double|crash|kill|"
    r"killed|trigger|triggered|lead|led|bring|brought|take|taken|stop|stopped|drop|collapse|collapsed|spike|raise|raised|"
    r"increase|increased|reduce|reduced|degrade|degraded|corrupt|corrupted|delay|delayed|knock|hurt|ruin|ruined)\b",
    r"\b(?:come|comes|came|stem|stems|result|results|resulted) from\b",
    "造成",
    "导致",
    "引起",
    "引发",
    "触发",
    "带来的",
    "害的",
    "闹的",
    "惹的祸",
    "惹出",
    "搞的(?:鬼|吗)",
    "是不是因为",
    "因为.{1,30}(?:吗|才)",
    "怪谁",
    "怪.{1,20}吗",
    "(?:和|跟|与).{1,30}有(?:没有)?关",
    "(?:拖|搞|弄|压|打|整)(?:垮|崩|挂|死|坏|慢)",
    "根子|病根|祸根|问题出在",
)
_WORKFLOW = _AnyOf(
    r"\bhow (?:do|should|can|would|is|are|does|must|to|did)\b(?! (?:many|much|long|often|big|old|far)\b)"
    r"(?!.{1,60}\b(?:look|stand|going|doing|differ|behave)\b)",
    r"\bwhat (?:do|should|must|can) (?:i|we|you|one) (?:have to |need to )?do\b",
    r"\b(?:what|which) .{1,60}\b(?:first|beforehand|before (?:i|we|you)\b)",
    r"\bsteps? (?:to|for)\b",
    r"\b(?:what are|walk me through|show me) the steps\b",
    r"\bprocedure\b",
    r"\brunbook\b",
    r"\bplaybook\b",
    r"\bwhat(?:'s| is) the (?:\w+ )?(?:process|way) (?:to|for|of)\b",
    "(?<!会)怎么(?!样|了|看|说|算|才)",
    "怎样(?!了)",
    "如何",
    "步骤",
    "流程",
    "(?:之?前|先).{0,12}(?:哪|什么|谁)",
    "(?:该|要|应该)(?:怎么|咋|如何)",
    "咋(?:做|弄|办|整|搞)",
)
_STATE = _AnyOf(
    r"\b(?:what|which|who|whom|whose|where|when)\b",
    r"\bhow (?:many|much|long|often|big|old|far|large|soon|fast|high|deep|late)\b",
    r"\b(?:now|currently|at (?:the moment|present)|today|right now|still|at this point|as of)\b",
    r"^(?:is|are|has|have|does|do|did|was|were|can|may)\b",
    r"[,;] (?:is|are|has|have|does|do|did|was|were) (?:it|the|they|there|we|our)\b",
    "现在",
    "目前",
    "当前",
    "眼下",
    "如今",
    "此刻",
    "多少",
    "多(?:久|大|长|高|快|远|深|宽|早|晚)",
    "什么",
    "哪",
    "几(?!乎)",
    "会怎么",
    "怎么样",
    "谁",
    "何时",
    "是否",
    "吗",
    "是.{1,20}还是",
)
_BLAMES = _AnyOf(
    r"\b(?:broke|breaks?|broken|fell|failing|fails?|crash|slow|stops? failing|because|caus|due to|dropp?ed|down|outage|"
    r"leak|errors?|regress|stuck|hang)",
    "(?:拖|搞|弄|压|打|整)(?:垮|崩|挂|死|坏|慢)",
    "因为|导致|造成|引起|闹的|害的|惹|失败|报错|挂了|崩|积压|变慢|超时|掉|卡",
)
_UNDOES = _AnyOf(
    r"\b(?:revert|undo|back out|roll(?:ing)? .{0,40}?back|rollback|downgrade|restore the (?:old|previous)|"
    r"(?:turn|switch)\w* .{0,60}?(?:off|back)|put .{1,40} back|take .{1,40} back|go back to|disable|remove)\b",
    "回滚|回退|退回|撤回|撤销|撤掉|撤下|还原|恢复(?:到|成|旧|原)|改回|换回|切回|降级|关掉|停掉|下掉",
)
"""An order that takes a change back, with what it is blamed for, rests on a cause."""


def recognised(question: str, *, acts: bool = False) -> TaskClass:
    """The class of a question by its form, the most particular first; `general` for what is no question of these.

    `acts`: it is asked before something is executed. Then an order has a class too: it does what is done here in some
    way, and where it takes back what it blames, it rests on a cause.
    """
    question = question[:LOOKED_AT_CHARACTERS].lower()
    is_asked = not acts or "?" in question or "？" in question
    for task_class, form in _FORMS:
        if (is_asked or task_class != "state") and form.is_in(question):
            return "causal" if acts and not is_asked and _takes_back(question) else task_class
    if acts and question.strip():
        return "causal" if _takes_back(question) else "workflow"
    return "general"


def _takes_back(order: str) -> bool:
    return _UNDOES.is_in(order) and _BLAMES.is_in(order)


_FORMS: tuple[tuple[TaskClass, _AnyOf], ...] = (
    ("causal", _WHY),
    ("premise", _PREMISE),
    ("gotcha", _GOTCHA),
    ("causal", _CAUSAL),
    ("workflow", _WORKFLOW),
    ("state", _STATE),
)
