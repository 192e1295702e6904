"""Refuses requests with credentials if the namespace stores none. The error names only the field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from everword.domain.credentials import CredentialRefused
from everword.rpc.long_work import LONG_BYTES, run_in_thread
from everword.text.credentials import find_credentials

#: Places that an error names at most.
_MAX_PLACES = 10
#: No credential is recognised in less, with the word that announces it.
_SHORTEST = 8


async def refuse_credentials(request: Message) -> None:
    """Raise CredentialRefused where a text of `request` holds a credential."""
    if request.ByteSize() <= LONG_BYTES:
        _check(request)
    else:
        await run_in_thread(_check, request)


async def refuse_in_text(field: str, text: str) -> None:
    """Raise CredentialRefused where `text`, which came with `field`, holds a credential."""
    if places := await run_in_thread(_places, field, text):
        raise CredentialRefused.at(places)


def _check(request: Message) -> None:
    found: list[tuple[str, int]] = []
    for field, text in texts_of(request):
        found += _places(field, text)
        if len(found) >= _MAX_PLACES:
            break
    if found:
        raise CredentialRefused.at(found[:_MAX_PLACES])


def _places(field: str, text: str) -> list[tuple[str, int]]:
    if len(text) < _SHORTEST:
        return []
    return [(field, start) for start, _ in find_credentials(text)[:_MAX_PLACES]]


def texts_of(message: Message, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a message with their places, such as `messages[2].content`. A map is one text, its JSON."""
    for field, value in message.ListFields():
        place = f"{path}{field.name}"
        if _is_map(field) or isinstance(value, Struct):
            # A word such as `password` is a key there, followed by its value.
            shown = MessageToDict(value) if isinstance(value, Struct) else dict(value)
            yield place, json.dumps(shown, ensure_ascii=False, default=str)
        elif field.is_repeated:
            for index, each in enumerate(value):
                yield from _of_value(f"{place}[{index}]", each)
        else:
            yield from _of_value(place, value)


def _of_value(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Message):
        yield from texts_of(value, f"{place}.")


def _is_map(field: Any) -> bool:
    kind = field.message_type
    return kind is not None and kind.GetOptions().map_entry
