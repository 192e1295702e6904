"""Requests for contexts, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.domain.records import ConversationRecord, MemoryRecord
from everword.lore.model import Omission
from everword_search.context.provenance import ContextPart
from everword_search.records.model import EVERYTHING, ConversationKey, MemoryFilter
from everword_search.retrieval.full_text import FullText
from everword_search.retrieval.profiles import BalancedOptions

DEFAULT_BUDGET, MAX_BUDGET = 4000, 1_000_000
DEFAULT_TURNS = 20


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
    EARLIER_CONVERSATIONS = 10


#: The order of blocks in a prompt.
ORDER = (
    BlockSource.BASE,
    BlockSource.IDENTITY,
    BlockSource.LIFE,
    BlockSource.QUESTIONS,
    BlockSource.LOREBOOK,
    BlockSource.DOCUMENTS,
    BlockSource.MEMORIES,
    BlockSource.EARLIER_CONVERSATIONS,
    BlockSource.CHAT_HISTORY,
    BlockSource.GRAPH,
)


@dataclass(frozen=True)
class ContextCandidate:
    """A line that a block may contribute."""

    #: The text before the words, such as the speaker.
    label: str
    words: str
    #: Id of the memory; None for a line that is no memory.
    memory_id: UUID | None = None
    #: None if it has no time of its own.
    occurred_at: datetime | None = None
    #: Order among candidates of the same time in its block.
    place: int = 0
    score: float = 0.0
    #: Probability that it answers the query; None if unknown.
    relevance: float | None = None
    #: Messages that state the same, each with the quote; the line is skipped if one of them is shown.
    source_messages: tuple[tuple[UUID, str], ...] = ()
    #: Bonus to the score for its link to the query's topic.
    lift: float = 0.0
    #: Note in brackets after the words, such as the start of validity.
    remark: str = ""
    #: Id of the strategy, if it is a question to ask.
    strategy_id: UUID | None = None
    #: The memory itself, if callers receive its fields.
    about: MemoryRecord | None = None
    #: The text that may be shown in part; None if `words` are shown as they are.
    full: FullText | None = None
    #: Name of its group within the block; see BlockKind.
    group: str = ""
    #: Reported to the caller if it does not fit.
    omission: Omission | None = None

    @property
    def key(self) -> UUID | str:
        """Identifies the line within a context, as the key of its item."""
        return self.memory_id or f"{' '.join(self.label.split())}: {self.words}"


class ContextScope(IntEnum):
    """Which memories a context may include. Values equal proto `ContextScope`."""

    #: Memories of the conversation's agent and subject, and memories without one.
    CONVERSATION = 1
    NAMESPACE = 2


class ContextFormat(IntEnum):
    """The format of a context's text. Values equal proto `ContextFormat`."""

    TEXT = 1
    JSON_LINES = 2


@dataclass(frozen=True)
class ContextRequest:
    """A request for a context."""

    query: str = ""
    conversation_id: UUID | None = None
    #: The caller's own key of the conversation, instead of its id.
    conversation_key: ConversationKey | None = None
    #: Whom the conversation of the key is about; empty for whomever it is about.
    subject: str = ""
    token_budget: int = DEFAULT_BUDGET
    max_recent_turns: int = DEFAULT_TURNS
    #: Maximum memories; None if only the budget limits them.
    max_memories: int | None = None
    scope: ContextScope = ContextScope.CONVERSATION
    filter: MemoryFilter = EVERYTHING
    min_score: float = 0.0
    #: Memories of less relevance are left out; 0 leaves out memories that are not worth their tokens.
    min_relevance: float = 0.0
    skip_use_count: bool = False
    at_least_as_fresh: str = ""
    #: Name of the ranking profile.
    profile: str = "recall"
    balanced: BalancedOptions | None = None
    format: ContextFormat = ContextFormat.TEXT
    #: True if the query comes from an automated turn.
    automated: bool = False
    omit_parts: frozenset[ContextPart] = frozenset()
    #: Facts about the speaker from conversations without a subject; used if this conversation has none either.
    own_fact_ids: tuple[UUID, ...] = ()

    @property
    def names_conversation(self) -> bool:
        return self.conversation_id is not None or self.conversation_key is not None

    def needs_own_facts(self, record: ConversationRecord) -> bool:
        """Return whether the scope includes facts about the speaker.

        Such facts have a subject, but the conversation has none.
        """
        in_scope = self.scope is ContextScope.CONVERSATION and self.filter.subjects is None
        return in_scope and not record.subject

    def without_foreign_documents(self) -> ContextRequest:
        """Return the request without documents of other conversations, except for those that its filter names."""
        own = [self.conversation_id] if self.conversation_id else []
        requested = replace(
            self.filter,
            document_conversation_ids=[*own, *(self.filter.conversation_ids or ())],
        )
        return replace(self, filter=requested)

    def filter_for(self, record: ConversationRecord | None) -> MemoryFilter:
        """Return the filter, limited to the conversation's agent and subject if the scope is the conversation.

        Agents or subjects named in the filter take precedence.
        """
        requested = self.filter
        if record is None or self.scope is not ContextScope.CONVERSATION:
            return requested
        return replace(
            requested,
            agents=sorted({record.agent, ""}) if requested.agents is None else requested.agents,
            subjects=sorted({record.subject, ""})
            if requested.subjects is None
            else requested.subjects,
            of_subjects_ids=list(self.own_fact_ids) or None,
        )
