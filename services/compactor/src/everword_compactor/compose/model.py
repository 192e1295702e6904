"""The sources of a node of the summary DAG, and the composition made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum
from typing import Protocol
from uuid import UUID

from everword.domain.times import write_minute
from everword.domain.trust import LEFT_OUT, TrustPolicy
from everword.text.credentials import mask_credentials
from everword.text.instructions import contains_model_instructions
from everword_compactor.outcomes.sentence import Call, describe_call


class Level(IntEnum):
    """Levels of the summary DAG. Values equal proto `SummaryLevel`."""

    LEAF = 1
    BRANCH = 2
    ROOT = 3
    DAY = 4
    WEEK = 5
    MONTH = 6
    YEAR = 7
    #: Written down on purpose; never consolidated.
    SIGNIFICANT = 8

    @property
    def of_calendar(self) -> bool:
        return self in {Level.DAY, Level.WEEK, Level.MONTH, Level.YEAR}


#: The most tokens that a node says, where a model writes it: RivetOS's 7k, 14k and 20k, and less along the calendar.
BUDGET_TOKENS = {
    Level.LEAF: 7_000,
    Level.BRANCH: 14_000,
    Level.ROOT: 20_000,
    Level.DAY: 2_000,
    Level.WEEK: 2_000,
    Level.MONTH: 2_000,
    Level.YEAR: 2_000,
}
#: How a node says that no model wrote it.
EXTRACTIVE = "extractive"
#: Version of the way in which sentences are chosen; a node with a lower one is rewritten.
EXTRACTIVE_VERSION = 4

#: A longer message of an assistant is a lecture: it explains and advises, and decides little.
LECTURE_CHARS = 600


@dataclass(frozen=True)
class Source:
    """One message or node that a node is made from."""

    id: UUID
    #: Level of the node; messages have 0.
    level: int
    #: Its whole text: of a message everything that can be read in it, of a node its content.
    text: str
    earliest_at: datetime
    latest_at: datetime
    #: Messages under it; 1 for a message.
    message_count: int
    conversation_id: UUID | None = None
    agent: str = ""
    channel: str = ""
    #: Role of a message; values equal proto `Role`.
    role: int = 0
    author: str = ""
    instance: str = ""
    #: Vectors of its passages, if any: unit length, all of one model generation.
    vectors: Sequence[Sequence[float]] = field(default=(), repr=False)
    #: True for a message that its metadata protects: its text is part of its leaf, word for word.
    protected: bool = False
    #: The call of a message that calls a tool, and its other words.
    call: Call | None = None
    words: str = ""

    @property
    def readable_text(self) -> str:
        """Return what people read of it: of a tool call its words and a sentence, in place of arguments and result."""
        if self.call is None:
            return self.text
        return "\n".join(part for part in (self.words, describe_call(self.call)) if part)

    @property
    def evidence(self) -> str:
        """Return the text that supports statements: its content, and the counts in its sentence."""
        return self.text if self.call is None else f"{self.text}\n{self.readable_text}"


def message_text(words: str, call: Call | None) -> str:
    """Return all that can be read in a message; whole, where the index has only the beginning of a long result."""
    return "\n".join(part for part in (words, call.text if call else "") if part)


def masked(sources: Sequence[Source], heartbeat: Callable[[], None]) -> list[Source]:
    """Return sources without credentials, so that nodes made of them contain none."""
    result = []
    for source in sources:
        heartbeat()
        if source.call is None:
            result.append(replace(source, text=mask_credentials(source.text)))
            continue
        words, call = mask_credentials(source.words), source.call.masked()
        text = message_text(words, call)
        result.append(replace(source, text=text, words=words, call=call))
    return result


def without_orders(
    sources: Sequence[Source], trust: TrustPolicy, heartbeat: Callable[[], None]
) -> list[Source]:
    """Return sources without untrusted text that addresses models, because a summary does not name its origin."""
    result = []
    for source in sources:
        heartbeat()
        tool = source.call.name if source.call else ""
        if (
            source.level == 0
            and trust.is_untrusted(source.channel, source.role, tool)
            and contains_model_instructions(source.text)
        ):
            source = replace(source, text=LEFT_OUT, words=LEFT_OUT, call=None, vectors=())
        result.append(source)
    return result


@dataclass(frozen=True)
class Voice:
    """Whose memories the nodes of a namespace are, and the names of the people in them."""

    #: The persona's identity, given to the model with every call; nodes are in the third person if empty.
    identity: str = ""
    #: How the user is called, and referred to, such as `she/her`.
    user_name: str = ""
    pronouns: str = ""
    #: Facts about channels, by the channel's name.
    channel_instructions: Mapping[str, str] = field(default_factory=dict)
    #: Names of people, by their handles.
    handles: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """Return texts of a writer's prompt whose names a node may repeat."""
        return [self.identity, self.user_name, self.pronouns, *self.handles.values()]

    def instructions(self, channels: Iterable[str]) -> str:
        """Return the facts about these channels, a line each."""
        known = sorted(set(channels) & set(self.channel_instructions))
        return "\n".join(f"{channel}: {self.channel_instructions[channel]}" for channel in known)


@dataclass(frozen=True)
class Draft:
    """A node that is to be written."""

    level: Level
    #: In the order in which they happened; never empty.
    sources: Sequence[Source]
    #: Title of the node: the conversation's, or the period such as `2026-W16`.
    title: str
    #: The offset-aware clock that its times are shown on: `UTC` along a conversation, the namespace's zone otherwise.
    time_zone: str = "UTC"
    conversation_id: UUID | None = None
    agent: str = ""
    channel: str = ""
    instance: str = ""
    voice: Voice = Voice()
    #: The voice's facts about the channels of the messages.
    instructions: str = ""

    @property
    def message_count(self) -> int:
        return sum(source.message_count for source in self.sources)

    @property
    def earliest_at(self) -> datetime:
        return min(source.earliest_at for source in self.sources)

    @property
    def latest_at(self) -> datetime:
        return max(source.latest_at for source in self.sources)


@dataclass(frozen=True)
class Faithfulness:
    """A measure of a node's words against its sources."""

    #: Values of the node that no source holds, clauses that the sources contradict, and sentences that one ordered; at
    #: most 50.
    unsupported: Sequence[str]
    #: Tags `[chat:…]` or `[via:…]` that name no source, and bullets without a required tag.
    wrong_tags: Sequence[str]
    #: Share of the sources that the node says something of, from 0 to 1.
    source_coverage: float
    #: Share of the identifiers of the sources in the node, from 0 to 1; 1 without identifiers.
    identifier_coverage: float
    #: Share of the numbers, dates and times of the sources in the node, from 0 to 1; 1 without any.
    number_coverage: float = 1.0
    #: Share of the decisions, tasks, causes and corrections of the sources in the node, from 0 to 1; 1 without any.
    decision_coverage: float = 1.0
    #: True if the node says too little of its sources, although it was made longer.
    incomplete: bool = False
    #: Omissions of a model's node, if they are too many for it to replace its sources: identifiers, and beginnings of
    #: sources.
    left_out: Sequence[str] = ()
    #: True if a language model's texts were refused, so that the node consists of sentences of its sources.
    extractive: bool = False

    @property
    def faithful(self) -> bool:
        """Return whether the node is trusted to replace its sources."""
        return not self.unsupported and not self.wrong_tags and not self.left_out


@dataclass(frozen=True)
class Composition:
    """The words of a node."""

    content: str
    model: str
    prompt_version: int
    faithfulness: Faithfulness
    #: Tokens of the content, as the model counts them, or as they are estimated.
    token_count: int

    @property
    def needs_review(self) -> bool:
        return not self.faithfulness.faithful


class Composer(Protocol):
    """Writes nodes."""

    #: The model's name, or `extractive`.
    model: str

    def prompt_version(self, level: Level) -> int:
        """Return the version of the prompt of this level; a node with a lower one is outdated."""

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        """Return the composed node. Calls `heartbeat` now and then; its exceptions end the work.

        Raises everword.chat.errors.ChatError if no model gives a usable answer, without partial results.
        """


def plain_line(source: Source) -> str:
    """Return a source as it is, with its time and speaker; a node is such lines already."""
    if source.level:
        return source.text
    who = source.author or source.agent
    return f"- [{write_minute(source.earliest_at)}{' ' if who else ''}{who}] {source.text}"
