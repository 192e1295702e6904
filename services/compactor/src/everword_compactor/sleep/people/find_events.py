"""Step 2, events: what happens to a subject, when, how much it matters, and for how long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

from everword.people.model import EventMention, EventStatus
from everword.people.writer import take_events
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Records, is_shown
from everword_compactor.sleep.checks import unsupported
from everword_compactor.sleep.model import Observation, Quote, SleepSession
from everword_compactor.sleep.people import store
from everword_compactor.sleep.people.moments import is_said, read_moment, text_around
from everword_compactor.sleep.people.words import observation_record, said_of, unsupported_names
from everword_compactor.sleep.prompts import find_words
from everword_compactor.sleep.work import (
    PendingWrite,
    SessionStage,
    SessionWork,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-events"
MAX_TOKENS = 2_500
_MOST, _MOST_KNOWN = 60, 40
CATEGORIES = (
    *("work", "education", "home", "family", "relationship", "health", "travel", "finance"),
    *("leisure", "project", "other"),
)
_STATUSES = {"": None, **{each.name.lower(): each for each in EventStatus}}
_INSTRUCTION = f"""\
The records `observations` are what users said, with the time; `o` is the number of one. `events` are known already. \
Name the events in the users' lives: what happens at a time and is over after it, such as a new job, a move, surgery, \
a journey, an exam, a deadline. States, habits and preferences are no events; neither is what a user only wishes.
For each event and each observation that tells of it give:
- `o`: the observation's number.
- `title`: what happens, in at most ten words, with names as they are written. Where it is one of `events`, its title \
letter by letter.
- `category`: {", ".join(CATEGORIES)}.
- `start`, `end`: as `2026-03-15` or `2026-03-15T18:30`, where the observation says when, also relative to its time; \
else empty strings.
- `importance`: from 0 to 1: .9 changes a life, .5 matters for weeks, .2 for days.
- `decay_days`: for how many days after it one may still come back to it: 365 for what changes a life, 30 for what \
matters, 7 for the rest.
- `status`: {", ".join(each for each in _STATUSES if each)} where the observation says that it is still to come or \
goes on, is over, or will not take place; else an empty string.
- `words`: the words that say the status, copied letter by letter from the quotes; else an empty string.
Answer: {{"events": [...]}}; an empty list is a good answer."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "events": {
            "type": "array",
            "maxItems": 200,
            "items": {
                "type": "object",
                "properties": {
                    "o": {"type": "integer"},
                    "title": {"type": "string", "minLength": 1, "maxLength": 300},
                    "category": {"enum": list(CATEGORIES)},
                    "start": {"type": "string", "maxLength": 40},
                    "end": {"type": "string", "maxLength": 40},
                    "importance": {"type": "number", "minimum": 0, "maximum": 1},
                    "decay_days": {"type": "integer", "minimum": 1, "maximum": 3_650},
                    "status": {"enum": list(_STATUSES)},
                    "words": {"type": "string", "maxLength": 1_000},
                },
                "required": [
                    *("o", "title", "category", "start", "end", "importance", "decay_days"),
                    *("status", "words"),
                ],
                "additionalProperties": False,
            },
        }
    },
    "required": ["events"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class SubjectEventMention:
    """A mention of an event, and by whom."""

    subject: str
    mention: EventMention


def find_events(tools: StageTools, work: SessionWork) -> SessionWork:
    """Return the work with writes for the events in the session's observations."""
    assert tools.asking is not None
    session = work.session
    # A guess or a question is no event.
    told = [each for each in work.observations if not each.hypothesis]
    zone = ZoneInfo(work.loaded.time_zone)
    found: list[SubjectEventMention] = []
    known = _read_known_events(tools, told) if told else []
    for first in range(0, len(told), _MOST):
        shown = told[first : first + _MOST]
        records = {
            "observations": [observation_record(each, o) for o, each in enumerate(shown, 1)],
            "events": known,
        }
        question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS)
        titles = [str(each["title"]) for each in known]
        check = partial(read_events, session, shown, titles, zone)
        answers = tools.asking.ask_in_parts(question, "observations", check)
        found += chain.from_iterable(answers)
    by_subject: dict[str, list[EventMention]] = defaultdict(list)
    for each in found:
        by_subject[each.subject].append(each.mention)
    writes = [_write(subject, by_subject[subject]) for subject in sorted(by_subject)]
    return work.adding(*writes, events_mentioned=len(found))


def _read_known_events(tools: StageTools, told: Sequence[Observation]) -> list[dict[str, Any]]:
    subjects = sorted({each.subject for each in told})
    with tools.reading() as conn:
        return [
            {"title": row.title, "category": row.category}
            for row in store.read_events(conn, tools.namespace_id, subjects, _MOST_KNOWN)
        ]


def read_events(
    session: SleepSession,
    observed: Sequence[Observation],
    known: Sequence[str],
    zone: ZoneInfo,
    records: Records,
    answer: Any,
) -> CheckedAnswer[list[SubjectEventMention]]:
    """Return the events of an answer that are supported by messages, and complaints about the others.

    An unsupported time or status is left out, and the event stays.
    """
    retained: list[SubjectEventMention] = []
    complaints: list[str] = []
    for number, entry in enumerate(answer["events"], start=1):
        title, o = " ".join(entry["title"].split()), entry["o"]
        observation = observed[o - 1] if is_shown("o", o, records) else None
        if observation is None:
            complaints.append(f"event {number}: there is no observation {o}")
            continue
        wrong = [] if title in known else _invented(session, observation, title)
        if wrong:
            complaints.append(f"event {number} is not borne out: {', '.join(wrong)[:300]}")
            continue
        start, fault = _moment(session, observation, entry["start"], zone)
        end, other = _moment(session, observation, entry["end"], zone)
        if start and end and end < start:
            end, other = None, "it ends before it begins"
        status = _STATUSES[entry["status"]]
        told = find_words(session, observation, entry["words"]) if status else None
        if status and told is None:
            status, other = None, other or "the words do not say its status"
        complaints += [f"event {number}: {each}" for each in (fault, other) if each]
        retained += [
            SubjectEventMention(
                observation.subject, _mention(entry, title, quote, start, end, status, told)
            )
            for quote in observation.quotes
        ]
    return CheckedAnswer(retained, complaints)


def _mention(
    entry: Mapping[str, Any],
    title: str,
    quote: Quote,
    start: datetime | None,
    end: datetime | None,
    status: EventStatus | None,
    told: Quote | None,
) -> EventMention:
    has_spoken = told is not None and told.message_id == quote.message_id
    return EventMention(
        title,
        entry["category"],
        said_of(quote),
        start,
        end,
        float(entry["importance"]),
        entry["decay_days"],
        status if has_spoken else None,
    )


def _invented(session: SleepSession, observation: Observation, title: str) -> list[str]:
    messages = [m for m in session.said if m.id in {q.message_id for q in observation.quotes}]
    names = [observation.subject, observation.text, *(message.author for message in messages)]
    wrong = unsupported(title, observation.quotes, messages, names)
    texts = [*names, *(message.content for message in session.shown)]
    return list(dict.fromkeys([*wrong, *unsupported_names(title, texts)]))


def _moment(
    session: SleepSession, observation: Observation, written: str, zone: ZoneInfo
) -> tuple[datetime | None, str]:
    """Return a time that an observation's messages support, or else a complaint."""
    if not written.strip():
        return None, ""
    moment = read_moment(written, observation.said_at, zone)
    if moment is None:
        return None, f"`{written[:40]}` is not a date"
    contents = {message.id: message.content for message in session.said}
    texts = [
        text_around(quote.text, contents[quote.message_id])
        for quote in observation.quotes
        if quote.message_id in contents
    ]
    if not is_said(moment, texts, observation.said_at, zone):
        return None, f"nobody says {written[:40]}"
    return moment, ""


def _write(subject: str, mentions: Sequence[EventMention]) -> PendingWrite:
    async def run(to: SleepTransaction) -> None:
        await take_events(to.conn, to.namespace_id, subject, mentions)

    return PendingWrite("take-events", run)


EVENTS = SessionStage("events", find_events, needs_model=True)
