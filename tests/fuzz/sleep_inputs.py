"""A language model's answers to Sleep, parsed as Sleep does: form, numbers, quotes, names and times."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.chat.answers import answer_of
from everword.chat.errors import ChatError
from everword.chat.model import ChatRequest
from everword.chat.reply import Reply
from everword.facts.model import FactSource, FactState, Key
from everword.people.model import MessageWords
from everword_compactor.jobs.questions import CheckedAnswer
from everword_compactor.sleep.model import (
    USER_ROLE,
    KnownFact,
    Observation,
    Quote,
    SessionMessage,
    SleepConversation,
    SleepSession,
)
from everword_compactor.sleep.people import find_events, find_people, trajectory, user_model
from everword_compactor.sleep.stages import behaviour, classify, confirm, disputes, edges, observe
from fuzz import structured_inputs
from fuzz.values import HOSTILE

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
_TOLD = (
    "My sister Ana moved from Oslo to Lisbon on 3 March 2026, and pays 1,200 euros.",
    "I think that I will start at Initech in two weeks; Bruno told me so.",
    "I do not like mushrooms any more. The exam on Friday is cancelled!",
)
_PHRASES = [
    *_TOLD,
    *("Ana", "Lisbon", "1,200 euros", "sister", "on 3 March 2026", "in two weeks", "residence"),
    *("2026-03-03", "2026-03-03T18:30", "0001-01-01", "9999-12-31T23:59", "2026-02-30", "", " "),
    *(text[:200] for text in HOSTILE),
]
_Read = Callable[[Any], CheckedAnswer[Any]]


@cache
def _session() -> SleepSession:
    conversation = SleepConversation(UUID(int=1), "opus", "chat", "")
    messages = [
        SessionMessage(UUID(int=n), n, USER_ROLE, "Emi", text, NOW - timedelta(hours=9 - n))
        for n, text in enumerate(_TOLD, start=1)
    ]
    return SleepSession(UUID(int=2), conversation, messages)


@cache
def _observations() -> Sequence[Observation]:
    return [
        Observation(
            id=UUID(int=10 + each.seq),
            subject="Emi",
            about="",
            attribute="residence",
            value="Lisbon",
            quotes=[Quote(each.id, UUID(int=1), each.seq, each.occurred_at, each.content)],
        )
        for each in _session().messages
    ]


@cache
def _facts() -> Sequence[KnownFact]:
    return [
        KnownFact(
            id=UUID(int=20 + n),
            key=Key("Emi", "residence"),
            value=value,
            category="home",
            state=FactState.SUSPECTED,
            source=FactSource.STATED,
            confidence=0.5,
            mentions=n,
            several=False,
            first_seen_at=NOW,
            last_seen_at=NOW,
            lifetime_days=90,
        )
        for n, value in enumerate(("Oslo", "Lisbon", "near the river"), start=1)
    ]


def _turns() -> user_model.Turns:
    session = _session()
    return user_model.Turns(session, {each.id: UUID(int=1) for each in session.messages})


def _sources() -> list[trajectory.TrajectorySource]:
    session = _session()
    return [
        trajectory.TrajectorySource(
            each.content, NOW, [MessageWords(each.id, UUID(int=1), each.content, NOW)]
        )
        for each in session.messages
    ]


@cache
def _readers() -> Sequence[tuple[Mapping[str, Any], _Read]]:
    """Return the answer's schema and its reader, by step."""
    session, observed, facts = _session(), _observations(), _facts()
    window = observe.MessageWindow(None, session.messages)
    zone = ZoneInfo("Europe/Zurich")
    shown = [{"o": number, "fact": number} for number in range(1, 40)]
    among = partial(find_events.read_events, session, observed, ["Exam"], zone)
    return [
        (observe._SCHEMA, partial(observe.read_lines, session, window)),
        (
            classify._SCHEMA,
            partial(classify.read_relations, observed, facts, shown[: len(observed)]),
        ),
        (behaviour._SCHEMA, partial(behaviour.read_inferences, observed, shown[: len(observed)])),
        (confirm._SCHEMA, partial(confirm.read_confirmed, facts, shown[: len(facts)])),
        (disputes._SCHEMA, disputes.read_settlement),
        (edges._SCHEMA, partial(edges.read_edges_of, facts, 2)),
        (
            find_people._SCHEMA,
            partial(find_people.read_people, session, observed, shown[: len(observed)]),
        ),
        (find_events._SCHEMA, partial(among, shown[: len(observed)])),
        (user_model._SCHEMA, partial(user_model.read_traits, _turns())),
        (trajectory.SCHEMA, partial(trajectory.read_trajectory_draft, _sources())),
    ]


def read_sleep(data: bytes) -> None:
    """Read an answer to one of the steps: mostly well formed, sometimes arbitrary bytes."""
    step, rest = data[:1], data[1:]
    number = step[0] if step else 0
    schema, read = _readers()[number % len(_readers())]
    if number >= 220:
        content = rest.decode("utf-8", "replace")
    else:
        drawn = structured_inputs.draw(schema, structured_inputs.Source(rest, _PHRASES))
        content = json.dumps(drawn, ensure_ascii=False)
    request = ChatRequest("fuzz", "", "", 100, schema=schema)
    try:
        value = answer_of(request, Reply(finish_reason="stop", _content=[content]), "m").value
    except ChatError:
        return
    checked = read(value)
    assert all(len(each) < 5_000 for each in checked.complaints)
