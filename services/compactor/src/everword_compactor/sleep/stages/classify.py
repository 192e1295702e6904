"""Step 4: compares each observation with the known facts. It supports a fact, contradicts one, or is new.

Equal values are support by rule, and `former residence: Bonn` ends `residence: Bonn`; a model decides on the rest.
Observations that a model omits become new facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

from everword.facts.attributes import find_attribute
from everword.facts.model import Key
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Records, is_shown
from everword_compactor.sleep.model import KnownFact, Observation, Profile
from everword_compactor.sleep.prompts import fact_record
from everword_compactor.sleep.relevance import relevant_facts
from everword_compactor.sleep.stages import integrate
from everword_compactor.sleep.stages.behaviour import observation_record
from everword_compactor.sleep.stages.evidence import fact_after_statement, fact_statement_of
from everword_compactor.sleep.work import SessionStage, SessionWork, StageTools

TASK = "sleep-classify"
MAX_TOKENS = 2_000
#: Facts shown to a model in addition to those of the observed attributes.
_MOST_FACTS = 25
#: Observations that one request is about.
_BATCH = 20
#: Attributes of earlier values, such as `former_residence`.
_FORMER = ("former_", "previous_")
#: Beginnings of names of unknown attributes with one value at a time.
_ONE_OF = ("favourite_", "favorite_", "current_", "number_of_", "main_")


class ObservationRelation(Enum):
    """The relation of an observation to a fact."""

    SUPPORT = "support"
    #: The observation contradicts the fact, since then or all along: a dispute.
    CONTRADICT = "contradict"
    #: The observation says itself that things have changed.
    REPLACE = "replace"
    #: The fact holds no more, and nothing is said to hold instead.
    END = "end"
    #: The fact never held: it was said by mistake.
    CORRECT = "correct"
    #: It weakens the fact, without anything in its place.
    AGAINST = "against"
    NEW = "new"
    NONE = "none"


_NEEDS_FACT = {*ObservationRelation} - {ObservationRelation.NEW, ObservationRelation.NONE}
_INSTRUCTION = """\
The records `observations` were made in a conversation; `facts` is what is known so far. Say for each observation \
`o` what \
it is to the facts:
- `support`: it says what fact `fact` says, in whatever words.
- `contradict`: it and fact `fact` cannot both hold, and it does not say what happened.
- `replace`: it says that something changed since fact `fact` was said, such as a move, a new job, a rise.
- `end`: it says that fact `fact` holds no more, and nothing of what holds instead.
- `correct`: it says that fact `fact` was a mistake from the beginning.
- `against`: it makes fact `fact` less likely, and says nothing that could stand in its place.
- `new`: no fact is about the same.
- `none`: it is no lasting fact about anybody.
Facts are of the same person as the observation. Two values that can hold side by side, such as two hobbies, do not \
contradict each other: that is `new`. A guess supports or weakens, and replaces nothing.
Answer: {"relations": [{"o": 1, "relation": "...", "fact": 2}]}; `fact` is 0 where there is none."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "maxItems": 200,
            "items": {
                "type": "object",
                "properties": {
                    "o": {"type": "integer"},
                    "relation": {"enum": [relation.value for relation in ObservationRelation]},
                    "fact": {"type": "integer"},
                },
                "required": ["o", "relation", "fact"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["relations"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Classified:
    """An observation, and its relation to a known fact."""

    observation: Observation
    relation: ObservationRelation
    fact: KnownFact | None = None


def classify(tools: StageTools, work: SessionWork) -> SessionWork:
    """Turn the session's observations into writes of facts."""
    observed = work.observations
    for start in range(0, len(observed), _BATCH):
        for each in relations(tools, observed[start : start + _BATCH], work.loaded.profile):
            work = _integrated(work, each)
    return work


def relations(
    tools: StageTools, observations: Sequence[Observation], profile: Profile
) -> list[Classified]:
    """Return the relations of observations to a profile, by rule if the values are equal, otherwise by a model."""
    found: dict[int, Classified] = {}
    for place, each in enumerate(observations):
        if (known := profile.find(each.key, each.value)) is not None:
            found[place] = Classified(each, ObservationRelation.SUPPORT, known)
        elif (ended := _ended_fact(each, profile)) is not None:
            found[place] = Classified(each, ObservationRelation.END, ended)
    open_places = [place for place in range(len(observations)) if place not in found]
    facts = _related_facts([observations[place] for place in open_places], profile)
    if facts and open_places and tools.asking is not None:
        asked = [observations[place] for place in open_places]
        records = {
            "observations": [observation_record(each, o) for o, each in enumerate(asked, 1)],
            "facts": [fact_record(each, number) for number, each in enumerate(facts, 1)],
        }
        question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS, ["facts"])
        check = partial(read_relations, asked, facts)
        for answered in tools.asking.ask_in_parts(question, "observations", check):
            found.update({open_places[o]: each for o, each in answered.items()})
    return [
        found.get(place) or Classified(each, ObservationRelation.NEW)
        for place, each in enumerate(observations)
    ]


def _ended_fact(observation: Observation, profile: Profile) -> KnownFact | None:
    """Return the fact that an observation of an earlier value ends; None if it is no such observation."""
    attribute = observation.key.attribute
    for former in _FORMER:
        if former in attribute and not observation.hypothesis:
            key = Key(observation.subject, attribute.replace(former, "", 1))
            return profile.find(key, observation.value)
    return None


def read_relations(
    asked: Sequence[Observation], facts: Sequence[KnownFact], records: Records, answer: Any
) -> CheckedAnswer[dict[int, Classified]]:
    """Return the relations of an answer, by position of the observation, and complaints about the rest."""
    found: dict[int, Classified] = {}
    complaints: list[str] = []
    for entry in answer["relations"]:
        o, relation = entry["o"], ObservationRelation(entry["relation"])
        if not is_shown("o", o, records):
            complaints.append(f"there is no observation {o}")
            continue
        observation = asked[o - 1]
        fact = facts[entry["fact"] - 1] if 1 <= entry["fact"] <= len(facts) else None
        if relation in _NEEDS_FACT and (fact is None or fact.key.subject != observation.subject):
            complaints.append(f"observation {o}: fact {entry['fact']} is none of that person's")
            continue
        found.setdefault(o - 1, Classified(observation, relation, fact))
    return CheckedAnswer(found, complaints)


def _related_facts(observations: Sequence[Observation], profile: Profile) -> list[KnownFact]:
    """Return the facts of those observed: first those of the same attributes, then those with the same words."""
    subjects = {each.subject for each in observations}
    keys = {each.key for each in observations}
    own = [fact for fact in profile.facts if fact.key.subject in subjects]
    first = [fact for fact in own if fact.key in keys]
    others = [fact for fact in own if fact.key not in keys]
    texts = [
        f"{each.text} {each.attribute.replace('_', ' ')} {each.value}" for each in observations
    ]
    return [*first, *relevant_facts(others, texts, max(0, _MOST_FACTS - len(first)))]


def _integrated(work: SessionWork, found: Classified) -> SessionWork:
    """Return the work with the write of one observation, and the profile as it will be."""
    observation, fact, relation = found.observation, found.fact, found.relation
    conversation, profile = work.session.conversation, work.loaded.profile
    if relation is ObservationRelation.NONE:
        return work
    if relation is ObservationRelation.NEW or fact is None:
        told = fact_statement_of(observation.key, observation.value, observation, conversation)
        told = replace(told, several=_has_several(observation, profile))
        profile = profile.with_fact(fact_after_statement(told))
        work = work.adding(integrate.state(told), facts_new=1)
    elif relation is ObservationRelation.SUPPORT:
        told = fact_statement_of(fact.key, fact.value, observation, conversation)
        profile = profile.with_fact(fact_after_statement(told, fact))
        work = work.adding(integrate.state(told), facts_supported=1)
    elif relation is ObservationRelation.AGAINST:
        told = fact_statement_of(fact.key, fact.value, observation, conversation)
        work = work.adding(integrate.doubt(told, fact.value), facts_doubted=1)
    elif relation is ObservationRelation.END:
        told = fact_statement_of(fact.key, fact.value, observation, conversation)
        profile = profile.without_fact(fact)
        work = work.adding(integrate.retract(told), facts_ended=1)
    else:
        work, profile = _in_place_of(work, found, fact)
    return replace(work, loaded=work.loaded.with_profile(profile))


def _in_place_of(
    work: SessionWork, found: Classified, fact: KnownFact
) -> tuple[SessionWork, Profile]:
    """Return the work with a new fact that takes the place of another one, or stands against it."""
    observation, conversation = found.observation, work.session.conversation
    profile = work.loaded.profile
    told = fact_statement_of(fact.key, observation.value, observation, conversation)
    # If an attribute has several values, a new one replaces only the one that the model names.
    others = len(profile.of_key(fact.key)) > 1 and not _is_single(fact.key.attribute)
    has_several = fact.several or others
    told = replace(told, several=has_several or None)
    # A guess does not replace a fact, nor does a statement older than the fact's latest evidence.
    takes_place = not observation.hypothesis and observation.said_at >= fact.last_seen_at
    profile = profile.with_fact(fact_after_statement(told), [fact] if takes_place else [])
    if found.relation is ObservationRelation.CORRECT:
        return work.adding(integrate.correct(told, fact.value), facts_corrected=1), profile
    if found.relation is ObservationRelation.REPLACE:
        work = work.adding(integrate.state(told), facts_replaced=1)
        if takes_place and has_several:
            work = work.adding(integrate.retract(replace(told, value=fact.value)))
        return work, profile
    write = integrate.contradict(told, fact.value)
    return work.adding(write, facts_contradicted=1), profile


def _has_several(observation: Observation, profile: Profile) -> bool | None:
    """Return True if a new value leaves others valid; None to follow the attribute's definition.

    A known attribute of a third party, such as `rita_like`, is as that of the subject. A second value of an unknown
    attribute, such as `sport`, does not replace the first one, unless the model says so.
    """
    attribute = observation.attribute
    if find_attribute(attribute).several or attribute.startswith(_FORMER):
        return True
    return True if profile.of_key(observation.key) and not _is_single(attribute) else None


def _is_single(attribute: str) -> bool:
    """Return whether an attribute is known to have one value at a time, such as `residence`."""
    known = find_attribute(attribute)
    return not known.several and (known.category != "general" or attribute.startswith(_ONE_OF))


CLASSIFY = SessionStage("classify", classify)
