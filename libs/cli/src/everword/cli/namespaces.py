"""`everword namespaces`: make, show, change and delete namespaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from google.protobuf import json_format

from everword.cli.filters import Command
from everword.cli.namespace_deletions import delete, deletions
from everword.cli.output import json_option, print_json, print_table, when
from everword.cli.session import remote
from everword.cli.transfer import export_, import_
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import admin_service_pb2 as pb

#: Limits with their descriptions in help.
LIMITS = {
    "requests_per_minute": "calls in a minute",
    "messages_per_minute": "messages that are stored in a minute",
    "stored_bytes": "bytes of text in messages, notes and documents",
}
#: The words of --channel-policy, each with the field that it sets and the value.
POLICIES = {
    word: (name, value)
    for name, field in pb.ChannelPolicy.DESCRIPTOR.fields_by_name.items()
    for word, value in ((name, True), *(((f"no_{name}", False),) if field.has_presence else ()))
}


class ChannelPolicyParam(click.ParamType[tuple[str, pb.ChannelPolicy]]):
    """A channel or a prefix of channels with its policy, such as `slack=index,roll_up` or `discord/*=`."""

    name = "channel=policies"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, pb.ChannelPolicy]:
        channel, found, names = str(value).partition("=")
        chosen = [name for name in names.split(",") if name]
        if not channel or not found or not set(chosen) <= POLICIES.keys():
            self.fail(f"{value!r} is not CHANNEL=POLICIES, of {', '.join(POLICIES)}", param, ctx)
        return channel, pb.ChannelPolicy(**dict(POLICIES[name] for name in chosen))


def settings_options(command: Command) -> Command:
    """Add an option for each setting; `command` gets the settings that were set as `given`, and the limits
    as `limits`.
    """

    @wraps(command)
    async def run(*positional: Any, **arguments: Any) -> None:
        given = {
            name: arguments.pop(name) for name in pb.NamespaceSettings.DESCRIPTOR.fields_by_name
        }
        limits = {name: arguments.pop(name) for name in LIMITS}
        limits = {name: value for name, value in limits.items() if value is not None}
        await command(*positional, given=_settings(given), limits=limits, **arguments)

    decorated: Command = run
    for option in reversed(_options()):
        decorated = option(decorated)
    return decorated


def _options() -> list[Callable[[Command], Command]]:
    return [
        click.option(
            "--time-zone", help="Set the time zone by its IANA name, such as Europe/Zurich."
        ),
        click.option(
            "--day-cutoff-minutes",
            type=click.IntRange(0, 720),
            help="Set the start of a day, in minutes after midnight.",
        ),
        click.option(
            "--language",
            "text_search_config",
            help="Set the language of word stems, such as german; by default each word has its own.",
        ),
        click.option(
            "--use-counting",
            type=click.Choice(["used", "returned"]),
            help="Set what counts as a use of a memory.",
        ),
        click.option(
            "--channel-policy",
            "channel_policies",
            type=ChannelPolicyParam(),
            multiple=True,
            help=f"Set CHANNEL=POLICIES: {', '.join(POLICIES)}. Repeat for several channels. "
            "CHANNEL may be a prefix with *: `discord/*=` excludes these channels.",
        ),
        click.option(
            "--credentials",
            type=click.Choice(["mask", "keep", "refuse"]),
            help="Mask credentials in derived text, keep them, or refuse messages with them.",
        ),
        click.option(
            "--sleep-atomicity",
            type=click.Choice(["session", "run"]),
            help="Set what Sleep stores in one transaction.",
        ),
        click.option(
            "--quarantine/--no-quarantine",
            default=None,
            help="Exclude untrusted text with prompt injections from contexts.",
        ),
        click.option(
            "--shared-calendar/--calendar-per-subject",
            default=None,
            help="Sum up all subjects in one calendar, or each subject in its own.",
        ),
        click.option(
            "--voice",
            help="Set the voice of summaries as JSON: identity, userName, pronouns, "
            'channelInstructions and handles, such as {"heron7": "Emi"}. @FILE reads a file.',
        ),
        *_context_options(),
        *map(_limit_option, LIMITS),
    ]


def _context_options() -> list[Callable[[Command], Command]]:
    return [
        click.option(
            "--ranking-profile",
            type=click.Choice(["recall", "balanced"]),
            help="Set how searches and contexts rank that name no profile: by relevance, or also by "
            "time, use and importance.",
        ),
        click.option(
            "--recalled-turns",
            type=click.IntRange(0, 50),
            help="Set how many older turns of a conversation a context recalls; 3 by default.",
        ),
        click.option(
            "--recall-similarity",
            type=click.FloatRange(0, 1),
            help="Set the minimum cosine of a recalled turn with the query; 0.45 by default.",
        ),
        click.option(
            "--earlier-turns",
            type=click.IntRange(0, 50),
            help="Set how many turns of earlier conversations a new one starts with; 6 by default.",
        ),
    ]


def _limit_option(name: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name.replace('_', '-')}",
        type=click.IntRange(min=0),
        help=f"Limit {LIMITS[name]}; 0 is no limit.",
    )


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of NamespaceSettings that were given."""
    chosen = {name: value for name, value in given.items() if value is not None and value != ()}
    if "use_counting" in chosen:
        chosen["use_counting"] = pb.UseCounting.Value(
            f"USE_COUNTING_{chosen['use_counting'].upper()}"
        )
    if "credentials" in chosen:
        chosen["credentials"] = pb.CredentialPolicy.Value(
            f"CREDENTIAL_POLICY_{chosen['credentials'].upper()}"
        )
    if "sleep_atomicity" in chosen:
        chosen["sleep_atomicity"] = pb.SleepAtomicity.Value(
            f"SLEEP_ATOMICITY_{chosen['sleep_atomicity'].upper()}"
        )
    if "voice" in chosen:
        chosen["voice"] = _voice(chosen["voice"])
    if "channel_policies" in chosen:
        chosen["channel_policies"] = dict(chosen["channel_policies"])
    return chosen


def _voice(given: str) -> pb.Voice:
    """Return a voice that is given as JSON, or as @FILE. Raises UsageError."""
    try:
        text = Path(given[1:]).read_text(encoding="utf-8") if given.startswith("@") else given
        return json_format.Parse(text, pb.Voice())
    except (OSError, json_format.ParseError) as error:
        raise click.UsageError(f"--voice: {error}") from None


@click.group()
def namespaces() -> None:
    """Create, show, change, move and delete namespaces."""


namespaces.add_command(delete)
namespaces.add_command(deletions)
namespaces.add_command(export_)
namespaces.add_command(import_)


@namespaces.command()
@click.argument("name")
@json_option
@remote
@settings_options
async def create(
    client: Client, name: str, as_json: bool, given: dict[str, Any], limits: dict[str, int]
) -> None:
    """Create a namespace."""
    namespace = _namespace(name, given, limits)
    request = pb.CreateNamespaceRequest(namespace=namespace)
    _show((await client.admin_service.CreateNamespace(request)).namespace, as_json)


@namespaces.command()
@click.argument("name")
@json_option
@remote
async def get(client: Client, name: str, as_json: bool) -> None:
    """Show the settings, limits and usage of a namespace."""
    found = await client.admin_service.GetNamespace(pb.GetNamespaceRequest(name=name))
    if as_json:
        print_json(found)
    else:
        _show(found.namespace, as_json, found.usage)


@namespaces.command()
@click.argument("name")
@json_option
@remote
@settings_options
async def update(
    client: Client, name: str, as_json: bool, given: dict[str, Any], limits: dict[str, int]
) -> None:
    """Change settings and limits. --channel-policy replaces all channel policies."""
    if not given and not limits:
        raise click.UsageError("say what to change, such as --time-zone Europe/Zurich")
    request = pb.UpdateNamespaceRequest(namespace=_namespace(name, given, limits))
    request.update_mask.paths.extend(f"settings.{name}" for name in given)
    request.update_mask.paths.extend(f"limits.{name}" for name in limits)
    _show((await client.admin_service.UpdateNamespace(request)).namespace, as_json)


@namespaces.command("list")
@json_option
@remote
async def list_(client: Client, as_json: bool) -> None:
    """List namespaces by name."""
    request = pb.ListNamespacesRequest(page_size=PAGE_SIZE)
    found = await list_all(client.admin_service.ListNamespaces, request)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.name,
            each.settings.time_zone,
            _language(each.settings),
            when(each.create_time),
        )
        for each in found.namespaces
    ]
    print_table(("name", "time zone", "language", "made"), rows)


def _namespace(name: str, given: dict[str, Any], limits: dict[str, int]) -> pb.Namespace:
    return pb.Namespace(
        name=name, settings=pb.NamespaceSettings(**given), limits=pb.NamespaceLimits(**limits)
    )


def _language(settings: pb.NamespaceSettings) -> str:
    # With `english`, only the stop words are English.
    language = settings.text_search_config
    return "each word's own" if language == "english" else language


def _limits(
    limits: pb.NamespaceLimits, usage: pb.NamespaceUsage | None
) -> list[tuple[object, ...]]:
    """Return a row for each limit; with `usage`, as "used of limit"."""
    used = (usage.requests, usage.messages, usage.stored_bytes) if usage else ("", "", "")
    rows: list[tuple[object, ...]] = []
    for (name, _), used_of_it in zip(LIMITS.items(), used, strict=True):
        most = getattr(limits, name)
        told = f"{used_of_it:,} of {most:,}" if usage else f"{most:,}"
        rows.append((name.replace("_", " "), told if most else "no limit"))
    return rows


def _words(policy: pb.ChannelPolicy) -> list[str]:
    """Return a policy in the words of --channel-policy."""
    return [field.name if value else f"no_{field.name}" for field, value in policy.ListFields()]


def _voice_text(voice: pb.Voice) -> str:
    """Return a voice in a few lines; the identity with its first line."""
    user = " ".join(filter(None, [voice.user_name, voice.pronouns and f"({voice.pronouns})"]))
    lines = [
        voice.identity.strip().partition("\n")[0],
        user and f"user: {user}",
        *(f"{handle} = {name}" for handle, name in sorted(voice.handles.items())),
        *(f"{channel}: {text}" for channel, text in sorted(voice.channel_instructions.items())),
    ]
    return "\n".join(line for line in lines if line)


def _show(namespace: pb.Namespace, as_json: bool, usage: pb.NamespaceUsage | None = None) -> None:
    if as_json:
        print_json(namespace)
        return
    settings = namespace.settings
    policies = [
        f"{channel}={','.join(_words(policy))}"
        for channel, policy in sorted(settings.channel_policies.items())
    ]
    rows: list[tuple[object, ...]] = [
        ("name", namespace.name),
        ("made", when(namespace.create_time)),
        ("time zone", settings.time_zone),
        (
            "day begins at",
            f"{settings.day_cutoff_minutes // 60:02}:{settings.day_cutoff_minutes % 60:02}",
        ),
        ("language", _language(settings)),
        (
            "counts as use",
            pb.UseCounting.Name(settings.use_counting).removeprefix("USE_COUNTING_").lower(),
        ),
        ("channel policies", "\n".join(policies)),
        (
            "credentials",
            pb.CredentialPolicy.Name(settings.credentials)
            .removeprefix("CREDENTIAL_POLICY_")
            .lower(),
        ),
        (
            "sleep stores a",
            pb.SleepAtomicity.Name(settings.sleep_atomicity)
            .removeprefix("SLEEP_ATOMICITY_")
            .lower(),
        ),
        ("quarantine", "yes" if settings.quarantine else "no"),
        ("calendar", "shared" if settings.shared_calendar else "per subject"),
        ("ranking profile", settings.ranking_profile or "recall"),
        *(
            (name.replace("_", " "), getattr(settings, name))
            for name in ("recalled_turns", "recall_similarity", "earlier_turns")
            if settings.HasField(name)
        ),
        ("voice", _voice_text(settings.voice)),
    ]
    print_table(("", ""), rows + _limits(namespace.limits, usage))
