"""`everword calibrate` on the sample: its stored calibration, its output, and its refusals."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from everword.domain.calibration import PROFILES, from_json
from everword.samples import sample_path
from everword.v1 import search_service_pb2 as pb
from support.calls import append
from support.command_line import EVERWORD, CommandResult, everword
from support.corpus import search_request
from support.stack import Stack

SAMPLE = str(sample_path())
#: No embedder worker runs in these tests, so do not wait for it.
PATIENCE = ("--patience", "0.1")


async def calibrate(stack: Stack, *arguments: str) -> CommandResult:
    return await everword(
        stack, "calibrate", "--data", SAMPLE, *PATIENCE, *arguments,
        EVERWORD_ADMIN_DATABASE_URL=stack.database.admin_url,
    )  # fmt: skip


async def test_stored_calibration_is_applied_to_next_search(stack: Stack) -> None:
    done = await calibrate(stack, "--profile", "lexical")
    assert done.status == 0, done.errors
    assert "lexical, conversations left out" in done.output
    assert "ECE" in done.output
    with stack.database.connect() as conn:
        [(profile, generation, knots, provenance)] = conn.execute(
            "SELECT profile, generation_id, cardinality(evidence), provenance FROM calibrations"
        ).fetchall()
    assert (profile, generation) == ("lexical", None)
    assert 2 <= knots <= 64
    assert provenance["data"][0]["name"] == "brotkorb"
    assert len(provenance["data"][0]["sha256"]) == 64
    assert provenance["queries"] == 182
    await append(stack, "The cutover of the orders is on Monday at nine.", "Ferns need water.")
    sure = await stack.search.Search(search_request("orders cutover Monday"))
    assert sure.calibration == pb.CALIBRATION_CALIBRATED
    assert sure.verdict == pb.VERDICT_RELEVANT
    unsure = await stack.search.Search(search_request("What did they say at the ferns yesterday?"))
    assert unsure.results[0].relevance < sure.results[0].relevance


async def test_calibrate_without_vectors_refuses_semantic_profile(stack: Stack) -> None:
    done = await calibrate(stack, "--profile", "recall")
    assert done.status == 1
    assert "recall cannot be calibrated without vectors" in done.errors
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM calibrations").fetchone() == (0,)


async def test_calibrate_without_admin_url_fails(stack: Stack) -> None:
    nobody = {"EVERWORD_DATA": str(Path(SAMPLE).parent / "nobody")}
    done = await everword(stack, "calibrate", "--data", SAMPLE, **nobody)
    assert done.status == 2
    assert "EVERWORD_ADMIN_DATABASE_URL" in done.errors


async def calibrate_by_itself(*arguments: str) -> CommandResult:
    """Run the command without the address of an Everword, so that it starts one of its own."""
    process = await asyncio.create_subprocess_exec(
        EVERWORD, "calibrate", "--data", SAMPLE, *arguments,
        env={k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await asyncio.wait_for(process.communicate(), timeout=300)
    return CommandResult(process.returncode or 0, output.decode(), errors.decode())


async def test_calibrate_with_own_stack_requires_out_option() -> None:
    done = await calibrate_by_itself()
    assert done.status == 2
    assert "--out FILE" in done.errors


@pytest.mark.long
async def test_calibrate_with_local_model_writes_calibrations_and_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out, plot = tmp_path / "calibrations.json", tmp_path / "reliability.svg"
    done = await calibrate_by_itself("--out", str(out), "--plot", str(plot))
    assert done.status == 0, done.errors
    found = from_json(out.read_text(encoding="utf-8"))
    assert [each.profile for each in found] == list(PROFILES)
    models = {each.profile: each.model for each in found}
    assert models["recall"] == models["balanced"] == models["semantic"] == "minilm-e5"
    assert models["lexical"] is models["trigram"] is None
    for each in found:
        if each.profile in ("recall", "balanced"):
            assert each.provenance["expected_calibration_error"] < 0.1
            assert each.calibration.relevance[-1] > 0.5
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    assert set(os.listdir(tmp_path)) == {out.name, plot.name}
