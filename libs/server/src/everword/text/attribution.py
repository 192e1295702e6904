"""Finds pasted text in a message: quotations, forwarded mails, transcripts, contexts of Everword.

Learning, Sleep and the order of search results use it. It reads only the form of a text, in time linear in its
length: a name before a colon, a time before a name, the headers of a mail, an introduction such as "Ana wrote:",
quotation marks, fences and markup. Its word lists, such as "Note" before the author's own words, are in
attribution_words.txt, in several languages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

import regex

from everword.text.attribution_forms import (
    CONTEXT_ITEM,
    FENCE,
    MACHINE,
    QUOTES,
    ROLE_PLAY,
    SIGNED,
    begins_forwarded,
    begins_mail,
    begins_table,
    continues_quote,
    find_depth,
    introduces_quote,
    is_asked_for_another,
    is_name,
    is_resumed,
    is_sentence,
    is_stamp,
    opens_data,
)
from everword.text.attribution_labels import Label, find_label, is_greeting, is_own_name
from everword.text.attribution_marks import find_markup, find_quotations

#: A text that none of these match is its author's own words. A single pattern of all of them takes three times as long.
_TELLING = (
    regex.compile(r"[#:：>\"“”„«»「『<`~\[{*—–―|‹]|['‘]\p{L}|--| - |\n {4}"),
    regex.compile(r"(?m:^[\p{L}_]+[,;\t]\p{L})"),
    regex.compile(
        r"\bfor (?:an?|my)\b|\bbehalf\b|\bfür (?:ein|mein)|\bpour (?:une?|m[oa])|\b(?:para|por) |\bper (?:un|mi)"
        r"|\bvoor (?:een|mijn)|спрашиваю"
    ),
)
_BULLET = regex.compile(r"^\s*(?:[-*•–]|\d{1,3}[.)])\s+")
_CODE = regex.compile(r" {4,}\S")
Span = tuple[int, int]


class _Reach(Enum):
    """How far the pasted text reaches after the current line."""

    NOWHERE = auto()
    #: To the next empty line.
    PARAGRAPH = auto()
    #: To the end of the next paragraph.
    NEXT_PARAGRAPH = auto()
    #: As far as lines are indented.
    INDENTED = auto()
    #: Over empty lines, until the author clearly speaks again.
    OPEN = auto()
    END = auto()


@dataclass(frozen=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def may_have_pasted(text: str) -> bool:
    """Return whether a message may have pasted text: a quick test, without which `find_pasted` finds nothing."""
    return any(form.search(text) for form in _TELLING)


def find_pasted(text: str, names: Collection[str] = (), *, with_weak: bool = False) -> list[Span]:
    """Return the spans of pasted text in a message, sorted and without overlaps.

    `names` are the author's names: in a transcript, lines with one of these labels are the author's own words. With
    `with_weak`, a label that may name a topic counts as a speaker, such as "Falcon: the deadline is Friday".
    """
    if not may_have_pasted(text):
        return []
    if ROLE_PLAY.search(text):
        return [(0, len(text))]
    by_line = _LineReader(text, [each for each in names if each], with_weak).read()
    spans = sorted([*by_line, *find_markup(text), *find_quotations(text)])
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    return merged


def blank_pasted(text: str, names: Collection[str] = ()) -> str:
    """Return a message with its pasted text replaced by spaces, so that offsets of the other words stay the same."""
    return _replace(text, find_pasted(text, names), lambda part: regex.sub(r"[^\n]", " ", part))


def mark_pasted(text: str, mark: str, names: Collection[str] = ()) -> str:
    """Return a message with each span of pasted text replaced by a mark."""

    def marked(part: str) -> str:
        tail = part[len(part.rstrip()) :]
        return f"{mark}{tail}" if part.strip() else part

    return _replace(text, find_pasted(text, names), marked)


def _replace(text: str, spans: Sequence[Span], form: Callable[[str], str]) -> str:
    parts, at = list[str](), 0
    for start, end in spans:
        parts += [text[at:start], form(text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


@dataclass
class _LineReader:
    """Reads a message line by line."""

    text: str
    names: Sequence[str]
    with_weak: bool
    lines: list[_Line] = field(default_factory=list)
    labels: list[Label | None] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    reach: _Reach = _Reach.NOWHERE
    #: Offset of the current paragraph.
    paragraph: int = 0
    #: The last line that was not indented.
    announced: str = ""
    #: True if the last indented line was code.
    is_code: bool = False

    def read(self) -> list[Span]:
        """Return the spans of pasted lines."""
        start = 0
        for text in self.text.splitlines(keepends=True):
            self.lines.append(_Line(start, text))
            start += len(text)
        self.labels = [find_label(line.text.rstrip("\r\n"), self.names) for line in self.lines]
        self._drop_weak_labels()
        later = self._count_later_labels()
        fenced, depth = False, 0
        for at, line in enumerate(self.lines):
            stripped = line.text.lstrip()
            if stripped.startswith(FENCE):
                fenced = not fenced
                self._pass_on(line)
            elif fenced or self.reach is _Reach.END or stripped.startswith(">"):
                self._pass_on(line)
            elif depth > 0 or opens_data(line.text):
                depth = find_depth(line.text, depth)
                self._pass_on(line)
            elif line.is_blank:
                self._read_blank(at, later[at])
                continue
            else:
                self._read_line(at, line)
            if not line.text[0].isspace():
                self.announced = line.text
        return self.spans

    def _drop_weak_labels(self) -> None:
        """Ignore weak labels unless the message has at least two labels of other speakers."""
        found = [label for label in self.labels if label and not label.is_own]
        if len(found) < 2 and not self.with_weak:
            self.labels = [None if each and each.is_weak else each for each in self.labels]

    def _count_later_labels(self) -> list[int]:
        """Return for each line how many later lines begin with the label of another speaker."""
        counts, count = [], 0
        for label in reversed(self.labels):
            counts.append(count)
            count += label is not None and not label.is_own
        return counts[::-1]

    def _read_blank(self, at: int, later_labels: int) -> None:
        self.paragraph = self.lines[at].end
        # A transcript goes on to its last speaker, and a list over empty lines.
        if self.reach is _Reach.PARAGRAPH and not later_labels and not self._is_within_list(at):
            self.reach = _Reach.NOWHERE

    def _is_within_list(self, at: int) -> bool:
        before = self.lines[at - 1].text if at else ""
        return all(_BULLET.match(each) for each in (before, self._words_after(at)))

    def _read_line(self, at: int, line: _Line) -> None:
        text, label = line.text.rstrip("\r\n"), self.labels[at]
        if self.reach is _Reach.INDENTED and text.startswith("  "):
            self._pass_on(line)
        elif self._begins_mail(at):
            self._continue_quote(line, _Reach.END)
        elif MACHINE.match(text):
            self._continue_quote(line, _Reach.OPEN)
        elif begins_table(text, self._text_after(at)):
            self._continue_quote(line, _Reach.PARAGRAPH)
        elif CONTEXT_ITEM.match(text):
            self._continue_quote(line, _Reach.INDENTED)
        elif label is not None and label.is_own:
            self.spans.append((line.start, line.start + label.at))
            self.reach = _Reach.NOWHERE
        elif label is not None:
            is_open = label.is_open or is_greeting(text[label.at :])
            self._continue_quote(line, _Reach.OPEN if is_open else _Reach.PARAGRAPH)
        elif is_stamp(text) and at and is_name(self.lines[at - 1].text):
            self._pass_on(self.lines[at - 1])
            self._continue_quote(line, _Reach.OPEN)
        elif is_asked_for_another(text):
            self.spans.append((self.paragraph, line.end))
            self.reach = self._reach_after(at)
        elif (begin := introduces_quote(text, self.names)) is not None:
            self._introduce(at, line, begin)
        elif (signed := SIGNED.search(text)) and not is_own_name(signed["name"], self.names):
            self.spans.append((self.paragraph, line.end))
        elif self._is_code(at):
            self._pass_on(line)
        elif self.reach is _Reach.INDENTED or self._resumes(at):
            self.reach = _Reach.NOWHERE
        elif at and continues_quote(self.lines[at - 1].text, text):
            self._pass_on(line)
        elif self.reach is _Reach.NEXT_PARAGRAPH:
            self._continue_quote(line, _Reach.PARAGRAPH)
        elif self.reach is not _Reach.NOWHERE:
            self._pass_on(line)

    def _begins_mail(self, at: int) -> bool:
        lines = [each.text.rstrip("\r\n") for each in self.lines[at : at + 6]]
        return begins_forwarded(lines[0], self.names) or begins_mail(lines)

    def _resumes(self, at: int) -> bool:
        """Return whether a paragraph after pasted text is the author's own again."""
        line = self.lines[at]
        return self.reach is _Reach.OPEN and line.start == self.paragraph and is_resumed(line.text)

    def _is_code(self, at: int) -> bool:
        """Return whether a line belongs to an indented block of code, which follows an empty line."""
        text = self.lines[at].text
        if not _CODE.match(text) or _BULLET.match(text):
            return False
        before = self.lines[at - 1] if at else None
        # A sentence that nothing announces is a paragraph of its author.
        is_announced = self.announced.rstrip().endswith((":", "："))
        begins = before is not None and before.is_blank and (is_announced or not is_sentence(text))
        self.is_code = begins or (self.is_code and before is not None)
        return self.is_code

    def _introduce(self, at: int, line: _Line, begin: int) -> None:
        """Mark the text after an introduction as pasted: the rest of its paragraph, or else the next text."""
        self.spans.append((line.start, line.end))
        if rest := line.text[begin:].strip():
            self.reach = _Reach.OPEN if is_greeting(rest) else _Reach.PARAGRAPH
            return
        following = self._words_after(at)
        if following.lstrip().startswith((">", *FENCE)):
            self.reach = _Reach.NOWHERE
        elif "@" in line.text or regex.search(r"\d:\d\d", line.text):
            # Mail programs write this above the whole quoted mail.
            self.reach = _Reach.END
        elif following.lstrip().startswith(QUOTES) or _BULLET.match(self._text_after(at)):
            self.reach = self._reach_after(at)
        else:
            self.reach = _Reach.OPEN

    def _reach_after(self, at: int) -> _Reach:
        """Return the reach of an introduction: with an empty line behind it, the next paragraph."""
        following = self._text_after(at)
        is_alone = bool(following) and not following.strip()
        return _Reach.NEXT_PARAGRAPH if is_alone else _Reach.PARAGRAPH

    def _words_after(self, at: int) -> str:
        """Return the next line that is not empty."""
        later = (self.lines[each] for each in range(at + 1, len(self.lines)))
        return next((line.text for line in later if not line.is_blank), "")

    def _text_after(self, at: int) -> str:
        return self.lines[at + 1].text if at + 1 < len(self.lines) else ""

    def _continue_quote(self, line: _Line, reach: _Reach) -> None:
        self._pass_on(line)
        self.reach = reach

    def _pass_on(self, line: _Line) -> None:
        self.spans.append((line.start, line.end))
