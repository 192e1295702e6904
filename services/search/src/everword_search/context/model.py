"""The requests that callers make for contexts, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.domain.records import ConversationRecord, MemoryRecord
from everword_search.records.model import EVERYTHING, ConversationKey, MemoryFilter
from everword_search.retrieval.profiles import BalancedOptions

DEFAULT_BUDGET = 4000
DEFAULT_TURNS = 20
DEFAULT_PROFILE = "recall"


class BlockSource(IntEnum):
    """The origin of a block. Values equal proto `ContextSource`."""

    MEMORIES = 1
    CHAT_HISTORY = 2
    BASE = 3
    IDENTITY = 4
    LOREBOOK = 5
    DOCUMENTS = 6
    GRAPH = 7
    QUESTIONS = 8
    LIFE = 9


#: The order of blocks in a prompt.
ORDER = (
    BlockSource.BASE,
    BlockSource.IDENTITY,
    BlockSource.LIFE,
    BlockSource.QUESTIONS,
    BlockSource.LOREBOOK,
    BlockSource.DOCUMENTS,
    BlockSource.MEMORIES,
    BlockSource.CHAT_HISTORY,
    BlockSource.GRAPH,
)


@dataclass(frozen=True)
class ContextCandidate:
    """One line or more that a block would say."""

    #: What stands before the words, such as who said them.
    label: str
    words: str
    #: The memory it is; None for what is none.
    memory_id: UUID | None = None
    #: None for what has no time of its own.
    occurred_at: datetime | None = None
    #: Among those of the same time in its block.
    place: int = 0
    score: float = 0.0
    #: The probability that it answers the query; None where that cannot be told.
    relevance: float | None = None
    #: Messages that say the same, each with the words that do: where one is shown, this is not.
    told_by: tuple[tuple[UUID, str], ...] = ()
    #: What it counts more than its score, for what it has to do with what is asked for.
    lift: float = 0.0
    #: What is said about the words, in brackets after them, such as since when they hold.
    remark: str = ""
    #: The strategy that it offers, where it is a question to ask.
    strategy_id: UUID | None = None
    #: The memory itself, where callers are told more of it.
    about: MemoryRecord | None = None


class ContextScope(IntEnum):
    """Whose memories a context may hold. Values equal proto `ContextScope`."""

    #: Of the conversation's agent and subject, and what has none.
    CONVERSATION = 1
    NAMESPACE = 2


class ContextFormat(IntEnum):
    """The form of a context's text. Values equal proto `ContextFormat`."""

    TEXT = 1
    JSON_LINES = 2


@dataclass(frozen=True)
class ContextRequest:
    """The request for a context."""

    query: str = ""
    conversation_id: UUID | None = None
    #: The caller's own key of the conversation, instead of its id.
    conversation_key: ConversationKey | None = None
    #: The subject of a conversation that does not exist yet.
    new_subject: str = ""
    token_budget: int = DEFAULT_BUDGET
    max_recent_turns: int = DEFAULT_TURNS
    #: None for as many as the budget holds.
    max_memories: int | None = None
    scope: ContextScope = ContextScope.CONVERSATION
    filter: MemoryFilter = EVERYTHING
    min_score: float = 0.0
    min_relevance: float = 0.0
    skip_use_count: bool = False
    at_least_as_fresh: str = ""
    #: How memories are ranked, by name.
    profile: str = DEFAULT_PROFILE
    balanced: BalancedOptions | None = None
    format: ContextFormat = ContextFormat.TEXT
    #: Whether the query is of a turn that nobody meant as one.
    automated: bool = False
    #: Where the conversation names nobody, the facts that were learned of who speaks in such conversations.
    own_fact_ids: tuple[UUID, ...] = ()

    @property
    def names_conversation(self) -> bool:
        """Return whether the request names a conversation."""
        return self.conversation_id is not None or self.conversation_key is not None

    def needs_own_facts(self, record: ConversationRecord) -> bool:
        """Tell whether the scope holds facts of whoever speaks: they have a subject, and the conversation has none."""
        in_scope = self.scope is ContextScope.CONVERSATION and self.filter.subjects is None
        return in_scope and not record.subject

    def without_foreign_documents(self) -> ContextRequest:
        """Return the request without documents of conversations but this one, and those that its filter names."""
        own = [self.conversation_id] if self.conversation_id else []
        wanted = replace(
            self.filter,
            document_conversation_ids=[*own, *(self.filter.conversation_ids or ())],
        )
        return replace(self, filter=wanted)

    def filter_for(self, record: ConversationRecord | None) -> MemoryFilter:
        """Return the filter within the conversation's agent and subject, where it is asked for and not named others."""
        wanted = self.filter
        if record is None or self.scope is not ContextScope.CONVERSATION:
            return wanted
        return replace(
            wanted,
            agents=sorted({record.agent, ""}) if wanted.agents is None else wanted.agents,
            subjects=sorted({record.subject, ""}) if wanted.subjects is None else wanted.subjects,
            of_subjects_ids=list(self.own_fact_ids) or None,
        )
