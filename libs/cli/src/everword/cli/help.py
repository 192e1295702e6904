"""`everword help`: the commands of a topic, or the help of a command."""

from __future__ import annotations

import click

from everword.cli.catalogue import TOPICS


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    group = context.find_root().command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    return [name for name in (*TOPICS, *names) if name.startswith(incomplete)]


@click.command("help")
@click.argument("name", default="", metavar="[TOPIC|COMMAND]", shell_complete=_complete)
@click.pass_context
def show_help(context: click.Context, name: str) -> None:
    """Describe the commands of TOPIC, or one COMMAND."""
    root = context.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    if not name:
        click.echo(root.get_help())
        return
    if entries := TOPICS.get(name):
        installed = set(group.list_commands(root))
        formatter = root.make_formatter()
        with formatter.section(name.capitalize()):
            formatter.write_dl(
                [(each, entry.line) for each, entry in entries.items() if each in installed]
            )
        click.echo(formatter.getvalue().rstrip("\n"))
        return
    command = group.get_command(root, name)
    if command is None:
        from everword.cli.suggestions import did_you_mean  # loads all services; for errors only

        similar = did_you_mean(name, [*TOPICS, *group.list_commands(root)])
        raise click.UsageError(f"There is no topic or command {name!r}.{similar}")
    click.echo(click.Context(command, parent=root, info_name=name).get_help())
