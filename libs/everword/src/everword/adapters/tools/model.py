"""A tool that models can call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, Literal

from pydantic import BaseModel, create_model
from pydantic.json_schema import GenerateJsonSchema

from everword.client import Client
from everword.client.freshness import Freshness

Effect = Literal["reads", "adds", "replaces"]
#: A tool that changes nothing.
READS: Effect = "reads"
#: A tool that adds, and takes nothing away.
ADDS: Effect = "adds"
#: A tool after which something is not there any more.
REPLACES: Effect = "replaces"


class ToolError(Exception):
    """A call that failed. Its text is for the model."""


class ToolCaller:
    """The caller of a tool, for one call."""

    def __init__(
        self, client: Client, freshness: Freshness, metadata: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.client = client
        self.token = freshness.token
        """The consistency token of the caller's last write, which its reads have to see; empty if there is none."""
        self.metadata = metadata
        """Headers to call with, where the client has none of its own."""
        self._freshness = freshness
        self._begun = freshness.begin()

    def wrote(self, token: str) -> None:
        """Keep the consistency token of a write."""
        self._freshness.wrote(token, self._begun)


@dataclass(frozen=True)
class Tool:
    """A function that a model can call, with a ToolCaller and the model's arguments."""

    call: Callable[..., Awaitable[str]]
    title: str
    effect: Effect

    @property
    def name(self) -> str:
        return self.call.__name__

    @property
    def description(self) -> str:
        """Its docstring, on lines of its own."""
        lines = (self.call.__doc__ or "").strip().splitlines()
        return "\n".join(line.strip() for line in lines)

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters that a model fills in."""
        return list(signature(self.call, eval_str=True).parameters.values())[1:]

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """A pydantic model that checks the arguments."""
        fields: dict[str, Any] = {
            each.name: (each.annotation, ... if each.default is Parameter.empty else each.default)
            for each in self.parameters
        }
        return create_model(self.name, **fields)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        schema = self.arguments.model_json_schema(schema_generator=_WithoutTitles)
        for each in (schema, *schema.get("$defs", {}).values()):
            each.pop("title")
        return schema


class _WithoutTitles(GenerateJsonSchema):
    """Leaves out titles, which say the name of a field again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@dataclass(frozen=True)
class ToolSet:
    """Tools that are offered together."""

    tools: tuple[Tool, ...]
    instructions: str = ""
    """When to use them, for the model."""
