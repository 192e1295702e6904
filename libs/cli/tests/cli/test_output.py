"""Output of commands."""

from __future__ import annotations

import json

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from rich.cells import cell_len

from everword.cli import output
from everword.v1 import memory_pb2
from everword.v1.maintenance_service_pb2 import GetCompactionStatusResponse, LevelStatus
from everword.v1.search_service_pb2 import GetMemoryResponse, SearchResponse


def test_print_table_escapes_control_characters_and_markup(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.print_table(("what",), [("[red]a\x1b[2Jb\x07c\x9bd",)])
    printed = capsys.readouterr().out
    assert "[red]a�[2Jb�c�d" in printed
    assert "\x1b" not in printed


def test_narrow_table_wraps_long_cells_without_truncation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    id_, address = "01900000-0000-7000-8000-000000000000", "https://" + 3 * "0123456789"
    output.print_table(
        ("id", "n", "address"), [(id_, "17", address), ("b", "4", "words " * 20)], "n"
    )
    printed = capsys.readouterr().out
    assert id_ in printed
    assert "…" not in printed
    of_first, _, _ = printed.partition("\n b ")
    assert address in "".join(line[45:].strip() for line in of_first.splitlines()[3:])


def test_print_json_keeps_proto_field_names_and_empty_fields(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.print_json(SearchResponse())
    assert json.loads(capsys.readouterr().out) == {
        "results": [],
        "corrections": {},
        "completed_query": "",
        "next_page_token": "",
        "verdict": "VERDICT_UNSPECIFIED",
        "arms": [],
        "calibration": "CALIBRATION_UNSPECIFIED",
        "confidence": "CONFIDENCE_UNSPECIFIED",
    }


def test_shorten_puts_text_on_one_line_and_truncates_it() -> None:
    assert output.shorten("a\n  b", 10) == "a b"
    assert output.shorten("one two three", 8) == "one two…"


def test_size_and_age_are_human_readable() -> None:
    assert [output.size(n) for n in (0, 999, 1500, 2_500_000, 3 * 10**12)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "2.5 MB",
        "3.0 TB",
    ]
    assert output.age(Duration(seconds=3725)) == "1:02:05"
    assert output.age(Duration()) == ""


def test_unset_time_is_printed_as_empty() -> None:
    assert output.when(Timestamp()) == ""
    assert output.when(Timestamp(seconds=-62135596800)) != ""


def test_print_json_writes_64_bit_integers_as_numbers_but_not_strings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = memory_pb2.Message(id="12", seq=2**53 + 1)
    message.body.metadata.update({"id": "17", "n": 3, "seq": "4"})
    message.body.create_time.FromSeconds(0)
    output.print_json(GetMemoryResponse(message=message))
    printed = json.loads(capsys.readouterr().out)["message"]
    assert (printed["id"], printed["seq"]) == ("12", 2**53 + 1)
    assert printed["body"]["metadata"] == {"id": "17", "n": 3, "seq": "4"}
    assert printed["body"]["create_time"] == "1970-01-01T00:00:00Z"
    level = LevelStatus(summaries=4, by_models={"a": 3, "b": 1})
    output.print_json(GetCompactionStatusResponse(levels=[level], input_tokens=5))
    status = json.loads(capsys.readouterr().out)
    assert status["input_tokens"] == 5
    assert status["levels"][0]["by_models"] == {"a": 3, "b": 1}


@pytest.mark.parametrize("width", [20, 60, 80, 250])
def test_print_entries_keeps_ids_whole_and_wraps_other_cells(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    id_, agent = "01900000-0000-7000-8000-000000000000", "atlas-of-the-north-and-the-south"
    text = "Grüezi 世界 " * 30
    output.print_entries(("id", "n", "agent"), [(id_, 17, agent, text)], "n", fold="agent")
    rows = capsys.readouterr().out.splitlines()
    if width >= 60:
        assert id_ in rows[1]
        assert all(cell_len(row.rstrip()) <= width for row in rows)
    printed = "".join("".join(rows).split())
    assert "".join(text.split()) in printed


def test_print_entries_without_entries_prints_none(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_entries(("id",), [])
    assert capsys.readouterr().out == "none\n"
