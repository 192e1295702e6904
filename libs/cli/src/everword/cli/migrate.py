"""`everword migrate`: bring a database's schema up to date."""

from __future__ import annotations

import click
import psycopg

from everword.cli.output import line
from everword.db.distribution import DistributionError
from everword.db.migrate import Migration, MigrationError, create_service_login
from everword.db.migrate import migrate as migrate_schema


@click.command()
@click.option(
    "--url",
    envvar="EVERWORD_ADMIN_DATABASE_URL",
    show_envvar=True,
    help="Set the connection string of the schema's owner.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1, 1024),
    help="Set the partitions of large tables on the first run; 4 by default.",
)
@click.option(
    "--distributed",
    is_flag=True,
    help="Distribute the tables over the nodes of Citus; later runs do so without this option.",
)
@click.option(
    "--service-login", metavar="NAME", help="Create the database user that services log in as, too."
)
@click.option(
    "--service-password",
    envvar="EVERWORD_SERVICE_PASSWORD",
    show_envvar=True,
    help="Set that user's password.",
)
def migrate(
    url: str | None,
    partitions: int | None,
    distributed: bool,
    service_login: str | None,
    service_password: str | None,
) -> None:
    """Update a database's schema. Services refuse an older schema than their own.

    Slow steps, such as indexes of large tables, come last; services can run meanwhile. Run the
    command again if it was interrupted.
    """
    if not url:
        raise click.UsageError("set EVERWORD_ADMIN_DATABASE_URL, or give --url")
    if service_login and not service_password:
        raise click.UsageError("--service-login needs a password in EVERWORD_SERVICE_PASSWORD")
    try:
        first = migrate_schema(
            url, partitions, post=False, distributed=distributed, placing=_print_table
        )
        for migration in first:
            _print_migration("applied", migration)
        if service_login and service_password:
            create_service_login(url, service_login, service_password)
            line(f"{service_login} may log in as the services")
        post = migrate_schema(url, begun=_print_post_migration)
        for migration in post:
            _print_migration("applied", migration)
        if not first + post:
            line("the schema is up to date")
    except psycopg.errors.InsufficientPrivilege as error:
        raise click.ClickException(
            f"{str(error).splitlines()[0]}; the migrating user must own the database and be able to create roles: "
            "have a superuser run ALTER DATABASE … OWNER TO … and ALTER ROLE … CREATEROLE"
        ) from error
    except (MigrationError, DistributionError, psycopg.Error) as error:
        raise click.ClickException(str(error).strip().splitlines()[0]) from error


def _print_table(table: str) -> None:
    line(f"distributing {table}")


def _print_migration(what: str, migration: Migration) -> None:
    line(f"{what} {migration.number:04} {migration.name}")


def _print_post_migration(migration: Migration) -> None:
    line(f"post migration {migration.number:04} {migration.name}: services may run meanwhile")
