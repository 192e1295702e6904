"""Splits a text into its sentences, verbatim."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise

import regex

from everword.text.passages import MAX_CHARS, split_passages

#: A text of one line up to this many characters is one sentence: `Wow! In May?` says nothing in pieces.
WHOLE_CHARS = 60
#: A line of at least this many characters that ends within a sentence was wrapped at a margin.
_MARGIN_CHARS = 55

_CLOSERS = "\"'”’»)\\]*_~"
_EMOJI = r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200D\uFE0F]"
_MARK = "[.!?…؟۔।]"
# Possible ends of a sentence: marks before a space, marks of scripts without spaces, emoji. Possessive quantifiers scan
# a run once; backtracking over a row of dots would take quadratic time.
_END = regex.compile(
    rf"(?P<spaced>(?<!{_MARK}){_MARK}++[{_CLOSERS}]*+)(?:\s*+{_EMOJI}++)*(?=\s)"
    r"|(?P<unspaced>[。！？｡]++[」』”’）)]*+)"
    rf"|(?P<emoji>(?<!{_EMOJI}){_EMOJI}++)(?=\s++\p{{Lu}})"
)
# Quotations, code and links are not split.
_KEPT = regex.compile(r"`[^`\n]+`|\[[^\[\]\n]*\](?:\([^()\s]*\))?")
_FENCE = regex.compile(r"\s*(?:```|~~~)")
_LIST_ITEM = regex.compile(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|>|\|)")
# A line of `#`, or one that is bold as a whole.
_HEADING = regex.compile(
    r"\s*(?:#{1,6}\s|(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(\*\*|__)(?:(?!\1).){1,200}\1[:：]?\s*$)"
)
_LABEL_END = regex.compile(r"[:：][*_]{0,3}$")
_ROW = regex.compile(r"\s*\|?[^|\n]*\|")
# Between the names of a table's columns and its rows.
_RULE = regex.compile(r"\s*\|?\s*:?-{2,}[-:|\s]*$")
_LIST_MARK = regex.compile(r"^(?:[-*+•>]\s+|\d{1,3}[.)]\s+){1,3}")
_UNFINISHED = regex.compile(rf"[\p{{L}}\p{{N}},;&–—-][{_CLOSERS}]*\s*$")
# Number of characters before the first word that are examined.
_LOWER_START = regex.compile(r"\W{0,40}+\p{Ll}")
_LAST_TOKEN = regex.compile(r"[^\s(\[\"'“„«]+$")
_INITIALS = regex.compile(r"(?:\p{L}\.)*\p{L}\.|\d{1,2}\.")
_SHORT_FORMS = """
mr. mrs. ms. dr. prof. st. sr. jr. vs. etc. approx. dept. est. fig. figs. eq. sec. no. nos. vol. pp. ed. eds. inc.
ltd. corp. co. gen. col. sgt. capt. lt. rev. hon. gov. sen. rep. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct.
nov. dec. mon. tue. tues. wed. thu. thurs. fri. cf. al. incl. excl. min. max. tel. ext. ave. blvd. nr. str. bzw. ca.
usw. evtl. ggf. inkl. zzgl. vgl. hr. fr. bspw. abb. kap. sog. mme. mlle. env. sra. srta. ud. uds. sig. dott. avv.
ing. pag. av. тыс. млн. руб. см. др. гг. ул.
"""
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
# These may also end a sentence: they do where a capital follows.
_ALSO_LAST = "etc. inc. ltd. corp. co. al. jr. sr. usw. a.m. p.m. u.s. u.k. e.u. др. гг."
_AMBIGUOUS = frozenset(_ALSO_LAST.split())


class SentenceKind(Enum):
    """The part of a text that a sentence is in."""

    PROSE = auto()
    #: A list item, or a row of a table.
    ITEM = auto()
    #: Between fences.
    CODE = auto()
    #: A heading, a label such as `Steps:`, the names of a table's columns.
    LABEL = auto()


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence and its start in the text, in characters."""

    text: str
    start: int
    kind: SentenceKind = SentenceKind.PROSE


def split_sentences(text: str) -> list[SourceSentence]:
    """Return the sentences of `text` in order. A line ends a sentence, unless it was wrapped at a margin.

    Lines of code stay whole. Only sentences too long for a passage are split elsewhere.
    """
    stripped = text.strip()
    if len(stripped) <= WHOLE_CHARS and "\n" not in stripped:
        return [SourceSentence(stripped, text.index(stripped))] if stripped else []
    found: list[SourceSentence] = []
    for start, end, kind in _paragraphs(text):
        ends = [end] if kind is SentenceKind.CODE else [*_ends(text, start, end), end]
        for stop in ends:
            found += _cut(text, start, stop, kind)
            start = stop
    # A line of dashes is no sentence; if there is nothing else, its beginning is returned.
    return found or [SourceSentence(stripped[:MAX_CHARS], text.index(stripped))] * bool(stripped)


def without_mark(sentence: SourceSentence) -> str:
    """Return a sentence without the dash or number that a list puts before it."""
    if sentence.kind is not SentenceKind.ITEM:
        return sentence.text
    return _LIST_MARK.sub("", sentence.text) or sentence.text


def _cut(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[SourceSentence]:
    piece = text[start:end]
    for part in split_passages(piece) if len(piece) > MAX_CHARS else [piece]:
        stripped = part.strip()
        if any(letter.isalnum() for letter in stripped):
            is_label = kind is not SentenceKind.CODE and _LABEL_END.search(stripped) is not None
            yield SourceSentence(
                stripped,
                start + len(part) - len(part.lstrip()),
                SentenceKind.LABEL if is_label else kind,
            )
        start += len(part)


def _paragraphs(text: str) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yield start, end and kind of lines, with wrapped ones joined."""
    in_code, begin, offset, previous, kind = False, 0, 0, "", SentenceKind.PROSE
    for line, following in pairwise([*text.splitlines(keepends=True), ""]):
        fence = _FENCE.match(line) is not None
        if in_code or fence or not (previous and _continues_on(previous, line)):
            if offset > begin:
                yield begin, offset, kind
            begin, kind = offset, _kind_of(line, following)
        offset += len(line)
        if in_code or fence:
            if not fence:
                yield begin, offset, SentenceKind.CODE
            begin, previous = offset, ""
            in_code ^= fence
        else:
            previous = line.rstrip()
    if offset > begin:
        yield begin, offset, kind


def _kind_of(line: str, following: str) -> SentenceKind:
    """Return the kind of a line outside of fences."""
    if _HEADING.match(line) or (_RULE.match(following) and _ROW.match(line)):
        return SentenceKind.LABEL
    return SentenceKind.ITEM if _LIST_ITEM.match(line) else SentenceKind.PROSE


def _continues_on(line: str, following: str) -> bool:
    return (
        len(line) >= _MARGIN_CHARS
        and _UNFINISHED.search(line) is not None
        and _LOWER_START.match(following) is not None
        and _LIST_ITEM.match(following) is None
    )


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end between two places."""
    retained = [match.span() for match in _KEPT.finditer(text, start, end)]
    starts = [span[0] for span in retained]
    for match in _END.finditer(text, start, end):
        place = bisect.bisect_right(starts, match.start()) - 1
        if place >= 0 and match.start() < retained[place][1]:
            continue
        if match["spaced"] is None or _is_end(text, start, match.end("spaced"), match["spaced"]):
            start = match.end()
            yield start


def _is_end(text: str, start: int, end: int, marks: str) -> bool:
    """Return whether marks that end at `end` end the sentence that begins at `start`."""
    following = text[end : end + 40].lstrip()
    if not following:
        return False
    starts_low = following[0].islower()
    if starts_low and (marks != "." or _LOWER_START.match(text, start) is None):
        # Someone who writes without capitals ends sentences, too.
        return marks[-1] in "!?" and _LOWER_START.match(text, start) is not None
    if not marks.startswith(".") or marks.startswith(".."):
        return True
    token = _LAST_TOKEN.search(text, max(start, end - len(marks) - 24), end - len(marks) + 1)
    word = token[0].lower() if token else ""
    if word in _AMBIGUOUS:
        return not starts_low
    return word not in _ABBREVIATIONS and _INITIALS.fullmatch(word) is None
