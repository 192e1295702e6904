"""`everword bench retrieval --summaries` with an Everword of its own: everything summed up, nothing pushed aside."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from everword.samples import sample_path
from support.command_line import EVERWORD

LIMIT_S = 180.0


async def measured(folder: Path, data: Path, *options: str) -> dict[str, Any]:
    output = folder / "out.json"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EVERWORD_")}
    process = await asyncio.create_subprocess_exec(
        EVERWORD, "bench", "retrieval", "--data", str(data), "--json", str(output), *options,
        env=clean, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, errors = await asyncio.wait_for(process.communicate(), LIMIT_S)
    assert process.returncode == 0, errors.decode()
    [each] = json.loads(output.read_text(encoding="utf-8"))["sets"]
    return dict(each)


async def test_summaries_take_nothing_away_from_what_is_found(tmp_path: Path) -> None:
    document = json.loads(sample_path().read_text(encoding="utf-8"))
    document["conversations"] = document["conversations"][:1]
    data = tmp_path / "sample.json"
    data.write_text(json.dumps(document), encoding="utf-8")
    without = await measured(tmp_path, data)
    assert "summaries" not in without
    summed_up = await measured(tmp_path, data, "--summaries")
    assert summed_up["overall"]["recall@10"] >= without["overall"]["recall@10"]
    figures = summed_up["summaries"]
    assert figures["summaries"] > 3
    assert figures["evidence_reachable"] >= 0.8
    assert 0 < figures["context_share"] <= 0.3
