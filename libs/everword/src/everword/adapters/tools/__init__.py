"""Memory as tools of a model, without a server of their own: `pip install everword[tools]`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from everword.adapters.tools.calls import call_tool
from everword.adapters.tools.model import ToolCaller, ToolError, ToolScope
from everword.adapters.tools.registry import DEFAULT_SETS, instructions_of, tools_of
from everword.client import AsyncEverword, Everword

__all__ = ["Tools"]


class Tools:
    """The tools of `everword mcp`, as schemas for an API that calls functions, and the calls themselves."""

    def __init__(
        self,
        memory: Everword,
        sets: Collection[str] = DEFAULT_SETS,
        *,
        agent: str = "",
        subject: str = "",
    ) -> None:
        """Provide the sets of these names, such as `memory` and `notes`. Raises ValueError for an unknown set.

        With an agent or a subject (the user), tools read memories of these and memories without an owner. They write
        memories of these only.
        """
        self._memory = memory
        self._scope = ToolScope(agent, subject)
        self._tools = tools_of(sets)
        self.instructions = instructions_of(sets)
        """When to use them, for the system prompt."""

    def openai(self) -> list[dict[str, Any]]:
        """Return the schemas for `tools` of OpenAI's chat completions, and of servers with the same API."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema(self._scope),
                },
            }
            for tool in self._tools.values()
        ]

    def anthropic(self) -> list[dict[str, Any]]:
        """Return the schemas for `tools` of Anthropic's messages."""
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.schema(self._scope),
            }
            for tool in self._tools.values()
        ]

    def call(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Return the text that answers a model's call. `arguments` are a mapping, or its JSON.

        If the call fails, the text says what the model or its user can do; no error is raised for it.
        """
        return self._memory.run(lambda memory: self._answer(memory, name, arguments))

    async def acall(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Return the same, without blocking the caller's event loop."""
        return await self._memory.arun(lambda memory: self._answer(memory, name, arguments))

    async def _answer(
        self, memory: AsyncEverword, name: str, arguments: str | Mapping[str, Any]
    ) -> str:
        tool = self._tools.get(name)
        if tool is None:
            return f"There is no tool {name!r}. The tools are: {', '.join(self._tools)}."
        caller = ToolCaller(await memory.client(), memory.freshness, self._scope)
        try:
            return await call_tool(tool, caller, arguments)
        except ToolError as error:
            return str(error)
