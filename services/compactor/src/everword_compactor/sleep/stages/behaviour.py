"""Step 3: infers facts from people's behaviour that they do not state. Such facts are marked as inferred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from everword.facts.model import FactSource, Key
from everword.facts.statement import FactStatement
from everword.facts.statement_writer import state_fact
from everword.facts.writer import lock_attribute
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Records, is_shown
from everword_compactor.sleep.checks import unsupported
from everword_compactor.sleep.model import KnownFact, Observation, Profile, Quote
from everword_compactor.sleep.relevance import relevant_facts
from everword_compactor.sleep.stages.evidence import AUDIT, fact_after_statement, pieces_of
from everword_compactor.sleep.stages.fact_lines import is_same
from everword_compactor.sleep.stages.name_attributes import attribute_name
from everword_compactor.sleep.work import (
    PendingWrite,
    SessionStage,
    SessionWork,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-behaviour"
MAX_TOKENS = 3_000
#: Inferred facts, whose wording is to be repeated, and others.
_MOST_INFERRED, _MOST_STATED = 20, 10
_INSTRUCTION = """\
The records `observations` are what was observed of users in a conversation, with the time; `facts` is what is \
known of them, \
`trajectory` where their life is going. Infer what the observations show of a user without the user saying it: habits, \
rhythms, moods, ways of working. Messages at three in the morning may mean a `sleep_rhythm`; one is no habit. Infer \
only what \
at least two observations show, or what one shows clearly. Infer nothing that is stated already, nothing about third \
parties, no diagnosis, no judgement.
For each give `attribute` (a short name in English), `value`, `why` in one sentence, and `because`: the numbers `o` \
of the \
observations that show it. Where the facts hold the same inference, use its attribute and value letter by letter.
Answer: {"inferences": [...]}; an empty list is a good answer."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "inferences": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "properties": {
                    "attribute": {"type": "string", "minLength": 1, "maxLength": 100},
                    "value": {"type": "string", "minLength": 1, "maxLength": 1_000},
                    "why": {"type": "string", "maxLength": 1_000},
                    "because": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 20,
                        "items": {"type": "integer"},
                    },
                },
                "required": ["attribute", "value", "why", "because"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["inferences"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Inference:
    """A fact inferred from observations of a person."""

    key: Key
    value: str
    why: str
    quotes: Sequence[Quote]


def infer_behaviour(tools: StageTools, work: SessionWork) -> SessionWork:
    """Add the facts inferred from the session's observations."""
    assert tools.asking is not None
    own = [each for each in work.observations if not each.about]
    if not own:
        return work
    profile = work.loaded.profile
    records: dict[str, Records] = {
        "observations": [
            {"o": o, "time": each.said_at.isoformat(timespec="minutes"), "text": each.text}
            for o, each in enumerate(own, start=1)
        ],
        "facts": [
            {"attribute": each.key.attribute, "value": each.value} for each in _known(own, profile)
        ],
        "trajectory": [{"summary": work.loaded.trajectory.summary}],
    }
    question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS, ["facts"])
    answers = tools.asking.ask_in_parts(question, "observations", partial(read_inferences, own))
    conversation = work.session.conversation
    for each in chain.from_iterable(answers):
        told = FactStatement(
            each.key,
            each.value,
            FactSource.INFERRED,
            min(quote.said_at for quote in each.quotes),
            pieces_of(each.quotes, each.why),
            agent=conversation.agent,
            is_untrusted=conversation.is_untrusted,
        )
        known = profile.find(told.key, told.value)
        profile = profile.with_fact(fact_after_statement(told, known))
        work = work.adding(_state(told), facts_inferred=1)
    return replace(work, loaded=work.loaded.with_profile(profile))


def _known(own: Sequence[Observation], profile: Profile) -> list[KnownFact]:
    """Return the facts that the model is to repeat or not to infer again, those about the same matter first."""
    texts = [each.text for each in own]
    inferred = [fact for fact in profile.facts if fact.source is FactSource.INFERRED]
    stated = [fact for fact in profile.facts if fact.source is not FactSource.INFERRED]
    return [
        *relevant_facts(inferred, texts, _MOST_INFERRED),
        *relevant_facts(stated, texts, _MOST_STATED),
    ]


def read_inferences(
    own: Sequence[Observation], among: Records, answer: Any
) -> CheckedAnswer[list[Inference]]:
    """Return the inferences that cite observations of one person, and complaints about the others."""
    retained: list[Inference] = []
    complaints: list[str] = []
    for number, entry in enumerate(answer["inferences"], start=1):
        shown = [own[o - 1] for o in entry["because"] if is_shown("o", o, among)]
        attribute, value = attribute_name(entry["attribute"]), " ".join(entry["value"].split())
        if not shown or not attribute or len({each.subject for each in shown}) > 1:
            complaints.append(f"inference {number} rests on no observations of one user")
            continue
        by_seq = {quote.seq: quote for each in shown for quote in each.quotes}
        quotes = [by_seq[seq] for seq in sorted(by_seq)]
        names = [shown[0].subject]
        wrong = unsupported(value, quotes, (), [*names, *(each.text for each in shown)])
        if wrong:
            complaints.append(f"inference {number} is not borne out: {', '.join(wrong)[:300]}")
            continue
        key = Key(shown[0].subject, attribute)
        if any(each.key == key or is_same(each.value, value) for each in own):
            continue  # it is stated: that says more
        retained.append(Inference(key, value, " ".join(entry["why"].split()), quotes))
    return CheckedAnswer(retained, complaints)


def observation_record(observation: Observation, number: int) -> dict[str, Any]:
    """Return the record of an observation for a model, which cites it by `o`."""
    record = {
        "o": number,
        "of": observation.subject,
        "time": observation.said_at.strftime("%Y-%m-%d %H:%M"),
        "text": observation.text,
        "attribute": observation.key.attribute,
        "value": observation.value,
        "guess": observation.hypothesis,
    }
    return {name: value for name, value in record.items() if value not in ("", False)}


def _state(statement: FactStatement) -> PendingWrite:
    async def state(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, statement.key)
        await state_fact(to.conn, to.settings, locked, statement, AUDIT)

    return PendingWrite("state-inferred", state, [statement.key])


BEHAVIOUR = SessionStage("behaviour", infer_behaviour, needs_model=True)
