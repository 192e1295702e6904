"""Store sentences, and put them into the index, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from everword.db.blocking import Connection
from everword.index.builders import Language, build_derived_passage
from everword.index.writer import find_sources, replace_passages_blocking
from everword_compactor.nodes.model import NodeNamespace
from everword_compactor.tool_sentences import store
from everword_compactor.tool_sentences.model import ToolCall, ToolSentence


def write_sentences(
    conn: Connection,
    namespace: NodeNamespace,
    calls: Mapping[UUID, ToolCall],
    sentences: Mapping[UUID, ToolSentence],
) -> None:
    """Keep sentences by their messages, in the place of earlier ones; `calls` holds all of those messages."""
    retained = sorted(store.upsert_sentences(conn, namespace.id, sentences))
    if not retained:
        return
    language = Language(namespace.text_search_config, namespace.time_zone)
    # Messages of a channel that is not indexed are no sources, and their sentences are found as little.
    passages = [
        build_derived_passage(source, calls[source.id].text, sentences[source.id].content, language)
        for source in find_sources(conn, namespace.id, retained)
    ]
    replace_passages_blocking(conn, namespace.id, retained, passages)
