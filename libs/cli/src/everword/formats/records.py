"""The records that an import stores: messages of conversations, notes and documents, each under a stable name.

A note or a document is written only if its key or title was never used, so that a second import neither duplicates it
nor overwrites later changes. Values are made to fit: NUL characters are replaced, texts are truncated to the limit of
their field, and metadata of a source is dropped if it is too large.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from everword.transcripts import Entry, Meter, chat_messages, fill, time_of, to_message, to_target
from everword.v1 import ingest_service_pb2
from everword.v1.document_service_pb2 import WriteDocumentRequest
from everword.v1.note_service_pb2 import WriteNoteRequest

Record = Entry | WriteNoteRequest | WriteDocumentRequest

#: How much text a message, a document and a note may have, in bytes of UTF-8.
TEXT_BYTES = 1024 * 1024
NOTE_BYTES = 256 * 1024
#: All blocks of a message together, with room for their names.
_BLOCKS_BYTES = TEXT_BYTES - 32 * 1024
_BLOCKS = 256
#: Limits of the metadata of a message or a conversation.
_STRUCT_BYTES = 64 * 1024
_STRUCT_DEPTH = 30
_NAME_CHARS = 256
_ID_CHARS = 512
_NOTE_TAGS = 16
_TAG_CHARS = 128
#: Prefix of session keys in which programs, not people, talk to an agent.
_HEARTBEATS = "heartbeat:"


@dataclass
class Conversation:
    """A conversation that messages are read for. `place` names it in errors."""

    target: ingest_service_pb2.ConversationTarget
    place: str
    #: When its last message was, or else the conversation: so a message is that does not say.
    moment: str = ""
    #: Contents of earlier messages by external id.
    _seen: dict[str, str] = field(default_factory=dict)

    def message(self, external_id: str, **fields: Any) -> Entry:
        """Return a message with these fields of NewMessage; `role` is a word. Raises RecordError."""
        place = f"{self.place}, message {external_id}"
        retained = {name: _storable(value) for name, value in fields.items() if value}
        self.moment = retained.setdefault("create_time", self.moment)
        if not self.moment:
            del retained["create_time"]
        for name in ("content", "tool_args", "tool_result"):
            if name in retained:
                retained[name] = cut(retained[name], TEXT_BYTES)
        for name in ("author", "tool_name"):
            if name in retained:
                retained[name] = retained[name][:_NAME_CHARS]
        if "content_blocks" in retained:
            retained["content_blocks"] = _fitting(retained["content_blocks"])
        if "metadata" in retained and _depth(retained["metadata"]) > _STRUCT_DEPTH:
            del retained["metadata"]
        own = self._own(_storable(external_id), retained)
        if self.target.key.session_key.startswith(_HEARTBEATS):
            retained["automated"] = True
        message = to_message({**retained, "external_id": own}, place)
        if message.metadata.ByteSize() > _STRUCT_BYTES:
            message.ClearField("metadata")
        return Entry(self.target, message, place)

    def _own(self, external_id: str, kept: dict[str, Any]) -> str:
        """Return an id that fits, and under which nothing else was said here: of two such messages both are kept."""
        own = external_id if len(external_id) <= _ID_CHARS else digest(external_id)
        said = digest(json.dumps({**kept, "create_time": ""}, sort_keys=True, default=str))
        if self._seen.setdefault(own, said) == said:
            return own
        return f"{own[: _ID_CHARS - len(said) - 1]}:{said}"


def conversation(
    session_key: str,
    place: str,
    *,
    channel: str,
    agent: str = "",
    created: str = "",
    **details: Any,
) -> Conversation:
    """Return a conversation with this key and these fields of ConversationDetails. Raises RecordError.

    `created` is when it was, for messages that do not say.
    """
    key = {"session_key": _storable(session_key), "agent": agent, "channel": channel}
    retained = {name: _storable(value) for name, value in details.items() if value}
    if "title" in retained:
        retained["title"] = retained["title"][:512]
    if "settings" in retained and _depth(retained["settings"]) > _STRUCT_DEPTH:
        del retained["settings"]
    target = to_target(key, retained, place)
    if target.details.settings.ByteSize() > _STRUCT_BYTES:
        target.details.ClearField("settings")
    return Conversation(target, place, created)


def note(
    key: str,
    content: str,
    place: str,
    *,
    kind: str,
    tags: Iterable[str] = (),
    **fields: Any,
) -> WriteNoteRequest:
    """Return a note, which is written only if its key never existed. Raises RecordError."""
    request = WriteNoteRequest(expected_version=0)
    retained = list(dict.fromkeys(_storable(tag)[:_TAG_CHARS] for tag in tags if tag))[:_NOTE_TAGS]
    given = {
        **{name: value for name, value in fields.items() if value},
        "key": _storable(key)[:512],
        "content": cut(_storable(content), NOTE_BYTES),
        "kind": kind,
        "tags": retained,
    }
    fill(request.note, given, place)
    return request


def document(
    title: str, content: str, place: str, *, tags: Iterable[str] = (), **scope: str
) -> WriteDocumentRequest:
    """Return a document, which is written only if its title never existed. Raises RecordError."""
    request = WriteDocumentRequest(expected_version=0)
    retained = list(dict.fromkeys(_storable(tag)[:_TAG_CHARS] for tag in tags if tag))[:_NOTE_TAGS]
    given = {
        "document": {"title": _storable(title)[:512], "scope": scope, "tags": retained},
        "content": cut(_storable(content), TEXT_BYTES),
    }
    fill(request, given, place)
    return request


def belonging(records: Iterable[Record], agent: str, subject: str) -> Iterator[Record]:
    """Yield records with an agent and a subject where their file names none."""
    for record in records:
        if isinstance(record, Entry):
            record.target.key.agent = record.target.key.agent or agent
            record.target.details.subject = record.target.details.subject or subject
        elif agent or subject:
            written = record.note if isinstance(record, WriteNoteRequest) else record.document
            scope = written.scope
            scope.agent = scope.agent or agent
            scope.subject = scope.subject or subject
        yield record


def with_own_names(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records, and rename notes and documents whose name occurred earlier in the source with other words.

    Without a new name, only the first would be stored: the second would look like a repeated import.
    """
    seen = dict[tuple[str, str], str]()
    for record in records:
        if not isinstance(record, Entry):
            said = digest(record.SerializeToString(deterministic=True))
            if seen.setdefault(_name_of(record), said) != said:
                _rename(record, said)
        yield record


def _name_of(record: WriteNoteRequest | WriteDocumentRequest) -> tuple[str, str]:
    """Return the scope of a note or a document, and its name in it."""
    if isinstance(record, WriteNoteRequest):
        return str(record.note.scope), f"note {record.note.key}"
    return str(record.document.scope), f"document {record.document.title}"


def _rename(record: WriteNoteRequest | WriteDocumentRequest, suffix: str) -> None:
    if isinstance(record, WriteNoteRequest):
        record.note.key = f"{record.note.key[: _ID_CHARS - len(suffix) - 1]}/{suffix}"
    else:
        record.document.title = f"{record.document.title[: _ID_CHARS - len(suffix) - 3]} ({suffix})"


def key_of(entry: Entry) -> tuple[str, str, str]:
    """Return the session key, the agent and the channel of a message's conversation."""
    key = entry.target.key
    return key.session_key, key.agent, key.channel


def cut(text: str, limit: int) -> str:
    """Return `text`, truncated to `limit` bytes with a note of its original length."""
    if len(text) * 4 <= limit or len(data := text.encode()) <= limit:
        return text
    mark = f"… (cut: {len(text)} characters)"
    return data[: limit - len(mark.encode())].decode(errors="ignore") + mark


def digest(*parts: object) -> str:
    """Return a short hash of `parts`, the same on every machine."""
    told = "\0".join(map(str, parts)).encode("utf-8", "replace")
    return hashlib.sha256(told).hexdigest()[:16]


def day_of(value: object, place: str) -> str:
    """Return the day of a time, as a label; empty without a time. Raises RecordError, which names `place`."""
    try:
        return date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        return time_of(value, place)[:10]


def _depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)


def _storable(value: Any) -> Any:
    """Return a value without the characters that no text can hold."""
    if isinstance(value, str):
        if "\0" in value or not value.isascii():
            return value.replace("\0", "�").encode("utf-8", "replace").decode()
        return value
    if isinstance(value, Mapping):
        return {_storable(key): _storable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(each) for each in value]
    return value


def _fitting(blocks: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the blocks that a message has room for; the last one may be cut."""
    retained = list[dict[str, str]]()
    available = _BLOCKS_BYTES
    for block in blocks[:_BLOCKS]:
        size = sum(len(text.encode()) for text in block.values())
        if size <= available:
            retained.append(block)
        elif "text" in block and available > TEXT_BYTES // 64:
            retained.append({"type": block["type"], "text": cut(block["text"], available)})
        available -= min(size, available)
    return retained


def chat_entries(
    messages: Sequence[Mapping[str, Any]], into: Conversation, meter: Meter
) -> Iterator[Entry]:
    """Yield the messages of a chat, which have ids. Malformed ones are skipped and counted in `meter`."""
    numbered = [
        (number, message, f"{into.place}, message {message['id']}")
        for number, message in enumerate(messages, start=1)
    ]
    for fields, place in chat_messages(numbered, meter=meter):
        with meter.skipping(place):
            own = str(fields.pop("id"))
            yield into.message(own, **fields)
