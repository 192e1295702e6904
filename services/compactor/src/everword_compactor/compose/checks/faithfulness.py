"""Checks that a node says nothing that its sources do not say, and how much of them it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from zoneinfo import ZoneInfo

from everword.domain.times import display_time
from everword.text.statements.contradictions import misstatements
from everword.text.statements.sources import StatedSource
from everword.text.values.evidence import Evidence, find_values
from everword.text.values.fold_text import normalise, parts_of
from everword_compactor.compose.checks.coverage import measure_coverage, measure_decisions
from everword_compactor.compose.checks.guarded_composer import or_else
from everword_compactor.compose.checks.latex import find_latex
from everword_compactor.compose.checks.prompt_context import PromptContext
from everword_compactor.compose.checks.tags import check_tags, parse_group, strip_tags
from everword_compactor.compose.model import LECTURE_CHARS, Faithfulness, Level, Source

_ASSISTANT = 3
#: Words that join a sentence with a question or with an outdated value.
_JOINING = {"asked", "first", "then"}
_ROLES = {2: "user", _ASSISTANT: "assistant"}
#: Offenders that are named at most.
MAX_OFFENDERS = 50
#: Offender of a node that cannot be checked, so that it needs review.
UNREADABLE = "(cannot be checked)"


def check_faithfulness(
    content: str,
    sources: Sequence[Source],
    *,
    time_zone: str,
    shown: PromptContext | None = None,
    level: Level | None = None,
    chosen: bool = False,
    heartbeat: Callable[[], None] = lambda: None,
) -> Faithfulness:
    """Return the faithfulness of `content` to `sources`, in time linear in their length.

    Times of the sources count on the clock of `time_zone`, as their lines show them; `shown` is the rest of the
    writer's prompt. With a `level`, its tags are required. Sentences that were `chosen` from the sources are checked
    for values and tags only. Calls `heartbeat` with each source; its exceptions end the work. Raises nothing else: an
    unreadable source supports nothing, and an unreadable node is an offender.
    """
    texts = [source.evidence for source in sources]
    shown = shown or PromptContext()
    plain = strip_tags(content)
    # Most chosen lines are in a source word for word, which is quicker to see than that each value is.
    checked = _changed_lines(plain, texts, _names(sources)) if chosen else plain
    unsupported = list[str]()
    if checked.strip():
        known = Evidence(
            chain(_beating(texts, heartbeat), shown.texts),
            _source_times(sources, ZoneInfo(time_zone)),
            labels=[*_names(sources), *shown.labels],
            quantities=[(shown.message_count, "message")],
        )
        unsupported = or_else([UNREADABLE], _unsupported, checked, known, sources)
    if not chosen:
        unsupported += or_else(
            list[str](), misstatements, plain, _stated_sources(sources, heartbeat)
        )
    covered = measure_coverage(plain, texts, heartbeat)
    return Faithfulness(
        unsupported=list(dict.fromkeys(unsupported))[:MAX_OFFENDERS],
        wrong_tags=or_else([UNREADABLE], check_tags, content, sources, level),
        source_coverage=covered.of_sources,
        identifier_coverage=covered.of_identifiers,
        number_coverage=covered.of_numbers,
        decision_coverage=or_else(1.0, measure_decisions, plain, _own_words(sources), heartbeat),
    )


def _changed_lines(plain: str, texts: Sequence[str], names: Iterable[str]) -> str:
    """Return the lines of a node of chosen sentences that have words of no source, without the times of groups.

    A sentence is a source's, or has a question or a corrected date from another one.
    """
    known = "\n".join(" ".join(text.split()) for text in texts)
    lines = [line for line in plain.splitlines() if not parse_group(line)]
    changed = [line for line in lines if _sentence_of(line) not in known]
    if not changed:
        return ""
    words = {part for text in (*texts, *names) for part in parts_of(normalise(text))} | _JOINING
    return "\n".join(
        line for line in changed if not words.issuperset(parts_of(normalise(_sentence_of(line))))
    )


def _sentence_of(line: str) -> str:
    """Return the sentence of a bullet, or the line if it is none."""
    speaker, colon, said = line.partition(": ")
    return said if colon and speaker.startswith("- ") else line.removeprefix("- ").strip()


def _own_words(sources: Sequence[Source]) -> list[str]:
    """Return the texts whose decisions count: not the long answers of an assistant, which advise and explain."""
    return [
        source.readable_text
        for source in sources
        if source.role != _ASSISTANT or len(source.text) <= LECTURE_CHARS
    ]


def _unsupported(plain: str, known: Evidence, sources: Sequence[Source]) -> list[str]:
    missing = known.missing(find_values(plain))
    return [value.text for value in missing] + _foreign_latex(plain, sources)


def _stated_sources(
    sources: Sequence[Source], heartbeat: Callable[[], None]
) -> Iterator[StatedSource]:
    for source in sources:
        heartbeat()
        yield StatedSource(source.evidence, _speakers(source))


def _speakers(source: Source) -> list[str]:
    """Return the names for the speaker of a message; empty for a node."""
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


def _source_times(sources: Sequence[Source], zone: ZoneInfo) -> set[datetime]:
    # Times that differ only by seconds are shown alike.
    return {
        display_time(time, zone).replace(second=0, microsecond=0)
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
