"""Requests of ErasureService to the model, and back."""

from __future__ import annotations

from uuid import UUID

from everword.rpc.translate import to_timestamp
from everword.v1 import erasure_service_pb2 as pb
from everword_ingest.erasure.model import ErasurePreview, ErasureRow, ErasureTarget, Kind

_IDS = {
    "message_id": Kind.MESSAGE,
    "conversation_id": Kind.CONVERSATION,
    "note_id": Kind.NOTE,
    "fact_id": Kind.FACT,
    "learned_id": Kind.LEARNED,
    "node_id": Kind.NODE,
    "pattern_id": Kind.PATTERN,
    "document_id": Kind.DOCUMENT,
}
_NAMES = {"subject": Kind.SUBJECT, "author": Kind.AUTHOR}


def to_target(target: pb.ErasureTarget) -> ErasureTarget:
    field = target.WhichOneof("target")
    assert field is not None
    value = getattr(target, field)
    if field == "memory_id":
        return ErasureTarget(None, id=UUID(value))
    if field in _NAMES:
        return ErasureTarget(_NAMES[field], name=value)
    return ErasureTarget(_IDS[field], id=UUID(value))


def erasure_to_proto(row: ErasureRow) -> pb.Erasure:
    return pb.Erasure(
        id=str(row.id),
        kind=pb.ErasureKind.ValueType(row.kind),
        state=pb.ErasureState.ValueType(row.state),
        row_counts=row.counts,
        target_hash=row.target_hash.hex(),
        requested_by=row.requested_by,
        request_time=to_timestamp(row.requested_at),
        finish_time=to_timestamp(row.finished_at),
        error=row.error,
        matched_rows=row.matched_rows,
    )


def preview_to_proto(preview: ErasurePreview) -> pb.PreviewErasureResponse:
    return pb.PreviewErasureResponse(
        row_counts=preview.counts,
        summaries_withdrawn=preview.summaries_withdrawn,
        facts_gone=preview.facts_gone,
        facts_losing_evidence=preview.facts_losing_evidence,
        sample_message_ids=[str(id_) for id_ in preview.sample_ids],
        kind=pb.ErasureKind.ValueType(preview.kind),
        matched_rows=sum(preview.counts.values()),
        similar_names=preview.similar_names,
    )
