"""Make, read, change and list namespaces."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection, Database
from everword.domain.channels import is_channel_pattern
from everword.domain.credentials import CredentialPolicy
from everword.domain.errors import InvalidArgument, NamespaceAlreadyExists, NamespaceNotEmpty
from everword.domain.not_found import NamespaceNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword.rpc.refusal_server import refuse_in_text
from everword_ingest.namespaces import store
from everword_ingest.namespaces.model import (
    NamespaceLimits,
    NamespaceRecord,
    NamespaceUsage,
    NamespaceVoice,
)

SETTINGS = frozenset(NamespaceSettings.__dataclass_fields__)


async def create_namespace(
    database: Database,
    name: str,
    settings: NamespaceSettings,
    limits: NamespaceLimits,
    voice: NamespaceVoice | None = None,
) -> NamespaceRecord:
    """Create a namespace. Raises InvalidArgument, CredentialRefused and NamespaceAlreadyExists."""
    if voice and settings.credentials == CredentialPolicy.REFUSE:
        await _refuse_credentials(voice)
    async with database.connection() as conn, conn.transaction():
        await check_settings(conn, settings, SETTINGS)
        created = await store.insert_namespace(conn, name, settings, limits)
        if created is None:
            raise await _name_taken_error(conn, name)
        if voice:
            await database.bind(conn, created.id)
            await store.set_voice(conn, created.id, voice)
    return created


async def get_namespace(database: Database, name: str) -> NamespaceRecord:
    """Return a namespace. Raises NamespaceNotFound."""
    async with database.connection() as conn:
        found = await store.get_namespace(conn, name)
    if found is None:
        raise NamespaceNotFound(namespace=name)
    return found


async def get_voice(database: Database, namespace_id: int) -> NamespaceVoice:
    """Return the voice of a namespace; an empty one if none was set."""
    async with database.transaction(namespace_id) as conn:
        return await store.get_voice(conn, namespace_id)


async def get_usage(database: Database, namespace_id: int) -> NamespaceUsage:
    async with database.connection() as conn:
        return await store.get_usage(conn, namespace_id)


async def update_namespace(
    database: Database,
    name: str,
    fields: Sequence[str],
    settings: NamespaceSettings,
    limits: NamespaceLimits,
    voice: NamespaceVoice,
) -> NamespaceRecord:
    """Set the named settings and limits.

    Raises InvalidArgument, CredentialRefused, NamespaceNotFound and NamespaceNotEmpty.
    """
    found = await get_namespace(database, name)
    policy = settings.credentials if "credentials" in fields else found.credentials
    if "voice" in fields and policy == CredentialPolicy.REFUSE:
        await _refuse_credentials(voice)
    async with database.transaction(found.id) as conn:
        await check_settings(conn, settings, fields)
        if settings.text_search_config != found.text_search_config and (
            "text_search_config" in fields
        ):
            await store.lock_namespace(conn, found.id)
            if await store.has_memories(conn, found.id):
                raise NamespaceNotEmpty(namespace=name)
        changed = await store.update_namespace(conn, found, fields, settings, limits)
        if changed and "channel_policies" in fields:
            await store.unsettle_facts(conn, found.id, changed.channel_policies)
        if changed and "voice" in fields:
            await store.set_voice(conn, found.id, voice)
    if changed is None:
        raise NamespaceNotFound(namespace=name)
    return changed


async def _refuse_credentials(voice: NamespaceVoice) -> None:
    """Raise CredentialRefused if a text of a voice holds a credential.

    The check of other RPCs takes the policy of the caller's namespace, and operators name another one.
    """
    texts = {
        "identity": voice.identity,
        "user_name": voice.user_name,
        "pronouns": voice.pronouns,
        "channel_instructions": "\n".join(voice.channel_instructions.values()),
        "handles": "\n".join(voice.handles.values()),
    }
    for field, text in texts.items():
        await refuse_in_text(f"namespace.settings.voice.{field}", text)


async def list_namespaces(
    database: Database, page: PageRequest
) -> tuple[Sequence[NamespaceRecord], str]:
    """Return a page of namespaces by name, and the token of the next page; empty at the end."""
    cursor = await open_cursor(database, None, "ListNamespaces", page)
    after = cursor.after[0] if cursor.after else ""
    async with database.connection() as conn:
        found = await store.list_namespaces(conn, after, cursor.limit)
    return cursor.cut(found, lambda last: [last.name])


async def check_settings(
    conn: Connection, settings: NamespaceSettings, fields: Sequence[str] | frozenset[str]
) -> None:
    """Raise InvalidArgument for settings among `fields` that only zone data or the database can judge."""
    violations = []
    if "time_zone" in fields and not _is_time_zone(settings.time_zone):
        text = f"{settings.time_zone!r} is not an IANA time zone, such as `Europe/Zurich` or `UTC`"
        violations.append(("namespace.settings.time_zone", text))
    if "channel_policies" in fields:
        violations += [
            ("namespace.settings.channel_policies", _not_a_pattern(name))
            for name in settings.channel_policies
            if not is_channel_pattern(name)
        ]
    if "text_search_config" in fields:
        known = await store.list_text_search_configs(conn)
        if settings.text_search_config not in known:
            text = f"{settings.text_search_config!r} is no text search configuration; {_few(known)} are"
            violations.append(("namespace.settings.text_search_config", text))
    if violations:
        raise InvalidArgument(violations=tuple(violations))


def _not_a_pattern(name: str) -> str:
    return (
        f"{name!r} has a `*` before its end: name a channel, or a prefix followed by `*` such as"
        " `discord/*`"
    )


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a folder of zones
        return False
    return True


def _few(configs: Sequence[str]) -> str:
    """Name some configurations, the common ones first."""
    common = [name for name in ("english", "german", "french", "simple") if name in configs]
    return ", ".join([*common, *(name for name in configs if name not in common)][:8])


async def _name_taken_error(conn: Connection, name: str) -> NamespaceAlreadyExists:
    if await store.get_namespace(conn, name):
        return NamespaceAlreadyExists(namespace=name)
    return NamespaceAlreadyExists(
        "The namespace of this name is being deleted, or imported; DeleteNamespace, or ImportNamespace, finishes that.",
        namespace=name,
    )
