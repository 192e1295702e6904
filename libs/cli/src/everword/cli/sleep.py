"""`everword sleep`: run extraction and maintenance for a conversation or a namespace now."""

from __future__ import annotations

from datetime import datetime

import click

from everword.cli.names import find_conversation, key_options
from everword.cli.output import json_option, line, note, print_json, print_table
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean, list_subjects
from everword.cli.times import TimeParam
from everword.client import Client
from everword.rpc.translate import to_timestamp
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1.conversation_pb2 import ConversationFilter
from everword.v1.search_service_pb2 import ListConversationsRequest

#: As long as the service lets any call take.
LONGEST_S = 3_600.0


@click.command()
@click.argument("conversation", default="")
@click.option("--conversation", "named", default="", help="The same as CONVERSATION.")
@click.option("--subject", default="", help="Include only conversations about this subject.")
@click.option(
    "--again",
    is_flag=True,
    help="Also read sessions again that the current language model has not read.",
)
@click.option(
    "--since", type=TimeParam(), help="With --again, only sessions that ended then or later."
)
@click.option("--yes", is_flag=True, help="With --again, do not ask for confirmation.")
@key_options
@json_option
@remote
async def sleep(
    client: Client,
    conversation: str,
    named: str,
    subject: str,
    again: bool,
    since: datetime | None,
    yes: bool,
    agent: str,
    channel: str,
    as_json: bool,
) -> None:
    """Learn from CONVERSATION, an id or a session key, or from all with new messages.

    Waits and reports progress. If the command is interrupted, the work continues in the background.

    With --again, it also reads everything again that was said before a language model was
    configured, or that another model has read. It shows the cost before it starts. Each message
    counts once as evidence, so a second run changes nothing.
    """
    if since and not again:
        raise click.UsageError("--since is for --again")
    conversation = conversation or named
    request = pb.SleepRequest(subject=subject, again=again, since_time=to_timestamp(since))
    if conversation:
        found = await find_conversation(client, conversation, agent, channel)
        request.conversation_id = found.id
    elif subject:
        await _check_subject(client, subject)
    if again:
        await _confirm_cost(client, request, yes)
    latest = pb.SleepResponse()
    async for latest in client.maintenance_service.Sleep(request, timeout=LONGEST_S):
        if not latest.done and not as_json:
            note(
                f"{latest.stored_sessions} sessions read, {latest.processed_sessions} processed, "
                f"{latest.pending_jobs} jobs to go"
                + (f", {latest.sessions_to_read_again} to read again" if again else "")
            )
    if as_json:
        print_json(latest)
        return
    rows = [
        ("conversations", latest.conversations),
        ("sessions read", latest.stored_sessions),
        ("processed", latest.processed_sessions),
        ("skipped", latest.skipped_sessions),
        ("parked", latest.parked_sessions),
    ]
    print_table(("", ""), rows)
    if latest.left_out_steps:
        line(f"without a language model, these steps were left out: {_listed(latest)}")
    if latest.failed_jobs or latest.postponed_jobs:
        raise click.ClickException(
            f"{latest.failed_jobs} jobs failed, and {latest.postponed_jobs} wait for a language model: "
            "see `everword queue-status`"
        )


async def _confirm_cost(client: Client, request: pb.SleepRequest, yes: bool) -> None:
    """Show the cost of reading sessions again, and ask unless `yes`. Raises Abort if the answer is no."""
    dry = pb.SleepRequest()
    dry.CopyFrom(request)
    dry.dry_run = True
    async for response in client.maintenance_service.Sleep(dry, timeout=LONGEST_S):
        estimate = response.estimate
        if not estimate.sessions:
            note(f"{estimate.model} has read every session")
            return
        note(describe_estimate(estimate))
        if not yes:
            click.confirm("Read these sessions again?", abort=True, err=True)


def describe_estimate(estimate: pb.RereadingEstimate) -> str:
    """Return the amount and the cost of reading sessions again."""
    price = f"{estimate.cost.amount} {estimate.cost.currency_code}".strip()
    return (
        f"{estimate.sessions} sessions with {estimate.messages:,} messages of {estimate.message_tokens:,} tokens: "
        f"{estimate.model} reads about {estimate.input_tokens:,} tokens and writes {estimate.output_tokens:,}, for "
        f"{f'about {price}' if price else 'an unknown price (`everword prices` sets one)'}"
    )


async def _check_subject(client: Client, subject: str) -> None:
    """Raise ClickException if no conversation is about a subject."""
    about_it = ConversationFilter(subjects=[subject])
    request = ListConversationsRequest(filter=about_it, page_size=1)
    if not (await client.search_service.ListConversations(request)).conversations:
        similar = did_you_mean(subject, await list_subjects(client))
        raise click.ClickException(f"no conversation is about {subject!r}.{similar}")


def _listed(response: pb.SleepResponse) -> str:
    return ", ".join(response.left_out_steps)
