"""A rendered trajectory as the program writes it: heads and ends of steps, to the character, and what an end says.

The program escapes nothing, so a web page, or the model, can put every tag of the page's own into its text. Where a
step may begin is decided in chain.py; here is only what its parts look like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD = "<h2>New Page</h2>\n<h3 class='url'><a href="
FIRST = "None"
"""What the first step names as the action before it."""
_OBSERVED = "<div class='state_obv'><pre>"
_TAIL = "</pre><div>\n"
_PREVIOUS = "<div class='prev_action' style='background-color:pink'>"
_PREDICTED = "</div>\n<div class='predict_action'>"
_END = "</div>\n"
_CLOSING = "\n    </body>\n</html>"
_URL = re.compile(r"<h2>New Page</h2>\n<h3 class='url'><a href=([^\n]{0,8000})</a></h3>\n")
_PICTURE = re.compile(r"<img src='data:(image/[a-z+.-]{1,20});base64,([A-Za-z0-9+/=]*)' style='[^'\n]{0,200}'/>\n")
_RAW = "<div class='raw_parsed_prediction' style='background-color:grey'><pre>"
_FORM = "</pre></div><div class='action_object' style='background-color:grey'><pre>"
_PARSED = "</pre></div><div class='parsed_action' style='background-color:yellow'><pre>"
_ACTION_END = "</pre></div>"
_MARKS = ("<h2>New Page</h2>", "class='prev_action'", "class='predict_action'")
_UNREADABLE = 'The previous prediction you issued was "'
_COMMAND = re.compile(r"\s*([a-z_]{1,40}(?: \[[^\]\n]{0,400}\])?)")
_ATTEMPT = re.compile(r'Attempt to per[a-z]{1,4}m "([a-z_]{1,40})" on element "\[([^\]"\n]{0,100})\]"')


@dataclass(frozen=True, slots=True)
class Action:
    """What the agent did: the model's words, the program's own form of the action, and the command.

    Attributes:
        prediction, form: empty where the program wrote a line of Playwright instead, which is then the command.
    """

    prediction: str
    form: str
    command: str


@dataclass(frozen=True, slots=True)
class Head:
    """Where a step may begin, and where its observation does."""

    at: int
    url: str
    observed_at: int


@dataclass(frozen=True, slots=True)
class End:
    """How a step ends: where that starts, the picture (media type, base64), the action before it, and its own."""

    at: int
    picture: tuple[str, str] | None
    previous: str
    action: Action


@dataclass(frozen=True, slots=True)
class Body:
    """The page without what is around it.

    Attributes:
        offset: where it starts in the page.
        whole: the page ends as the program ends it.
    """

    text: str
    offset: int
    whole: bool


def body_of(page: str) -> Body:
    """What stands between the page's first opening and last closing."""
    before, found, rest = page.partition("<body>\n")
    text = rest if found else page
    offset = len(before) + len(found) if found else 0
    end = text.rfind(_CLOSING)
    return Body(text if end < 0 else text[:end], offset, end >= 0)


def heads_of(text: str) -> list[Head]:
    """The first head, and each whole one that stands directly behind the end of a step; empty where there is none."""
    first = _head(text, text.find(HEAD))
    if first is None:
        return []
    found = [first]
    at = text.find(f"{_END}{HEAD}", first.observed_at)
    while at >= 0:
        head = _head(text, at + len(_END))
        if head is not None:
            found.append(head)
        at = text.find(f"{_END}{HEAD}", at + len(_END))
    return found


def _head(text: str, at: int) -> Head | None:
    """The head that starts here; it has the URL twice, and they are the same."""
    match = _URL.match(text, at) if at >= 0 else None
    if match is None or not text.startswith(_OBSERVED, match.end()):
        return None
    url, _, again = match[1].partition(">URL: ")
    return Head(at, url, match.end() + len(_OBSERVED)) if url == again else None


def end_before(text: str, begin: int, end: int) -> End | None:
    """The end of a step that reaches to `end` and starts after `begin`: the last one, since page text is before it."""
    if not text.startswith(_END, end - len(_END)) or end - len(_END) < begin:
        return None
    last = end - len(_END)
    predicted = text.rfind(_PREDICTED, begin, last)
    at = text.rfind(_TAIL, begin, max(begin, predicted))
    while at >= 0:
        after = at + len(_TAIL)
        picture = _PICTURE.match(text, after, last)
        after = picture.end() if picture else after
        if text.startswith(_PREVIOUS, after):
            previous = text.find(_PREDICTED, after, last)
            action = action_of(text[previous + len(_PREDICTED) : last])
            shown = (picture[1], picture[2]) if picture else None
            return End(at, shown, text[after + len(_PREVIOUS) : previous], action)
        at = text.rfind(_TAIL, begin, at)
    return None


def action_of(text: str) -> Action:
    """The action that is written so."""
    if text.startswith(_RAW) and text.endswith(_ACTION_END):
        prediction, found, rest = text[len(_RAW) : -len(_ACTION_END)].partition(_FORM)
        form, parsed, command = rest.rpartition(_PARSED)
        if found and parsed:
            return Action(prediction, form, command)
    return Action("", "", text)


def names_action(previous: str, action: Action) -> bool:
    """True where `previous` is how the program names this action in the step after it."""
    if not action.form:
        return previous == action.command
    if previous.startswith(_UNREADABLE):
        end = len(_UNREADABLE) + len(action.prediction)
        return previous.startswith(action.prediction, len(_UNREADABLE)) and previous.startswith('". However', end)
    attempt = _ATTEMPT.match(previous)
    named = command_of(f"{attempt[1]} [{attempt[2]}]" if attempt else previous)
    return named is not None and named == command_of(action.command)


def command_of(text: str) -> str | None:
    """The command's name with its first argument, such as `click [7]`; None where the text is no command."""
    found = _COMMAND.match(text)
    return found[1] if found else None


def task_of(text: str) -> str:
    """The task's configuration, which stands before the first step."""
    text = text.strip()
    return text.removeprefix("<pre>").removesuffix("</pre>").strip("\n")


def marks_in(observation: str) -> int:
    """How often the page's own marks stand in an observation as text."""
    return sum(observation.count(mark) for mark in _MARKS)
