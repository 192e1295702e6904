"""Programs of `examples/`, as their users run them."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from support.command_line import EVERWORD, environment
from support.documents import ROOT
from support.one_address import proxied
from support.stack import Stack

NODE = ROOT / "examples" / "node"


async def _done(*command: str, cwd: Path, variables: dict[str, str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env=variables,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), timeout=180)
    assert process.returncode == 0, output.decode()
    return output.decode()


@pytest.mark.skipif(shutil.which("npm") is None, reason="Node is not installed")
async def test_typescript_example_is_generated_compiled_and_run(
    stack: Stack, tmp_path: Path
) -> None:
    """The client appends, searches with a deadline, and fetches the second page."""
    left_out = shutil.ignore_patterns("node_modules", "gen", "dist")
    project = tmp_path / "examples" / "node"
    shutil.copytree(NODE, project, ignore=left_out)
    (tmp_path / "protos").symlink_to(ROOT / "protos")
    (tmp_path / "buf.yaml").symlink_to(ROOT / "buf.yaml")
    variables = environment(stack)
    # `make setup` installs `buf` into the same folder as `everword`.
    variables["PATH"] = f"{Path(EVERWORD).parent}{os.pathsep}{variables['PATH']}"
    await _done("npm", "ci", "--no-audit", "--no-fund", cwd=project, variables=variables)
    for script in ("generate", "build"):
        await _done("npm", "run", "--silent", script, cwd=project, variables=variables)
    with proxied(stack.addresses, tmp_path / "proxy") as address:
        variables["EVERWORD_ADDRESS"] = address
        printed = await _done("npm", "run", "--silent", "start", cwd=project, variables=variables)
    lines = printed.splitlines()
    assert len(lines) == 3
    assert all(" Ana The VPN " in line for line in lines)


@pytest.fixture
def public_path(tmp_path: Path) -> Path:
    """A folder that PostgreSQL's user can traverse."""
    tmp_path.chmod(0o711)
    return tmp_path


@pytest.mark.long
async def test_client_of_two_cells_routes_calls_by_namespace(public_path: Path) -> None:
    variables = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    variables["PATH"] = f"{Path(EVERWORD).parent}{os.pathsep}{variables['PATH']}"
    cells = str(ROOT / "examples" / "cells.py")
    printed = await _done(
        sys.executable, cells, str(public_path), cwd=public_path, variables=variables
    )
    assert [line for line in printed.splitlines() if "cell" in line and ":" in line][-3:] == [
        "ana is in cell 0: The VPN drops at noon.",
        "ben is in cell 1: The printer has no ink.",
        "cell 1 has no ana: NAMESPACE_NOT_FOUND",
    ]
