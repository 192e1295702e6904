"""`everword bench quality` on closed probes: the table, and a file with figures alone."""

from __future__ import annotations

import json
from pathlib import Path

from everword.bench.quality.probes import packaged_probes
from support.command_line import everword
from support.stack import Stack


async def test_quality_prints_table_and_keeps_closed_questions_out_of_file(
    stack: Stack, tmp_path: Path
) -> None:
    [path] = [each for each in packaged_probes() if each.stem == "follow_ups"]
    closed, output = tmp_path / "closed", tmp_path / "out.json"
    closed.mkdir()
    probes = json.loads(path.read_text())
    probes["conversations"] = probes["conversations"][1:]
    (closed / "part.json").write_text(json.dumps(probes))
    done = await everword(
        stack, "bench", "quality", "--no-packaged", "--closed", str(closed), "--json", str(output),
        "--patience", "0.1",
    )  # fmt: skip
    assert done.status == 0, done.errors
    assert "follow-up" in done.output
    assert "figures are without" in done.errors
    written = json.loads(output.read_text())
    [each] = written["figures"]
    assert (each["set"], each["language"], each["questions"]) == ("closed/follow_ups", "de", 4)
    assert each["recall@10"] > 0.5
    assert written["rows"] == []
    assert probes["conversations"][0]["queries"][0]["text"] not in output.read_text()
