"""Checks that a node says nothing that its sources do not say, and how much of them it says."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import TypeVar
from zoneinfo import ZoneInfo

from everword.domain.times import shown_time
from everword.text.analysis import folded_words
from everword.text.statements.check import misstatements
from everword.text.statements.sources import Said
from everword.text.values.evidence import Evidence, Value, find_values
from everword.text.values.folding import normalise
from everword.text.values.identifiers import Kind
from everword_compactor.compose.checks.latex import find_latex
from everword_compactor.compose.checks.shown import Shown
from everword_compactor.compose.checks.tags import check_tags, strip_tags
from everword_compactor.compose.model import Faithfulness, Level, Source

log = logging.getLogger(__name__)
T = TypeVar("T")
_ASSISTANT = 3
_ROLES = {2: "user", _ASSISTANT: "assistant"}
#: Offenders that are named at most.
MAX_OFFENDERS = 50
_IDENTIFIERS = {Kind.URL, Kind.EMAIL, Kind.HASH, Kind.IDENTIFIER}
#: Words are compared by their first letters: `painted` and `painting` are about the same.
_STEM_CHARS = 5
_SHORTEST_WORD = 4
#: A word that stands in more than this share of the sources does not tell one from the other.
_RARE_SHARE = 1 / 3
_STOP_WORDS = """
about after again also always been before being both could does doing done down each even from going good great have
having here into just know like made make more most much must need never only other over really said same should some
something such sure take than thank thanks that their them then there these they thing things think this those through
time under until very want wants well were what when where which while will with would yeah your yours
"""
#: Stands among the offenders of a node that cannot be checked: somebody has to look at it.
UNREADABLE = "(cannot be checked)"
_STOP_STEMS = {word[:_STEM_CHARS] for word in _STOP_WORDS.split()}


def check_faithfulness(
    content: str,
    sources: Sequence[Source],
    *,
    time_zone: str,
    shown: Shown | None = None,
    level: Level | None = None,
    chosen: bool = False,
    heartbeat: Callable[[], None] = lambda: None,
) -> Faithfulness:
    """Return how `content` stands to `sources`; takes as long as both are, not longer.

    Times of the sources count on the clock of `time_zone`, as their lines show them; `shown` is what else the writer
    was shown. Where `level` is given, its tags are demanded. Of sentences that were `chosen` from the sources, only
    values and tags are checked. Calls `heartbeat` with each source; what that raises ends the work. Nothing else is
    raised: a source that cannot be read bears out nothing, and a node that cannot is an offender.
    """
    texts = [source.text for source in sources]
    shown = shown or Shown()
    known = Evidence(
        chain(_beating(texts, heartbeat), shown.texts),
        _shown_times(sources, ZoneInfo(time_zone)),
        labels=[*_names(sources), *shown.labels],
        quantities=[(shown.message_count, "message")],
    )
    plain = strip_tags(content)
    unsupported = or_else([UNREADABLE], _unsupported, plain, known, sources)
    if not chosen:
        unsupported += or_else(list[str](), misstatements, plain, _said(sources, heartbeat))
    return Faithfulness(
        unsupported=list(dict.fromkeys(unsupported))[:MAX_OFFENDERS],
        wrong_tags=or_else([UNREADABLE], check_tags, content, sources, level),
        source_coverage=_source_coverage(plain, _beating(texts, heartbeat)),
        identifier_coverage=_identifier_coverage(plain, _beating(texts, heartbeat)),
    )


def or_else(otherwise: T, check: Callable[..., T], *texts: object) -> T:
    """Return what a check finds; where it fails of a text, that is logged, and `otherwise` stands for it.

    What fails each time must not keep a conversation and its days from being summed up for good.
    """
    try:
        return check(*texts)
    except Exception:
        log.exception("text not checked", extra={"check": check.__name__})
        return otherwise


def _unsupported(plain: str, known: Evidence, sources: Sequence[Source]) -> list[str]:
    missing = known.missing(find_values(plain))
    return [value.text for value in missing] + _foreign_latex(plain, sources)


def _said(sources: Sequence[Source], heartbeat: Callable[[], None]) -> Iterator[Said]:
    for source in sources:
        heartbeat()
        yield Said(source.text, _speakers(source))


def _speakers(source: Source) -> list[str]:
    """Return how a summary may call who says a message; a node is said by nobody."""
    if source.level or source.role not in _ROLES:
        return []
    called = [source.agent] if source.role == _ASSISTANT else [source.author]
    return [_ROLES[source.role], *filter(None, called)]


def _beating(texts: Sequence[str], heartbeat: Callable[[], None]) -> Iterator[str]:
    """Yield the texts, with a sign of life before each."""
    for text in texts:
        heartbeat()
        yield text


def _names(sources: Sequence[Source]) -> list[str]:
    names = {
        name
        for source in sources
        for name in (source.agent, source.channel, source.author, source.instance)
    }
    return sorted(names)


def _shown_times(sources: Sequence[Source], zone: ZoneInfo) -> set[datetime]:
    # What differs by seconds alone is shown alike.
    return {
        shown_time(time, zone).replace(second=0, microsecond=0)
        for source in sources
        for time in (source.earliest_at, source.latest_at)
    }


def _foreign_latex(plain: str, sources: Sequence[Source]) -> list[str]:
    """Return the LaTeX that no source is quoted with."""
    pieces = find_latex(plain)
    if not pieces:
        return []
    own = {piece for source in sources for piece in find_latex(source.text)}
    return [piece for piece in pieces if piece not in own]


def _source_coverage(content: str, texts: Iterable[str]) -> float:
    """Return the share of the sources with which the node shares a word that tells them from the others.

    That is a word of four letters or more, a number or a name that stands in at most a third of the sources. A source
    without any, such as "ok", has nothing to lose and is not counted.
    """
    stems = [or_else(set[str](), _stems, text) for text in texts]
    frequency = Counter(stem for each in stems for stem in each)
    limit = max(1, int(len(stems) * _RARE_SHARE))
    own = [{stem for stem in each if frequency[stem] <= limit} for each in stems]
    telling = [each for each in own if each]
    said = or_else(set[str](), _stems, content)
    return (
        sum(1 for each in telling if not said.isdisjoint(each)) / len(telling) if telling else 1.0
    )


def _stems(text: str) -> set[str]:
    stems = {
        word[:_STEM_CHARS] if word.isalpha() else word
        for word in folded_words(normalise(text))
        if len(word) >= _SHORTEST_WORD or not word.isascii() or word.isdigit()
    }
    return stems - _STOP_STEMS


def _identifier_coverage(content: str, texts: Iterable[str]) -> float:
    wanted: dict[str, Value] = {}
    for text in texts:
        for value in or_else(list[Value](), _identifiers, text):
            wanted.setdefault(value.text.casefold(), value)
    if not wanted:
        return 1.0
    lost = Evidence([content]).missing(wanted.values())
    return 1 - len(lost) / len(wanted)


def _identifiers(text: str) -> list[Value]:
    values = find_values(strip_tags(text), quotations=False)
    return [value for value in values if value.kind in _IDENTIFIERS]
