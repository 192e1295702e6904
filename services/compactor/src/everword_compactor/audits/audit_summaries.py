"""Hold the summaries of a namespace against their sources once more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean
from threading import Event
from uuid import UUID

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.rpc.pages import PageRequest, open_cursor
from everword.text.credentials import mask_credentials
from everword_compactor.audits import store
from everword_compactor.audits.agreement import find_disagreements
from everword_compactor.audits.model import Audit, AuditedRow, AuditFinding
from everword_compactor.calendar.digest import digest_name
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.checks.inherited_values import with_inherited
from everword_compactor.compose.checks.prompt_context import PromptContext
from everword_compactor.compose.checks.tags import CHAT, render_tag
from everword_compactor.compose.model import (
    EXTRACTIVE,
    Draft,
    Faithfulness,
    Level,
    Source,
    Voice,
    masked,
    without_orders,
)
from everword_compactor.compose.names import with_names

#: The sources of a page have no more bytes, unless those of its first node do.
MAX_PAGE_BYTES = 8 * 1024 * 1024
#: After this share of the call's time, a page checks no further node.
TIME_SHARE = 0.5
LONGEST_S = 3600.0
#: Length of a finding's text in characters.
CONTENT_CHARS = 200
#: A node that was written again while it was looked at is looked at again.
TRIES = 3
_BEFORE_ALL = UUID(int=0)


class AuditAbandoned(Exception):
    """Nobody waits for the result any more."""


async def audit_summaries(
    database: Database,
    namespace: NamespaceScope,
    conversation_id: UUID | None,
    page: PageRequest,
) -> Audit:
    """Check a page of nodes, and return the ones with a problem. Raises InvalidPageToken.

    The page is shorter if the sources are long or the time runs out. Significant memories have no sources, and are not
    checked.
    """
    late = time.monotonic() + TIME_SHARE * remaining(LONGEST_S)
    cursor = await open_cursor(database, namespace, "AuditSummaries", page)
    after_id = cursor.after_id or _BEFORE_ALL
    async with database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
        voice = await store.get_voice(conn, namespace.id)
        found = await store.list_audited(
            conn, namespace.id, conversation_id, after_id, cursor.limit, MAX_PAGE_BYTES
        )
    auditor = _Auditor(database, namespace.id, settings, voice)
    examined, results = 0, list[AuditFinding]()
    for node in found[: cursor.size]:
        if examined and time.monotonic() >= late:
            break
        if result := await auditor.audit(node):
            results.append(result)
        examined += 1
    findings = [result for result in results if _is_wrong(result)]
    checked = [result.faithfulness for result in results]
    return Audit(
        audited=len(results),
        findings=findings,
        source_coverage=fmean(each.source_coverage for each in checked) if checked else 1.0,
        identifier_coverage=fmean(each.identifier_coverage for each in checked) if checked else 1.0,
        next_page_token=cursor.token([str(found[examined - 1].id)])
        if found and found[0].available > examined
        else "",
    )


def _is_wrong(result: AuditFinding) -> bool:
    return bool(result.problems) or not result.faithfulness.faithful


class _Auditor:
    """Checks one node after the other: the sources of many at once could be more than memory holds."""

    def __init__(
        self,
        database: Database,
        namespace_id: int,
        settings: NamespaceSettings,
        voice: Voice,
    ) -> None:
        self._database = database
        self._namespace_id = namespace_id
        self._settings = settings
        self._voice = voice

    async def audit(self, node: AuditedRow) -> AuditFinding | None:
        """Return the finding about a node as it is now, or as it was on the page if it changes all the time.

        None if it was deleted meanwhile with its namespace.
        """
        for _ in range(TRIES):
            finding, revision = await self._check(node)
            if not _is_wrong(finding) or revision == node.revision:
                return finding
            changed = await self._reread(node)
            if changed is None:
                return None
            node = changed
        return finding

    async def _check(self, node: AuditedRow) -> tuple[AuditFinding, int | None]:
        async with self._database.transaction(self._namespace_id) as conn:
            messages = await store.read_source_messages(conn, self._namespace_id, node.id)
            nodes = await store.read_audited_nodes(conn, self._namespace_id, node.id)
            revision = await store.read_revision(conn, self._namespace_id, node.id)
        sources = [*(each.source for each in messages), *(each.source for each in nodes)]
        inventions = [value for child in nodes for value in child.unsupported]
        faithfulness = await self._check_in_thread(node, sources, inventions)
        problems = find_disagreements(node, messages, nodes)
        beginning = replace(
            node,
            content=node.content[:CONTENT_CHARS],
            content_truncated=len(node.content) > CONTENT_CHARS,
        )
        return AuditFinding(beginning, faithfulness, problems), revision

    async def _reread(self, node: AuditedRow) -> AuditedRow | None:
        before = UUID(int=node.id.int - 1)
        async with self._database.transaction(self._namespace_id) as conn:
            found = await store.list_audited(
                conn, self._namespace_id, node.conversation_id, before, 1
            )
        return found[0] if found and found[0].id == node.id else None

    async def _check_in_thread(
        self, node: AuditedRow, sources: Sequence[Source], inventions: Sequence[str]
    ) -> Faithfulness:
        """Check in a thread, because comparing a year's words takes a while and the server must keep answering.

        A thread cannot be cancelled: if the caller disconnects, it ends after its current source.
        """
        ended = Event()

        def heartbeat() -> None:
            if ended.is_set():
                raise AuditAbandoned

        try:
            return await asyncio.to_thread(self._faithfulness, node, sources, inventions, heartbeat)
        finally:
            ended.set()

    def _faithfulness(
        self,
        node: AuditedRow,
        sources: Sequence[Source],
        inventions: Sequence[str],
        heartbeat: Callable[[], None],
    ) -> Faithfulness:
        if not sources:
            return Faithfulness((), (), 0.0, 0.0)
        content = node.content
        # As the node's writer saw them.
        sources = without_orders(sources, self._settings.trust, heartbeat)
        if self._settings.masks_credentials:
            # An older node may hold one still.
            sources, content = masked(sources, heartbeat), mask_credentials(content)
        sources = with_names(sources, self._voice, heartbeat)
        level = Level(node.level)
        draft = Draft(
            level,
            sources,
            node.title,
            time_zone=self._settings.time_zone if level.of_calendar else "UTC",
            conversation_id=node.conversation_id,
            agent=node.agent,
            channel=node.channel,
            instance=node.instance,
            voice=self._voice,
            instructions=self._voice.instructions(source.channel for source in sources),
        )
        found = check_faithfulness(
            content,
            sources,
            time_zone=draft.time_zone,
            shown=PromptContext.of(draft),
            level=level,
            chosen=node.model == EXTRACTIVE,
            heartbeat=heartbeat,
        )
        digests = {
            render_tag(CHAT, digest_name(source.channel, node.instance, node.title))
            for source in sources
        }
        found = replace(found, wrong_tags=[tag for tag in found.wrong_tags if tag not in digests])
        return with_inherited(found, node.content, inventions)
