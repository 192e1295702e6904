"""Suggests existing names that are similar to an unknown name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from everword.client import CallError, Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import document_service_pb2 as documents
from everword.v1 import graph_query_service_pb2 as topics
from everword.v1 import lore_service_pb2 as lore
from everword.v1 import note_service_pb2 as notes
from everword.v1 import search_service_pb2 as search

#: Maximum names to compare, so that a failed command does not read a whole namespace.
_MOST_NAMES = 1_000
_SUGGESTED = 3


class KnownName(NamedTuple):
    """A name that exists, and the options that a command needs to find it, such as `--agent kit`."""

    name: str
    options: str = ""


def did_you_mean(name: str, known: Iterable[str | KnownName]) -> str:
    """Return a sentence, after a space, with the names most similar to `name`; empty if none is similar."""
    by_folded: dict[str, list[KnownName]] = {}
    for each in known:
        found = KnownName(each) if isinstance(each, str) else each
        by_folded.setdefault(found.name.casefold(), []).append(found)
    close = [
        each
        for folded in get_close_matches(name.casefold(), by_folded, n=_SUGGESTED)
        for each in by_folded[folded]
    ]
    shown = [
        f"{each.name!r}{f' with {each.options}' if each.options else ''}"
        for each in close[:_SUGGESTED]
    ]
    return f" Did you mean {' or '.join(shown)}?" if shown else ""


async def suggest(client: Client, error: CallError) -> str:
    """Return a sentence that suggests similar names for a NOT_FOUND error; empty if there are none."""
    if error.reason not in _LISTS:
        return ""
    field, list_names = _LISTS[error.reason]
    if not (name := error.metadata.get(field, "")):
        return ""
    try:
        return did_you_mean(name, await list_names(client))
    except CallError:
        return ""  # the key may not list names; only the first error matters


async def list_namespaces(client: Client) -> list[KnownName]:
    request = admin.ListNamespacesRequest(page_size=PAGE_SIZE)
    found = await list_all(client.admin_service.ListNamespaces, request, _MOST_NAMES)
    return [KnownName(each.name) for each in found.namespaces]


async def list_notes(client: Client) -> list[KnownName]:
    request = notes.ListNotesRequest(page_size=PAGE_SIZE)
    found = await list_all(client.note_service.ListNotes, request, _MOST_NAMES)
    return [
        KnownName(each.body.key, _options(each.body.scope)) for each in found.notes if each.body.key
    ]


async def list_documents(client: Client) -> list[KnownName]:
    request = documents.ListDocumentsRequest(page_size=PAGE_SIZE)
    found = await list_all(client.document_service.ListDocuments, request, _MOST_NAMES)
    return [KnownName(each.body.title, _options(each.body.scope)) for each in found.documents]


async def list_lore_books(client: Client) -> list[KnownName]:
    request = lore.ListLoreBooksRequest(page_size=PAGE_SIZE)
    found = await list_all(client.lore_service.ListLoreBooks, request, _MOST_NAMES)
    return [KnownName(each.body.name, _options(each.body.scope)) for each in found.books]


async def list_conversations(client: Client) -> list[KnownName]:
    request = search.ListConversationsRequest(page_size=PAGE_SIZE)
    found = await list_all(client.search_service.ListConversations, request, _MOST_NAMES)
    return [KnownName(each.key.session_key, _options(each.key)) for each in found.conversations]


async def list_subjects(client: Client) -> list[KnownName]:
    """Return the subjects of conversations."""
    request = search.ListConversationsRequest(page_size=PAGE_SIZE)
    found = await list_all(client.search_service.ListConversations, request, _MOST_NAMES)
    return [
        KnownName(name) for name in {each.details.subject for each in found.conversations} if name
    ]


async def list_topics(client: Client) -> list[KnownName]:
    request = topics.ListTopicsRequest(page_size=PAGE_SIZE)
    found = await list_all(client.graph_query_service.ListTopics, request, _MOST_NAMES)
    return [KnownName(each.name, _options(each)) for each in found.topics]


def _options(scope: Any) -> str:
    """Return the options that name the agent, the subject, the channel or the conversation of an item."""
    fields = scope.DESCRIPTOR.fields_by_name
    options = {"agent": "agent", "subject": "subject", "channel": "channel"}
    options["conversation_id"] = "conversation"
    return " ".join(
        f"--{option} {getattr(scope, field)}"
        for field, option in options.items()
        if field in fields and getattr(scope, field)
    )


#: By error reason: the metadata key with the unknown name, and the function that lists existing names.
_LISTS: Mapping[str, tuple[str, Callable[[Client], Awaitable[list[KnownName]]]]] = {
    "NAMESPACE_NOT_FOUND": ("namespace", list_namespaces),
    "NOTE_NOT_FOUND": ("key", list_notes),
    "DOCUMENT_NOT_FOUND": ("title", list_documents),
    "LORE_BOOK_NOT_FOUND": ("name", list_lore_books),
    "CONVERSATION_NOT_FOUND": ("session_key", list_conversations),
    "TOPIC_NOT_FOUND": ("name", list_topics),
}
