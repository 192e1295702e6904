"""docker-compose.yml and its mounted files refer only to existing things, and agree with the code."""

import asyncio
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from everword.cli.main import main
from everword.cli.migrate import migrate as migrate_command
from everword.db.migrate import migrate
from everword.domain.settings import Environment
from everword.embedded.services import WORKERS
from everword.rpc.probe import probe
from everword.rpc.settings import PORTS, ServerSettings
from support.databases import empty_database
from support.deployment import HTTP_PORTS, PROXY_PORT, assert_settings, compose, image_of
from support.documents import ROOT, code, code_blocks, table_rows, variables_read
from support.stack import Stack

COMPOSE = "docker-compose.yml"
GUIDE = "docs/deployment.md"
COLLECTOR = "deploy/otel-collector/config.yaml"
PROMETHEUS = "deploy/prometheus/prometheus.yml"
RULES = ROOT / "deploy" / "prometheus" / "rules"
#: Ports of third-party servers, from their documentation.
ENGINE_PORTS = {
    "postgres": {5432},
    "valkey": {6379},
    "vllm-embed": {8000},
    "vllm-chat": {8000},
    # OTLP, and its own metrics.
    "otel-collector": {4317, 8888},
    # OTLP, and its page.
    "jaeger": {4317, 16686},
    "prometheus": {9090},
    "alertmanager": {9093},
    "grafana": {3000},
}


def _yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def _services() -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = _yaml(COMPOSE)["services"]
    return services


def _built() -> dict[str, dict[str, Any]]:
    return {name: service for name, service in _services().items() if "build" in service}


def _texts(value: Any) -> Iterator[str]:
    """Return every text of a parsed file, keys included."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts(key)
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)
    else:
        yield str(value)


def _ports_named(service: dict[str, Any]) -> set[int]:
    """Return the ports of a service that others use: published, exposed, and listened at."""
    published = [entry.rsplit(":", 1) for entry in service.get("ports", [])]
    assert all(host.startswith("127.0.0.1:") for host, _ in published), "published to the network"
    assert all(host.endswith(f":{port}") for host, port in published), "published as another port"
    listen = service.get("environment", {}).get("EVERWORD_LISTEN", "")
    named = [
        *(port for _, port in published),
        *service.get("expose", []),
        listen.rpartition(":")[2],
    ]
    command = service.get("command", [])
    named += [command[at + 1] for at, word in enumerate(command) if word == "--port"]
    return {int(port) for port in named if port}


def test_compose_runs_the_workers_that_everword_up_runs() -> None:
    for name, module in WORKERS.items():
        assert _built()[name]["entrypoint"] == ["python", "-P", "-m", *module]
        assert find_spec(module[0]) is not None


def test_every_image_is_pinned_by_a_tag_and_names_no_registry() -> None:
    for image in (service["image"] for service in _services().values()):
        name, _, tag = image.rpartition(":")
        assert name, f"{image} has no tag"
        assert re.search(r"\d+\.\d+", tag), f"{image} is not pinned to a version"
        assert not re.search(r"[.:]", name.partition("/")[0]), f"{image} names a registry"


def test_compose_images_have_the_version_of_the_code() -> None:
    version = re.search(
        r'^version = "(.+)"$',
        (ROOT / "libs" / "everword" / "pyproject.toml").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert version
    assert {service["image"].rpartition(":")[2] for service in _built().values()} == {version[1]}


def test_compose_builds_its_named_images_and_never_pulls_them() -> None:
    for name, service in _built().items():
        image = service["image"].partition(":")[0].removeprefix("everword/")
        assert service["build"]["args"] == {"SERVICE": image}, name
        module = WORKERS[name][0] if name in WORKERS else f"everword_{name}"
        runs = module.removeprefix("everword_").partition(".")[0]
        assert image == dict.fromkeys(("migrate", "everword", "proxy"), "cli").get(name, runs)
        assert service["pull_policy"] == "build", name


def test_compose_ports_match_code_and_engines() -> None:
    ours = {name: {port} for name, port in PORTS.items()} | {"web": set(HTTP_PORTS.values())}
    ours["proxy"] = {PROXY_PORT}
    expected = ours | ENGINE_PORTS
    for name, service in _services().items():
        assert _ports_named(service) <= expected.get(name, set()), name
    for name, port in PORTS.items():
        assert _services()[name]["environment"]["EVERWORD_LISTEN"] == f"0.0.0.0:{port}"
    for name, ports in ours.items():
        assert _ports_named(_services()[name]) == ports


@pytest.mark.parametrize("path", [COMPOSE, COLLECTOR, PROMETHEUS])
def test_configured_addresses_name_an_existing_service_and_port(path: str) -> None:
    ports = {name: {port} for name, port in PORTS.items()} | ENGINE_PORTS | {"proxy": {PROXY_PORT}}
    text = "\n".join(_texts(_yaml(path)))
    found = re.findall(r"(?:^|//|@)([a-z][a-z-]+):(\d{4,5})\b", text, flags=re.MULTILINE)
    assert found
    for host, port in found:
        assert int(port) in ports[host], f"{path}: {host}:{port}"


def test_every_variable_in_deployment_files_is_read_by_the_code() -> None:
    files = [
        ROOT / COMPOSE,
        ROOT / "Dockerfile",
        ROOT / GUIDE,
        *(ROOT / "deploy").rglob("*"),
    ]
    named = {
        variable
        for file in files
        if file.is_file()
        for variable in re.findall(r"\bEVERWORD_[A-Z_]+", file.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert named - variables_read() == set()


def test_example_environment_has_every_variable_of_compose() -> None:
    text = (ROOT / COMPOSE).read_text(encoding="utf-8")
    citus = (ROOT / "deploy" / "compose.citus.yml").read_text(encoding="utf-8")
    example = (ROOT / "deploy" / ".env.example").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{([A-Z_]+)", text + citus))
    required = set(re.findall(r"\$\{([A-Z_]+):\?", text))
    given = set(re.findall(r"^([A-Z_]+)=", example, flags=re.MULTILINE))
    suggested = set(re.findall(r"^#([A-Z_]+)=", example, flags=re.MULTILINE))
    assert given == required
    assert given | suggested == asked
    assert not re.search(r"^[A-Z_]+=.", example, flags=re.MULTILINE), "a secret has a default"


def test_compose_with_citus_uses_the_given_database_and_starts_no_other() -> None:
    urls = {
        "EVERWORD_DATABASE_URL": "postgresql://everword_services:p@citus:5432/everword",
        "EVERWORD_ADMIN_DATABASE_URL": "postgresql://owner:p@citus:5432/everword",
    }
    services = compose(COMPOSE, "deploy/compose.citus.yml", **urls)
    started = {name: each for name, each in services.items() if not each.get("profiles")}
    assert "postgres" not in {*started}.union(
        *(each.get("depends_on", {}) for each in started.values())
    )
    context = migrate_command.make_context("migrate", started["migrate"]["command"][1:])
    assert context.params["distributed"] is True
    variables = [pair for each in started.values() for pair in each.get("environment", {}).items()]
    assert {pair for pair in variables if pair[0].endswith("DATABASE_URL")} == set(urls.items())


def test_only_the_migration_job_receives_the_owner_database_url() -> None:
    given = {
        name
        for name, service in _services().items()
        if "EVERWORD_ADMIN_DATABASE_URL" in service.get("environment", {})
    }
    assert given == {"migrate"}


def test_mounted_files_exist_and_volumes_are_declared() -> None:
    declared = set(_yaml(COMPOSE)["volumes"])
    used = set()
    for service in _services().values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (ROOT / source).exists(), source
            else:
                used.add(source)
    assert used == declared


def test_compose_dependencies_have_health_checks_and_matching_profiles() -> None:
    services = _services()
    for name, service in services.items():
        for dependency, wait in service.get("depends_on", {}).items():
            if wait["condition"] == "service_healthy":
                waited = services[dependency]
                of_image = waited.get("build", {}).get("args", {}).get("SERVICE")
                asked = image_of(of_image).last("HEALTHCHECK") if of_image else ""
                asked = waited.get("healthcheck", {}).get("test", asked)
                assert asked, f"{name}: {dependency}"
            # The dependency must be in the same profiles, or it would be missing.
            assert set(services[dependency].get("profiles", [])) <= set(service.get("profiles", []))


@pytest.mark.parametrize("name", PORTS)
def test_stop_grace_period_exceeds_drain_and_grace_time(name: str) -> None:
    settings = ServerSettings.from_environment(Environment({"EVERWORD_LISTEN": "0.0.0.0:1"}), name)
    grace = _services()[name]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > settings.drain_s + settings.grace_s


def test_compose_profiles_are_explained_in_the_guide() -> None:
    profiles = {
        profile for service in _services().values() for profile in service.get("profiles", [])
    }
    assert profiles == {"gpu", "observability", "cli"}
    text = (ROOT / GUIDE).read_text(encoding="utf-8")
    assert all(f"--profile {profile}" in text for profile in profiles - {"cli"})
    assert "docker compose run --rm everword " in text


def _commands_shown() -> list[list[str]]:
    """Return the commands of the guide, as a shell splits them."""
    text = "".join(code_blocks(GUIDE, "")).replace("\\\n", " ")
    text = re.sub(r" -v \S+", "", text)  # Mounts of the host's folders into a container.
    return [shlex.split(line, comments=True) for line in text.splitlines() if line.strip()]


def _everword_commands() -> Iterator[list[str]]:
    for words in _commands_shown():
        # An existing folder replaces the guide's.
        words = ["." if word.startswith("/backups/") else word for word in words]
        if words[:4] == ["docker", "compose", "run", "--rm"]:
            yield words[5:]
        elif words[0].endswith("everword"):
            yield words[1:]


def test_everword_commands_in_the_guide_parse() -> None:
    shown = list(_everword_commands())
    assert len(shown) > 4
    for words in shown:
        command: click.Command = main
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words[0])
            assert found is not None, words
            command, words = found, words[1:]
        command.make_context(command.name, words)  # Raises if an option or argument is wrong.


def test_commands_in_the_guide_name_existing_services_files_and_targets() -> None:
    shown = _commands_shown()
    for words in shown:
        if words[:3] == ["docker", "compose", "run"]:
            assert words[4] in _services()
        for word in words:
            if word.startswith(("deploy/", "docker-compose")):
                assert list(ROOT.glob(word.replace("$name", "*"))), word
    targets = {words[1] for words in shown if words[0] == "make"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)


def test_docker_compose_accepts_the_files_and_each_process_its_settings(tmp_path: Path) -> None:
    for name in ("tls.crt", "tls.key", "ca.crt"):
        (tmp_path / name).write_text("PEM")
    for files in ([COMPOSE], [COMPOSE, "deploy/compose.tls.yml"]):
        for name, service in compose(*files).items():
            limits = service.get("deploy", {}).get("resources", {}).get("limits", {})
            assert "memory" in limits or "gpu" in service["profiles"], name
            if "everword/" not in service["image"]:
                continue
            assert service["read_only"]
            assert service["cap_drop"] == ["ALL"]
            if name not in {"migrate", "everword"}:
                assert_settings(name, service["environment"], {"/tls": str(tmp_path)})


def test_collector_pipelines_use_configured_components() -> None:
    collector = _yaml(COLLECTOR)
    connectors = set(collector["connectors"])
    for pipeline in collector["service"]["pipelines"].values():
        assert set(pipeline["receivers"]) <= set(collector["receivers"]) | connectors
        assert set(pipeline["exporters"]) <= set(collector["exporters"]) | connectors
        assert pipeline["processors"] == ["memory_limiter", "batch"]
        assert set(collector["processors"]) == set(pipeline["processors"])


def test_prometheus_accepts_metrics_of_the_collector() -> None:
    command = _services()["prometheus"]["command"]
    assert "--web.enable-otlp-receiver" in command
    assert "--enable-feature=exemplar-storage" in command
    assert _yaml(PROMETHEUS)["otlp"]["translation_strategy"] == "UnderscoreEscapingWithSuffixes"
    exporter = _yaml(COLLECTOR)["exporters"]["otlp_http/prometheus"]
    assert exporter["endpoint"].endswith("/api/v1/otlp")


def _alerts() -> list[dict[str, Any]]:
    return [
        rule
        for path in sorted(RULES.glob("*.yml"))
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]


def _metrics_of(expression: str) -> set[str]:
    """Return the metrics that an expression selects: names before a brace, or before an end of a term."""
    bare = re.sub(r"\{[^}]*\}", "{}", expression)
    bare = re.sub(r"\bby \([^)]*\)", "", bare)
    words = re.findall(r"\b[a-z][a-z_]+\b(?!\s*\()", bare)
    return set(words) - {"by", "or", "and", "unless", "offset", "sum", "max", "le"}


def test_alerts_use_existing_metrics_and_labels() -> None:
    rows = table_rows("docs/telemetry.md", "Metrics")
    attributes = {
        code(row["in Prometheus"]): {
            attribute.strip(" `").replace(".", "_") for attribute in row["attributes"].split(",")
        }
        for row in rows
    }
    histograms = {code(row["in Prometheus"]) for row in rows if row["kind"] == "histogram"}
    assert len(_alerts()) > 3
    for alert in _alerts():
        named = _metrics_of(alert["expr"])
        assert named
        labels = {"service_name", "instance"}
        for metric in named:
            family = re.sub(r"_(bucket|count|sum)$", "", metric)
            assert family in attributes, f"{alert['alert']}: {metric}"
            assert (family in histograms) == (family != metric)
            labels |= attributes[family]
        used = re.findall(r"([a-z_]+)(?:=~|!~|!=|=)\"", alert["expr"])
        grouped = re.findall(r"by \(([^)]*)\)", alert["expr"])
        used += [label.strip() for group in grouped for label in group.split(",")]
        shown = re.findall(r"\$labels\.([a-z_]+)", str(alert["annotations"]))
        assert set(used) - {"le"} <= labels, alert["alert"]
        assert set(shown) <= set(used), alert["alert"]


def test_silence_alert_covers_every_service() -> None:
    (alert,) = [rule for rule in _alerts() if rule["alert"] == "EverwordServiceSilent"]
    named = re.findall(r'service_name="everword-([a-z]+)"', alert["expr"])
    assert sorted(named) == sorted(PORTS)


def test_migration_job_creates_a_database_with_login_for_services(
    postgres_url: str,
) -> None:
    job = _services()["migrate"]
    assert job["build"]["args"] == {"SERVICE": "cli"}
    arguments = job["command"]
    needed = {"EVERWORD_ADMIN_DATABASE_URL", "EVERWORD_SERVICE_PASSWORD"}
    assert set(job["environment"]) == needed
    assert "everword_services" in arguments
    with empty_database(postgres_url) as url:
        environment = {
            "EVERWORD_ADMIN_DATABASE_URL": url,
            "EVERWORD_SERVICE_PASSWORD": "s3cret",
        }
        done = CliRunner().invoke(main, arguments, env=environment)
        assert done.exit_code == 0, done.output
        assert migrate(url) == []
    for name in PORTS:
        login = _services()[name]["environment"]["EVERWORD_DATABASE_URL"]
        assert login.startswith("postgresql://everword_services:${EVERWORD_SERVICE_PASSWORD")


async def test_probe_distinguishes_a_serving_service_from_none(stack: Stack) -> None:
    port = stack.addresses["ingest"].rpartition(":")[2]
    listen = Environment({"EVERWORD_LISTEN": f"0.0.0.0:{port}"})
    assert await asyncio.to_thread(probe, listen) == "SERVING"
    assert await asyncio.to_thread(probe, listen, "liveness") == "SERVING"
    nobody = Environment({"EVERWORD_LISTEN": "0.0.0.0:1"})
    assert await asyncio.to_thread(probe, nobody) == "UNAVAILABLE"
