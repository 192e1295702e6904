"""Measures the share of the sources that a node mentions, and decides whether it is enough to replace them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from everword.text.analysis import folded_words
from everword.text.values.evidence import Evidence, Value, find_values
from everword.text.values.fold_text import normalise
from everword.text.values.identifiers import ValueKind
from everword_compactor.compose.checks.guarded_composer import or_else
from everword_compactor.compose.checks.tags import strip_tags
from everword_compactor.compose.cues import announced_sentences
from everword_compactor.compose.model import Faithfulness, Level, Source

_IDENTIFIERS = {ValueKind.URL, ValueKind.EMAIL, ValueKind.HASH, ValueKind.IDENTIFIER}
_NUMBERS = {ValueKind.NUMBER, ValueKind.DATE, ValueKind.TIME}
#: Words are compared by their first letters: `painted` and `painting` are about the same.
_STEM_CHARS = 5
_SHORTEST_WORD = 4
#: A word in more than this share of the sources does not distinguish them.
_RARE_SHARE = 1 / 3
_STOP_WORDS = """
about after again also always been before being both could does doing done down each even from going good great have
having here into just know like made make more most much must need never only other over really said same should some
something such sure take than thank thanks that their them then there these they thing things think this those through
time under until very want wants well were what when where which while will with would yeah your yours
"""
_STOP_STEMS = {word[:_STEM_CHARS] for word in _STOP_WORDS.split()}
#: Smallest shares of the sources, and of their identifiers, that a model's node must mention. A day selects from a
#: hundred messages; higher levels are made from few nodes, and mention most of them.
_FLOORS = {
    Level.LEAF: (0.7, 0.5),
    Level.BRANCH: (0.75, 0.3),
    Level.ROOT: (0.75, 0.2),
    Level.DAY: (0.3, 0.1),
    Level.WEEK: (0.5, 0.0),
    Level.MONTH: (0.5, 0.0),
    Level.YEAR: (0.5, 0.0),
}
#: Smallest shares of the sources, and of their decisions, in a node of chosen sentences.
_CHOSEN_FLOORS = {
    Level.LEAF: (0.5, 0.6),
    Level.BRANCH: (0.75, 0.4),
    Level.ROOT: (0.75, 0.4),
}
_CHOSEN_FLOOR = (0.3, 0.3)
#: At most this many sources or identifiers are demanded, because a node has a limited length.
_MOST_DEMANDED = 40
#: Largest number of omissions that are named, and the length of each.
_MAX_NAMED = 40
_NAMED_CHARS = 100


#: A decision is in a node if a line has at least this share of its distinctive words.
_DECISION_SHARE = 0.6
#: Fewest distinctive words of a decision; `Never give up!` is none.
_DECISION_WORDS = 3
#: Decisions that are looked for at most, spread over the sources.
_MAX_DECISIONS = 500


@dataclass(frozen=True)
class Coverage:
    """How much of some texts a node says."""

    #: The share of the texts that it says something of, from 0 to 1.
    of_sources: float
    #: Share of their identifiers in the node, from 0 to 1; 1 without identifiers.
    of_identifiers: float
    #: Share of their numbers, dates and times in the node, from 0 to 1; 1 without any.
    of_numbers: float
    #: How many texts and identifiers there are to say something of.
    sources: int
    identifiers: int
    #: Places of the texts that it says nothing of.
    unsaid: Sequence[int]
    #: Identifiers that it does not hold.
    lost: Sequence[str]


def measure_coverage(plain: str, texts: Sequence[str], heartbeat: Callable[[], None]) -> Coverage:
    """Return the share of the texts that a node mentions; `plain` is its text without tags.

    It mentions a text if they share a distinctive word: one of four letters or more, a number or a name that occurs in
    at most a third of the texts. A text without any, such as "ok", is not counted.
    """
    stems, requested, numbers = list[set[str]](), dict[str, Value](), dict[str, Value]()
    for text in texts:
        heartbeat()
        stems.append(or_else(set[str](), _stems, text))
        for value in or_else(list[Value](), _values, text):
            of_kind = requested if value.kind in _IDENTIFIERS else numbers
            of_kind.setdefault(value.text.casefold(), value)
    frequency = Counter(stem for each in stems for stem in each)
    limit = max(1, int(len(stems) * _RARE_SHARE))
    own = [{stem for stem in each if frequency[stem] <= limit} for each in stems]
    said = or_else(set[str](), _stems, plain)
    unsaid = [place for place, each in enumerate(own) if each and said.isdisjoint(each)]
    telling = sum(map(bool, own))
    found = Evidence([plain] if requested or numbers else [])
    lost = [value.text for value in found.missing(requested.values())]
    return Coverage(
        of_sources=1 - len(unsaid) / telling if telling else 1.0,
        of_identifiers=1 - len(lost) / len(requested) if requested else 1.0,
        of_numbers=1 - len(found.missing(numbers.values())) / len(numbers) if numbers else 1.0,
        sources=telling,
        identifiers=len(requested),
        unsaid=unsaid,
        lost=lost,
    )


def measure_decisions(plain: str, texts: Sequence[str], heartbeat: Callable[[], None]) -> float:
    """Return the share of the announced decisions, tasks, causes and corrections of the texts that a node has.

    1 without any. `plain` is the node's text without tags; a line must have most words of the sentence.
    """
    announced = list[str]()
    for text in texts:
        heartbeat()
        announced += or_else(list[str](), announced_sentences, text)
    stems = [or_else(set[str](), _stems, sentence) for sentence in dict.fromkeys(announced)]
    requested = [each for each in stems if len(each) >= _DECISION_WORDS]
    # Of many, every n-th is looked for: the share is an estimate then.
    requested = requested[:: -(-len(requested) // _MAX_DECISIONS) or 1]
    if not requested:
        return 1.0
    lines_with: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(plain.splitlines()):
        for stem in or_else(set[str](), _stems, line):
            lines_with[stem].append(number)
    return sum(_is_in_a_line(stems, lines_with) for stems in requested) / len(requested)


def _is_in_a_line(stems: set[str], lines_with: Mapping[str, Sequence[int]]) -> bool:
    shared = Counter(line for stem in stems for line in lines_with.get(stem, ()))
    return max(shared.values(), default=0) >= _DECISION_SHARE * len(stems)


def require_coverage(
    found: Faithfulness,
    content: str,
    sources: Sequence[Source],
    level: Level,
    heartbeat: Callable[[], None],
) -> Faithfulness:
    """Return `found` with the omissions of a node, if it mentions too little of its sources."""
    of_sources, of_identifiers = _FLOORS[level]
    if found.source_coverage >= of_sources and found.identifier_coverage >= of_identifiers:
        return found
    covered = measure_coverage(strip_tags(content), [source.text for source in sources], heartbeat)
    if _is_enough(covered.sources, len(covered.unsaid), of_sources) and _is_enough(
        covered.identifiers, len(covered.lost), of_identifiers
    ):
        return found
    beginnings = [" ".join(sources[place].text[:1_000].split()) for place in covered.unsaid]
    # Half of the room is for each, and what one leaves is the other's.
    available = max(_MAX_NAMED // 2, _MAX_NAMED - len(beginnings))
    named = [text[:_NAMED_CHARS] for text in (*covered.lost[:available], *beginnings)]
    return replace(found, left_out=named[:_MAX_NAMED])


def is_incomplete(found: Faithfulness, level: Level) -> bool:
    """Return whether a node of chosen sentences says too little of its sources."""
    of_sources, of_decisions = _CHOSEN_FLOORS.get(level, _CHOSEN_FLOOR)
    return found.source_coverage < of_sources or found.decision_coverage < of_decisions


def _is_enough(count: int, missing: int, floor: float) -> bool:
    return count - missing >= min(floor * count, _MOST_DEMANDED)


def _stems(text: str) -> set[str]:
    stems = {
        word[:_STEM_CHARS] if word.isalpha() else word
        for word in folded_words(normalise(text))
        if len(word) >= _SHORTEST_WORD or not word.isascii() or word.isdigit()
    }
    return stems - _STOP_STEMS


def _values(text: str) -> list[Value]:
    values = find_values(strip_tags(text), quotations=False)
    return [value for value in values if value.kind in _IDENTIFIERS | _NUMBERS]
