"""`everword retention`: show and set retention policies, preview and list deletions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import click

from everword.cli.names import find_conversation, key_options
from everword.cli.output import json_option, line, note, print_json, print_table, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import erasure_service_pb2 as pb
from everword.v1.memory_pb2 import MemoryFilter
from everword.v1.search_service_pb2 import BrowseRequest

#: Kinds of data that a policy can name on the command line.
KINDS = {
    "messages": pb.RETENTION_KIND_MESSAGES,
    "notes": pb.RETENTION_KIND_NOTES,
    "note-history": pb.RETENTION_KIND_NOTE_HISTORY,
    "document-history": pb.RETENTION_KIND_DOCUMENT_HISTORY,
    "facts": pb.RETENTION_KIND_FACTS,
    "patterns": pb.RETENTION_KIND_PATTERNS,
    "history": pb.RETENTION_KIND_HISTORY,
}
NAMES = {number: name for name, number in KINDS.items()}
#: Units of the counts, if they differ from the name of the kind.
COUNTED = {
    "note-history": "versions of notes",
    "document-history": "versions of documents",
    "history": "entries of the history",
}
#: Between two looks at a run that goes on.
PAUSE_S = 0.3


@click.group()
def retention() -> None:
    """Set how long data is kept. Without a policy, it is kept forever."""


@retention.command()
@json_option
@remote
async def show(client: Client, as_json: bool) -> None:
    """Show the retention policy of each kind."""
    request = pb.ListRetentionPoliciesRequest()
    found = await client.erasure_service.ListRetentionPolicies(request)
    if as_json:
        print_json(found)
        return
    policies = {policy.kind: policy for policy in found.policies}
    print_table(
        ("kind", "kept", "kept from importance", "at most a run", "quotes", "removed by"),
        [_row(name, policies.get(kind)) for name, kind in KINDS.items()],
    )


@retention.command("set")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("kept")
@click.option(
    "--keep-importance",
    type=click.IntRange(0, 5),
    default=0,
    help="Keep items with this importance or higher.",
)
@click.option(
    "--max-per-run", type=click.IntRange(0), default=0, help="Delete at most this many in a run."
)
@click.option("--keep-quotes", is_flag=True, help="Keep quotes in learned facts.")
@click.option(
    "--whole-conversations",
    is_flag=True,
    help="Delete all messages of a conversation together, this long after its last one.",
)
@json_option
@remote
async def set_(
    client: Client,
    kind: str,
    kept: str,
    keep_importance: int,
    max_per_run: int,
    keep_quotes: bool,
    whole_conversations: bool,
    as_json: bool,
) -> None:
    """Keep KIND for this many days, such as 30d or 30, or `forever`.

    The age of a message counts from when it was sent, that of other kinds from the last activity. Messages whose
    metadata has `"protected": true` are never deleted.

    The first run is on the following night. Check its effect first with `everword retention preview`.
    """
    policy = pb.RetentionPolicy(
        kind=KINDS[kind],
        keep_days=_days(kept),
        keep_importance=keep_importance,
        max_per_run=max_per_run,
        keep_quotes=keep_quotes,
        whole_conversations=whole_conversations,
    )
    request = pb.SetRetentionPolicyRequest(policy=policy)
    answer = await client.erasure_service.SetRetentionPolicy(request)
    if as_json:
        print_json(answer)
        return
    line(f"{kind}: kept {_retention_text(answer.policy)}")


@retention.command()
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    help="Preview another policy for this kind; requires --kept.",
)
@click.option(
    "--kept", help="Preview this duration for --kind: days, such as 30d or 30, or forever."
)
@click.option(
    "--whole-conversations",
    is_flag=True,
    help="Preview the deletion of whole conversations, with --kind messages.",
)
@json_option
@remote
async def preview(
    client: Client, kind: str | None, kept: str | None, whole_conversations: bool, as_json: bool
) -> None:
    """Show the rows that a run would delete now; delete nothing."""
    if (kind is None) != (kept is None):
        raise click.UsageError("--kind and --kept come together")
    if whole_conversations and kind != "messages":
        raise click.UsageError("--whole-conversations requires --kind messages")
    request = pb.PreviewRetentionRequest()
    if kind and kept:
        request.policies.add(
            kind=KINDS[kind], keep_days=_days(kept), whole_conversations=whole_conversations
        )
    found = await client.erasure_service.PreviewRetention(request)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            NAMES[each.kind],
            f"{each.count} {_unit(each.kind)}",
            _stays(each),
            ", ".join(each.sample_ids[:2]),
        )
        for each in found.removed
    ]
    print_table(("kind", "would go", "expired but kept", "such as"), rows)


@retention.command()
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@remote
async def run(client: Client, yes: bool, as_json: bool) -> None:
    """Run the policies now, and wait for the end of the deletion."""
    if not yes:
        click.confirm("Permanently delete the data that the policies select?", abort=True, err=True)
    answer = await client.erasure_service.RunRetention(pb.RunRetentionRequest())
    found = answer.run
    while found.state != pb.RETENTION_STATE_DONE:
        await asyncio.sleep(PAUSE_S)
        request = pb.ListRetentionRunsRequest(page_size=100)
        listed = await client.erasure_service.ListRetentionRuns(request)
        [found] = [each for each in listed.runs if each.id == answer.run.id]
    if as_json:
        print_json(found)
        return
    print_table(("gone", "rows"), sorted(found.row_counts.items()))
    line(f"removed: {_removed(found.removed) or 'nothing'}")


@retention.command()
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@json_option
@remote
async def runs(client: Client, limit: int, as_json: bool) -> None:
    """List runs, latest first: counts and times, without content."""
    request = pb.ListRetentionRunsRequest(page_size=limit)
    found = await client.erasure_service.ListRetentionRuns(request)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.id,
            pb.RetentionState.Name(each.state).rsplit("_", 1)[1].lower(),
            each.night or "by hand",
            _removed(each.removed),
            when(each.start_time),
            each.error,
        )
        for each in found.runs
    ]
    print_table(("run", "state", "night", "removed", "started", "error"), rows)


@retention.group()
def hold() -> None:
    """Keep data from retention and erasure, such as during a lawsuit."""


@hold.command()
@click.option("--subject", default="", help="Keep the data of this user.")
@click.option("--conversation", default="", help="Keep this conversation: an id or a session key.")
@key_options
@click.option("--all", "everything", is_flag=True, help="Keep the whole namespace.")
@click.option("--reason", default="", help="For the record, such as a case number.")
@json_option
@remote
async def add(
    client: Client,
    subject: str,
    conversation: str,
    agent: str,
    channel: str,
    everything: bool,
    reason: str,
    as_json: bool,
) -> None:
    """Add a legal hold on a user, a conversation or the whole namespace.

    Adding the same hold again changes nothing.
    """
    if [bool(subject), bool(conversation), everything].count(True) != 1:
        raise click.UsageError("give one of --subject, --conversation and --all")
    request = pb.CreateLegalHoldRequest(reason=reason)
    if subject:
        request.subject = subject
        own = BrowseRequest(filter=MemoryFilter(subjects=[subject]), page_size=1)
        if not (await client.search_service.Browse(own)).memories:
            note(f"Nothing is stored about {subject} yet: check the spelling.")
    elif conversation:
        found = await find_conversation(client, conversation, agent, channel)
        request.conversation_id = found.id
    answer = await client.erasure_service.CreateLegalHold(request)
    if as_json:
        print_json(answer)
        return
    line(f"{answer.hold.id}: {_scope(answer.hold)} on hold")


@hold.command("list")
@json_option
@remote
async def list_(client: Client, as_json: bool) -> None:
    """List legal holds, oldest first."""
    found = pb.ListLegalHoldsResponse()
    request = pb.ListLegalHoldsRequest(page_size=100)
    while True:
        page = await client.erasure_service.ListLegalHolds(request)
        found.holds.extend(page.holds)
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    if as_json:
        print_json(found)
        return
    rows = [(each.id, _scope(each), each.reason, when(each.create_time)) for each in found.holds]
    print_table(("hold", "keeps", "reason", "since"), rows)


@hold.command()
@click.argument("hold_id")
@json_option
@remote
async def remove(client: Client, hold_id: str, as_json: bool) -> None:
    """End a legal hold."""
    request = pb.DeleteLegalHoldRequest(hold_id=hold_id)
    answer = await client.erasure_service.DeleteLegalHold(request)
    if as_json:
        print_json(answer)
        return
    line(f"{answer.hold.id}: {_scope(answer.hold)} no longer on hold")


def _scope(hold: pb.LegalHold) -> str:
    if hold.subject:
        return f"subject {hold.subject}"
    return f"conversation {hold.conversation_id}" if hold.conversation_id else "the namespace"


def _days(kept: str) -> int:
    """Return the days of `30d` or `forever`. Raises UsageError."""
    if kept == "forever":
        return 0
    days = kept.removesuffix("d")
    if not days.isdecimal() or not 0 < int(days) <= 36_500:
        raise click.UsageError("say how long, such as 30d, or forever")
    return int(days)


def _retention_text(policy: pb.RetentionPolicy | None) -> str:
    return f"{policy.keep_days}d" if policy and policy.keep_days else "forever"


def _row(name: str, policy: pb.RetentionPolicy | None) -> tuple[str, ...]:
    if policy is None:
        return name, "forever", "", "", "", ""
    quotes = removed_by = ""
    if policy.kind == pb.RETENTION_KIND_MESSAGES:
        quotes = "stay" if policy.keep_quotes else "go"
        removed_by = "conversation" if policy.whole_conversations else "message"
    return (
        name,
        _retention_text(policy),
        str(policy.keep_importance or ""),
        str(policy.max_per_run or "all"),
        quotes,
        removed_by,
    )


def _stays(count: pb.RetentionCount) -> str:
    reasons = (("pinned", count.pinned), ("on hold", count.on_hold))
    return ", ".join(f"{name} {number}" for name, number in reasons if number)


def _removed(counts: Iterable[pb.RetentionCount]) -> str:
    return ", ".join(f"{each.count} {_unit(each.kind)}" for each in counts if each.count)


def _unit(kind: pb.RetentionKind.ValueType) -> str:
    return COUNTED.get(NAMES[kind], NAMES[kind])
