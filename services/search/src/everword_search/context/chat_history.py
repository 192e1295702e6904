"""The chat history of a context: newest turns verbatim, and summaries of older ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.db.statements import ask
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.errors import EmbedderUnavailable
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import ConversationRecord, MessageRecord
from everword.facts.model import USER
from everword.rpc.pages import PageRequest
from everword.text.sections import SECTION_CHARS
from everword_search.context.budget import ContextDraft
from everword_search.context.item import ContextItem
from everword_search.context.memory_topics import about_summary, about_turn
from everword_search.context.model import BlockSource, ContextRequest
from everword_search.context.nonempty_kinds import NonemptyKinds, nonempty_kinds_statement
from everword_search.context.small_talk import is_small_talk
from everword_search.context.text import Layout
from everword_search.endings.read_endings import Endings, read_endings
from everword_search.facts.store import find_own
from everword_search.passages.store import Scope
from everword_search.passages.vectors import QueryNotEmbedded
from everword_search.records import store
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import ConversationKey, MemoryFilter
from everword_search.records.read_conversations import read_conversation
from everword_search.records.store import use_generic_plans
from everword_search.retrieval.arms.base import ArmReport, ArmState, SearchArm
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResult
from everword_search.retrieval.query.follow_up import TURNS_READ, TURNS_READ_BYTES
from everword_search.retrieval.search import find_memories
from everword_search.retrieval.sources import Sources
from everword_search.summaries.store import TopSummaryRow, top_summaries

#: Maximum bytes of all turns of a context; more than the largest budget of tokens can hold.
MAX_TURN_BYTES = 16 * 1024 * 1024
#: Share of the budget that chat history may take before memories, and the part of it for turns if older ones are
#: summarised.
SHARE, TURNS_SHARE = 0.5, 0.6
#: Maximum summaries read: the latest of each level.
_SUMMARIES = 8
#: Maximum turns of earlier conversations in a new one; a namespace can change it.
MOST_EARLIER = 6
#: Maximum older turns recalled, and their minimum cosine with the query; a namespace can change both.
MOST_RECALLED, LEAST_COSINE = 3, 0.45
_USER = 2
#: The id of a conversation that does not exist yet; no row has it.
_NO_ID = UUID(int=0)
#: Maximum facts about the speaker that memories may include.
_OWN_FACTS = 500


@dataclass(frozen=True)
class ContinuedConversation:
    """The conversation that a context continues."""

    record: ConversationRecord
    #: Newest first.
    turns: Sequence[store.MessageRow]
    #: Topmost summaries, the latest first.
    summaries: Sequence[TopSummaryRow]
    latest: MessageRecord | None
    #: The newest turns, which may complete the question, even if the context shows none. Newest first.
    newest: Sequence[store.MessageRow]
    #: Outdated facts of turns and summaries.
    endings: Endings

    @property
    def exists(self) -> bool:
        return self.record.id != _NO_ID

    @property
    def speakers(self) -> list[str]:
        """The subjects of a conversation that names none: `user` and the latest author."""
        return sorted({USER, self.latest.author if self.latest else ""} - {""})

    @property
    def unread(self) -> int:
        """Turns that were not read because of their size."""
        return self.turns[0].available - len(self.turns) if self.turns else 0


@dataclass(frozen=True)
class Start:
    """The state that building a context starts from."""

    settings: NamespaceSettings
    conversation: ContinuedConversation | None
    #: Facts about the speaker, as of the request's moment.
    own_fact_ids: tuple[UUID, ...] = ()
    present: NonemptyKinds = field(default_factory=NonemptyKinds)

    @property
    def most_recalled(self) -> int:
        most = self.settings.recalled_turns
        return MOST_RECALLED if most is None else most

    @property
    def most_earlier(self) -> int:
        most = self.settings.earlier_turns
        return MOST_EARLIER if most is None else most

    @property
    def least_cosine(self) -> float:
        least = self.settings.recall_similarity
        return LEAST_COSINE if least is None else least


async def read_start(
    database: Database, namespace: NamespaceScope, request: ContextRequest
) -> Start:
    """Return the namespace's settings, and the conversation if the request names one. Raises ConversationNotFound."""
    async with fresh_transaction(database, namespace, request.at_least_as_fresh) as conn:
        asked = await ask(conn, nonempty_kinds_statement(namespace.id))
        settings = await get_namespace_settings(conn, namespace.id)
        [present] = await asked.rows()
        if not request.names_conversation:
            return Start(settings, None, present=present)
        conversation = await _read(conn, namespace.id, request)
        if not present.facts:
            return Start(settings, conversation, present=present)
        own = await _own_facts(conn, namespace.id, conversation, request)
        request = replace(request, own_fact_ids=own)
        conversation = await _with_endings(conn, namespace.id, conversation, request)
        return Start(settings, conversation, own, present)


async def _own_facts(
    conn: Connection,
    namespace_id: int,
    conversation: ContinuedConversation,
    request: ContextRequest,
) -> tuple[UUID, ...]:
    """Return the facts about the speaker that were learned in conversations without a subject.

    It is empty if this conversation has a subject.
    """
    if not request.needs_own_facts(conversation.record):
        return ()
    speakers = conversation.speakers
    return tuple(await find_own(conn, namespace_id, speakers, request.filter.known_at, _OWN_FACTS))


async def _with_endings(
    conn: Connection,
    namespace_id: int,
    conversation: ContinuedConversation,
    request: ContextRequest,
) -> ContinuedConversation:
    """Return the conversation with the outdated facts of its turns and summaries."""
    ids = [turn.id for turn in conversation.turns] + [node.id for node in conversation.summaries]
    await use_generic_plans(conn, remaining(STATEMENT_CAP_S))
    scope = Scope(namespace_id, request.filter_for(conversation.record))
    return replace(conversation, endings=await read_endings(conn, scope, ids))


async def _read(
    conn: Connection, namespace_id: int, request: ContextRequest
) -> ContinuedConversation:
    record = await _find_record(conn, namespace_id, request)
    if record.id == _NO_ID:
        return ContinuedConversation(record, (), (), None, (), {})
    turns = newest = await store.recent_turns(
        conn, namespace_id, record.id, request.max_recent_turns, MAX_TURN_BYTES
    )
    if request.max_recent_turns < TURNS_READ:
        newest = await store.recent_turns(
            conn, namespace_id, record.id, TURNS_READ, TURNS_READ_BYTES
        )
    latest = await store.latest_user_message(conn, namespace_id, record.id, _USER)
    summaries = await top_summaries(conn, namespace_id, record.id, _SUMMARIES)
    return ContinuedConversation(record, turns, summaries, latest, newest[:TURNS_READ], {})


async def _find_record(
    conn: Connection, namespace_id: int, request: ContextRequest
) -> ConversationRecord:
    """Return the request's conversation; an empty one if its key is unknown.

    Raises ConversationNotFound if its id is unknown, and SubjectConflict if it is about another subject.
    """
    if request.conversation_id is not None:
        return await read_conversation(conn, namespace_id, request.conversation_id)
    key = request.conversation_key
    assert key is not None
    found = await store.find_conversation(
        conn, namespace_id, key.session_key, key.agent, key.channel
    )
    if found is None:
        return _empty_conversation(key, request.subject)
    found.check_subject(request.subject)
    return found


def _empty_conversation(key: ConversationKey, subject: str) -> ConversationRecord:
    """Return an empty record for a conversation that does not exist yet."""
    now = datetime.now(UTC)
    return ConversationRecord(
        id=_NO_ID,
        session_key=key.session_key,
        agent=key.agent,
        channel=key.channel,
        channel_id="",
        bot_identity="",
        instance="",
        subject=subject,
        client_session_id="",
        task_id="",
        title="",
        settings=None,
        active=True,
        last_seq=0,
        turn_count=0,
        last_message_at=None,
        created_at=now,
        updated_at=now,
    )


def add_recent_turns(
    draft: ContextDraft, layout: Layout, conversation: ContinuedConversation
) -> list[ContextItem]:
    """Add the newest turns, and summaries of earlier ones; return the turns that did not fit.

    These are candidates like any memory later on.
    """
    endings, record = conversation.endings, conversation.record
    share = int(draft.budget * SHARE)
    items = [
        layout.turn(
            turn, about_turn(turn, record, layout.trust), endings.get(turn.id, ()), draft.budget
        )
        for turn in conversation.turns
    ]
    first = min((item.seq for item in items), default=0)
    is_summed_up = any(node.first_seq < first for node in conversation.summaries)
    limit = int(share * TURNS_SHARE) if is_summed_up else share
    history = BlockSource.CHAT_HISTORY
    shown = draft.fill(history, items, maximum=len(items), limit=limit, verbatim=True, alone=True)
    if is_summed_up:
        older = [
            layout.summary(
                node, about_summary(node, record, layout.trust), endings.get(node.id, ())
            )
            for node in conversation.summaries
            if node.first_seq < first
        ]
        draft.fill(history, older, maximum=len(older), limit=share, alone=True)
    there = {item.memory_id for item in shown}
    return [item for item in items if item.memory_id not in there]


@dataclass(frozen=True)
class RecalledTurns:
    """Older turns of a conversation that are similar to the query."""

    #: Most similar first.
    results: Sequence[SearchResult] = ()
    #: The semantic arm, if it failed; turns may then be missing.
    degraded: Sequence[ArmReport] = ()


async def recall_turns(
    sources: Sources,
    namespace: NamespaceScope,
    request: ContextRequest,
    start: Start,
    text: str,
    shown: int,
) -> RecalledTurns:
    """Return turns of this conversation that are similar to the query; none without an embedder."""
    conversation, most = start.conversation, start.most_recalled
    if conversation is None or conversation.record.last_seq <= shown:
        return RecalledTurns()
    if not most or not request.max_recent_turns or is_small_talk(text):
        return RecalledTurns()
    search = SearchRequest(
        text=text,
        mode=SearchMode.SEMANTIC,
        filter=MemoryFilter(kinds=[MemoryKind.MESSAGE], conversation_ids=[conversation.record.id]),
        page=PageRequest(most + 1 + shown),
        at_least_as_fresh=request.at_least_as_fresh,
        operators=False,
        section_chars=SECTION_CHARS,
    )
    try:
        response, _ = await find_memories(sources, namespace, search)
    except EmbedderUnavailable as error:
        cause = error.__cause__
        if isinstance(cause, QueryNotEmbedded) and cause.expected:
            return RecalledTurns()
        report = ArmReport(SearchArm.SEMANTIC, ArmState.DEGRADED, str(cause or error))
        return RecalledTurns(degraded=[report])
    near = [each for each in response.results if _is_semantically_near(each, start.least_cosine)]
    if not any(each.endings for each in near):
        return RecalledTurns(near)
    scope = Scope(namespace.id, request.filter_for(conversation.record))
    async with sources.database.transaction(namespace.id) as conn:
        endings = await read_endings(conn, scope, [each.memory.id for each in near])
    # The current value may be stated in any conversation, so endings are read within the context's scope.
    return RecalledTurns([replace(each, endings=endings.get(each.memory.id, ())) for each in near])


def _is_semantically_near(result: SearchResult, least: float) -> bool:
    return bool(result.hit.parts) and result.hit.parts[0].raw >= least
