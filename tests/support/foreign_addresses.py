"""Calls of address RPCs with ids of another namespace."""

from __future__ import annotations

from everword.v1 import address_pb2 as pb
from everword.v1 import watch_pb2 as watch
from support.foreign import NO_PAGE, NO_TOKEN, Call, Theirs
from support.foreign_filters import first_told

NO_ADDRESS = "ADDRESS_NOT_FOUND"


def _messages(namespace: str, theirs: Theirs) -> str:
    return f"viking://{namespace}/conversations/{theirs.conversation_id}/messages"


def listed(address: str, **fields: str) -> pb.ListAddressRequest:
    return pb.ListAddressRequest(address=address, page_size=1, **fields)


#: Like `REFUSED` of the test.
ADDRESSES_REFUSED: dict[str, tuple[str, Call]] = {
    "ReadAddress address": (
        NO_ADDRESS,
        lambda s, t: s.search.ReadAddress(
            pb.ReadAddressRequest(address=_messages("theirs", t) + "/1")
        ),
    ),
    "ReadAddress address of the caller's own namespace": (
        NO_ADDRESS,
        lambda s, t: s.search.ReadAddress(
            pb.ReadAddressRequest(address=_messages("default", t) + "/1")
        ),
    ),
    "ReadAddress at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.ReadAddress(
            pb.ReadAddressRequest(address="viking://", at_least_as_fresh=t.consistency_token)
        ),
    ),
    "WatchMemories resume_token": (
        NO_PAGE,
        lambda s, t: first_told(
            s, watch.WatchMemoriesRequest(resume_token=t.page_tokens["WatchMemories"])
        ),
    ),
    "ListAddress address": (
        NO_ADDRESS,
        lambda s, t: s.search.ListAddress(listed(_messages("theirs", t))),
    ),
    "ListAddress address of the caller's own namespace": (
        NO_ADDRESS,
        lambda s, t: s.search.ListAddress(listed(_messages("default", t))),
    ),
    "ListAddress page_token": (
        NO_PAGE,
        lambda s, t: s.search.ListAddress(
            listed("viking://default/notes", page_token=t.page_tokens["ListAddress"])
        ),
    ),
    "ListAddress at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.ListAddress(
            listed("viking://", at_least_as_fresh=t.consistency_token)
        ),
    ),
}
