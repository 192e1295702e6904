"""The systemd units run the programs of deploy/install.sh with all required settings, and pass systemd's checks."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from everword.embedded.services import WORKERS
from everword.rpc.settings import PORTS
from support.deployment import assert_settings, image_of
from support.documents import ROOT, variables_read

FOLDER = ROOT / "deploy" / "systemd"
SERVICES = sorted(path.name for path in FOLDER.glob("*.service"))

#: Units of processes without secrets.
CLIENTS = {"everword-proxy.service", "everword-web.service"}


def _values(name: str, key: str) -> list[str]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.findall(rf"^{key}=(.*)$", text, flags=re.MULTILINE)


def _assignments(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))


def _started() -> dict[str, list[str]]:
    """Return the command of each unit that the target starts."""
    wanted = [name for line in _values("everword.target", "Wants") for name in line.split()]
    commands = {}
    for name in wanted:
        stem, _, instance = name.removesuffix(".service").partition("@")
        unit = f"{stem}@.service" if instance else name
        (command,) = _values(unit, "ExecStart")
        commands[name] = shlex.split(command.replace("%i", instance))
    return commands


def test_the_target_starts_every_service_and_every_worker() -> None:
    commands = sorted(command[1:] for command in _started().values())
    modules = [[f"everword_{name}"] for name in PORTS] + list(WORKERS.values())
    assert commands == sorted([*(["-P", "-m", *module] for module in modules), [], ["proxy"]])
    templates = {re.sub(r"@[a-z-]+", "@", name) for name in _started()}
    assert templates == set(SERVICES) - {"everword-migrate.service"}


def test_units_start_programs_from_installation_folder() -> None:
    images = {path.stem for path in ROOT.glob("deploy/requirements/*.txt")}
    (migration,) = _values("everword-migrate.service", "ExecStart")
    for command in [*_started().values(), shlex.split(migration)]:
        found = re.fullmatch(r"/opt/everword/([a-z]+)/bin/([a-z-]+)", command[0])
        assert found
        assert found[1] in images
        if found[2] != "python":
            assert found[2] in image_of(found[1]).last("ENTRYPOINT")
        elif "worker" not in command[3]:
            assert command[3] == f"everword_{found[1]}"


def test_units_get_required_settings_and_only_migration_gets_admin_url() -> None:
    settings = _assignments(FOLDER / "everword.env.example")
    filled = {name: value or "k" * 24 for name, value in settings.items()}
    for name in (*PORTS, *WORKERS):
        assert_settings(name, filled, {})
    owner = _assignments(FOLDER / "migrate.env.example")
    assert set(owner) == {"EVERWORD_ADMIN_DATABASE_URL", "EVERWORD_SERVICE_PASSWORD"}
    for name in SERVICES:
        file = {"everword-migrate.service": ["/etc/everword/migrate.env"]}.get(
            name, ["/etc/everword/everword.env"]
        )
        assert _values(name, "EnvironmentFile") == ([] if name in CLIENTS else file)
    commented = re.findall(r"^#([A-Z_]+)=", (FOLDER / "everword.env.example").read_text(), re.M)
    tls = re.findall(r"\b(EVERWORD_[A-Z_]+)=", (FOLDER / "tls.conf").read_text())
    assert {*commented, *tls} - {"OTEL_EXPORTER_OTLP_ENDPOINT"} <= variables_read()


def test_services_require_migration_unit_and_workers_only_want_it() -> None:
    migration = "everword-migrate.service"
    for name in SERVICES:
        serves = name.split(".")[0].removeprefix("everword-") in PORTS
        works = "worker" in name
        assert (migration in _values(name, "After")) == (serves or works), name
        assert (migration in _values(name, "Requires")) == serves, name
        assert (migration in _values(name, "Wants")) == works, name


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_analyze_accepts_units_and_their_sandboxing(tmp_path: Path) -> None:
    units = tmp_path / "units"
    shutil.copytree(FOLDER, units)
    for service in ("proxy", "ingest", "search", "compactor"):
        (units / f"everword-{service}.service.d").mkdir()
        shutil.copy(FOLDER / "tls.conf", units / f"everword-{service}.service.d")
    names = [*_started(), "everword-migrate.service"]
    environment = {"PATH": "/usr/bin:/bin", "SYSTEMD_UNIT_PATH": f"{units}:"}
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "everword.target", *names],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if "is not executable" not in line]
    assert said == []
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15", *names],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Overall exposure level") == len(names)
