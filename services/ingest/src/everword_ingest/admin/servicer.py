"""AdminService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from uuid import UUID

from google.protobuf.message import Message

from everword.db.pool import Database
from everword.domain.caller import KeyScope, Role, current_caller
from everword.domain.errors import DeadlineExceeded, InvalidArgument
from everword.rpc.interceptors.base import Context
from everword.rpc.interceptors.request_id import send_request_id
from everword.rpc.pages import to_page
from everword.rpc.translate import masked_fields, optional_time, to_timestamp
from everword.v1 import admin_service_pb2 as pb
from everword.v1.admin_service_pb2_grpc import AdminServiceServicer
from everword_ingest.admin.api_keys import (
    DEFAULT_OVERLAP,
    create_api_key,
    list_api_keys,
    revoke_api_key,
    rotate_api_key,
)
from everword_ingest.admin.store import ApiKeyRecord
from everword_ingest.namespaces.deletions import (
    delete_namespace,
    list_namespace_deletions,
    preview_namespace_deletion,
)
from everword_ingest.namespaces.namespaces import (
    create_namespace,
    get_namespace,
    get_usage,
    get_voice,
    list_namespaces,
    update_namespace,
)
from everword_ingest.namespaces.translate import (
    CHANGEABLE,
    deletion_to_proto,
    namespace_to_proto,
    to_limits,
    to_settings,
    to_voice,
    usage_to_proto,
)
from everword_ingest.transfer.export_namespace import export_namespace
from everword_ingest.transfer.import_namespace import import_namespace

#: How long a message waits to be taken, where the call holds a connection to the database meanwhile.
TAKE_S = 60.0


class AdminServicer(AdminServiceServicer):
    """Namespaces and their keys, for an operator."""

    def __init__(self, database: Database, operated: bool, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake
        #: True if operators can sign in with EVERWORD_ADMIN_KEY.
        self._operated = operated

    async def CreateNamespace(
        self, request: pb.CreateNamespaceRequest, context: Context
    ) -> pb.CreateNamespaceResponse:
        settings = request.namespace.settings
        voice = to_voice(settings.voice) if settings.HasField("voice") else None
        record = await create_namespace(
            self._database,
            request.namespace.name,
            to_settings(settings),
            to_limits(request.namespace.limits),
            voice,
        )
        return pb.CreateNamespaceResponse(namespace=namespace_to_proto(record, voice))

    async def GetNamespace(
        self, request: pb.GetNamespaceRequest, context: Context
    ) -> pb.GetNamespaceResponse:
        record = await get_namespace(self._database, request.name)
        usage = await get_usage(self._database, record.id)
        voice = await get_voice(self._database, record.id)
        return pb.GetNamespaceResponse(
            namespace=namespace_to_proto(record, voice), usage=usage_to_proto(usage)
        )

    async def UpdateNamespace(
        self, request: pb.UpdateNamespaceRequest, context: Context
    ) -> pb.UpdateNamespaceResponse:
        record = await update_namespace(
            self._database,
            request.namespace.name,
            masked_fields(request.update_mask, CHANGEABLE),
            to_settings(request.namespace.settings),
            to_limits(request.namespace.limits),
            to_voice(request.namespace.settings.voice),
        )
        voice = await get_voice(self._database, record.id)
        return pb.UpdateNamespaceResponse(namespace=namespace_to_proto(record, voice))

    async def ListNamespaces(
        self, request: pb.ListNamespacesRequest, context: Context
    ) -> pb.ListNamespacesResponse:
        records, token = await list_namespaces(self._database, to_page(request))
        return pb.ListNamespacesResponse(
            namespaces=map(namespace_to_proto, records), next_page_token=token
        )

    async def PreviewNamespaceDeletion(
        self, request: pb.PreviewNamespaceDeletionRequest, context: Context
    ) -> pb.PreviewNamespaceDeletionResponse:
        counts = await preview_namespace_deletion(self._database, request.name)
        return pb.PreviewNamespaceDeletionResponse(row_counts=counts)

    async def DeleteNamespace(
        self, request: pb.DeleteNamespaceRequest, context: Context
    ) -> pb.DeleteNamespaceResponse:
        erased, deletion = await delete_namespace(
            self._database, request.name, current_caller().api_key_id, request.requested_by
        )
        return pb.DeleteNamespaceResponse(rows_erased=erased, deletion=deletion_to_proto(deletion))

    async def ListNamespaceDeletions(
        self, request: pb.ListNamespaceDeletionsRequest, context: Context
    ) -> pb.ListNamespaceDeletionsResponse:
        found, token = await list_namespace_deletions(
            self._database, request.namespace, to_page(request)
        )
        return pb.ListNamespaceDeletionsResponse(
            deletions=map(deletion_to_proto, found), next_page_token=token
        )

    async def ExportNamespace(  # type: ignore[override]
        self, request: pb.ExportNamespaceRequest, context: Context
    ) -> None:
        """Write parts as they arrive. Interceptors wait for the call's end, so it is no generator."""
        async with aclosing(export_namespace(self._database, request.name)) as parts:
            async for part in parts:
                await write_in_time(context, pb.ExportNamespaceResponse(data=part))

    async def ImportNamespace(
        self, request_iterator: AsyncIterator[pb.ImportNamespaceRequest], context: Context
    ) -> pb.ImportNamespaceResponse:
        name = await _name(request_iterator)
        parts = _data(request_iterator)
        imported = await import_namespace(self._database, name, parts, self._wake)
        return pb.ImportNamespaceResponse(
            records=imported.records,
            records_existing=imported.existing,
            consistency_token=imported.consistency_token.seal(await self._database.token_secret()),
        )

    async def CreateApiKey(
        self, request: pb.CreateApiKeyRequest, context: Context
    ) -> pb.CreateApiKeyResponse:
        key = request.api_key
        record, secret = await create_api_key(
            self._database,
            key.namespace,
            Role(key.role),
            KeyScope(key.agent, key.subject),
            key.description,
            self._operated,
            optional_time(key, "expire_time", "api_key."),
        )
        return pb.CreateApiKeyResponse(api_key=api_key_to_proto(record), secret=secret)

    async def ListApiKeys(
        self, request: pb.ListApiKeysRequest, context: Context
    ) -> pb.ListApiKeysResponse:
        records, token = await list_api_keys(self._database, request.namespace, to_page(request))
        return pb.ListApiKeysResponse(
            api_keys=map(api_key_to_proto, records), next_page_token=token
        )

    async def RevokeApiKey(
        self, request: pb.RevokeApiKeyRequest, context: Context
    ) -> pb.RevokeApiKeyResponse:
        record = await revoke_api_key(self._database, UUID(request.api_key_id))
        return pb.RevokeApiKeyResponse(api_key=api_key_to_proto(record))

    async def RotateApiKey(
        self, request: pb.RotateApiKeyRequest, context: Context
    ) -> pb.RotateApiKeyResponse:
        given = request.HasField("overlap")
        overlap = request.overlap.ToTimedelta() if given else DEFAULT_OVERLAP
        old, new, secret = await rotate_api_key(self._database, UUID(request.api_key_id), overlap)
        return pb.RotateApiKeyResponse(
            api_key=api_key_to_proto(new), secret=secret, previous=api_key_to_proto(old)
        )


async def _name(requests: AsyncIterator[pb.ImportNamespaceRequest]) -> str:
    """Return the name in the first request of a stream. Raises InvalidArgument."""
    async for request in requests:
        if request.HasField("name"):
            return request.name
        break
    raise InvalidArgument(violations=(("name", "must be sent first, before any data"),))


async def _data(requests: AsyncIterator[pb.ImportNamespaceRequest]) -> AsyncIterator[bytes]:
    """Yield the data of the other requests of a stream. Raises InvalidArgument."""
    async for request in requests:
        if request.HasField("name"):
            raise InvalidArgument(
                violations=(("name", "must be sent only once: send data after it"),)
            )
        yield request.data


def api_key_to_proto(record: ApiKeyRecord) -> pb.ApiKey:
    return pb.ApiKey(
        id=str(record.id),
        namespace=record.namespace,
        role=pb.ApiKeyRole.ValueType(record.role),
        agent=record.agent,
        subject=record.subject,
        description=record.description,
        create_time=to_timestamp(record.created_at),
        revoke_time=to_timestamp(record.revoked_at),
        expire_time=to_timestamp(record.expires_at),
        last_use_time=to_timestamp(record.last_used_at),
    )


async def write_in_time(context: Context, message: Message) -> None:
    """Send one message of an answer. Raises DeadlineExceeded where those before it were not taken for too long."""
    await send_request_id(context)
    try:
        async with asyncio.timeout(TAKE_S):
            await context.write(message)
    except TimeoutError as error:
        raise DeadlineExceeded(
            "The client did not read the stream for too long; call again, and keep reading.",
            limit_s=TAKE_S,
        ) from error
