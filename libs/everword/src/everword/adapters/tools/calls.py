"""Calls of tools, and the texts that explain failures to a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import grpc

from everword.adapters.tools.arguments import checked, unknown_arguments
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


async def call_tool(tool: Tool, caller: ToolCaller, arguments: str | Mapping[str, Any]) -> str:
    """Return a tool's answer to the arguments of a model. Raises ToolError."""
    try:
        answer = await tool.call(caller, **checked(tool, arguments, caller.scope))
    except CallError as error:
        raise ToolError(_explain(error)) from error
    unknown = unknown_arguments(tool, arguments, caller.scope)
    return f"{answer}\n{unknown}" if unknown else answer


def _explain(error: CallError) -> str:
    said = error.message.rstrip(".") + "."
    retry = (
        f"It may be called again in {error.retry_after_s:g} s."
        if error.retry_after_s is not None
        else _ADVICE.get(error.code, "")
    )
    return " ".join(part for part in (said, *error.broken_rules, retry) if part)
