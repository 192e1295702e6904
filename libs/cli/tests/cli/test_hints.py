"""Suggestions for unknown commands."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from everword.cli.main import main

_ID = "0192f5c0-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["get", _ID], f"`everword get memory {_ID}` or `everword get conversation {_ID}`"),
        (["get", "thread-7"], "`everword get conversation thread-7`"),
        (["get", "mesage"], "get message`"),
        (["facts", "Ana Maria"], "`everword facts profile 'Ana Maria'`"),
        (["facts", "lst"], "facts list`"),
    ],
)
def test_group_suggests_what_was_meant_by_an_unknown_command(
    arguments: list[str], meant: str
) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert meant in result.output
