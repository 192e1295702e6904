"""Step 2, people: the people mentioned in a session, their relations to the subject, and the state of these."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from everword.people.model import PersonMention, RelationStatus
from everword.people.names import relation_core, words_of
from everword.people.writer import meet_people
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Records, is_shown
from everword_compactor.sleep.model import Observation, Quote, SleepSession
from everword_compactor.sleep.people.relations import contradicts
from everword_compactor.sleep.people.words import observation_record, said_of
from everword_compactor.sleep.prompts import find_words
from everword_compactor.sleep.work import (
    PendingWrite,
    SessionStage,
    SessionWork,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-people"
MAX_TOKENS = 2_000
#: Observations that are shown at once.
_MOST = 60
_STATUSES = {"": None, **{each.name.lower(): each for each in RelationStatus}}
_NAMED = re.compile(r"(?<!^)(?<![.!?] )\b[^\W\d_a-zà-ÿ][^\W\d_]+")
_INSTRUCTION = f"""\
The records `observations` are what users said; `o` is the number of one. Name the people whom they speak of: human \
beings with a name, never companies, places, products, animals, or the users and agents themselves.
For each person and each observation that speaks of the person give:
- `o`: the observation's number.
- `name`: the name as it is written there.
- `relation`: who the person is to the user, in one or two English words in lower case, such as `sister`, `colleague`, \
`ex-wife`, where the observation says so; else an empty string.
- `status`: {", ".join(each for each in _STATUSES if each)} where the observation says that the relation began, ended, \
or that the person died; else an empty string.
- `words`: the words that say the relation or the status, copied letter by letter from the quotes; an empty string \
where neither is said.
Answer: {{"people": [...]}}; an empty list is a good answer."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "people": {
            "type": "array",
            "maxItems": 200,
            "items": {
                "type": "object",
                "properties": {
                    "o": {"type": "integer"},
                    "name": {"type": "string", "minLength": 1, "maxLength": 200},
                    "relation": {"type": "string", "maxLength": 40},
                    "status": {"enum": list(_STATUSES)},
                    "words": {"type": "string", "maxLength": 1_000},
                },
                "required": ["o", "name", "relation", "status", "words"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["people"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class FoundPerson:
    """A mention of a person, with its subject."""

    subject: str
    mention: PersonMention


def find_people(tools: StageTools, work: SessionWork) -> SessionWork:
    """Add the people mentioned in a session."""
    assert tools.asking is not None
    session = work.session
    named = [each for each in work.observations if may_name_person(each)]
    found: list[FoundPerson] = []
    for first in range(0, len(named), _MOST):
        shown = named[first : first + _MOST]
        records = {"observations": [observation_record(each, o) for o, each in enumerate(shown, 1)]}
        question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS)
        answers = tools.asking.ask_in_parts(
            question, "observations", partial(read_people, session, shown)
        )
        found += chain.from_iterable(answers)
    by_subject: dict[str, list[PersonMention]] = defaultdict(list)
    for each in found:
        by_subject[each.subject].append(each.mention)
    writes = [_write(subject, by_subject[subject]) for subject in sorted(by_subject)]
    return work.adding(*writes, people_mentioned=len(found))


def may_name_person(observation: Observation) -> bool:
    """Return whether an observation may mention a person by name."""
    return bool(observation.about) or any(
        _NAMED.search(each) for each in (observation.text, *(q.text for q in observation.quotes))
    )


def read_people(
    session: SleepSession, observed: Sequence[Observation], records: Records, answer: Any
) -> CheckedAnswer[list[FoundPerson]]:
    """Return an answer's people with a name in the quotes, and complaints about the others.

    A relation or a status counts only if its words are in a message of the observation.
    """
    retained: list[FoundPerson] = []
    complaints: list[str] = []
    for number, entry in enumerate(answer["people"], start=1):
        name, o = " ".join(entry["name"].split()), entry["o"]
        observation = observed[o - 1] if is_shown("o", o, records) else None
        if observation is None or not _is_named(session, observation, name):
            complaints.append(f"person {number}: observation {o} does not name them so")
            continue
        relation, status = entry["relation"].strip().casefold(), _STATUSES[entry["status"]]
        told = find_words(session, observation, entry["words"]) if relation or status else None
        if (relation or status) and (told is None or contradicts(relation, told.text)):
            complaints.append(
                f"person {number}: the words do not say `{relation or entry['status']}`"
            )
            relation, status = "", None
        retained += _mentions(observation, name, relation, status, told)
    return CheckedAnswer(retained, complaints)


def _is_named(session: SleepSession, observation: Observation, name: str) -> bool:
    """Return whether the observation's messages or its third party have all words of a name that is no speaker's."""
    words = set(words_of(name))
    speakers = {observation.subject, session.conversation.agent, *(m.author for m in session.said)}
    if not words or words in [set(words_of(each)) for each in speakers]:
        return False
    cited = {quote.message_id for quote in observation.quotes}
    texts = [message.content for message in session.said if message.id in cited]
    # "She moved to Rome": the person is named in another message, and was checked against that one.
    return any(words <= set(words_of(text)) for text in (*texts, observation.about))


def _mentions(
    observation: Observation,
    name: str,
    relation: str,
    status: RelationStatus | None,
    told: Quote | None,
) -> list[FoundPerson]:
    """Return a mention for each message of an observation, and one with the relation, if its words are given."""
    details = [observation.text] if observation.about and not observation.hypothesis else []
    mentions = [
        PersonMention(name, said_of(quote), details=details if number == 0 else ())
        for number, quote in enumerate(observation.quotes)
    ]
    if told is not None and (relation_core(relation) or status) and not observation.hypothesis:
        mentions.append(PersonMention(name, said_of(told), relation, status))
    return [FoundPerson(observation.subject, mention) for mention in mentions]


def _write(subject: str, mentions: Sequence[PersonMention]) -> PendingWrite:
    async def run(to: SleepTransaction) -> None:
        await meet_people(to.conn, to.namespace_id, subject, mentions)

    return PendingWrite("add-people", run)


PEOPLE = SessionStage("people", find_people, needs_model=True)
