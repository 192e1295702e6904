"""The other commands against real services: tables for people, JSON for programs."""

from __future__ import annotations

import re
import subprocess

import psycopg
import pytest

from everword.v1 import memory_pb2
from support.callers import within
from support.calls import append, message
from support.command_line import EVERWORD, everword
from support.databases import DatabaseUnderTest, weak_owner
from support.stack import Stack, running_stack


async def harvest(stack: Stack) -> str:
    """Store a short conversation and return its id."""
    written = await append(
        stack,
        message("The harvest starts on Monday.", author="Ana", tags=["plan"]),
        message("Bring the red [bold]tractor[/bold].", author="Ben"),
        message("heartbeat of the harvest", role=memory_pb2.ROLE_SYSTEM, automated=True),
    )
    return written.conversation_id


async def test_search_prints_table_or_json_with_explanation(stack: Stack) -> None:
    await harvest(stack)
    table = await everword(stack, "search", "when does the harvest start?")
    assert table.status == 0
    row = next(row for row in table.output.splitlines() if "harvest" in row)
    assert "Ana" in row
    found = (await everword(stack, "search", "harvest", "--json", "--explain")).json()
    result = found["results"][0]
    assert result["memory"]["author"] == "Ana"
    assert f"{result['score']:.2f}" != "0.00"
    assert result["explanation"]["terms"][0]["term"]
    explained = await everword(stack, "search", "harvest", "--explain")
    assert "idf" in explained.output
    assert "features: sb " in explained.output
    assert "× 0.00" not in explained.output
    summed = await everword(stack, "search", "harvest", "--explain", "--profile", "balanced")
    assert "× 0.30" in summed.output


async def test_every_filter_narrows_a_search(stack: Stack) -> None:
    conversation = await harvest(stack)

    async def count(*options: str) -> int:
        found = await everword(stack, "search", "harvest OR tractor", "--json", *options)
        return len(found.json()["results"])

    assert await count() == 2
    assert await count("--author", "Ben") == 1
    assert await count("--author", "Ben", "--author", "Ana") == 2
    assert await count("--tag", "plan", "--role", "user", "--kind", "message") == 1
    assert await count("--agent", "nobody") == 0
    assert await count("--conversation", conversation, "--since", "today", "--before", "now") == 2
    assert await count("--before", "yesterday") == 0
    assert await count("--include-automated") == 3
    assert await count("--limit", "1") == 1


async def test_text_is_printed_as_it_is_and_not_as_markup(stack: Stack) -> None:
    await harvest(stack)
    assert "red [bold]tractor[/bold]" in (await everword(stack, "search", "tractor")).output


async def test_search_without_results_reports_skipped_arms(stack: Stack) -> None:
    done = await everword(stack, "search", "the")
    assert (done.status, done.output) == (0, "nothing found\n")
    lexical, trigram, semantic = done.errors.splitlines()
    assert lexical.startswith("the lexical arm had nothing to do: the query ")
    assert trigram.startswith("the trigram arm had nothing to do: the query ")
    assert "EVERWORD_EMBEDDER_ADDRESS" in semantic
    # If one arm searched and found nothing, no hint follows.
    done = await everword(stack, "search", "zeppelin")
    assert (done.output, done.errors) == ("nothing found\n", "")
    await harvest(stack)
    # Hits are printed without the hint.
    assert "nothing to do" not in (await everword(stack, "search", "harvest")).errors


async def test_browse_lists_by_time(stack: Stack) -> None:
    await harvest(stack)
    newest = (await everword(stack, "browse", "--json")).json()["memories"]
    oldest = (await everword(stack, "browse", "--oldest-first", "--limit", "1", "--json")).json()
    assert [memory["author"] for memory in newest] == ["Ben", "Ana"]
    assert [memory["author"] for memory in oldest["memories"]] == ["Ana"]
    assert "harvest starts" in (await everword(stack, "browse")).output


async def test_context_prints_prompt_text_and_token_count(stack: Stack) -> None:
    conversation = await harvest(stack)
    arguments = ["context", "harvest", "--conversation", conversation, "--budget", "500"]
    built = (await everword(stack, *arguments, "--json")).json()
    assert "harvest starts on Monday" in built["text"]
    shown = await everword(stack, *arguments)
    assert "harvest starts on Monday" in shown.output
    assert "of 500 tokens" in shown.errors


async def test_context_without_relevant_memories_prints_hint(stack: Stack) -> None:
    told = await everword(stack, "context", "zyzzyva quokka lattice")
    assert "No memory answers this" in told.errors
    assert not told.output.strip()


async def test_context_command_counts_use_only_on_request(stack: Stack) -> None:
    await harvest(stack)
    await everword(stack, "context", "harvest")
    found = (await everword(stack, "search", "harvest", "--json")).json()["results"]
    assert {each["memory"]["use_count"] for each in found} == {0}
    await everword(stack, "context", "harvest", "--count-use")
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM memory_use").fetchone() == (2,)


async def test_stats_conversations_and_queue_status_print_counts(stack: Stack) -> None:
    conversation = await harvest(stack)
    stats = (await everword(stack, "stats", "--json")).json()
    assert stats["corpus"]["messages"] == 3
    assert "all is well" in (await everword(stack, "stats")).output
    listed = (await everword(stack, "conversations", "--json")).json()["conversations"]
    assert [each["id"] for each in listed] == [conversation]
    assert " s " in f" {(await everword(stack, 'conversations')).output} "
    queue = (await everword(stack, "queue-status", "--json")).json()
    assert [task["task"] for task in queue["tasks"]] == ["compact", "embed", "learn", "sleep"]
    printed = (await everword(stack, "queue-status")).output.splitlines()
    row = next(row for row in printed if row.lstrip().startswith("sleep"))
    assert row.split()[1:5] == ["0", "0", "1", "from"]


async def test_failed_jobs_are_shown_and_retried_by_retry_failed(stack: Stack) -> None:
    await harvest(stack)
    with stack.database.connect() as conn:
        conn.execute(
            "UPDATE jobs SET state = 'failed', attempts = 5, error = 'no route' WHERE task = 'embed'"
        )
    assert "no route" in (await everword(stack, "queue-status")).output
    alert = (await everword(stack, "stats")).output.splitlines()[0]
    assert alert.startswith(("warning: ", "critical: "))
    dry = (await everword(stack, "retry-failed", "--dry-run", "--json")).json()
    assert dry["jobs"] == 1
    other = await everword(stack, "retry-failed", "--error", "timeout")
    assert (other.status, other.output) == (1, "")
    assert "no failed job matches the error 'timeout'." in other.errors
    done = await everword(
        stack, "retry-failed", "--task", "embed", "--error", "route", "--limit", "5"
    )
    assert done.output == "1 jobs are tried again\n"


async def test_backfill_counts_memories_without_vector(stack: Stack) -> None:
    await harvest(stack)
    done = (await everword(stack, "backfill", "embeddings", "--dry-run", "--json")).json()
    assert int(done["items"]) >= 0
    shown = await everword(stack, "backfill", "embeddings")
    assert "a vector" in shown.output


async def test_namespaces_are_created_updated_shown_and_listed(stack: Stack) -> None:
    created = await everword(
        stack, "namespaces", "create", "acme", "--time-zone", "Europe/Zurich",
        "--day-cutoff-minutes", "300", "--channel-policy", "slack=index", "--json",
    )  # fmt: skip
    settings = created.json()["settings"]
    assert settings["time_zone"] == "Europe/Zurich"
    assert settings["channel_policies"]["slack"] == {
        "index": True, "roll_up": False, "digest": False, "untrusted": False, "quarantine": False,
    }  # fmt: skip
    await everword(
        stack, *("namespaces", "update", "acme", "--use-counting", "returned"),
        *("--recalled-turns", "5", "--recall-similarity", "0.3", "--earlier-turns", "0"),
    )  # fmt: skip
    shown = (await everword(stack, "namespaces", "get", "acme")).output
    assert "05:00" in shown
    assert "slack=index" in shown
    assert "returned" in shown
    assert re.search(r"recalled turns +5\b", shown)
    assert re.search(r"recall similarity +0\.3\b", shown)
    assert re.search(r"earlier turns +0\b", shown)
    voice = '{"identity": "I am Lumen.", "userName": "Emi", "handles": {"heron7": "Sibylle"}}'
    await everword(stack, "namespaces", "update", "acme", "--voice", voice)
    shown = (await everword(stack, "namespaces", "get", "acme")).output
    for part in ("I am Lumen.", "user: Emi", "heron7 = Sibylle"):
        assert part in shown
    listed = (await everword(stack, "namespaces", "list", "--json")).json()["namespaces"]
    assert "acme" in [each["name"] for each in listed]
    again = await everword(stack, "namespaces", "create", "acme")
    assert again.status == 1
    assert "NAMESPACE_ALREADY_EXISTS" in again.errors


async def test_language_can_be_set_only_while_namespace_is_empty(stack: Stack) -> None:
    await everword(stack, "namespaces", "create", "acme", "--language", "german")
    shown = await everword(stack, "namespaces", "get", "acme")
    assert "german" in shown.output
    assert "each word's own" in (await everword(stack, "namespaces", "get", "default")).output
    update = ("namespaces", "update", "default", "--language")
    unknown = await everword(stack, *update, "klingon")
    assert unknown.status == 1
    assert "VALIDATION_FAILED" in unknown.errors
    await append(stack, "The tap drips.")
    late = await everword(stack, *update, "german")
    assert late.status == 1
    assert "NAMESPACE_NOT_EMPTY" in late.errors


async def test_namespace_is_deleted_only_after_confirmation(stack: Stack) -> None:
    await everword(stack, "namespaces", "create", "acme")
    await append(stack, "The tap drips.", metadata=within("acme"))
    dry = ("namespaces", "delete", "acme", "--dry-run")
    assert "messages" in (await everword(stack, *dry)).output
    counts = (await everword(stack, *dry, "--json")).json()["row_counts"]
    assert counts["messages"] == 1
    refused = await everword(stack, "namespaces", "delete", "acme", given="n\n")
    assert refused.status == 1
    assert "messages" in refused.output
    assert f"{sum(counts.values())} rows, for good?" in refused.errors
    assert (await everword(stack, "namespaces", "get", "acme")).status == 0
    confirmed = await everword(stack, "namespaces", "delete", "acme", "--by", "Ana", given="y\n")
    assert "acme is erased" in confirmed.output
    listed = await everword(stack, "namespaces", "deletions")
    assert "Ana" in listed.output
    assert "acme" not in listed.output
    found = (await everword(stack, "namespaces", "deletions", "acme", "--json")).json()
    [record] = found["deletions"]
    assert record["row_counts"]["messages"] == 1
    gone = await everword(stack, "namespaces", "delete", "acme", "--yes")
    assert gone.status == 1
    assert "NAMESPACE_NOT_FOUND" in gone.errors


async def test_keys_are_created_listed_without_secret_and_revoked(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, admin_key="boss", embedder=False) as stack:
        refused = await everword(stack, "keys", "list")
        assert refused.status == 1
        assert "EVERWORD_API_KEY" in refused.errors
        boss = {"EVERWORD_API_KEY": "boss"}
        await everword(stack, "namespaces", "create", "acme", **boss)
        made = await everword(
            stack, "keys", "create", "--role", "write", "--namespace", "acme", **boss
        )
        secret = made.output.strip()
        assert secret.startswith("ew_")
        assert (await everword(stack, "stats", EVERWORD_API_KEY=secret)).status == 0
        denied = await everword(stack, "namespaces", "list", EVERWORD_API_KEY=secret)
        assert denied.status == 1
        assert "ACCESS_DENIED" in denied.errors
        [key] = (await everword(stack, "keys", "list", "--json", **boss)).json()["api_keys"]
        assert (key["namespace"], key["role"]) == ("acme", "API_KEY_ROLE_WRITE")
        revoked = await everword(stack, "keys", "revoke", key["id"], **boss)
        assert "is revoked" in revoked.output
        shown = await everword(stack, "keys", "list", **boss)
        assert secret not in shown.output
        admin = await everword(stack, "keys", "create", "--role", "admin", "--json", **boss)
        assert admin.json()["api_key"]["namespace"] == ""


async def test_service_error_is_printed_in_one_line_with_reason(stack: Stack) -> None:
    done = await everword(stack, "search", "(", "--mode", "regex")
    assert done.status == 1
    assert done.errors.count("\n") == 1
    assert "REGEX_INVALID" in done.errors
    assert done.output == ""


@pytest.fixture
def empty_database(postgres_url: str) -> str:
    """URL of the owner of a database without migrations."""
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute("DROP DATABASE IF EXISTS never_migrated WITH (FORCE)")
        conn.execute("CREATE DATABASE never_migrated TEMPLATE template0")
    return postgres_url.rpartition("/")[0] + "/never_migrated"


def test_migrate_applies_migrations_once_and_creates_login(empty_database: str) -> None:
    def migrate(*options: str, url: str = empty_database) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [EVERWORD, "migrate", *options],
            env={
                "EVERWORD_ADMIN_DATABASE_URL": url,
                "EVERWORD_SERVICE_PASSWORD": "for-tests",
            },
            capture_output=True,
            text=True,
            timeout=180,
        )

    with weak_owner(empty_database) as url:
        refused = migrate(url=url)
        assert refused.returncode == 1
        assert "permission denied" in refused.stderr
        assert "ALTER ROLE … CREATEROLE" in refused.stderr
    first = migrate("--partitions", "2", "--service-login", "cli_login")
    assert first.returncode == 0, first.stderr
    assert "applied 0001" in first.stdout
    assert "cli_login may log in" in first.stdout
    assert migrate().stdout == "the schema is up to date\n"
    login = empty_database.replace(
        empty_database.split("//")[1].split("@")[0], "cli_login:for-tests"
    )
    with psycopg.connect(login) as conn:
        conn.execute("SET ROLE everword_search")
        assert conn.execute("SELECT current_user").fetchone() == ("everword_search",)
