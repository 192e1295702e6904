"""`everword verify` finds whatever does not hold, and nothing else; `everword rebuild` makes again what is derived."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio

from everword.cli.backup.errors import BackupError
from everword.cli.backup.manifest import DUMP, write_manifest
from everword.cli.backup.restore import restore
from everword.cli.backup.save import save
from everword.integrity import rebuild
from everword.integrity.catalogue import load_checks, reference_checks
from everword.integrity.verify import Namespace, Verifier, list_namespaces, verify_everything
from everword.v1 import search_service_pb2 as search
from support.command_line import Finished, everword
from support.databases import cloned, empty_database
from support.foreign_filled import THEIRS
from support.stack import Stack, running_stack
from support.transferred import fill_everything
from support.unsound import BREAKS, DAMAGE, DAMAGED, complete

pytestmark = pytest.mark.asyncio(loop_scope="module")


CHECKS = load_checks()
DOCS = Path(__file__).parents[2] / "docs" / "data-safety.md"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await fill_everything(stack)
            with database.connect() as conn:
                complete(conn)
            # What only background work writes was put in without its passages.
            made = rebuild_theirs(stack)
            assert made.keys() == {"messages", "summaries", "fact_intervals", "topic_pages"}
            yield stack


def rebuild_theirs(stack: Stack) -> Counter[str]:
    with rebuild.connect(stack.database.admin_url) as conn:
        return rebuild.Rebuilder(conn, theirs(conn)).rebuild()


def theirs(conn: psycopg.Connection) -> Namespace:
    return next(each for each in list_namespaces(conn) if each.name == "theirs")


async def run(stack: Stack, *arguments: str) -> Finished:
    url = stack.database.admin_url
    return await everword(stack, *arguments, EVERWORD_ADMIN_DATABASE_URL=url)


async def find(stack: Stack, words: str) -> list[tuple[str, str]]:
    """Return what a search finds, in its order."""
    request = search.SearchRequest(query=words, page_size=50)
    found = await stack.search.Search(request, metadata=THEIRS)
    return [(each.memory.id, each.memory.content) for each in found.results]


async def test_nothing_is_found_where_all_holds(stack: Stack) -> None:
    report = (await run(stack, "verify", "--json")).json()
    assert report == {"namespaces": ["default", "theirs", "third"], "findings": []}


@pytest.mark.parametrize("check", BREAKS)
async def test_a_check_finds_what_it_is_for(stack: Stack, check: str) -> None:
    with stack.database.connect() as conn, conn.transaction(force_rollback=True):
        # Nothing stops it: neither keys nor triggers.
        conn.execute("SET LOCAL session_replication_role = replica")
        conn.execute(BREAKS[check].encode())
        checks = [each for each in CHECKS if each.name == check] or reference_checks(conn)
        verifier = Verifier(conn, checks)
        found = verifier.verify_database() + verifier.verify_namespace(theirs(conn))
        assert {each.check.name for each in found} == {check}
        assert all(each.count and each.examples for each in found)


async def test_every_check_is_broken_by_something_and_described() -> None:
    described = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]+) \|$", DOCS.read_text(), re.M))
    assert described.pop("references")
    assert described == {each.name: each.holds for each in CHECKS}
    assert {*described, "references"} == set(BREAKS)


async def test_what_is_derived_is_made_again(stack: Stack) -> None:
    asked = ("tea", "words", "gecko", "file")
    before = [await find(stack, words) for words in asked]
    assert all(before)
    with stack.database.connect() as conn:
        conn.execute("SET session_replication_role = replica")
        conn.execute(DAMAGE.encode())
    broken = await run(stack, "verify", "theirs")
    assert broken.status == 1
    assert all(check in broken.output for check in DAMAGED), broken.output
    assert [await find(stack, words) for words in asked] != before
    made = await run(stack, "rebuild", "theirs")
    assert made.status == 0, made.errors
    left = [
        (each.check.name, each.examples) for each in verify_everything(stack.database.admin_url)
    ]
    assert not left
    assert [await find(stack, words) for words in asked] == before
    assert not rebuild_theirs(stack), "it agrees already"


async def test_a_backup_is_restored_and_held_against_what_was_saved(
    stack: Stack, postgres_url: str, tmp_path: Path
) -> None:
    folder, quiet = tmp_path / "saved", (lambda total: None, lambda: None)
    saved = save(stack.database.admin_url, folder, *quiet)
    assert folder.stat().st_mode & 0o77 == 0
    assert {each.namespace for each in saved.transcripts if each.messages} == {"theirs"}
    with empty_database(postgres_url) as url:
        restore(url, folder, *quiet)
        assert not verify_everything(url)
        with pytest.raises(BackupError, match="is not empty"):
            restore(url, folder, *quiet)
    with pytest.raises(BackupError, match="exists already"):
        save(stack.database.admin_url, folder, *quiet)
    with empty_database(postgres_url) as url:
        with pytest.raises(BackupError, match="holds no Everword"):
            save(url, tmp_path / "nothing", *quiet)
        assert os.listdir(tmp_path) == ["saved"], "nothing unfinished is left"
        with pytest.raises(BackupError, match="cannot be made"):
            save(url, folder / DUMP / "below a file", *quiet)
        for broken, message in (
            (replace(saved, schema=9999), "that release or a newer one"),
            (replace(saved, postgres=99), "needs that or a newer one"),
            (replace(saved, files={DUMP: "0"}), "is damaged"),
            (
                replace(saved, transcripts=[replace(saved.transcripts[0], sha256="0")]),
                "are not those",
            ),
        ):
            write_manifest(folder, broken)
            with pytest.raises(BackupError, match=message):
                restore(url, folder, *quiet)
