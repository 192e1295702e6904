"""Read a file that comes in parts, and store its text as a document."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterable, Callable
from dataclasses import replace

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import RequestTooLarge
from everword.rpc.refusal_server import refuse_in_text
from everword_ingest.documents.model import MAX_FILE_BYTES, SourceFile, Upload, WrittenDocument
from everword_ingest.documents.prepare import cut_parsed, parse_file
from everword_ingest.documents.write_document import prepare, store_document


async def upload_document(
    database: Database,
    namespace: NamespaceScope,
    upload: Upload,
    parts: AsyncIterable[bytes],
    wake: Callable[[], None],
) -> WrittenDocument:
    """Store the text of a file as a version of a document, or find that an equal call did.

    Nothing is in a transaction while the file comes in and is read. Raises RequestTooLarge, DocumentUnreadable,
    CredentialRefused, and as `write_document` does.
    """
    data = await _collect(parts)
    digest = hashlib.sha256(data).digest()
    change = replace(
        upload.change, body_hash=hashlib.sha256(upload.change.body_hash + digest).digest()
    )
    file = SourceFile(upload.file_name, upload.media_type or "", len(data), digest)
    parsed = await parse_file(data, file, upload.media_type)
    if namespace.refuses_credentials:
        await refuse_in_text("data", parsed.text)
    file = replace(file, media_type=parsed.media_type)
    cut = await cut_parsed(parsed, change)
    prepared = await prepare(database, namespace, change, cut, file)
    written = await store_document(database, namespace, change, prepared, wake)
    return replace(written, warnings=parsed.warnings)


async def _collect(parts: AsyncIterable[bytes]) -> bytes:
    """Return a file whole. Raises RequestTooLarge as soon as more has come than a file may have."""
    collected = bytearray()
    async for part in parts:
        if len(collected) + len(part) > MAX_FILE_BYTES:
            size = len(collected) + len(part)
            raise RequestTooLarge(bytes=size, limit_bytes=MAX_FILE_BYTES)
        collected += part
    return bytes(collected)
