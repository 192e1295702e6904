"""Errors for missing things, each with the reason that callers see."""

from __future__ import annotations

from everword.domain.errors import NotFound


class ConversationNotFound(NotFound):
    """This namespace has no such conversation."""

    reason = "CONVERSATION_NOT_FOUND"


class MessageNotFound(NotFound):
    """This namespace has no such message."""

    reason = "MESSAGE_NOT_FOUND"


class MemoryNotFound(NotFound):
    """This namespace has no such memory."""

    reason = "MEMORY_NOT_FOUND"


class FactNotFound(NotFound):
    """This namespace has no such fact."""

    reason = "FACT_NOT_FOUND"


class PatternNotFound(NotFound):
    """This namespace has no such pattern."""

    reason = "PATTERN_NOT_FOUND"


class PersonNotFound(NotFound):
    """This namespace has no such person."""

    reason = "PERSON_NOT_FOUND"


class EventNotFound(NotFound):
    """This namespace has no such event."""

    reason = "EVENT_NOT_FOUND"


class StrategyNotFound(NotFound):
    """This namespace has no such strategy."""

    reason = "STRATEGY_NOT_FOUND"


class NodeNotFound(NotFound):
    """The graph of this namespace has no such node."""

    reason = "NODE_NOT_FOUND"


class EdgeNotFound(NotFound):
    """The graph of this namespace has no such edge."""

    reason = "EDGE_NOT_FOUND"


class TopicNotFound(NotFound):
    """There is no page about such a topic; it needs three facts and leaves at least."""

    reason = "TOPIC_NOT_FOUND"


class NoteNotFound(NotFound):
    """There is no such note; it may have expired or been deleted."""

    reason = "NOTE_NOT_FOUND"


class LoreBookNotFound(NotFound):
    """This namespace has no such lorebook."""

    reason = "LORE_BOOK_NOT_FOUND"


class LoreEntryNotFound(NotFound):
    """This namespace has no such entry of a lorebook."""

    reason = "LORE_ENTRY_NOT_FOUND"


class DocumentNotFound(NotFound):
    """There is no such document; it may have been deleted."""

    reason = "DOCUMENT_NOT_FOUND"


class ErasureNotFound(NotFound):
    """This namespace has no such erasure."""

    reason = "ERASURE_NOT_FOUND"


class LegalHoldNotFound(NotFound):
    """This namespace has no such legal hold."""

    reason = "LEGAL_HOLD_NOT_FOUND"


class AddressNotFound(NotFound):
    """Nothing is at this address; ListAddress shows what there is."""

    reason = "ADDRESS_NOT_FOUND"


class CheckpointNotFound(NotFound):
    """There is no such checkpoint; newer versions may have taken its place."""

    reason = "CHECKPOINT_NOT_FOUND"


class BudgetNotFound(NotFound):
    """This namespace has no such budget."""

    reason = "BUDGET_NOT_FOUND"


class SummaryNotFound(NotFound):
    """This namespace has no such summary."""

    reason = "SUMMARY_NOT_FOUND"


class NamespaceNotFound(NotFound):
    """There is no such namespace; create it with AdminService.CreateNamespace."""

    reason = "NAMESPACE_NOT_FOUND"


class ApiKeyNotFound(NotFound):
    """There is no such API key."""

    reason = "API_KEY_NOT_FOUND"
