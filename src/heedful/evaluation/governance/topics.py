"""Topics: what a sentence is about, by the words of two sorts of matter: a person's care, and a project's work."""

from __future__ import annotations

import re
from collections.abc import Mapping

CLINICAL, LOGISTICS, SCHEDULE = "clinical", "logistics", "schedule"
PERSON_TOPICS = ("access", "billing", CLINICAL, "contact", "labs", LOGISTICS, "medication", SCHEDULE, "support")
"""`logistics`: when and where of visits, told without what they are for."""
PROJECT_TOPICS = ("access", "broad", "budget", "commercial", "customer", "incident", "secrets", "status")
"""`customer`: who it is for, by name; `commercial`: discounts and contract terms; `budget`: money and vendors."""


def _words(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


CLOCK = re.compile(
    r"\b\d{1,2}:\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(mon|tue|wed|thu|fri|"
    r"sat|sun)\b"
    r"|\b(january|february|march|april|june|july|august|september|october|november|december) \d"
    r"|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) \d|[上下]午|\d+点|星期|周[一二三四五六日]|明天|今天|"
    r"\d+月\d+",
    re.IGNORECASE,
)
"""A time or a day."""

_PERSON: Mapping[str, re.Pattern[str]] = {
    "access": _words(
        r"\b(consent|permission|revok\w*|authoriz\w*|disclos\w*|logistics[- ]only|rides?[- ]only|scheduling[- ]only)",
        r"\b(may|can|should|must) (not |only |still )?(receive|hear|know|get|have|see)\b|\baccess\b|\bfamily\b",
        r"授权|权限|撤销|不要告诉|别告诉|只能知道",
    ),
    "billing": _words(
        r"\b(billing|billed|insurance|copay\w*|statement\w*|eob\w*|explanation[- ]of[- ]benefits|claim|"
        r"deductible|payment|invoice|receipt\w*|account|hmo|ppo|prior auth\w*)\b",
        r"账单|保险|付款|报销",
    ),
    "clinical": _words(
        r"\b(symptom\w*|surg\w*|excision|oncolog\w*|lymph|node\w*|clot\w*|embol\w*|\w*coag\w*|miscarr\w*|workup|"
        r"bleed\w*|diagnos\w*|pain\w*|bleed\w*|spotting|"
        r"nausea|vomit\w*|fever|cramp\w*|pregnan\w*|viab\w*|fetal|"
        r"biops\w*|patholog\w*|tumou?r\w*|mass|lesion\w*|cancer\w*|melanoma|margin\w*|impression|assessment|infection|"
        r"seizure\w*|dizz\w*|faint\w*|syncope|chest|swelling|blood pressure|condition|exam|history|"
        r"precaution\w*|red[- ]flags?|heartbeat|hepatitis|hiv|syphilis|thyroid|lupus|sclerosis|relapse|ekg|rhythm|afib|"
        r"atrial|cardioversion|hormone\w*|endocrine|ascites|an(a)?emia|colitis|crohn\w*|stage|finding\w*|interpret\w*|"
        r"clinical|medical|vision|numb\w*|weak\w*|headache\w*|breath\w*|palpitation\w*|heart|liver|kidney|renal|"
        r"scan showed|"
        r"emergency|worse|stable|heal\w*|wound|flare|triage note|mood|anxi\w*|suicid\w*|safety plan|therapy|"
        r"depress\w*)\b",
        r"症状|诊断|疼|痛|发烧|出血|怀孕|病|手术|过敏|检查结果|病情",
    ),
    "contact": _words(
        r"\b(callback\w*|call[- ]?back|voicemail\w*|phone number|cell|mobile|desk line|safe (number|contact|line|"
        r"phone)|"
        r"backup (contact|number|line)|alias|extension|address|shelter|lodging|room \d+|unit \w+|gate code|"
        r"text(ing)?[- ]first|"
        r"contact (plan|rule|route|method|number|info\w*|details?)|portal[- ]only|outreach|reach (me|her|him|them))\b",
        r"\b\d{3}-\d{3}-\d{4}\b|\b\d{3}-\d{4}\b",
        r"电话|号码|手机|地址|留言|联系方式|回电",
    ),
    "labs": _words(
        r"\b(lab (value|result|update|number)\w*|result\w*|beta|hcg|h(a)?emoglobin|potassium|creatinine|glucose|a1c|"
        r"ferritin|"
        r"platelet\w*|inr|tsh|viral load|cd4|titer|cytology|panel|sample|culture|imaging|ultrasound|mri|ct|x-ray|bmp|"
        r"cbc|"
        r"level|values?|mg/dl|miu|g/dl|draw)\b",
        r"化验|血糖|血压|指标|超声|结果",
    ),
    "medication": _words(
        r"\b(medic\w*|dos(e|es|ing|age)|mg|mcg|milligrams?|micrograms?|units?|tablets?|capsules?|pills?|refills?|"
        r"pharmac\w*|"
        r"prescri\w*|injections?|infusions?|twice daily|bid|q6h|prn|nightly|bedtime|vitamin|inhaler|ibuprofen|"
        r"acetaminophen|"
        r"allerg\w*|antibiotic\w*|steroid\w*|insulin|start|stop|take|taking|drug)\b",
        r"\b\w{2,}(pril|olol|azole|mab|statin|cillin|mycin|dipine|sartan|prazole|xaban|azine|amine|oxine|thyroxine|"
        r"sone|solone)\b",
        r"药|剂量|毫克|每天两次|胰岛素",
    ),
    "support": _words(
        r"\b(housing|social work|voucher|childcare|work note|letter|support call|transportation (voucher|support)|"
        r"caseworker|"
        r"food|shelter|safety planning)\b",
        r"社工|住处|收容所",
    ),
}
_SCHEDULE = _words(
    r"\b(appointment\w*|visit\w*|check[- ]?in|arriv\w*|schedul\w*|slot|booked|book|cancel\w*|moved|calendar|reminder|"
    r"parking|"
    r"suite|ride\w*|driv\w*|pick[- ]?up|drop[- ]?off|photo id|location|time|follow[- ]up)\b",
    r"预约|到达|接送|时间|复诊",
)
_VISITS = _words(
    r"\b(surg\w*|excision|oncolog\w*|biops\w*|beta|hcg|imaging|ultrasound|mri|ct|x-ray|bmp|cbc|panel|labs?|draw|"
    r"follow-up|sample|start|stop|level)\b"
)
"""Words that only name which visit it is, where a desk tells a time."""
DESK_ROLES = frozenset({"scheduler", "reception", "agent"})
_TELL_TIMES = frozenset({"patient", "scheduler", "reception", "family_member"})
"""Whose words about visits need no time in them to be about visits alone."""
_GUESSING = frozenset({"family_member", "billing"})
_GUESSES = _words(r"[?？]\s*$", r"\b(whether|tell me|yes or no|confirm)\b", r"是不是")
_SYMPTOMS = _words(
    r"\b(pain\w*|nausea|vomit\w*|fever|cramp\w*|headache\w*|dizz\w*|swelling|bleed\w*|breath\w*|rash|weak\w*|numb\w*)\b",
    r"疼|痛|发烧|出血",
)

_PROJECT: Mapping[str, re.Pattern[str]] = {
    "access": _words(
        r"\b(access|revok\w*|permission\w*|privilege\w*|logs-only|scope (is|limited)|(?<!-)scoped)\b",
        r"权限|授权|撤销|访问",
    ),
    "budget": _words(
        r"\b(budget\w*|usd|eur|funding|cost\w*|spend\w*|dollars?|price\w*)\b",
        r"[$€¥]\s?\d|预算|费用|万元",
    ),
    "commercial": _words(
        r"\b(customers?|clients?|accounts?|discount\w*|commercial\w*|pricing|cap|maximum|mapping|contracts?|contractual|"
        r"redline\w*|renewal\w*|auto-renewal|clause\w*|legal (position|terms?|update)|fixed[- ]term|"
        r"twelve[- ]months?|term)\b|\d ?%",
        r"客户|折扣|商务|合同|条款|续约",
    ),
    "incident": _words(
        r"\b(incident\w*|bridge\w*|diagnos\w*|root cause|coordination label|label|environment-variable|propagation|"
        r"workers?|outage|exploit|breach|suspicion|compromised?|misconfigur\w*|mis-\w+)\b|"
        r"\bissue\b.{0,80}\b(staging|production|cluster|pool|sync|cache|deploy\w*)\b",
        r"故障|事故|诊断",
    ),
    "secrets": _words(
        r"\b(token|password|passphrase|api key|secret|credential)s?\b.{0,60}\b(is|are|was|now|remains?)\b|"
        r"\b[a-z]{2,5}_[a-z]+_[\w-]{6,}",
        r"(令牌|密码|密钥|口令).{0,10}(是|为|：)",
    ),
    "status": _words(
        r"\b(vendor\w*|shortlist\w*|procure\w*|selected|comparing|comparison|alternative|scann(er|ing)|paperwork)\b|"
        r"\b(target\w*|launch\w*|date|milestone\w*|blocker\w*|sign-off|runbook|deadline|go-live|deliver\w*|validation|"
        r"schedul\w*|calendar|sponsor[- ](review|briefing)|checklist|on track|slip\w*|july|june|august|september|"
        r"october)\b",
        r"上线|目标日期|进度|里程碑|阻塞|截止|供应商|采购",
    ),
}
_SAFE_WORDING = _words(
    r"\b(safe|broad|generic)\b[^.]{0,40}\b(wording|description|phrase|summar\w+|updates?)\b", r"对外.{0,6}(说法|称)"
)
_OF_WORDING = frozenset({"access", "commercial", "customer"})
"""Topics of which a sentence may be that only says what may be said of them."""
_PLACES = _words(r"\b(incident|bridge|staging|workers?)\b")
"""Words that only name what somebody is given access to."""
_EXACT = re.compile(r"\d|[A-Za-z]\w*[A-Z]\w*")
"""Digits, or a name with a capital inside: something exact."""


def person_topics(sentence: str, role: str) -> frozenset[str]:
    """What a sentence of a person's care is about; where nothing tells, it is clinical."""
    found = {topic for topic, words in _PERSON.items() if words.search(sentence)}
    if _SCHEDULE.search(sentence) or CLOCK.search(sentence):
        if role in DESK_ROLES and CLOCK.search(sentence):
            without = _VISITS.sub(" ", sentence)
            found = {topic for topic in found if _PERSON[topic].search(without)}
        found.add("schedule")
        if not CLOCK.search(sentence) and role not in _TELL_TIMES:
            found.add("clinical")
    if "medication" in found and not _PERSON["clinical"].search(_SYMPTOMS.sub(" ", sentence)):
        # What a medicine is taken for is known to who hands it out.
        found.discard("clinical")
    if role in _GUESSING and _GUESSES.search(sentence):
        # A guess may be right: whom it is not for is not shown it by another's question.
        found.add("clinical")
    return frozenset(found or {"clinical"})


def project_topics(sentence: str, private_names: frozenset[str]) -> frozenset[str]:
    """What a sentence of a project's work is about; `broad` where it holds nothing exact of any topic.

    `private_names`: names of customers and the like that the project's people have told.
    """
    named = any(re.search(rf"\b{re.escape(name)}\b", sentence, re.IGNORECASE) for name in private_names)
    found = {topic for topic, words in _PROJECT.items() if words.search(sentence)}
    if _SAFE_WORDING.search(sentence) and not named and found <= _OF_WORDING and not re.search(r"\d", sentence):
        return frozenset({"broad"})
    if named:
        found.add("customer")
    if {"access", "incident"} <= found and not _PROJECT["incident"].search(_PLACES.sub(" ", sentence)):
        found.discard("incident")
    if found:
        return frozenset(found)
    return frozenset({"status" if _EXACT.search(sentence) else "broad"})
