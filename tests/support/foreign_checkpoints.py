"""Calls of checkpoint RPCs with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everword.v1 import ingest_service_pb2 as pb
from support.callers import within
from support.foreign import NO_CONVERSATION, NO_PAGE, Call, Theirs, ensure_request
from support.stack import Stack

NO_CHECKPOINT = "CHECKPOINT_NOT_FOUND"


@dataclass(frozen=True)
class TheirCheckpoints:
    """Ids and tokens of a namespace's checkpoints."""

    checkpoint_id: str
    page_tokens: dict[str, str]


def list_request(conversation_id: str, **fields: Any) -> pb.ListCheckpointsRequest:
    return pb.ListCheckpointsRequest(conversation_id=conversation_id, page_size=1, **fields)


async def save_checkpoints(stack: Stack, namespace: str, conversation_id: str) -> TheirCheckpoints:
    """Save two checkpoints under two names."""
    metadata = within(namespace)
    for name in ("plan", "draft"):
        request = pb.SaveCheckpointRequest(
            conversation_id=conversation_id, name=name, state=b"theirs"
        )
        saved = await stack.ingest.SaveCheckpoint(request, metadata=metadata)
    listed = await stack.ingest.ListCheckpoints(list_request(conversation_id), metadata=metadata)
    return TheirCheckpoints(saved.checkpoint_id, {"ListCheckpoints": listed.next_page_token})


async def _own_conversation(stack: Stack) -> str:
    """Return the id of the conversation of the caller, `third`."""
    made = await stack.ingest.EnsureConversation(ensure_request(), metadata=within("third"))
    return made.conversation.id


async def _save_after_theirs(stack: Stack, theirs: Theirs) -> Any:
    request = pb.SaveCheckpointRequest(
        conversation_id=await _own_conversation(stack), parent_id=theirs.checkpoint_id
    )
    return await stack.ingest.SaveCheckpoint(request, metadata=within("third"))


async def _save_under_their_id(stack: Stack, theirs: Theirs) -> Any:
    """Save a checkpoint under their checkpoint id; only their conversation id is refused, since the other is unknown
    here.
    """
    request = pb.SaveCheckpointRequest(
        conversation_id=theirs.conversation_id, checkpoint_id=theirs.checkpoint_id
    )
    return await stack.ingest.SaveCheckpoint(request)


def _latest(theirs: Theirs) -> pb.CheckpointName:
    return pb.CheckpointName(conversation_id=theirs.conversation_id, name="plan")


#: Like `REFUSED` and `EMPTY` of the test.
CHECKPOINTS_REFUSED: dict[str, tuple[str, Call]] = {
    "SaveCheckpoint conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.ingest.SaveCheckpoint(
            pb.SaveCheckpointRequest(conversation_id=t.conversation_id, state=b"mine")
        ),
    ),
    "SaveCheckpoint parent_id": (NO_CHECKPOINT, _save_after_theirs),
    "SaveCheckpoint checkpoint_id": (NO_CONVERSATION, _save_under_their_id),
    "GetCheckpoint checkpoint_id": (
        NO_CHECKPOINT,
        lambda s, t: s.ingest.GetCheckpoint(pb.GetCheckpointRequest(checkpoint_id=t.checkpoint_id)),
    ),
    "GetCheckpoint latest.conversation_id": (
        NO_CHECKPOINT,
        lambda s, t: s.ingest.GetCheckpoint(pb.GetCheckpointRequest(latest=_latest(t))),
    ),
    "ListCheckpoints conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.ingest.ListCheckpoints(list_request(t.conversation_id)),
    ),
    "ListCheckpoints page_token": (
        NO_PAGE,
        lambda s, t: s.ingest.ListCheckpoints(
            list_request(t.conversation_id, page_token=t.page_tokens["ListCheckpoints"])
        ),
    ),
}
CHECKPOINTS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "DeleteCheckpoints checkpoint_id": (
        lambda s, t: s.ingest.DeleteCheckpoints(
            pb.DeleteCheckpointsRequest(checkpoint_id=t.checkpoint_id)
        ),
        lambda answer: answer.deleted == 0,
    ),
    "DeleteCheckpoints conversation_id": (
        lambda s, t: s.ingest.DeleteCheckpoints(
            pb.DeleteCheckpointsRequest(conversation_id=t.conversation_id)
        ),
        lambda answer: answer.deleted == 0,
    ),
    "DeleteCheckpoints name.conversation_id": (
        lambda s, t: s.ingest.DeleteCheckpoints(pb.DeleteCheckpointsRequest(name=_latest(t))),
        lambda answer: answer.deleted == 0,
    ),
}
