"""Which sort of question a text asks, by its form alone: no model, and no private record is read."""

from __future__ import annotations

import re

from heedful.recall.request import TaskClass


def _any(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


_CAUSAL = _any(
    r"\bwhy\b",
    r"\bcaus(?:e|es|ed|ing)\b",
    r"\bbecause of\b",
    r"\breasons? (?:why|for|that|of)\b",
    r"\bblame\b",
    r"\bdue to\b",
    r"\bresponsible for\b",
    r"\bwhat (?:broke|changed it|made)\b",
    r"\bthat .{1,60} broke\b",
    r"\bculprit\b",
    r"\broot cause\b",
    "为什么",
    "为何",
    "原因",
    "造成",
    "导致",
    "引起",
    "害的",
    "闹的",
    "是不是因为",
    "怪谁",
)
_GOTCHA = _any(
    r"\balways (?:fail|break|time|crash|happen)",
    r"\bdo (?:i|we) (?:still )?(?:have|need) to\b",
    r"\bstill (?:have|need) to\b",
    r"\bdoes .{1,60} (?:always|never|ever) ",
    r"\bnever works?\b",
    r"\bworkaround\b",
    r"\bpitfalls?\b",
    r"\bwatch out\b",
    r"\bis it true that\b",
    r"\bsafe to\b",
    r"\bmust (?:i|we)\b",
    r"\bknown (?:issue|problem)s?\b",
    r"\bhow (?:do|did) we (?:fix|handle|deal)\b",
    "还需要",
    "还要",
    "必须.{0,20}吗",
    "一定会",
    "必然",
    "总是",
    "是不是都",
    "有没有坑",
    "怎么解决",
    "怎么处理",
)
_WORKFLOW = _any(
    r"\bhow (?:do|should|can|would|is|are) (?:i|we|you|one|it|the|this|a|an)?\b.{0,80}\b(?:done|renew|restart)",
    r"\bhow (?:do|should|can|would) (?:i|we|you|one|the \w+)\b",
    r"\bsteps? (?:to|for)\b",
    r"\bprocedure\b",
    r"\brunbook\b",
    r"\bwhat is the (?:process|way) (?:to|for)\b",
    "怎么(?:做|办|导出|重启|发布|部署|回滚|上线|续期|更新|申请|操作|升级|迁移|恢复|备份)",
    "如何",
    "步骤",
    "流程",
)
_PREMISE = _any(
    r"\bassum(?:e|es|ing|ption)\b",
    r"\bdoes (?:that|this|it) (?:also )?(?:hold|apply|work)\b.{0,40}\b(?:here|too|as well)\b",
    r"\balso (?:true|the case|apply|applies) \b",
    r"\bas (?:in|on) (?:staging|production|prod)\b",
    r"\bby default here\b",
    "前提",
    "也成立",
    "也适用",
    "也一样",
    "同样适用",
    "默认.{0,10}吗",
)
_STATE = _any(
    r"\b(?:what|which|who|where|how (?:many|much|long|often|big|old|far))\b",
    r"\b(?:now|currently|at (?:the moment|present)|today|right now|still)\b",
    r"^(?:is|are|has|have|does|do|did|was|were)\b",
    "现在",
    "目前",
    "当前",
    "多少",
    "哪个",
    "哪些",
    "哪里",
    "谁",
    "几个",
    "是否",
    "吗",
)


def recognised(question: str) -> TaskClass:
    """The class of a question by its form, the most particular first; `general` for what is no question of these."""
    for task_class, form in _FORMS:
        if form.search(question):
            return task_class
    return "general"


_FORMS: tuple[tuple[TaskClass, re.Pattern[str]], ...] = (
    ("premise", _PREMISE),
    ("causal", _CAUSAL),
    ("gotcha", _GOTCHA),
    ("workflow", _WORKFLOW),
    ("state", _STATE),
)
