"""Hold the summaries of a namespace against their sources once more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import PageTokens
from everword_compactor.calendar import requests as calendar
from everword_compactor.calendar.digest import digest_name
from everword_compactor.calendar.model import VoiceSettings
from everword_compactor.checks.faithfulness import MAX_OFFENDERS, check_faithfulness
from everword_compactor.checks.tags import CHAT, render_tag
from everword_compactor.compose.model import Draft, Faithfulness, Level, Source
from everword_compactor.overview import store
from everword_compactor.overview.agreement import find_disagreements
from everword_compactor.overview.model import Audit, AuditedRow, AuditFinding
from everword_compactor.overview.store import AuditedSource
from everword_compactor.prompts.lines import preamble

DEFAULT_PAGE = 50
MAX_PAGE = 200
#: Of a finding's text.
CONTENT_CHARS = 200
#: A node that was written anew while it was looked at is looked at again.
TRIES = 3
_BEFORE_ALL = UUID(int=0)


async def audit_summaries(
    database: Database,
    namespace: NamespaceScope,
    conversation_id: UUID | None,
    page_size: int,
    page_token: str,
) -> Audit:
    """Check a page of nodes, and return those with which something is wrong. Raises InvalidPageToken.

    What was written down as significant has no sources, and is not looked at.
    """
    tokens = PageTokens(await database.token_secret(), f"AuditSummaries:{namespace.id}")
    bound_to = str(conversation_id or "")
    after = tokens.read(page_token, bound_to)
    size = min(page_size or DEFAULT_PAGE, MAX_PAGE)
    after_id = UUID(after[0]) if after else _BEFORE_ALL
    async with database.transaction(namespace.id) as conn:
        zone = (await get_namespace_settings(conn, namespace.id)).time_zone
        voice = await calendar.get_voice(conn, namespace.id)
        found = await store.list_audited(conn, namespace.id, conversation_id, after_id, size + 1)
    auditor = _Auditor(database, namespace.id, zone, voice)
    results = [await auditor.audit(node) for node in found[:size]]
    findings = [result for result in results if _is_wrong(result)]
    checked = [result.faithfulness for result in results]
    return Audit(
        audited=len(results),
        findings=findings,
        source_coverage=fmean(each.source_coverage for each in checked) if checked else 1.0,
        identifier_coverage=fmean(each.identifier_coverage for each in checked) if checked else 1.0,
        next_page_token=tokens.issue(bound_to, [str(found[size - 1].id)])
        if len(found) > size
        else "",
    )


def _is_wrong(result: AuditFinding) -> bool:
    return bool(result.problems) or not result.faithfulness.faithful


def _with_inherited(
    found: Faithfulness, content: str, nodes: Sequence[AuditedSource]
) -> Faithfulness:
    """Return `found` with what the node took over from nodes that made it up."""
    taken = [value for child in nodes for value in child.unsupported if value in content]
    unsupported = list(dict.fromkeys([*found.unsupported, *taken]))
    return replace(found, unsupported=unsupported[:MAX_OFFENDERS])


class _Auditor:
    """Checks one node after the other: the sources of many at once could be more than memory holds."""

    def __init__(
        self, database: Database, namespace_id: int, time_zone: str, voice: VoiceSettings
    ) -> None:
        self._database = database
        self._namespace_id = namespace_id
        self._time_zone = time_zone
        self._voice = voice

    async def audit(self, node: AuditedRow) -> AuditFinding:
        """Return what is found of a node as it is now, or was on the page where it changes all the time."""
        for _ in range(TRIES):
            finding, revision = await self._check(node)
            if not _is_wrong(finding) or revision == node.revision:
                return finding
            async with self._database.transaction(self._namespace_id) as conn:
                (node,) = await self._reread(conn, node)
        return finding

    async def _check(self, node: AuditedRow) -> tuple[AuditFinding, int | None]:
        async with self._database.transaction(self._namespace_id) as conn:
            messages = await store.read_source_messages(conn, self._namespace_id, node.id)
            nodes = await store.read_audited_nodes(conn, self._namespace_id, node.id)
            revision = await store.read_revision(conn, self._namespace_id, node.id)
        sources = [*(each.source for each in messages), *(each.source for each in nodes)]
        # A year's words take a while to hold against each other: the server goes on answering.
        faithfulness = await asyncio.to_thread(self._faithfulness, node, sources)
        faithfulness = _with_inherited(faithfulness, node.content, nodes)
        problems = find_disagreements(node, messages, nodes)
        beginning = replace(
            node,
            content=node.content[:CONTENT_CHARS],
            content_truncated=len(node.content) > CONTENT_CHARS,
        )
        return AuditFinding(beginning, faithfulness, problems), revision

    async def _reread(self, conn: Connection, node: AuditedRow) -> list[AuditedRow]:
        before = UUID(int=node.id.int - 1)
        return await store.list_audited(conn, self._namespace_id, None, before, 1)

    def _faithfulness(self, node: AuditedRow, sources: Sequence[Source]) -> Faithfulness:
        if not sources:
            return Faithfulness((), (), 0.0, 0.0)
        level = Level(node.level)
        draft = Draft(
            level,
            sources,
            node.title,
            time_zone=self._time_zone if level.of_calendar else "UTC",
            conversation_id=node.conversation_id,
            agent=node.agent,
            channel=node.channel,
            instance=node.instance,
        )
        shown = [preamble(draft), self._voice.user_name, self._voice.pronouns]
        shown.append(self._voice.instructions(source.channel for source in sources))
        found = check_faithfulness(
            node.content,
            sources,
            time_zone=draft.time_zone,
            preamble="\n".join(shown),
            level=level,
        )
        digests = {
            render_tag(CHAT, digest_name(source.channel, node.instance, node.title))
            for source in sources
        }
        return replace(found, wrong_tags=[tag for tag in found.wrong_tags if tag not in digests])
