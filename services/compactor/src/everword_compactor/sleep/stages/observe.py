"""Step 2: what people state, ask, prefer and do in a session, each with the words that say so, and its topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from everword.domain.ids import new_id
from everword.facts.attributes import KNOWN
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion
from everword_compactor.sleep.checks import misstated, unsupported
from everword_compactor.sleep.model import (
    Observation,
    ObservationKind,
    Quote,
    SessionMessage,
    SleepSession,
)
from everword_compactor.sleep.prompts import find_quote, halve_messages, portions
from everword_compactor.sleep.stages.name_attributes import attribute_name, topic_names
from everword_compactor.sleep.work import SessionStage, SessionWork, StageTools

TASK = "sleep-observe"
MAX_TOKENS = 4_000
#: Observations of one portion of a session: more than an answer can hold.
_MOST = 200
_KINDS = {kind.name.lower(): kind for kind in ObservationKind}
_INSTRUCTION = f"""\
The records `messages` are a conversation; `n` is a message's number. Write down what the users say of themselves \
and of \
others. Messages of agents are there so that you understand the users; never observe an agent.

For each thing that a user says give:
- `kind`: {", ".join(_KINDS)}. A preference is a like, dislike or wish for how things are done; a contradiction \
says that \
something which was said before is not so; behaviour is what a user does or how, without saying so.
- `about`: the name of a third party where it is about one (a friend, a colleague, a company), else an empty string.
- `text`: one sentence in the third person that says it whole, with names and numbers as in the message.
- `attribute` and `value`: for a statement, contradiction or preference about the user what it says as a fact, such as \
`residence` and `Lisbon`. The value is as long as it needs to be. Attributes that are known: {", ".join(KNOWN)}. \
Use one of \
them where it fits, else a short name in English such as `favourite_author`. Empty strings for all else.
- `hypothesis`: true for what is a guess, a wish, a plan that is not decided, a condition, irony or a quotation.
- `quotes`: for each message that says it, its number `n` and the words, copied letter by letter from that message.
Leave out questions to the agent that tell nothing of the user. Observe nothing twice.

Also name up to three `topics` of the conversation, in one to three words each. Use a name of the records `topics` \
where one \
fits.
Answer: {{"observations": [...], "topics": ["..."]}}."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "observations": {
            "type": "array",
            "maxItems": _MOST,
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"enum": list(_KINDS)},
                    "about": {"type": "string", "maxLength": 200},
                    "text": {"type": "string", "minLength": 1, "maxLength": 2_000},
                    "attribute": {"type": "string", "maxLength": 100},
                    "value": {"type": "string", "maxLength": 4_000},
                    "hypothesis": {"type": "boolean"},
                    "quotes": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 10,
                        "items": {
                            "type": "object",
                            "properties": {
                                "n": {"type": "integer"},
                                "words": {"type": "string", "minLength": 1, "maxLength": 4_000},
                            },
                            "required": ["n", "words"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["kind", "about", "text", "attribute", "value", "hypothesis", "quotes"],
                "additionalProperties": False,
            },
        },
        "topics": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 60}},
    },
    "required": ["observations", "topics"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class PortionObservations:
    """The observations of one portion of a session."""

    observations: Sequence[Observation] = ()
    topics: Sequence[str] = ()


def observe(tools: StageTools, work: SessionWork) -> SessionWork:
    """Add the observations of a session, and its topics."""
    assert tools.asking is not None
    session, loaded = work.session, work.loaded
    observations: list[Observation] = []
    topics: list[str] = []
    for batch in portions(session, tools.asking.room(MAX_TOKENS), loaded.time_zone):
        known = [{"topic": topic} for topic in (*topics, *loaded.known_topics)]
        records = {"messages": batch, "topics": known}
        question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS, ["topics"])
        answers = tools.asking.ask_in_parts(
            question,
            "messages",
            lambda _, answer: read_observed(session, answer),
            halve_messages,
        )
        for found in answers:
            observations += found.observations
            topics += found.topics
    named = topic_names(topics, loaded.known_topics)
    work = replace(work, observations=_joined(observations), topics=named)
    return work.adding(observations=len(work.observations))


def read_observed(session: SleepSession, answer: Any) -> CheckedAnswer[PortionObservations]:
    """Return the observations of an answer that quote people's messages, and complaints about the others."""
    retained: list[Observation] = []
    complaints: list[str] = []
    for number, entry in enumerate(answer["observations"], start=1):
        quotes, wrong = _quotes(session, entry["quotes"])
        if not quotes:
            complaints.append(f"observation {number}: {wrong}")
            continue
        observation = _observation(session, entry, quotes)
        faults = _faults(session, observation)
        if faults:
            complaints.append(f"observation {number} is not borne out: {', '.join(faults)[:300]}")
            continue
        retained.append(observation)
    return CheckedAnswer(PortionObservations(retained, answer["topics"]), complaints)


def _quotes(session: SleepSession, entries: Sequence[Mapping[str, Any]]) -> tuple[list[Quote], str]:
    """Return the quotes that are verbatim in people's messages, and a complaint about the others."""
    quotes: dict[int, Quote] = {}
    for entry in entries:
        quote = find_quote(session, entry["n"], entry["words"])
        if quote is not None:
            quotes.setdefault(quote.seq, quote)
    refused = [entry["n"] for entry in entries if entry["n"] not in quotes]
    wrong = f"its words do not stand so in a user's message {refused}"
    return [quotes[seq] for seq in sorted(quotes)], wrong


def _observation(
    session: SleepSession, entry: Mapping[str, Any], quotes: Sequence[Quote]
) -> Observation:
    kind = _KINDS[entry["kind"]]
    first = next(message for message in session.said if message.seq == quotes[0].seq)
    claims = kind.claims and not entry["about"].strip()
    attribute, value = attribute_name(entry["attribute"]), " ".join(entry["value"].split())
    return Observation(
        id=new_id(),
        kind=kind,
        subject=session.subject_of(first),
        about=" ".join(entry["about"].split()),
        text=" ".join(entry["text"].split()),
        attribute=attribute if claims and value else "",
        value=value if claims and attribute else "",
        quotes=quotes,
        hypothesis=entry["hypothesis"],
    )


def _faults(session: SleepSession, observation: Observation) -> list[str]:
    """Return what an observation says that its messages do not."""
    cited = {quote.message_id for quote in observation.quotes}
    own = [message for message in session.said if message.id in cited]
    # "Yes, there" is an answer to the message before.
    near = _with_those_before(session, own)
    names = [observation.subject, session.conversation.agent, *(each.author for each in own)]
    faults = unsupported(observation.text, observation.quotes, near, names)
    faults += unsupported(observation.value, observation.quotes, near, names)
    faults += unsupported(observation.about, observation.quotes, session.shown, names)
    return faults + misstated(observation.text, own, observation.subject)


def _with_those_before(
    session: SleepSession, own: Sequence[SessionMessage]
) -> list[SessionMessage]:
    places = {message.seq for message in own}
    shown = list(session.shown)
    before = [earlier for earlier, later in pairwise(shown) if later.seq in places]
    return [*own, *before]


def _joined(observations: Sequence[Observation]) -> list[Observation]:
    """Return observations without those that say the same twice, as parts of a long session may."""
    joined: dict[tuple[object, ...], Observation] = {}
    for each in observations:
        same = (
            each.kind,
            each.subject,
            each.about,
            each.attribute,
            (each.value or each.text).casefold(),
        )
        known = joined.get(same)
        if known is None:
            joined[same] = each
            continue
        quotes = {quote.seq: quote for quote in (*each.quotes, *known.quotes)}
        merged = [quotes[seq] for seq in sorted(quotes)]
        joined[same] = replace(
            known, quotes=merged, hypothesis=known.hypothesis and each.hypothesis
        )
    return list(joined.values())


OBSERVE = SessionStage("observe", observe, needs_model=True)
