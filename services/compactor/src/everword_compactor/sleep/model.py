"""The values of Sleep: sessions, the observations in them, and the known facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from uuid import UUID

from everword.facts.model import FactSource, FactState, Key, value_hash
from everword.text.attribution import mark_pasted

USER_ROLE, ASSISTANT_ROLE, TOOL_ROLE = 2, 3, 4
#: Replaces pasted text.
PASTED = "[pasted text left out]"
#: Whom facts are about where neither the conversation nor the message says.
USER = "user"
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class SleepConversation:
    """A conversation, as Sleep sees it."""

    id: UUID
    agent: str
    channel: str
    #: The conversation's subject; empty if it has none.
    subject: str
    #: True if strangers may write in its channel.
    is_untrusted: bool = False


@dataclass(frozen=True)
class SessionMessage:
    """A message of a session, whole."""

    id: UUID
    seq: int
    role: int
    author: str
    content: str
    occurred_at: datetime
    tool_name: str = ""
    #: Sent by a program, such as a heartbeat: it is in the session's span, and counts for nothing.
    automated: bool = False

    @property
    def is_said(self) -> bool:
        """Return whether a person wrote it."""
        words = bool(self.content.strip())
        return self.role == USER_ROLE and not self.automated and not self.tool_name and words

    def own(self, *names: str) -> SessionMessage:
        """Return a user's message with its pasted text replaced by `PASTED`.

        `names` are further names of the author.
        """
        if self.role != USER_ROLE:
            return self
        content = mark_pasted(self.content, PASTED, (self.author, *names))
        return self if content == self.content else replace(self, content=content)

    @property
    def is_shown(self) -> bool:
        """Return whether it is shown to models: words of people and agents, without tools and programs."""
        spoken = self.role in (USER_ROLE, ASSISTANT_ROLE) and not self.tool_name
        return spoken and not self.automated and bool(self.content.strip())


@dataclass(frozen=True)
class SleepSession:
    """A finished run of messages of one conversation, without a long pause in it."""

    id: UUID
    conversation: SleepConversation
    #: In their order; at least one.
    messages: Sequence[SessionMessage]
    #: By author, how the subject is spelled that they are.
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def first_seq(self) -> int:
        return self.messages[0].seq

    @property
    def last_seq(self) -> int:
        return self.messages[-1].seq

    @cached_property
    def said(self) -> Sequence[SessionMessage]:
        """The messages that people wrote."""
        return [message for message in self.messages if message.is_said]

    @cached_property
    def shown(self) -> Sequence[SessionMessage]:
        """The messages shown to models."""
        return [message for message in self.messages if message.is_shown]

    @property
    def started_at(self) -> datetime:
        return min(message.occurred_at for message in self.messages)

    @property
    def ended_at(self) -> datetime:
        return max(message.occurred_at for message in self.messages)

    def subject_of(self, message: SessionMessage) -> str:
        """Return the subject of statements that a message's author makes about themselves."""
        author = self.spellings.get(message.author, message.author)
        return self.conversation.subject or author or USER


@dataclass(frozen=True)
class Quote:
    """Words of a message, letter by letter."""

    message_id: UUID
    conversation_id: UUID
    seq: int
    said_at: datetime
    text: str


@dataclass(frozen=True)
class Observation:
    """A fact that people state in a session."""

    id: UUID
    #: The subject that has the fact; for a fact about a third party, the speaker.
    subject: str
    #: The third party of the statement, such as `Rita` or `brother`; empty for a statement about `subject`.
    about: str
    attribute: str
    value: str
    #: At least one, in the order of the messages.
    quotes: Sequence[Quote]
    #: True for a guess, a wish or a condition.
    hypothesis: bool = False

    @property
    def text(self) -> str:
        """The words that state it."""
        return " ".join(quote.text for quote in self.quotes)

    @property
    def said_at(self) -> datetime:
        """When it was said last."""
        return max(quote.said_at for quote in self.quotes)

    @property
    def key(self) -> Key:
        """The key of its fact: `rita_job` is Rita's job."""
        owner = "_".join(_WORD.findall(self.about.casefold()))
        return Key(self.subject, f"{owner}_{self.attribute}" if owner else self.attribute)


@dataclass(frozen=True)
class KnownFact:
    """A fact of the profile, as of the start of the work, or as it will be after the pending writes."""

    #: None while the fact is pending.
    id: UUID | None
    key: Key
    value: str
    category: str
    state: FactState
    source: FactSource
    confidence: float
    #: Pieces of evidence for it.
    mentions: int
    several: bool
    first_seen_at: datetime
    last_seen_at: datetime
    lifetime_days: int
    #: True if a person confirmed it.
    is_ruled: bool = False
    hypothesis: bool = False
    #: True if the trajectory has it as an anchor.
    is_anchor: bool = False

    @property
    def text(self) -> str:
        return f"{self.key.attribute}: {self.value}"


@dataclass(frozen=True)
class Profile:
    """The facts of one or several subjects, without superseded ones."""

    facts: Sequence[KnownFact] = ()

    def of_key(self, key: Key) -> Sequence[KnownFact]:
        return [fact for fact in self.facts if fact.key == key]

    def find(self, key: Key, value: str) -> KnownFact | None:
        """Return the fact of a value, if it holds."""
        requested = value_hash(value)
        return next(
            (each for each in self.of_key(key) if value_hash(each.value) == requested), None
        )

    def with_fact(self, fact: KnownFact, without: Sequence[KnownFact] = ()) -> Profile:
        """Return the profile with a fact, in the place of others or of its older form."""
        gone = {(each.key, value_hash(each.value)) for each in (fact, *without)}
        retained = [each for each in self.facts if (each.key, value_hash(each.value)) not in gone]
        return Profile([*retained, fact])

    def without_fact(self, fact: KnownFact) -> Profile:
        requested = (fact.key, value_hash(fact.value))
        return Profile([f for f in self.facts if (f.key, value_hash(f.value)) != requested])


@dataclass(frozen=True)
class Trajectory:
    """The direction of a life, as of the latest trajectory; empty if there is none."""

    summary: str = ""
    #: The anchors of that life, as attributes or words.
    anchors: Sequence[str] = ()
    #: When it was summed up.
    made_at: datetime | None = None


@dataclass(frozen=True)
class SleepInputs:
    """The data read at the start."""

    profile: Profile = field(default_factory=Profile)
    trajectory: Trajectory = field(default_factory=Trajectory)
    #: Names of topics that sessions had, the latest first.
    known_topics: Sequence[str] = ()
    time_zone: str = "UTC"

    def with_profile(self, profile: Profile) -> SleepInputs:
        return replace(self, profile=profile)


@dataclass(frozen=True)
class SessionRow:
    """A session whose findings are stored, as the closing stages see it."""

    id: UUID
    conversation_id: UUID
    #: Whom its facts are about.
    subject: str
    first_seq: int
    last_seq: int
    started_at: datetime
    ended_at: datetime
    topics: Sequence[str]
