"""Rewriting of nodes after a change of their sources, the model or its prompt."""

from __future__ import annotations

from uuid import UUID

from everword_compactor.compose.model import Level, Source
from everword_compactor.conversations import store
from everword_compactor.conversations.levels import trusted_source
from everword_compactor.conversations.model import OutdatedNode
from everword_compactor.conversations.summarizer import ConversationSummarizer
from everword_compactor.jobs.failures import Failures
from everword_compactor.nodes.store import read_source_messages


def revise_outdated(summarizer: ConversationSummarizer, failures: Failures) -> bool:
    """Write nodes again, lower ones first; returns whether there may be more.

    Until it is replaced, a node stays as it is, and can be found. One that fails stays so too, and is passed over.
    """
    tried: list[UUID] = []
    return all(_revise_once(summarizer, failures, tried) for _ in summarizer.steps(failures))


def _revise_once(summarizer: ConversationSummarizer, failures: Failures, tried: list[UUID]) -> bool:
    namespace_id, composer = summarizer.namespace_id, summarizer.job.worker_context.composer
    versions = [composer.prompt_version(level) for level in (Level.LEAF, Level.BRANCH, Level.ROOT)]
    with summarizer.job.transaction() as conn:
        conversation = store.read_compacted(conn, namespace_id, summarizer.conversation_id)
        nodes = store.read_outdated(
            conn, namespace_id, summarizer.conversation_id, composer.model, versions, tried, limit=1
        )
    if conversation is None or not nodes:
        return False
    [node] = nodes
    tried.append(node.id)
    node_range = (node.first_seq, node.last_seq)
    with failures.kept():
        sources = _sources(summarizer, node)
        summarizer.rewrite(
            conversation, node.id, node.revision, Level(node.level), sources, node_range
        )
    return True


def _sources(summarizer: ConversationSummarizer, node: OutdatedNode) -> list[Source]:
    with summarizer.job.transaction() as conn:
        if node.level == Level.LEAF:
            rows = read_source_messages(conn, summarizer.namespace_id, node.id)
            return [row.source for row in rows]
        children = store.read_children(conn, summarizer.namespace_id, node.id)
        return [trusted_source(conn, summarizer.namespace_id, child) for child in children]
