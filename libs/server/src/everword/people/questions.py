"""Questions that are worth asking: what gives rise to one, and how it is worded. No model is needed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.facts.attributes import find_attribute
from everword.people.model import LearnedKind, StrategyKind

#: Words of conversations about a topic, by the category of the fact.
_WORDS_OF = {
    "home": "live move flat apartment house rent city neighbourhood",
    "work": "job work boss office colleague career interview",
    "family": "family kids married relationship",
    "health": "health doctor sick medicine hospital eat",
    "plans": "plan schedule date meeting calendar",
    "preferences": "favourite enjoy prefer",
    "things": "buy own repair",
    "contact": "call reach write",
    "project": "project release team",
    "state": "feel mood",
}
#: Length of a value in a question.
_MOST_CHARS = 120
#: Number of pieces of evidence from which an inference is asked about.
CLARIFIED_FROM = 3
#: Number of messages that mention a person before the relation is asked about, and least importance of an event that is
#: asked about.
DEEPENED_FROM, IMPORTANT = 3, 0.7


@dataclass(frozen=True)
class FactOccasion:
    """A fact that gives rise to a question."""

    fact_id: UUID
    subject: str
    attribute: str
    value: str
    #: Time of the occasion for the question.
    occasion: datetime
    supporting: int = 0
    #: The previous value; empty if there was none.
    earlier: str = ""


@dataclass(frozen=True)
class SuggestedQuestion:
    """A question to ask about something."""

    kind: StrategyKind
    about: LearnedKind
    about_id: UUID
    occasion: datetime
    #: The words by which it is known that the topic came up.
    topic: str
    text: str
    reason: str


def verify(fact: FactOccasion) -> SuggestedQuestion:
    """Ask whether a fact that was not mentioned for its expected lifetime is still true."""
    what, value = _subject_phrase(fact), _short(fact.value)
    return _about_fact(
        fact,
        StrategyKind.VERIFY,
        f"Is {what} still {value}?",
        f"last heard of on {fact.occasion:%Y-%m-%d}",
    )


def probe(fact: FactOccasion) -> SuggestedQuestion:
    """Ask about a change."""
    what, earlier = _subject_phrase(fact), _short(fact.earlier)
    return _about_fact(
        fact,
        StrategyKind.PROBE,
        f"What led {what} to change from {earlier} to {_short(fact.value)}?",
        f"changed on {fact.occasion:%Y-%m-%d}",
    )


def clarify(fact: FactOccasion) -> SuggestedQuestion:
    """Ask whether an inferred fact is true."""
    what, value = _subject_phrase(fact), _short(fact.value)
    return _about_fact(
        fact,
        StrategyKind.CLARIFY,
        f"Is it right that {what} is {value}?",
        f"inferred from {fact.supporting} pieces of evidence, and never said",
    )


def deepen_person(
    person_id: UUID, subject: str, name: str, mention_count: int, occasion: datetime
) -> SuggestedQuestion:
    """Ask about the relation to an often mentioned person."""
    name = _short(name)
    return SuggestedQuestion(
        StrategyKind.DEEPEN,
        LearnedKind.PERSON,
        person_id,
        occasion,
        name,
        f"Who is {name} to {_addressee(subject)}?",
        f"spoken of in {mention_count} messages, and the relation is not known",
    )


def deepen_event(
    event_id: UUID, title: str, category: str, starts_at: datetime
) -> SuggestedQuestion:
    """Ask about the outcome of an important event."""
    title = _short(title)
    return SuggestedQuestion(
        StrategyKind.DEEPEN,
        LearnedKind.EVENT,
        event_id,
        starts_at,
        f"{title} {category}",
        f"How did it go: {title}?",
        f"important, was to begin on {starts_at:%Y-%m-%d}, and not spoken of since",
    )


def _about_fact(
    fact: FactOccasion, kind: StrategyKind, text: str, reason: str
) -> SuggestedQuestion:
    attribute = find_attribute(fact.attribute)
    words = (attribute.label.lower(), _short(fact.value), _WORDS_OF.get(attribute.category, ""))
    topic = " ".join(filter(None, words))
    return SuggestedQuestion(
        kind, LearnedKind.FACT, fact.fact_id, fact.occasion, topic, text, reason
    )


def _subject_phrase(fact: FactOccasion) -> str:
    """Return the subject of the question, such as "the residence of emi"."""
    label = find_attribute(fact.attribute).label.lower()
    return f"the {label} of {_addressee(fact.subject)}" if fact.subject else f"the {label}"


def _addressee(subject: str) -> str:
    return "the user" if subject in ("", "user") else _short(subject)


def _short(text: str) -> str:
    """Return a text in one line; of a long one the beginning: the whole is where `about_id` says."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1].rstrip()}…"
