"""`everword topics`: pages about persons, places and things."""

from __future__ import annotations

from uuid import UUID

import click

from everword.cli.output import json_option, print_json, print_table, when
from everword.cli.session import remote, run_default
from everword.client import Client
from everword.client.kinds import kind_word
from everword.v1.graph_query_service_pb2 import GetTopicRequest, ListTopicsRequest

_COLUMNS = ("id", "name", "type", "of", "revision", "written")


@click.group(invoke_without_command=True)
@click.pass_context
def topics(context: click.Context) -> None:
    """Show pages about people, places and things. Without a command, list them."""
    run_default(context, list_topics)


@topics.command("list")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    help="Include only this user; '' for topics without a user.",
)
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True)
@json_option
@remote
async def list_topics(client: Client, subjects: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List topics that have a page, oldest first."""
    request = ListTopicsRequest(subjects=subjects, page_size=limit)
    response = await client.graph_query_service.ListTopics(request)
    if as_json:
        print_json(response)
        return
    rows = [
        (each.id, each.name, each.type, each.subject, str(each.revision), when(each.update_time))
        for each in response.topics
    ]
    print_table(_COLUMNS, rows, right="revision")


@topics.command("show")
@click.argument("topic", metavar="NAME")
@click.option("--subject", default="", help="Select the topic of this user.")
@click.option("--agent", default="", help="Select the topic of this agent.")
@json_option
@remote
async def show_topic(client: Client, topic: str, subject: str, agent: str, as_json: bool) -> None:
    """Show the page about NAME, a name or an id, with its citations."""
    request = GetTopicRequest(subject=subject, agent=agent)
    if _is_id(topic):
        request.id = topic
    else:
        request.name = topic
    response = await client.graph_query_service.GetTopic(request)
    if as_json:
        print_json(response)
        return
    click.echo(response.topic.content)
    click.echo()
    rows = [
        (
            f"[{each.number}]",
            kind_word(each.kind),
            each.id,
        )
        for each in response.topic.citations
    ]
    print_table(("cited", "kind", "id"), rows)


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
