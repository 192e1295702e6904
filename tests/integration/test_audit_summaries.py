"""Every summary is verified against its sources again, and GetCompactionStatus counts them."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Any
from uuid import UUID

import pytest

from everword.chat.settings import ChatSettings
from everword.domain.ids import new_id
from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.audits import audit_summaries
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Faithfulness
from support.calls import append
from support.compaction import ScriptedComposer, compact_everything
from support.databases import DatabaseUnderTest
from support.earlier import earlier
from support.refusals import refused
from support.stack import Stack, running_stack
from support.summaries import BRANCH, LEAF, ROOT, change, harvest_tree, listed
from support.waits import until


async def audited(stack: Stack, **fields: object) -> pb.AuditSummariesResponse:
    """Return the findings of all pages of an audit."""
    request = pb.AuditSummariesRequest(**fields)  # type: ignore[arg-type]
    report = pb.AuditSummariesResponse()
    while True:
        page = await stack.maintenance.AuditSummaries(request)
        report.audited += page.audited
        report.findings.extend(page.findings)
        report.source_coverage = page.source_coverage
        if not page.next_page_token:
            return report
        request.page_token = page.next_page_token


async def leaves(stack: Stack, count: int = 1) -> list[str]:
    """Create leaves that quote their sources, and return their ids."""
    await append(
        stack, *[f"Emi mended the pump in row {n} with valve_{n}." for n in range(10 * count)]
    )
    await compact_everything(stack, ExtractiveComposer())
    return [each.id for each in await listed(stack, levels=[LEAF])]


async def test_audit_of_faithful_summaries_has_no_findings(stack: Stack) -> None:
    await append(stack, *[f"Emi mended pump {n} with valve_{n}." for n in range(300)])
    await compact_everything(stack, ExtractiveComposer())
    nodes = await listed(stack)
    assert {node.level for node in nodes} == {LEAF, BRANCH, ROOT}
    report = await audited(stack)
    assert report.audited == len(nodes)
    assert not report.findings, report.findings[0]
    assert 0 < report.source_coverage <= 1


async def test_audit_of_empty_namespace_has_no_findings(stack: Stack) -> None:
    report = await stack.maintenance.AuditSummaries(pb.AuditSummariesRequest())
    assert report == pb.AuditSummariesResponse(source_coverage=1, identifier_coverage=1)


@pytest.mark.parametrize("invented", ["commit 4f0c9ab", "on 17 May 2031", "4711 valves"])
async def test_audit_names_invented_values(stack: Stack, invented: str) -> None:
    first, _ = await leaves(stack, 2)
    change(
        stack,
        "UPDATE summaries SET content = content || %s WHERE id = %s",
        f"\nIt was {invented}.",
        UUID(first),
    )
    (finding,) = (await audited(stack)).findings
    assert finding.summary.id == first
    assert finding.faithfulness.unsupported
    assert any(value.lower() in invented.lower() for value in finding.faithfulness.unsupported)
    assert not finding.problems
    assert len(finding.summary.content) <= 200


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "UPDATE summaries SET message_count = 11 WHERE id = %s",
            "counts 11 messages, its sources 10",
        ),
        (
            f"UPDATE summaries SET latest_at = {earlier('latest_at', -86400)} WHERE id = %s",
            "it spans",
        ),
        ("UPDATE summaries SET last_seq = 7 WHERE id = %s", "outside of the places 1 to 7"),
        ("DELETE FROM summary_sources WHERE summary_id = %s", "no sources"),
        (
            "UPDATE summary_sources SET ordinal = 100 WHERE ordinal = 1 AND summary_id = %s",
            "not in their order",
        ),
    ],
    ids=["count", "span", "places", "sources", "order"],
)
async def test_audit_describes_inconsistencies_with_sources(
    stack: Stack, statement: str, problem: str
) -> None:
    (leaf,) = await leaves(stack)
    change(stack, statement, UUID(leaf))
    (finding,) = (await audited(stack)).findings
    assert any(problem in each for each in finding.problems), finding.problems


async def test_audit_reports_source_without_parent_link(stack: Stack) -> None:
    await harvest_tree(stack)
    branch = (await listed(stack, levels=[BRANCH]))[0]
    below = next(n for n in await listed(stack, levels=[LEAF]) if n.parent_id == branch.id)
    change(stack, "UPDATE summaries SET parent_id = NULL WHERE id = %s", UUID(below.id))
    problems = {f.summary.id: list(f.problems) for f in (await audited(stack)).findings}
    assert problems[branch.id] == [f"source {below.id} is under no node"]


async def test_audit_ignores_problems_of_stale_summaries(stack: Stack) -> None:
    (leaf,) = await leaves(stack)
    change(stack, "UPDATE summaries SET message_count = 11, stale = true WHERE id = %s", UUID(leaf))
    assert not (await audited(stack)).findings


async def test_audit_reports_invented_values_inherited_from_sources(
    stack: Stack,
) -> None:
    class Quoting(ScriptedComposer):
        """Quotes its sources in full."""

    inventor = Quoting(invented="Field 3 ")
    await append(stack, *[f"Field {n} gave barley." for n in range(100)])
    await compact_everything(stack, inventor)
    change(
        stack,
        "UPDATE summaries SET content = content || ' 4711', "
        """faithfulness = faithfulness || '{"unsupported": ["4711"]}' WHERE needs_review AND level = 1""",
    )
    change(stack, "UPDATE summaries SET content = content || ' 4711' WHERE level = 2")
    found = [
        f.summary.level
        for f in (await audited(stack)).findings
        if "4711" in f.faithfulness.unsupported
    ]
    assert {LEAF, BRANCH} <= set(found)


async def test_audit_ignores_summaries_deleted_meanwhile(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await leaves(stack, 2)

    def erasing(*args: Any, **fields: Any) -> Faithfulness:
        change(stack, "DELETE FROM summary_sources WHERE summary_id = %s", UUID(second))
        change(stack, "DELETE FROM summaries WHERE id = %s", UUID(second))
        return Faithfulness(["4711"], (), 1.0, 1.0)

    monkeypatch.setattr(audit_summaries, "check_faithfulness", erasing)
    report = await audited(stack)
    assert [finding.summary.id for finding in report.findings] == [first]
    assert report.audited == 1


async def test_audit_ends_if_call_is_cancelled(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await leaves(stack)
    begun, ended = Event(), Event()

    def endless(*args: Any, heartbeat: Callable[[], None], **fields: Any) -> Faithfulness:
        begun.set()
        try:
            while True:
                heartbeat()
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(audit_summaries, "check_faithfulness", endless)
    call = stack.maintenance.AuditSummaries(pb.AuditSummariesRequest())
    await until(begun.is_set)
    assert not ended.is_set()
    call.cancel()
    await until(ended.is_set)


async def test_audit_pages_cover_all_summaries_and_filter_by_conversation(stack: Stack) -> None:
    await leaves(stack, 3)
    await append(stack, *["Another one."] * 10, session_key="other")
    await compact_everything(stack, ExtractiveComposer())
    first = await stack.maintenance.AuditSummaries(pb.AuditSummariesRequest(page_size=3))
    assert (first.audited, bool(first.next_page_token)) == (3, True)
    assert (await audited(stack, page_size=1)).audited == 4
    other = next(n for n in await listed(stack) if "Another" in n.content).conversation_id
    assert (await audited(stack, conversation_id=other)).audited == 1
    assert (await audited(stack, conversation_id=str(new_id()))).audited == 0
    wrong = pb.AuditSummariesRequest(conversation_id=other, page_token=first.next_page_token)
    assert (await refused(stack.maintenance.AuditSummaries(wrong))).reason == "PAGE_TOKEN_INVALID"


async def test_compaction_status_counts_levels_models_and_backlog(stack: Stack) -> None:
    await harvest_tree(stack)
    await append(stack, "A straggler.", "Another one.", session_key="other")
    nodes = await listed(stack)
    status = await stack.maintenance.GetCompactionStatus(pb.GetCompactionStatusRequest())
    assert (status.mode, status.model) == (pb.COMPACTION_MODE_EXTRACTIVE, "extractive")
    assert [level.level for level in status.levels] == [LEAF, BRANCH, ROOT]
    for level in status.levels:
        count = sum(1 for node in nodes if node.level == level.level)
        assert (level.summaries, dict(level.by_models)) == (count, {"scripted": count})
        assert (level.stale, level.needs_review) == (0, 0)
    assert (status.backlog.messages, status.backlog.conversations) == (2, 1)
    assert (status.input_tokens, status.output_tokens) == (0, 0)


async def test_compaction_status_has_model_and_tokens_of_last_day(
    database: DatabaseUnderTest,
) -> None:
    chat = ChatSettings("http://127.0.0.1:9", "some-model")
    async with running_stack(database, chat=chat, embedder=False) as stack:
        change(
            stack,
            "INSERT INTO usage_ledger (namespace_id, task, model, input_tokens, output_tokens, outcome, seconds, "
            "called_at) VALUES (1, 'leaf', 'm', 5, 7, 'ok', 1, now()), (1, 'leaf', 'm', 10, 20, 'empty', 1, now()), "
            "(1, 'leaf', 'm', 999, 999, 'ok', 1, now() - interval '25 hours')",
        )
        status = await stack.maintenance.GetCompactionStatus(pb.GetCompactionStatusRequest())
    assert (status.mode, status.model) == (pb.COMPACTION_MODE_MODEL, "some-model")
    assert (status.input_tokens, status.output_tokens) == (15, 27)
