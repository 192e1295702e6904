"""`everword sleep`: run extraction and maintenance for a conversation or a namespace now."""

from __future__ import annotations

import click

from everword.cli.names import find_conversation, key_options
from everword.cli.output import json_option, line, note, print_json, print_table
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean, list_subjects
from everword.client import Client
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1.conversation_pb2 import ConversationFilter
from everword.v1.search_service_pb2 import ListConversationsRequest

#: As long as the service lets any call take.
LONGEST_S = 3_600.0


@click.command()
@click.argument("conversation", default="")
@click.option("--subject", default="", help="Include only conversations about this subject.")
@key_options
@json_option
@remote
async def sleep(
    client: Client, conversation: str, subject: str, agent: str, channel: str, as_json: bool
) -> None:
    """Learn from CONVERSATION, an id or a session key, or from all with new messages.

    Waits and reports progress. If the command is interrupted, the work continues in the background.
    """
    request = pb.SleepRequest(subject=subject)
    if conversation:
        found = await find_conversation(client, conversation, agent, channel)
        request.conversation_id = found.id
    elif subject:
        await _check_subject(client, subject)
    latest = pb.SleepResponse()
    async for latest in client.maintenance_service.Sleep(request, timeout=LONGEST_S):
        if not latest.done and not as_json:
            note(
                f"{latest.stored_sessions} sessions read, {latest.processed_sessions} processed, "
                f"{latest.pending_jobs} jobs to go"
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


async def _check_subject(client: Client, subject: str) -> None:
    """Raise ClickException if no conversation is about a subject."""
    about_it = ConversationFilter(subjects=[subject])
    request = ListConversationsRequest(filter=about_it, page_size=1)
    if not (await client.search_service.ListConversations(request)).conversations:
        similar = did_you_mean(subject, await list_subjects(client))
        raise click.ClickException(f"no conversation is about {subject!r}.{similar}")


def _listed(response: pb.SleepResponse) -> str:
    return ", ".join(response.left_out_steps)
