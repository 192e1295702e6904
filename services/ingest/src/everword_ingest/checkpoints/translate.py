"""Checkpoint requests to the model, and checkpoints to messages."""

from __future__ import annotations

from uuid import UUID

from everword.rpc.translate import from_struct, text_of, to_struct, to_timestamp
from everword.v1 import ingest_service_pb2 as pb
from everword_ingest.checkpoints.model import MAX_VERSIONS, Listing, NamedCheckpoint, NewCheckpoint
from everword_ingest.checkpoints.store import CheckpointRow
from everword_ingest.request_ids.claims import hash_body


def to_place(name: pb.CheckpointName) -> NamedCheckpoint:
    return NamedCheckpoint(UUID(name.conversation_id), name.name)


def to_saving(request: pb.SaveCheckpointRequest) -> NewCheckpoint:
    """Return the checkpoint to save. Raises InvalidArgument."""
    retained = request.HasField("metadata")
    return NewCheckpoint(
        place=NamedCheckpoint(UUID(request.conversation_id), request.name),
        state=request.state,
        media_type=request.media_type,
        metadata=from_struct(request.metadata, "metadata") if retained else None,
        parent_id=UUID(request.parent_id) if request.parent_id else None,
        checkpoint_id=UUID(request.checkpoint_id) if request.checkpoint_id else None,
        expected_version=(
            request.expected_version if request.HasField("expected_version") else None
        ),
        max_versions=request.max_versions or MAX_VERSIONS,
        request_id=request.request_id,
        body_hash=hash_body(request),
    )


def to_listing(request: pb.ListCheckpointsRequest) -> Listing:
    return Listing(
        UUID(request.conversation_id),
        request.name if request.HasField("name") else None,
        request.all_versions,
        request.before_version,
    )


def checkpoint_to_proto(row: CheckpointRow) -> pb.Checkpoint:
    return pb.Checkpoint(
        id=str(row.id),
        conversation_id=str(row.conversation_id),
        name=row.name,
        version=row.version,
        parent_id=text_of(row.parent_id),
        media_type=row.media_type,
        state_bytes=row.state_bytes,
        metadata=to_struct(row.metadata),
        create_time=to_timestamp(row.created_at),
    )
