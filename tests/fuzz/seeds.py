"""Requests that are known to succeed, to be changed a little: the recipe of every RPC."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from fuzz.kinds import kind_of
from fuzz.values import Values
from scripts.recipes import Recipe, read_recipes

_MARK = re.compile(r"\$([A-Z_]+)")


def seeds() -> dict[str, Recipe]:
    """Return the recipes by RPC, in the order in which they can be called."""
    return {recipe.method: recipe for recipe in read_recipes()}


def seed_requests(values: Values, method: MethodDescriptor, recipe: Recipe) -> list[Any]:
    """Return the recipe's requests, filled with ids and tokens of earlier answers."""
    requests = []
    for body in recipe.requests:
        exported = values.known.get("exported")
        filled = {
            name: b64encode(exported[-1].encode()).decode()
            if each == "$EXPORTED" and exported
            else each
            for name, each in body.items()
        }
        request = json_format.ParseDict(filled, GetMessageClass(method.input_type)())
        _fill(values, request)
        requests.append(request)
    return requests


def _fill(values: Values, message: Any) -> None:
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING and field.is_repeated:
            value[:] = [_filled(values, each, kind_of(field)) for each in value]
        elif field.type == field.TYPE_STRING:
            # A repeated request id gets the stored answer.
            again = field.name == "request_id" and values.rng.random() < 0.7
            setattr(
                message,
                field.name,
                f"r{values.rng.getrandbits(40)}"
                if again
                else _filled(values, value, kind_of(field)),
            )
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for each in value if field.is_repeated else [value]:
                _fill(values, each)


def _filled(values: Values, text: str, kind: str) -> str:
    """Return a text with values for marks such as `$NOTE_ID`; a mark alone gets a value of the field's own kind."""
    whole = _MARK.fullmatch(text)
    return _MARK.sub(
        lambda mark: values.one_of(kind if whole else mark[1].lower()) or mark[0], text
    )
