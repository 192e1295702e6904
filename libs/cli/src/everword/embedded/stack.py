"""The whole stack: engines, database, services, in that order, for as long as a block lasts."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from everword.db.migrate import create_service_login, migrate
from everword.embedded.folder import RunningStack, locked, remove_run_file, stop_leftovers
from everword.embedded.model import adopt_served_model
from everword.embedded.ports import HOST, require_free
from everword.embedded.postgres import EmbeddedPostgres
from everword.embedded.process import ProcessSpec
from everword.embedded.secret import secret
from everword.embedded.services import addresses, fork_client, proxy_spec, service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.supervisor import Supervisor
from everword.embedded.valkey import EmbeddedValkey

# The login that the services connect with; each connection then sets the role of its service.
LOGIN = "everword_services"

Say = Callable[[str], None]
Services = Callable[[RunningStack], list[ProcessSpec]]


@asynccontextmanager
async def stack(
    settings: StackSettings,
    say: Say = lambda line: None,
    *,
    services: Services = service_specs,
) -> AsyncIterator[RunningStack]:
    """Run the stack while the block lasts; on entry every part of it is ready.

    `say` gets a line for people whenever a part starts, ends or is started again. Raises
    EmbeddedError, with nothing left running, where the stack cannot be started. Enter it in a
    thread that outlives it, such as the main thread.
    """
    with _data_folder(settings) as data, locked(data):
        stop_leftovers(data, say)
        require_free(settings.ports, settings.used_ports)
        postgres, valkey = _postgres(settings, data), _valkey(settings, data)
        noted = RunningStack(
            supervisor=os.getpid(),
            address=f"{HOST}:{settings.ports.proxy}",
            addresses=addresses(settings.ports),
            database_url=_services_url(postgres) if postgres else settings.database_url or "",
            admin_database_url=postgres.admin_url if postgres else settings.admin_database_url,
            redis_url=valkey.url if valkey else settings.redis_url or "",
            # The secret is stored in the folder, so that tokens signed with it stay valid after a restart.
            internal_token=settings.internal_token or secret(data / "internal-token"),
        )
        supervisor = Supervisor(
            data / "logs",
            say,
            lambda running: replace(noted, processes=running).write(data),
            fork_client(data / "logs"),
        )
        # A caller's own `services` may read the database, so it is called after the database is ready.
        expected = service_specs(noted) if services is service_specs else []
        try:
            await _all(
                _start_engines(supervisor, postgres, valkey, settings, say),
                supervisor.prepare_forks(*expected),
            )
            proxy = proxy_spec(noted.address, noted.addresses, data / "proxy")
            specs = [*services(noted), proxy]
            # In two groups, since stopping in reverse lets workers finish while the services still answer.
            await supervisor.start(*(spec for spec in specs if spec.address))
            await supervisor.start(*(spec for spec in specs if not spec.address))
            yield replace(noted, processes=supervisor.processes())
        finally:
            await supervisor.stop()
            remove_run_file(data)


async def _start_engines(
    supervisor: Supervisor,
    postgres: EmbeddedPostgres | None,
    valkey: EmbeddedValkey | None,
    settings: StackSettings,
    say: Say,
) -> None:
    """Start the engines that are not the user's own, and bring the database up to date."""
    await supervisor.start(*(engine.spec() for engine in (postgres, valkey) if engine))
    admin_url = postgres.admin_url if postgres else settings.admin_database_url
    if postgres:
        await asyncio.to_thread(_open_database, postgres)
    elif admin_url:
        await asyncio.to_thread(migrate, admin_url)
    if settings.embed_url and admin_url:
        await asyncio.to_thread(adopt_served_model, admin_url, settings.embed_url, say)


async def _all(*steps: Coroutine[None, None, None]) -> None:
    """Await all steps together. If one fails, cancel the others and raise its error."""
    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                group.create_task(step)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


@contextmanager
def _data_folder(settings: StackSettings) -> Iterator[Path]:
    if settings.data is not None:
        yield settings.data.expanduser().resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="everword-"))
    # The same mode as in `locked`: the account of PostgreSQL can pass through.
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


# Preparing blocks the event loop for the second that a first start takes: nothing runs on it yet.


def _postgres(settings: StackSettings, data: Path) -> EmbeddedPostgres | None:
    if settings.database_url is not None:
        return None
    postgres = EmbeddedPostgres(
        data / "postgres", settings.ports.postgres, durable=settings.data is not None
    )
    postgres.prepare()
    return postgres


def _valkey(settings: StackSettings, data: Path) -> EmbeddedValkey | None:
    if settings.redis_url is not None:
        return None
    valkey = EmbeddedValkey(
        data / "valkey", settings.ports.valkey, durable=settings.data is not None
    )
    valkey.prepare()
    return valkey


def _services_url(postgres: EmbeddedPostgres) -> str:
    return postgres.url(LOGIN, _services_password(postgres))


def _services_password(postgres: EmbeddedPostgres) -> str:
    return secret(postgres.folder / "services-password")


def _open_database(postgres: EmbeddedPostgres) -> None:
    migrate(postgres.admin_url)
    create_service_login(postgres.admin_url, LOGIN, _services_password(postgres))
