"""`everword keys`: make, list, rotate and revoke API keys."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import click
from google.protobuf.duration_pb2 import Duration

from everword.cli.output import json_option, line, note, print_entries, print_json, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.client.types import to_timestamp
from everword.v1 import admin_service_pb2 as pb

ROLES = ("read", "write", "admin")


@click.group()
def keys() -> None:
    """Create, list, rotate and revoke API keys."""


@keys.command()
@click.option("--role", type=click.Choice(ROLES), required=True, help="Set the role of the key.")
@click.option("--description", default="", help="Describe the purpose of the key.")
@click.option(
    "--days",
    type=click.IntRange(min=1),
    help="Expire the key after this many days; never by default.",
)
@click.option("--agent", default="", help="Restrict the key to data of this agent.")
@click.option("--subject", default="", help="Restrict the key to data of this user.")
@json_option
@remote
async def create(
    client: Client,
    role: str,
    description: str,
    days: int | None,
    agent: str,
    subject: str,
    as_json: bool,
) -> None:
    """Create a key and print its secret, which is not shown again.

    The key gives access to the namespace in --namespace, or to `default`; an admin key, to all.
    Once a key exists, every call needs one: create an admin key first, or set EVERWORD_ADMIN_KEY
    for the services.
    """
    opens = "" if role == "admin" else _namespace() or "default"
    response = await client.admin_service.CreateApiKey(
        pb.CreateApiKeyRequest(
            api_key=pb.ApiKey(
                namespace=opens,
                role=pb.ApiKeyRole.Value(f"API_KEY_ROLE_{role.upper()}"),
                description=description,
                agent=agent,
                subject=subject,
                expire_time=to_timestamp(
                    datetime.now(UTC) + timedelta(days=days) if days else None
                ),
            )
        )
    )
    if as_json:
        print_json(response)
        return
    note(f"{role} key {response.api_key.id}. It is not stored and cannot be shown again:")
    click.echo(response.secret)


@keys.command("list")
@json_option
@remote
async def list_(client: Client, as_json: bool) -> None:
    """List the keys of all namespaces or of --namespace, oldest first, without secrets."""
    request = pb.ListApiKeysRequest(namespace=_namespace(), page_size=PAGE_SIZE)
    found = await list_all(client.admin_service.ListApiKeys, request)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            key.id,
            pb.ApiKeyRole.Name(key.role).removeprefix("API_KEY_ROLE_").lower(),
            key.namespace,
            when(key.create_time),
            "; ".join(_told(key)),
        )
        for key in found.api_keys
    ]
    print_entries(("id", "role", "namespace", "made"), rows, fold="namespace")


def _told(key: pb.ApiKey) -> Iterator[str]:
    """Yield descriptions of a key: times, scope and purpose."""
    if key.revoke_time.ByteSize():
        yield f"revoked {when(key.revoke_time)}"
    if key.expire_time.ByteSize():
        yield f"ends {when(key.expire_time)}"
    if key.last_use_time.ByteSize():
        yield f"used {when(key.last_use_time)}"
    if key.agent:
        yield f"agent {key.agent}"
    if key.subject:
        yield f"subject {key.subject}"
    if key.description:
        yield key.description


@keys.command()
@click.argument("key_id", type=click.UUID)
@json_option
@remote
async def revoke(client: Client, key_id: object, as_json: bool) -> None:
    """Revoke a key. Every server refuses it within a second."""
    response = await client.admin_service.RevokeApiKey(
        pb.RevokeApiKeyRequest(api_key_id=str(key_id))
    )
    if as_json:
        print_json(response)
    else:
        line(f"{response.api_key.id} is revoked")


@keys.command()
@click.argument("key_id", type=click.UUID)
@click.option(
    "--overlap-hours",
    type=click.FloatRange(0, 720),
    default=24.0,
    show_default=True,
    help="Set how long the old key stays valid.",
)
@json_option
@remote
async def rotate(client: Client, key_id: object, overlap_hours: float, as_json: bool) -> None:
    """Create a key like another, and expire the old one after the overlap."""
    overlap = Duration()
    overlap.FromTimedelta(timedelta(hours=overlap_hours))
    response = await client.admin_service.RotateApiKey(
        pb.RotateApiKeyRequest(api_key_id=str(key_id), overlap=overlap)
    )
    if as_json:
        print_json(response)
        return
    note(f"key {response.api_key.id}; the old one ends {when(response.previous.expire_time)}:")
    click.echo(response.secret)


def _namespace() -> str:
    """Return what --namespace says, here of the key rather than of the caller."""
    return str(click.get_current_context().params["namespace"])
