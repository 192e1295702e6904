"""Options and content of documents on the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from everword.v1 import document_pb2


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a document's scope."""
    for name, help_ in (
        ("--conversation", "Set the id of the conversation that it belongs to."),
        ("--subject", "Set the user that it is about."),
        ("--agent", "Set the agent of the document."),
    ):
        command = click.option(name, default="", help=help_)(command)
    return command


def to_scope(agent: str, subject: str, conversation: str) -> document_pb2.DocumentScope:
    return document_pb2.DocumentScope(agent=agent, subject=subject, conversation_id=conversation)


def read_content(content: str) -> str:
    """Return the content to write, from standard input if it is `-`."""
    return sys.stdin.read() if content == "-" else content


def to_key(title: str, agent: str, subject: str, conversation: str) -> document_pb2.DocumentKey:
    return document_pb2.DocumentKey(title=title, scope=to_scope(agent, subject, conversation))
