"""Step 10: how a user communicates, from the last turns that they wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID

from everword.people.model import MessageWords
from everword.people.traits import DIMENSIONS, LEAST_MESSAGES, Trait
from everword.people.user_models import describe_user
from everword.text.credentials import mask_credentials
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion
from everword_compactor.nodes.store import node_namespace
from everword_compactor.sleep.model import (
    USER_ROLE,
    SessionMessage,
    SessionRow,
    SleepConversation,
    SleepSession,
)
from everword_compactor.sleep.people import store
from everword_compactor.sleep.people.store import Turn
from everword_compactor.sleep.prompts import find_quote
from everword_compactor.sleep.stages.reads import fitting
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-user-model"
MAX_TOKENS = 1_500
#: Turns that are looked at, from how many sessions, and how many it takes at least.
TURNS, SESSIONS, LEAST = 50, 25, 4
#: A style changes slowly: it is described after each of the first sessions, then after every fifth session.
FIRST, EVERY = 3, 5
#: Characters of a turn that show its style.
_TURN_CHARS = 120
#: Words of a turn in the middle: who writes more is not brief, and who writes less is not detailed.
_BRIEF, _DETAILED = 40, 15
_LISTED = "\n".join(f"- `{name}`: {', '.join(values)}" for name, values in DIMENSIONS.items())
_INSTRUCTION = f"""\
The records `messages` are what a user wrote lately; `n` is a message's number. Say how the user communicates, as far \
as the messages show it, in these dimensions with these values:
{_LISTED}
Judge the form and not what it is about. Leave out a dimension that does not show in at least {LEAST_MESSAGES} messages.
For each give `dimension`, `value` and `quotes`: for each message that shows it, its number `n` and the `words`, \
copied letter by letter.
Answer: {{"traits": [...]}}; an empty list is a good answer."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "traits": {
            "type": "array",
            "maxItems": len(DIMENSIONS),
            "items": {
                "type": "object",
                "properties": {
                    "dimension": {"enum": list(DIMENSIONS)},
                    "value": {"enum": sorted({v for each in DIMENSIONS.values() for v in each})},
                    "quotes": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 10,
                        "items": {
                            "type": "object",
                            "properties": {
                                "n": {"type": "integer"},
                                "words": {"type": "string", "minLength": 1, "maxLength": 2_000},
                            },
                            "required": ["n", "words"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["dimension", "value", "quotes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["traits"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Turns:
    """The last turns of a user as a session of their own, numbered from 1, and the conversation of each."""

    session: SleepSession
    conversations: Mapping[UUID, UUID]


def describe(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Add the subject's style of communication, if it is due."""
    assert tools.asking is not None
    if not work.sessions:
        return work
    with tools.reading() as conn:
        if not is_due(store.count_sessions(conn, tools.namespace_id, work.subject), work.sessions):
            return work
        turns = store.read_turns(conn, tools.namespace_id, work.subject, SESSIONS, TURNS)
        namespace = node_namespace(conn, tools.namespace_id)
    if len(turns) < LEAST:
        return work
    read = number_turns(turns, masks=namespace is not None and namespace.masks_credentials)
    records = [
        {"n": each.seq, "text": each.content[:_TURN_CHARS]} for each in reversed(read.session.said)
    ]
    # The latest messages that fit into one request are enough to show a style.
    latest = fitting(records, tools.asking.room(MAX_TOKENS))[::-1]
    question = ModelQuestion(TASK, _INSTRUCTION, {"messages": latest}, _SCHEMA, MAX_TOKENS)
    traits = tools.asking.ask(question, lambda answer: read_traits(read, answer))

    async def run(to: SleepTransaction) -> None:
        await describe_user(to.conn, to.namespace_id, work.subject, traits)

    return work.adding(PendingWrite("describe-user", run), traits=len(traits)) if traits else work


def is_due(stored: int, new: Sequence[SessionRow]) -> bool:
    """Return whether to describe a subject with `stored` sessions, of which some are new since the last closing."""
    return stored <= FIRST or stored // EVERY > (stored - len(new)) // EVERY


def number_turns(turns: Sequence[Turn], *, masks: bool) -> Turns:
    """Return turns of any conversations under numbers of their own."""
    messages = [
        SessionMessage(
            turn.id,
            number,
            USER_ROLE,
            turn.author,
            mask_credentials(turn.content) if masks else turn.content,
            turn.occurred_at,
        ).own()
        for number, turn in enumerate(turns, start=1)
    ]
    conversation = SleepConversation(UUID(int=0), "", "", "")
    session = SleepSession(UUID(int=0), conversation, messages)
    return Turns(session, {turn.id: turn.conversation_id for turn in turns})


def read_traits(turns: Turns, answer: Any) -> CheckedAnswer[list[Trait]]:
    """Return the traits of an answer that are quoted verbatim from two messages, and complaints about the others."""
    retained: dict[str, Trait] = {}
    complaints: list[str] = []
    for number, entry in enumerate(answer["traits"], start=1):
        dimension, value = entry["dimension"], entry["value"]
        if value not in DIMENSIONS[dimension]:
            complaints.append(f"trait {number}: `{value}` is no value of `{dimension}`")
            continue
        said = _quoted(turns, entry["quotes"])
        if len({each.message_id for each in said}) < LEAST_MESSAGES:
            complaints.append(f"trait {number}: its words do not stand so in two messages")
            continue
        if dimension == "length" and not _exceeds_turn_length(turns, value):
            complaints.append(f"trait {number}: the messages are not {value}")
            continue
        retained.setdefault(dimension, Trait(dimension, value, said))
    return CheckedAnswer(list(retained.values()), complaints)


def _quoted(turns: Turns, entries: Sequence[Mapping[str, Any]]) -> list[MessageWords]:
    quotes = [find_quote(turns.session, entry["n"], entry["words"]) for entry in entries]
    return [
        MessageWords(
            quote.message_id, turns.conversations[quote.message_id], quote.text, quote.said_at
        )
        for quote in quotes
        if quote is not None
    ]


def _exceeds_turn_length(turns: Turns, value: str) -> bool:
    words = median(len(message.content.split()) for message in turns.session.said)
    return not (value == "brief" and words > _BRIEF) and not (
        value == "detailed" and words < _DETAILED
    )


USER_MODEL = ClosingStage("user-model", describe, needs_model=True)
