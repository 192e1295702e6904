"""What a model is told of a call that failed."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec

import grpc
from mcp.server.mcpserver.exceptions import ToolError

from everword.client import CallError

_Parameters = ParamSpec("_Parameters")

#: What to do about errors that a model can do something about, by the code of the call.
_ADVICE = {
    grpc.StatusCode.UNAVAILABLE: "Memory cannot be reached now. Go on without it, or try again in a while.",
    grpc.StatusCode.UNAUTHENTICATED: "Tell the user that the key of the memory server is wrong or missing.",
    grpc.StatusCode.PERMISSION_DENIED: "Tell the user that this key may not do that.",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "Wait before you call again.",
    grpc.StatusCode.DEADLINE_EXCEEDED: "Ask for less, or try again in a while.",
    grpc.StatusCode.ABORTED: "Read it again, then write.",
}


def as_tool(
    call: Callable[_Parameters, Awaitable[str]],
) -> Callable[_Parameters, Awaitable[str]]:
    """Return `call`, whose CallError becomes an error that the model can read."""

    @functools.wraps(call)
    async def tool(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> str:
        try:
            return await call(*args, **kwargs)
        except CallError as error:
            raise ToolError(_explain(error)) from error

    return tool


def _explain(error: CallError) -> str:
    said = error.message.rstrip(".") + "."
    broken = [f"{field}: {rule}." for field, rule in error.violations]
    retry = (
        f"It may be called again in {error.retry_after_s:g} s."
        if error.retry_after_s is not None
        else _ADVICE.get(error.code, "")
    )
    return " ".join(part for part in (said, *broken, retry) if part)
