"""Calls of tools, and the texts that explain failures to a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import grpc
from pydantic import ValidationError

from everword.adapters.tools.model import Tool, ToolCaller, ToolError
from everword.client import CallError

#: Advice for errors that a model can handle, by the code of the call.
_ADVICE = {
    grpc.StatusCode.UNAVAILABLE: "Memory cannot be reached now. Go on without it, or try again in a while.",
    grpc.StatusCode.UNAUTHENTICATED: "Tell the user that the key of the memory server is wrong or missing.",
    grpc.StatusCode.PERMISSION_DENIED: "Tell the user that this key may not do that.",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "Wait before you call again.",
    grpc.StatusCode.DEADLINE_EXCEEDED: "Ask for less, or try again in a while.",
    grpc.StatusCode.ABORTED: "Read it again, then write.",
}


async def call_tool(tool: Tool, caller: ToolCaller, arguments: Mapping[str, Any]) -> str:
    """Return a tool's answer to checked arguments. Raises ToolError."""
    try:
        return await tool.call(caller, **arguments)
    except CallError as error:
        raise ToolError(_explain(error)) from error


def checked(tool: Tool, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments, a mapping or its JSON, as the tool takes them. Raises ToolError."""
    try:
        if isinstance(arguments, str):
            given = tool.arguments.model_validate_json(arguments or "{}")
        else:
            given = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        raise ToolError(explain_arguments(tool.name, error)) from None
    return dict(given)


def explain_arguments(name: str, error: ValidationError) -> str:
    """Describe the errors in the arguments of a tool, for a model."""
    broken = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
    return f"{name} takes other arguments. {'; '.join(broken)}."


def _explain(error: CallError) -> str:
    said = error.message.rstrip(".") + "."
    retry = (
        f"It may be called again in {error.retry_after_s:g} s."
        if error.retry_after_s is not None
        else _ADVICE.get(error.code, "")
    )
    return " ".join(part for part in (said, *error.broken_rules, retry) if part)
