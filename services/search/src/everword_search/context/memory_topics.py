"""The memory records behind a conversation's items, which callers receive in addition to the text."""

from __future__ import annotations

from everword.domain.documents import display_path
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import ConversationRecord, MemoryRecord, MessageRecord
from everword.domain.trust import TrustPolicy
from everword.text.credentials import mask_credentials
from everword_search.summaries.store import TopSummaryRow


def document_label(memory: MemoryRecord, *, masks: bool) -> str:
    """Return the path of a chunk in its document, shown before the chunk's text.

    Credentials are replaced if `masks`.
    """
    path = display_path(memory.document_title, memory.headings)
    return mask_credentials(path) if masks else path


def about_turn(
    message: MessageRecord, conversation: ConversationRecord, trust: TrustPolicy
) -> MemoryRecord:
    """Return a turn as a memory without its text and use count."""
    return MemoryRecord(
        id=message.id,
        kind=MemoryKind.MESSAGE,
        content="",
        content_truncated=False,
        conversation_id=message.conversation_id,
        seq=message.seq,
        agent=conversation.agent,
        subject=conversation.subject,
        channel=conversation.channel,
        instance=message.instance,
        author=message.author,
        role=message.role,
        tags=message.tags,
        importance_class=message.importance_class,
        automated=message.automated,
        occurred_at=message.occurred_at,
        use_count=0,
        last_used_at=None,
        external_id=message.external_id or "",
        tool_name=message.tool_name,
        metadata=message.metadata,
        untrusted=trust.is_untrusted(conversation.channel, message.role, message.tool_name),
        conversation_name=conversation.name,
    )


def about_summary(
    node: TopSummaryRow, conversation: ConversationRecord, trust: TrustPolicy
) -> MemoryRecord:
    """Return a conversation's summary as a memory without its text and use count."""
    return MemoryRecord(
        id=node.id,
        kind=MemoryKind.SUMMARY,
        content="",
        content_truncated=False,
        conversation_id=conversation.id,
        seq=None,
        agent=conversation.agent,
        subject=conversation.subject,
        channel=conversation.channel,
        instance=conversation.instance,
        author="",
        role=0,
        tags=[],
        importance_class=0,
        automated=False,
        occurred_at=node.latest_at,
        use_count=0,
        last_used_at=None,
        summary_level=node.level,
        untrusted=trust.is_open(conversation.channel),
        conversation_name=conversation.name,
    )
