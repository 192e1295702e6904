"""Step 2: the facts that people state in a session, as lines of a model, each with the sentence that states it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from everword.chat.errors import BadAnswer, ChatRefused, InputTooLong
from everword.domain.ids import new_id
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Questioner
from everword_compactor.sleep.checks import unsupported
from everword_compactor.sleep.model import Observation, Quote, SessionMessage, SleepSession
from everword_compactor.sleep.prompts import cut_text, halve_messages
from everword_compactor.sleep.stages.attribute_rules import is_lasting, is_supported
from everword_compactor.sleep.stages.fact_lines import (
    StatedFact,
    find_statement,
    is_same,
    parse_line,
    split_sentences,
)
from everword_compactor.sleep.stages.line_repairs import FactLine
from everword_compactor.sleep.stages.name_attributes import attribute_name
from everword_compactor.sleep.stages.sentence_rules import (
    is_living,
    is_open_question,
    names_any,
    relation_words,
)
from everword_compactor.sleep.work import SessionStage, SessionWork, StageTools

log = logging.getLogger(__name__)
TASK = "sleep-observe"
MAX_TOKENS = 500
#: Lines of one answer; a window with as many facts is asked about in halves as well.
MOST_LINES = 10
#: Characters of a message that is shown to understand the next one; its end counts most.
_BEFORE_CHARS = 300
#: A sentence of fewer words is a greeting or the like. Languages without spaces have long words.
_LEAST_WORDS = 3
#: A longer sentence is quoted in part.
_QUOTE_CHARS = 400
_INSTRUCTION = """\
List the facts that the user tells in `user` about the user's life, or about people and animals the user knows. Each \
fact is one short line, at most 8: who | attribute | value. `who` is "user", or the other's name. Copy the value from \
the message in few words. `before` only helps to understand. List what is still true next month, and how the user \
wants answers; leave out what passes (today's meal, weather, mood, delays), questions, thanks. Put ? behind the value \
of a guess, a wish, a condition, or a text that is only quoted or translated.
Attributes: name, age, birthday, residence, job, employer, education, partner, child, sister, brother, mother, \
father, friend, colleague, doctor, pet, diet, allergy, condition, medication, like, dislike, hobby, vehicle, owns, \
tool, project, budget, goal, event, habit, instruction.

{"before":"How was the move?","user":"Sorry, my bus was late. We moved from Bonn to Porto in May, my wife Lea and I. \
My sister Rita is a dentist and turns 34 on June 2. Her dog Max loves me."}
{"facts": ["user | residence | Porto", "user | former residence | Bonn", "user | partner | Lea", "user | sister | \
Rita", "Rita | job | dentist", "Rita | birthday | June 2", "Rita | pet | Max"]}
{"before":"Did you like it?","user":"Lovely soup. But I don't eat pork, and I've had epilepsy since school. I coach \
tennis for a living and paint on Sundays. Maybe I'll learn to sail. Please give weights in grams."}
{"facts": ["user | diet | no pork", "user | condition | epilepsy", "user | job | tennis coach", "user | hobby | paint \
on Sundays", "user | goal | learn to sail ?", "user | instruction | give weights in grams"]}
{"before":"Anything else?","user":"Great, thank you! It rains again and I'm late. What is on TV?"}
{"facts": []}"""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": MOST_LINES,
            "items": {"type": "string", "minLength": 5, "maxLength": 120},
        },
    },
    "required": ["facts"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class MessageWindow:
    """A user's message with what precedes it, as a model sees it.

    With two user messages at once, a model of 1.5B parameters found a third fewer facts, and mixed up people.
    """

    #: The message before `messages`, which a model may need to understand them.
    before: SessionMessage | None
    #: The agent's message before the user's, if any, and the user's.
    messages: Sequence[SessionMessage]

    @property
    def said(self) -> Sequence[SessionMessage]:
        return [message for message in self.messages if message.is_said]

    @property
    def shown(self) -> Sequence[SessionMessage]:
        """All messages that a model sees."""
        return [self.before, *self.messages] if self.before else self.messages

    @property
    def text(self) -> str:
        return "\n".join(message.content for message in self.shown)

    @property
    def agent_text(self) -> str:
        return "\n".join(message.content for message in self.shown if not message.is_said)


def observe(tools: StageTools, work: SessionWork) -> SessionWork:
    """Add the observations of a session.

    A window without a usable answer is skipped. Raises its error if there is no usable answer at all.
    """
    assert tools.asking is not None
    session = work.session
    found: list[Observation] = []
    failure: Exception | None = None
    answered = False
    for window in filter(may_state_fact, windows(session)):
        if answered and tools.asking.is_out_of_time:
            work = work.failing(f"observe: not read from message {window.messages[-1].seq} on")
            break
        try:
            found += _ask(tools.asking, session, window)
            answered = True
        except (BadAnswer, ChatRefused, InputTooLong) as error:
            log.warning("window skipped", exc_info=error, extra={"session_id": str(session.id)})
            failure = error
    if failure is not None:
        if not answered:
            raise failure
        work = work.failing(f"observe: {type(failure).__name__}: {failure}")
    work = replace(work, observations=_joined(found))
    return work.adding(observations=len(work.observations))


def _ask(asking: Questioner, session: SleepSession, window: MessageWindow) -> list[Observation]:
    question = ModelQuestion(
        TASK, _INSTRUCTION, {"message": [_record(window)]}, _SCHEMA, MAX_TOKENS
    )
    answers = asking.ask_in_parts(
        question,
        "message",
        lambda _, answer: read_lines(session, window, answer),
        partial(halve_messages, name="user"),
    )
    return list(chain.from_iterable(answers))


def windows(session: SleepSession) -> Iterator[MessageWindow]:
    """Yield a window for each user message of a session."""
    earlier: list[SessionMessage] = []
    for message in session.shown:
        if message.is_said:
            near, batch = earlier[-2:], [message]
            if near and not near[-1].is_said:
                batch.insert(0, near.pop())
            yield MessageWindow(near[-1] if near else None, batch)
        earlier.append(message)


def may_state_fact(window: MessageWindow) -> bool:
    """Return whether a user's sentence is more than a question or a few words; those may answer an agent's question."""
    if "?" in window.agent_text:
        return True
    sentences = [each for message in window.said for each in split_sentences(message.content)]
    return any(
        (len(each.split()) >= _LEAST_WORDS or not each.isascii()) and not is_open_question(each)
        for each in sentences
    )


def _record(window: MessageWindow) -> dict[str, Any]:
    """Return a window as a model sees it: the user's message, and the message before it without its author.

    A small model that sees an agent's name, or the word, gives it the user's facts.
    """
    before = window.messages[0] if len(window.messages) > 1 else window.before
    record = {"user": window.messages[-1].content}
    if before is None:
        return record
    text = before.content
    return {"before": cut_text(text, _BEFORE_CHARS, len(text)), **record}


def read_lines(
    session: SleepSession, window: MessageWindow, answer: Any
) -> CheckedAnswer[list[Observation]]:
    """Return the observations of an answer's lines; lines that no user's message states are dropped."""
    found: list[Observation] = []
    for written in answer["facts"]:
        line = parse_line(written)
        observation = _observation(session, window, line) if line else None
        if observation is not None and not _is_repeated(observation, found):
            found.append(observation)
    return CheckedAnswer(found, is_full=len(found) >= MOST_LINES)


def _is_repeated(observation: Observation, earlier: Sequence[Observation]) -> bool:
    """Return whether an earlier line says the same, or makes the third party of this one a thing.

    After `user | vehicle | Corsa`, a line `Corsa | price | 1,900` is about no person.
    """
    about, value = observation.about.casefold(), observation.value.casefold()
    return any(
        (each.about.casefold() == about and each.value.casefold() == value)
        or (each.key == observation.key and is_same(each.value, observation.value))
        or (each.value.casefold() == about and not is_living(each.attribute))
        for each in earlier
    )


def _find(session: SleepSession, window: MessageWindow, line: FactLine) -> StatedFact | None:
    """Return a line with the sentence that states it. Users of a group are meant by their names."""
    said = window.said
    if line.about:
        own = [each for each in said if line.about.casefold() in _names(session, each)]
        if own:
            said, line = own, replace(line, about="")
        elif line.about.casefold() == session.conversation.agent.casefold():
            return None
    stated = find_statement(line, said, window.agent_text, window.text)
    relation = relation_words(line.attribute)
    if stated or not relation or window.before is None or not window.before.is_said:
        return stated
    # Models often name a relative of the message before only now.
    earlier = find_statement(line, [window.before], "", window.text)
    return earlier if earlier and names_any(relation, earlier.sentence) else None


def _observation(
    session: SleepSession, window: MessageWindow, line: FactLine
) -> Observation | None:
    stated = _find(session, window, line)
    attribute = _attribute(stated.line.attribute) if stated else ""
    if stated is None or not attribute:
        return None
    if not is_supported(attribute, stated.line.value, stated.sentence, window.agent_text):
        return None
    message, line = stated.message, stated.line
    text = cut_text(stated.sentence, _QUOTE_CHARS, stated.place)
    quote = Quote(message.id, session.conversation.id, message.seq, message.occurred_at, text)
    names = [session.subject_of(message), message.author]
    if unsupported(line.value, [quote], window.shown, names):
        return None
    return Observation(
        id=new_id(),
        subject=session.subject_of(message),
        about=line.about,
        attribute=attribute,
        value=line.value,
        quotes=[quote],
        hypothesis=line.is_guess
        or not is_lasting(attribute, line.value, line.about, stated.sentence),
    )


def _attribute(written: str) -> str:
    """Return the canonical name of an attribute, also of an earlier value: `former_residence`."""
    name = attribute_name(written)
    former = name.partition("former_")[2] or name.partition("previous_")[2]
    return f"former_{attribute_name(former)}" if former else name


def _names(session: SleepSession, message: SessionMessage) -> set[str]:
    return {session.subject_of(message).casefold(), message.author.casefold()} - {""}


def _joined(observations: Sequence[Observation]) -> list[Observation]:
    """Return observations without repetitions, each with all its quotes."""
    joined: dict[tuple[str, ...], Observation] = {}
    for each in observations:
        same = (each.subject, each.about, each.attribute, each.value.casefold())
        known = joined.get(same)
        if known is None:
            joined[same] = each
            continue
        quotes = {quote.seq: quote for quote in (*each.quotes, *known.quotes)}
        joined[same] = replace(
            known,
            quotes=[quotes[seq] for seq in sorted(quotes)],
            hypothesis=known.hypothesis and each.hypothesis,
        )
    ended = {
        (each.subject, each.about, each.attribute.removeprefix("former_"), each.value.casefold())
        for each in observations
        if each.attribute.startswith("former_")
    }
    # "I take propranolol" … "They took me off propranolol" in one session: only the latter is so at its end.
    return [each for same, each in joined.items() if same not in ended]


OBSERVE = SessionStage("observe", observe, needs_model=True, is_essential=True)
