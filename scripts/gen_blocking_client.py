"""Write `everword.client.blocking`: the methods of AsyncEverword, without `await`.

Each method of the result runs its counterpart on an event loop in another thread, so that both have one source.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "libs" / "everword" / "src" / "everword" / "client"
SOURCE = CLIENT / "everword.py"
TARGET = CLIENT / "blocking.py"

_HEAD = '''"""`Everword`: AsyncEverword for callers without an event loop. Made from it by `make client`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from datetime import datetime
from typing import Any, Self, TypeVar

from everword.client.client import Client
from everword.client.everword import AsyncEverword
from everword.client.kinds import Kind
from everword.client.loop import BackgroundLoop
from everword.client.types import (
    AnyMessage,
    Context,
    ContextPart,
    Fact,
    Memory,
    Note,
    SearchHits,
    Turns,
)
from everword.v1 import memory_pb2

_Result = TypeVar("_Result")


class Everword:
    """{doc}"""

    def __init__({arguments}) -> None:
        """{init_doc}"""
        self._loop = BackgroundLoop()
        self._memory = AsyncEverword({passed})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connections; the next call makes others."""
        self._loop.run(self._memory.close())
        self._loop.close()

    def run(self, call: Callable[[AsyncEverword], Coroutine[Any, Any, _Result]]) -> _Result:
        """Return what `call` returns of the AsyncEverword beneath, for what has no method here."""
        return self._loop.run(call(self._memory))

    async def arun(self, call: Callable[[AsyncEverword], Coroutine[Any, Any, _Result]]) -> _Result:
        """Return the same to a caller with an event loop of its own, which goes on meanwhile."""
        return await self._loop.arun(call(self._memory))
'''
#: Written by hand above.
_LEFT_OUT = {"__init__", "close", "client"}


def generate() -> str:
    """Return the text of the module."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    [source] = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = [
        node for node in source.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
    ]
    [init] = [method for method in methods if method.name == "__init__"]
    text = _HEAD.format(
        doc=ast.get_docstring(source, clean=False),
        arguments=ast.unparse(init.args),
        init_doc=ast.get_docstring(init, clean=False),
        passed=_passed(init.args),
    )
    public = [
        method
        for method in methods
        if isinstance(method, ast.AsyncFunctionDef)
        and not method.name.startswith("_")
        and method.name not in _LEFT_OUT
    ]
    text += "".join(_method(each) for each in public)
    formatted = subprocess.run(
        [
            str(Path(sys.executable).with_name("ruff")),
            "format",
            "--stdin-filename",
            str(TARGET),
            "-",
        ],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return formatted.stdout


def _method(method: ast.AsyncFunctionDef) -> str:
    """Return the counterpart of a method."""
    assert method.returns is not None
    returned = ast.unparse(method.returns)
    call = f"self._memory.{method.name}({_passed(method.args)})"
    if returned.startswith("AsyncIterator["):
        returned = returned.removeprefix("Async")
        body = f"return self._loop.iterate({call})"
    else:
        body = f"self._loop.run({call})" if returned == "None" else f"return self._loop.run({call})"
    return f'''
    def {method.name}({ast.unparse(method.args)}) -> {returned}:
        """{ast.get_docstring(method, clean=False)}"""
        {body}
'''


def _passed(arguments: ast.arguments) -> str:
    """Return the arguments of a call that hands on all that a function was given."""
    names = [each.arg for each in arguments.args if each.arg != "self"]
    if arguments.vararg:
        names.append(f"*{arguments.vararg.arg}")
    return ", ".join([*names, *(f"{each.arg}={each.arg}" for each in arguments.kwonlyargs)])


def main() -> None:
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(generate(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != generate():
        sys.exit(f"{TARGET.name} is not what {SOURCE.name} says: run `make client`")


if __name__ == "__main__":
    main()
