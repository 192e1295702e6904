"""`everword verify` finds every broken invariant and nothing else; `everword rebuild` recreates derived rows."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

from everword.cli.backup.archive import make_extensions
from everword.cli.backup.manifest import (
    DUMP,
    MANIFEST,
    ROLES,
    BackupError,
    Manifest,
    file_sha256,
    write_manifest,
)
from everword.cli.backup.restore import restore
from everword.cli.backup.save import save
from everword.cli.main import main
from everword.integrity import rebuild
from everword.integrity.catalogue import load_checks, reference_checks
from everword.integrity.verify import (
    IntegrityFinding,
    Namespace,
    Verifier,
    list_namespaces,
    verify_everything,
)
from everword.v1 import search_service_pb2 as search
from support.command_line import CommandResult, everword
from support.databases import cloned, empty_database, weak_owner
from support.foreign_filled import THEIRS
from support.kinds import merged
from support.stack import Stack, running_stack
from support.transfer_namespace import fill_everything

#: What rows for tests of single statements leave out.
_COMPLETE = """
DELETE FROM summaries s WHERE level = 1 AND NOT EXISTS (SELECT FROM summary_sources l WHERE l.summary_id = s.id);
UPDATE summaries s SET first_seq = m.seq, last_seq = m.seq
  FROM summary_sources l JOIN messages m ON m.id = l.message_id
 WHERE l.summary_id = s.id AND s.level = 1 AND s.first_seq = s.last_seq AND m.seq <> s.first_seq;
UPDATE compaction_progress p SET summarised_seq = 3
  FROM conversations c WHERE c.id = p.conversation_id AND c.session_key = 'moved';
DELETE FROM learned_evidence e WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = e.message_id);
UPDATE facts f SET ruling = 1, ruled_at = now() WHERE NOT EXISTS (SELECT FROM fact_evidence e WHERE e.fact_id = f.id);
"""

_MESSAGE = "(SELECT id FROM messages WHERE content LIKE 'She said%' LIMIT 1)"
_CONVERSATION = "(SELECT id FROM conversations WHERE session_key = 'moved')"
_LEAF = "(SELECT id FROM summaries WHERE level = 1 AND NOT stale ORDER BY id LIMIT 1)"
_CHILD = "(SELECT id FROM summaries WHERE level = 1 AND parent_id IS NOT NULL LIMIT 1)"
_THEIRS = "(SELECT id FROM namespaces WHERE name = 'theirs')"
_GONE = "'00000000-0000-0000-0000-00000000dead'"


def complete(conn: psycopg.Connection) -> None:
    """Make rows sound that `fill_everything` has put in as far as its tests need them."""
    conn.execute(_COMPLETE.encode())


#: By check, a statement after which it does not hold.
BREAKS = {
    "schema_version": "INSERT INTO schema_migrations VALUES (9999, 'later', '')",
    "append_only": "GRANT UPDATE ON messages TO everword_search",
    "isolation": "ALTER TABLE facts DISABLE ROW LEVEL SECURITY",
    "indexes": "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'messages_p0_pkey'::regclass",
    "numbers": "UPDATE memories SET id = 1::bigint << 40 WHERE id = (SELECT max(id) FROM memories)",
    "tenants": f"DELETE FROM tenants WHERE namespace_id = {_THEIRS}",
    "secrets": "UPDATE deployment SET token_secret = 'short'",
    "generations": "UPDATE model_generations SET state = 'building'",
    "counters": f"INSERT INTO corpus_counts (namespace_id, turns) VALUES ({_THEIRS}, 1)",
    "places_empty": f"UPDATE conversations SET last_seq = last_seq + 99 WHERE id = {_CONVERSATION}",
    "jobs": f"INSERT INTO jobs (namespace_id, task, subject) VALUES ({_THEIRS}, 'compact', {_GONE})",
    "work_forgotten": """
        UPDATE embedding_queue SET not_before = now() - interval '1 day';
        DELETE FROM jobs WHERE task = 'embed'""",
    "erasures_stuck": "UPDATE erasures SET state = 1, finished_at = NULL, updated_at = now() - interval '1 day'",
    "sequence": f"UPDATE messages SET seq = 99 WHERE id = {_MESSAGE}",
    "hidden_conversations": f"UPDATE conversations SET erasure_id = {_GONE} WHERE id = {_CONVERSATION}",
    "erased_conversations": f"""
        INSERT INTO erasures (namespace_id, id, kind, state, target_hash, finished_at)
        SELECT namespace_id, {_GONE}, 2, 2, salted_hash(erasure_salt(namespace_id), '2', id::text), now()
          FROM conversations WHERE id = {_CONVERSATION}""",
    "progress": f"UPDATE compaction_progress SET learned_seq = 99 WHERE conversation_id = {_CONVERSATION}",
    "checkpoints": "UPDATE checkpoints SET version = 99 WHERE id = (SELECT id FROM checkpoints LIMIT 1)",
    "messages_indexed": f"DELETE FROM memories WHERE source_id = {_MESSAGE}",
    "sentences": "DELETE FROM memories WHERE part = -1; DELETE FROM tool_sentence_queue",
    "leaves_missing": "DELETE FROM summary_sources WHERE axis = 1 AND message_id IS NOT NULL",
    "days_missing": "DELETE FROM calendar_pending",
    "erased_messages": f"""
        INSERT INTO erasures (namespace_id, id, kind, state, target_hash, finished_at)
        SELECT namespace_id, {_GONE}, 4, 2, salted_hash(erasure_salt(namespace_id), '4', author), now()
          FROM messages WHERE id = {_MESSAGE}""",
    "passages_sourced": f"UPDATE memories SET source_id = {_GONE} WHERE source_id = {_MESSAGE}",
    "passages_whole": f"UPDATE memories SET part = 7 WHERE source_id = {_MESSAGE}",
    "passages_counted": f"UPDATE memories SET ranking = '' WHERE source_id = {_MESSAGE}",
    "passages_placed": f"UPDATE memories SET seq = 99 WHERE source_id = {_MESSAGE}",
    "passages_true": f"UPDATE summaries SET content = 'Other words.' WHERE id = {_LEAF}",
    "vectors_due": "DELETE FROM embedding_queue",
    "vectors_sourced": f"""
        INSERT INTO memory_vectors_1 VALUES ({_THEIRS}, 99999999, array_fill(0.1, ARRAY[384])::public.halfvec)""",
    "vectors_once": f"""
        INSERT INTO memory_vectors_1 SELECT namespace_id, memory_id, array_fill(0.1, ARRAY[384])::public.halfvec
          FROM embedding_queue WHERE namespace_id = {_THEIRS} LIMIT 1""",
    "summaries_sourced": f"UPDATE summary_sources SET ordinal = ordinal + 7 WHERE summary_id = {_LEAF}",
    "summaries_linked": f"UPDATE summaries SET parent_id = NULL WHERE id = {_CHILD}",
    "summaries_sums": f"UPDATE summaries SET message_count = 99 WHERE id = {_LEAF}",
    "summaries_placed": f"UPDATE summaries SET first_seq = first_seq + 50, last_seq = last_seq + 50 WHERE id = {_LEAF}",
    "summaries_apart": """
        UPDATE summaries SET last_seq = 3 WHERE level = 1 AND first_seq = 1 AND conversation_id =
        (SELECT id FROM conversations WHERE session_key = 'moved')""",
    "summaries_indexed": f"DELETE FROM memories WHERE source_id = {_LEAF}",
    "facts_evidenced": "UPDATE facts SET ruling = NULL, ruled_at = NULL",
    "evidence_quotes": f"UPDATE fact_evidence SET message_id = {_GONE} WHERE message_id IS NOT NULL",
    "timelines": """
        INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, known_from)
        SELECT namespace_id, gen_random_uuid(), fact_id, valid_from, known_from
          FROM fact_intervals WHERE known_until IS NULL""",
    "facts_indexed": "UPDATE memories SET valid_until = now() WHERE kind = 4",
    "learned_evidenced": f"""
        UPDATE learned_evidence SET about_id = {_GONE} WHERE id = (SELECT id FROM learned_evidence LIMIT 1)""",
    "nodes_current": """
        INSERT INTO graph_node_versions SELECT r.* FROM graph_node_versions v
        CROSS JOIN jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid())) AS r""",
    "nodes_indexed": "DELETE FROM memories WHERE kind = 6",
    "edge_quotes": f"UPDATE graph_edges SET message_id = {_GONE}",
    "pages_indexed": "DELETE FROM memories WHERE kind = 8",
    "notes_current": "UPDATE notes SET version = 99",
    "notes_indexed": "DELETE FROM memories WHERE kind = 3",
    "documents_current": "UPDATE documents SET chunks = 99",
    "chunks_indexed": "DELETE FROM memories WHERE kind = 5",
    **merged("BREAKS"),
    "references": f"UPDATE graph_edges SET from_id = {_GONE}",
}

#: Does something to each thing that is derived.
DAMAGE = f"""
DELETE FROM memories WHERE namespace_id = {_THEIRS} AND kind IN (1, 3, 4, 6) AND id % 2 = 0;
DELETE FROM memories WHERE namespace_id = {_THEIRS} AND kind IN (2, 5, 7, 8);
UPDATE memories SET content = 'Garbage.', lexemes = 'garbage:1', lexeme_count = 1
 WHERE namespace_id = {_THEIRS} AND kind = 1 AND id % 3 = 0;
UPDATE memories SET ranking = '' WHERE namespace_id = {_THEIRS} AND kind = 1 AND id % 5 = 0;
UPDATE memories SET source_id = {_GONE} WHERE id = (SELECT max(id) FROM memories WHERE namespace_id = {_THEIRS});
INSERT INTO memory_vectors_1 VALUES ({_THEIRS}, 99999999, array_fill(0.1, ARRAY[384])::public.halfvec);
DELETE FROM embedding_queue WHERE namespace_id = {_THEIRS} AND memory_id % 2 = 1;
DELETE FROM calendar_pending WHERE namespace_id = {_THEIRS};
INSERT INTO corpus_counts (namespace_id, messages, turns) VALUES ({_THEIRS}, 5, -5);
"""
#: What does not hold then.
DAMAGED = (
    *(
        "messages_indexed",
        "notes_indexed",
        "facts_indexed",
        "nodes_indexed",
        "summaries_indexed",
        "chunks_indexed",
    ),
    *(
        "lore_indexed",
        "pages_indexed",
        "passages_counted",
        "passages_sourced",
        "vectors_sourced",
        "vectors_once",
    ),
    *("vectors_due", "days_missing", "counters"),
)


pytestmark = pytest.mark.asyncio(loop_scope="module")


CHECKS = load_checks()
DOCS = Path(__file__).parents[2] / "docs" / "data-safety.md"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await fill_everything(stack)
            with database.connect() as conn:
                complete(conn)
            # Rows that only background work writes were inserted without their passages.
            made = rebuild_theirs(stack)
            assert made.keys() == {"messages", "summaries", "fact_intervals", "topic_pages"}
            yield stack


def rebuild_theirs(stack: Stack) -> Counter[str]:
    with rebuild.connect(stack.database.admin_url) as conn:
        return rebuild.Rebuilder(conn, theirs(conn)).rebuild()


def theirs(conn: psycopg.Connection) -> Namespace:
    return next(each for each in list_namespaces(conn) if each.name == "theirs")


async def run(stack: Stack, *arguments: str) -> CommandResult:
    url = stack.database.admin_url
    return await everword(stack, *arguments, EVERWORD_ADMIN_DATABASE_URL=url)


async def find(stack: Stack, words: str) -> list[tuple[str, str]]:
    """Return the hits of a search, in order."""
    request = search.SearchRequest(query=words, page_size=50)
    found = await stack.search.Search(request, metadata=THEIRS)
    return [(each.memory.id, each.memory.content) for each in found.results]


async def test_verify_of_intact_database_reports_no_findings(stack: Stack) -> None:
    report = (await run(stack, "verify", "--json")).json()
    assert report == {"namespaces": ["default", "theirs", "third"], "findings": []}


async def test_interrupted_verify_prints_the_command_to_continue(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Verifier.verify_namespace

    def interrupted(self: Verifier, each: Namespace, *arguments: Any) -> list[IntegrityFinding]:
        if each.name == "third":
            raise KeyboardInterrupt
        return known(self, each, *arguments)

    monkeypatch.setattr(Verifier, "verify_namespace", interrupted)
    command = ["verify", "--json", "--admin-database-url", stack.database.admin_url]
    done = CliRunner().invoke(main, command, prog_name="everword")
    assert (done.exit_code, json.loads(done.stdout)["namespaces"]) == (1, ["default", "theirs"])
    assert "continue with `everword verify --after theirs`" in done.stderr
    monkeypatch.undo()
    gone_on = CliRunner().invoke(main, [*command, "--after", "theirs"])
    assert (gone_on.exit_code, json.loads(gone_on.stdout)["namespaces"]) == (0, ["third"])


@pytest.mark.parametrize("check", BREAKS)
async def test_integrity_check_finds_the_damage_it_covers(stack: Stack, check: str) -> None:
    with stack.database.connect() as conn, conn.transaction(force_rollback=True):
        # Neither keys nor triggers prevent the damage.
        conn.execute("SET LOCAL session_replication_role = replica")
        conn.execute(BREAKS[check].encode())
        checks = [each for each in CHECKS if each.name == check] or reference_checks(conn)
        verifier = Verifier(conn, checks)
        found = verifier.verify_database() + verifier.verify_namespace(theirs(conn))
        assert {each.check.name for each in found} == {check}
        assert all(each.count and each.examples for each in found)


async def test_every_integrity_check_has_a_damage_case_and_documentation() -> None:
    described = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]+) \|$", DOCS.read_text(), re.M))
    assert described.pop("references")
    assert described == {each.name: each.holds for each in CHECKS}
    assert {*described, "references"} == set(BREAKS)


async def test_rebuild_restores_derived_rows(stack: Stack) -> None:
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


def _refuse_weak_owner(url: str, weak: str, folder: Path, saved: Manifest) -> None:
    """Check the error for an owner without superuser rights, and follow its advice; it lists the saved roles last."""

    def refused(message: str) -> None:
        with pytest.raises(BackupError, match=message):
            restore(weak, folder, lambda total: None, lambda: None)

    with psycopg.connect(url, autocommit=True) as conn:
        refused("have its owner run: GRANT CREATE ON DATABASE")
        name = conninfo_to_dict(weak)["user"]
        conn.execute(f"GRANT CREATE ON DATABASE {conn.info.dbname} TO {name}".encode())
        refused("may not create the extension vector: have a superuser run .*: CREATE EXTENSION")
        conn.execute("CREATE EXTENSION vector WITH SCHEMA public")
        roles = (folder / ROLES).read_text()
        stranger = {"name": "stranger", "login": True, "inherit": False, "password": "secret"}
        (folder / ROLES).write_text(json.dumps([{**stranger, "acts_as": ["everword_search"]}]))
        files = {**saved.files, ROLES: file_sha256(folder / ROLES)}
        write_manifest(folder, replace(saved, files=files))
        refused('superuser run: CREATE ROLE "stranger" LOGIN NOINHERIT; GRANT "everword_search" TO')
        (folder / ROLES).write_text(roles)
        write_manifest(folder, saved)
        with pytest.raises(BackupError, match="needs the extension elsewhere, which this server"):
            make_extensions(conn, ["elsewhere"])


async def test_backup_is_restored_and_verified_against_its_manifest(
    stack: Stack, postgres_url: str, tmp_path: Path
) -> None:
    folder, quiet = tmp_path / "saved", (lambda total: None, lambda: None)
    saved = save(stack.database.admin_url, folder, *quiet)
    assert folder.stat().st_mode & 0o77 == 0
    assert {each.namespace for each in saved.transcripts if each.messages} == {"theirs"}
    with empty_database(postgres_url) as url, weak_owner(url) as weak:
        _refuse_weak_owner(url, weak, folder, saved)
        restore(weak, folder, *quiet)
        assert not verify_everything(weak)
        with pytest.raises(BackupError, match="is not empty"):
            restore(url, folder, *quiet)
    with pytest.raises(BackupError, match="exists already"):
        save(stack.database.admin_url, folder, *quiet)
    with empty_database(postgres_url) as url:
        with pytest.raises(BackupError, match="does not contain Everword's schema"):
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
        write_manifest(folder, saved)
        for file in (DUMP, ROLES, MANIFEST):
            whole = (folder / file).read_bytes()
            middle = len(whole) // 2
            flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
            for damaged in (whole[:middle], flipped, b""):
                (folder / file).write_bytes(damaged)
                with pytest.raises(BackupError, match=f"{file} is damaged.*take another copy"):
                    restore(url, folder, *quiet)
            (folder / file).write_bytes(whole)
