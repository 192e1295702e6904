"""`everword call` without a server: names, requests and completion."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from everword.cli.api_methods import find_methods, read_api, request_skeleton
from everword.cli.call import read_requests
from everword.cli.main import main
from everword.client.servers import public_services

METHODS = list(read_api().methods.values())


def complete(word: str) -> list[str]:
    words = {"COMP_WORDS": f"everword call {word}", "COMP_CWORD": "2"}
    ran = CliRunner().invoke(
        main, env={"_EVERWORD_COMPLETE": "bash_complete", **words}, prog_name="everword"
    )
    return [line.removeprefix("plain,") for line in ran.stdout.splitlines()]


def test_call_lists_every_public_method_with_a_comment() -> None:
    public = {
        f"{service.name}/{method.name}"
        for service in public_services()
        for method in service.methods
    }
    assert {method.path for method in METHODS} == public
    assert all(method.comment for method in METHODS)
    ran = CliRunner().invoke(main, ["call"], terminal_width=80)
    assert "NoteService: " in ran.stdout
    assert "  ListNotes" in ran.stdout
    of_notes = CliRunner().invoke(main, ["call", "note"], terminal_width=80).stdout
    assert "NoteService: " in of_notes
    assert "SearchService: " not in of_notes


@pytest.mark.parametrize(
    "name",
    [
        "NoteService/ListNotes",
        "Note/ListNotes",
        "note/listnotes",
        "NoteService.ListNotes",
        "everword.v1.NoteService/ListNotes",
        "/everword.v1.NoteService/ListNotes",
    ],
)
def test_find_methods_accepts_each_form_of_a_name(name: str) -> None:
    assert [method.path for method in find_methods(name)] == ["NoteService/ListNotes"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Note/LstNotes"], "Did you mean 'NoteService/ListNotes'"),
        (["Fact/ListNotes"], "Did you mean 'NoteService/ListNotes'"),
        (["NotService"], "Did you mean 'NoteService'"),
        (["Note/"], "There is no method 'Note/'"),
        (["Note", "ListNotes"], "write Note/METHOD before the request"),
        (["Note/ListNotes", '{"a":' * 3000 + "1" + "}" * 3000], "is not valid JSON"),
        (["Note/ListNotes", "{"], "not valid JSON"),
        (["Note/ListNotes", "[]"], "not a JSON object"),
        (["Note/ListNotes", '{"size": 1}'], "has no field 'size'. Did you mean 'page_size'"),
        (["Note/ListNotes", '{"page_size": "x"}'], "page_size"),
        (["Note/ListNotes", "@/nonexistent.json"], "cannot read the request"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_call_with_invalid_name_or_request_explains_the_error(
    arguments: list[str], said: str
) -> None:
    ran = CliRunner().invoke(main, ["call", *arguments])
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert "Available Fields" not in ran.stderr


def test_every_request_skeleton_is_a_valid_request() -> None:
    for method in METHODS:
        skeleton = request_skeleton(method)
        assert len(read_requests(method, skeleton)) == 1, method.path


def test_read_requests_reads_files_and_one_stream_message_per_line(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text('// two batches\n{"batch": {}}\n\n{"batch": {}}\n', encoding="utf-8")
    [stream] = find_methods("IngestService/ImportMessages")
    assert len(read_requests(stream, f"@{path}")) == 2
    [unary] = find_methods("Note/ListNotes")
    path.write_text('// all notes\n{"page_size":\n 5}', encoding="utf-8")
    [request] = read_requests(unary, f"@{path}")
    assert request.page_size == 5  # type: ignore[attr-defined]


def test_shell_completion_offers_services_and_methods() -> None:
    assert complete("NoteService/ListN") == ["NoteService/ListNotes"]
    assert complete("Note/ListN") == ["Note/ListNotes"]
    assert "FactQueryService/ListThemes" in complete("FactQ")
