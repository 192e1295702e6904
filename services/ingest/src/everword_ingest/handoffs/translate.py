"""Handoff requests to the model, and grants to messages."""

from __future__ import annotations

from datetime import timedelta

from everword.rpc.translate import to_timestamp
from everword.v1 import note_service_pb2 as pb
from everword_ingest.handoffs.model import (
    ADVISOR_IMPORTANCE,
    DEFAULT_CALLS,
    DEFAULT_LIFETIME,
    GrantRecord,
    HandoffKey,
    advisor_note,
    handoff_note,
)
from everword_ingest.notes.model import NoteWrite
from everword_ingest.request_ids.claims import hash_body


def to_key(key: pb.HandoffKey) -> HandoffKey:
    return HandoffKey(key.repo, key.issue)


def to_handoff(request: pb.WriteHandoffRequest) -> NoteWrite:
    note = handoff_note(to_key(request.key), request.content, request.author)
    return NoteWrite(note, request_id=request.request_id, body_hash=hash_body(request))


def to_advisor_note(request: pb.SaveAdvisorNoteRequest) -> NoteWrite:
    importance = request.importance or ADVISOR_IMPORTANCE
    note = advisor_note(to_key(request.key), request.content, importance, request.author)
    return NoteWrite(note, request_id=request.request_id, body_hash=hash_body(request))


def to_calls(request: pb.CreateAdvisorGrantRequest) -> int:
    return request.max_calls or DEFAULT_CALLS


def to_lifetime(request: pb.CreateAdvisorGrantRequest) -> timedelta:
    return request.lifetime.ToTimedelta() if request.HasField("lifetime") else DEFAULT_LIFETIME


def grant_to_proto(record: GrantRecord) -> pb.AdvisorGrant:
    return pb.AdvisorGrant(
        id=str(record.id),
        key=pb.HandoffKey(repo=record.repo, issue=record.issue),
        max_calls=record.max_calls,
        used_calls=record.used_calls,
        create_time=to_timestamp(record.created_at),
        expire_time=to_timestamp(record.expires_at),
    )
