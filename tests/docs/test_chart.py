"""The rendered Helm chart: valid objects, whose processes have all required settings and minimal rights."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml

from everword.adapters.tools.registry import SETS
from everword.cli.migrate import migrate as migrate_command
from everword.embedded.services import WORKERS
from everword.rpc.settings import PORTS, ServerSettings
from everword_web.command import web
from support.deployment import (
    CHART,
    HTTP_PORTS,
    NEEDED_VALUES,
    PROXY_PORT,
    STANDARD,
    assert_settings,
    image_of,
    rendered,
)
from support.documents import ROOT, variables_read

#: The oldest supported version of Kubernetes, and the newest with schemas here.
VERSIONS = ("1.27", "1.37")
ALL: dict[str, Any] = {
    "image": {"registry": "registry.example/", "tag": "9.9.9", "pullSecrets": ["pull"]},
    "env": {
        "EVERWORD_CHAT_CONCURRENCY": 8,
        "EVERWORD_CHAT_MODEL": "acme/model",
        "EVERWORD_SEARCH_CACHE_MIB": 2000000,
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://otel:4317",
    },
    "tls": {"secret": "certificates", "clients": True},
    "compactor": {"replicas": 2, "autoscaling": {"enabled": True}},
    "gateway": {"origins": ["https://app.example"]},
    "mcp": {"hosts": ["memory.example"], "tools": list(SETS)},
    "console": {"hosts": ["pages.example"]},
    "ingress": {
        "className": "nginx",
        **{
            name: {"host": f"{name}.example", "tlsSecret": name, "annotations": {"a/b": "c"}}
            for name in ("gateway", "mcp", "console", "grpc")
        },
    },
    "pods": {
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "memory", "operator": "Exists"}],
        "affinity": {"podAntiAffinity": {}},
        "annotations": {"c": "d"},
    },
    "migration": {"distributed": True},
    "vllm": {"enabled": True, "secret": "hugging-face", "cache": {"storageClass": "fast"}},
}


def _of(objects: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in objects if each["kind"] == kind}


def _pods(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield each of Everword's pods: its part, its specification, and its container."""
    for each in objects:
        if each["kind"] in {"Deployment", "Job"}:
            part = each["metadata"]["labels"]["app.kubernetes.io/component"]
            specification = each["spec"]["template"]["spec"]
            (container,) = specification["containers"]
            if part != "vllm":
                yield part, specification, container


def _environment(container: dict[str, Any], secrets: dict[str, str]) -> dict[str, str]:
    """Return the environment of a container's process, with references to Secrets resolved."""
    found = {}
    for variable in container["env"]:
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        assert reference is None or reference["key"] == variable["name"]
        if reference and reference.get("optional"):
            continue
        assert variable["name"] not in found, "set twice"
        found[variable["name"]] = secrets[reference["key"]] if reference else variable["value"]
    assert len(found) == len(
        {variable["name"] for variable in container["env"]} - _optional(container)
    )
    return found


def _optional(container: dict[str, Any]) -> set[str]:
    return {
        variable["name"]
        for variable in container["env"]
        if variable.get("valueFrom", {}).get("secretKeyRef", {}).get("optional")
    }


@pytest.fixture(scope="module", params=[None, ALL], ids=["defaults", "everything"])
def objects(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return rendered(request.param)


def test_chart_passes_helm_lint_and_refuses_invalid_values() -> None:
    for values in (NEEDED_VALUES, ALL):
        report = helm_python.lint(CHART, values, strict=True)
        assert report["errors"] == []
        assert [m["error"] for m in report["messages"]] == ["icon is recommended"]
    refused: list[tuple[str, dict[str, Any]]] = [
        ("serach", {"serach": {"replicas": 3}}),
        ("EVERWORD_ADMIN_DATABASE_URL", {"env": {"EVERWORD_ADMIN_DATABASE_URL": "postgresql:"}}),
        ("PATH", {"env": {"PATH": "/"}}),
        ("/search/replicas", {"search": {"replicas": 0}}),
        ("/tls/secret", {"tls": {"clients": True}}),
        ("/image/registry", {"image": {"registry": "registry.example"}}),
        ("image.registry is not set", {"image": {}}),
    ]
    for named, values in refused:
        with pytest.raises(helm_python.HelmError, match=named):
            rendered(values)


def test_chart_schema_covers_all_values_and_names_only_known_variables() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    assert set(schema["properties"]) == {*values, "global"}
    refused = set(schema["properties"]["env"]["propertyNames"]["not"]["enum"])
    assert refused <= variables_read()
    suggested = set(
        re.findall(r"^#  ([A-Z_]+):", (CHART / "values.yaml").read_text(), re.MULTILINE)
    )
    assert suggested
    assert suggested <= (variables_read() | STANDARD) - refused


def test_chart_objects_are_valid_for_old_and_new_kubernetes(objects: list[dict[str, Any]]) -> None:
    names = [(each["kind"], each["metadata"]["name"]) for each in objects]
    assert len(set(names)) == len(names) > 30
    for each in objects:
        for version in VERSIONS:
            kubernetes_validate.validate(each, version, strict=True)


def test_chart_gives_each_process_its_settings(
    objects: list[dict[str, Any]], tmp_path: Path
) -> None:
    for name in ("tls.crt", "tls.key", "ca.crt"):
        (tmp_path / name).write_text("PEM")
    secrets = {
        "EVERWORD_DATABASE_URL": "postgresql://everword_services:secret@postgres/everword",
        "EVERWORD_REDIS_URL": "redis://valkey",
        "EVERWORD_ADMIN_KEY": "k" * 24,
        "EVERWORD_INTERNAL_TOKEN": "token",
    }
    seen = set()
    for part, specification, container in _pods(objects):
        seen.add(part)
        if part == "migrate":
            names = {variable["name"] for variable in container["env"]}
            assert names == {"EVERWORD_ADMIN_DATABASE_URL", "EVERWORD_SERVICE_PASSWORD"}
            continue
        environment = _environment(container, secrets)
        assert_settings(part, environment, {"/tls": str(tmp_path)})
        assert environment.get("EVERWORD_SEARCH_CACHE_MIB", "2000000") == "2000000"
        mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert ("/tls" in mounted) == any(v.startswith("/tls/") for v in environment.values())
        assert len(specification["volumes"]) == len(mounted)
    assert seen == {*PORTS, *WORKERS, *HTTP_PORTS, "migrate", "proxy"}


def test_chart_pods_have_least_privileges(objects: list[dict[str, Any]]) -> None:
    for part, specification, container in _pods(objects):
        assert specification["automountServiceAccountToken"] is False
        assert specification["enableServiceLinks"] is False
        user = specification["securityContext"]
        assert user["runAsNonRoot"]
        assert image_of("cli").last("USER") == f"{user['runAsUser']}:{user['runAsGroup']}"
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container["resources"]["limits"], part
        assert "cpu" in container["resources"]["requests"], part


def test_chart_containers_run_commands_of_their_images_on_probed_ports(
    objects: list[dict[str, Any]],
) -> None:
    services = _of(objects, "Service")
    for part, specification, container in _pods(objects):
        image = re.search(r"everword/([a-z]+):\d", container["image"])
        assert image
        if part in WORKERS:
            assert container["command"] == ["python", "-P", "-m", *WORKERS[part]]
            assert image[1] == WORKERS[part][0].removeprefix("everword_").partition(".")[0]
            assert specification["terminationGracePeriodSeconds"] == 120
            continue
        assert container.get("command") == (["everword-web"] if part in HTTP_PORTS else None)
        others = {"migrate": "cli", "proxy": "cli", **dict.fromkeys(HTTP_PORTS, "web")}
        assert image[1] == others.get(part, part)
        if part == "migrate":
            continue
        port = (PORTS | HTTP_PORTS | {"proxy": PROXY_PORT})[part]
        if part in HTTP_PORTS:
            web.make_context("everword-web", list(container["args"]))
            assert container["args"][0] == f"--{part}=0.0.0.0:{port}"
        (opened,) = container["ports"]
        assert opened["containerPort"] == port
        assert services[f"everword-{part}"]["spec"]["ports"][0]["port"] == port
        assert (services[f"everword-{part}"]["spec"].get("clusterIP") == "None") == (
            part not in HTTP_PORTS
        )
        for probe in ("readinessProbe", "livenessProbe"):
            if "grpc" in container[probe]:
                assert container[probe]["grpc"]["port"] == port
    grace = ServerSettings("search", "0.0.0.0:1")
    assert grace.drain_s + grace.grace_s < 30


def test_chart_migrates_with_partitions_or_distributes(objects: list[dict[str, Any]]) -> None:
    (container,) = [each for part, _, each in _pods(objects) if part == "migrate"]
    options = migrate_command.make_context("migrate", list(container["args"][1:])).params
    assert (options["distributed"], options["partitions"]) in {(True, None), (False, 4)}
    assert options["service_login"] == "everword_services"


def test_chart_references_between_objects_resolve(objects: list[dict[str, Any]]) -> None:
    deployments, services = _of(objects, "Deployment"), _of(objects, "Service")
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in deployments.values()]
    for kind in ("PodDisruptionBudget", "NetworkPolicy", "Service", "Deployment"):
        for name, each in _of(objects, kind).items():
            selector = each["spec"].get("selector") or each["spec"]["podSelector"]
            selector = selector.get("matchLabels", selector)
            chosen = [found for found in labels if selector.items() <= found.items()]
            assert len(chosen) == (len(labels) if name == "everword" else 1), (kind, name)
    for name, each in _of(objects, "HorizontalPodAutoscaler").items():
        assert each["spec"]["scaleTargetRef"]["name"] == name
        assert "replicas" not in deployments[name]["spec"]
    assert "everword-search" in _of(objects, "HorizontalPodAutoscaler")
    for each in _of(objects, "Ingress").values():
        for path in each["spec"]["rules"][0]["http"]["paths"]:
            assert path["backend"]["service"]["name"] in services
    budgets = _of(objects, "PodDisruptionBudget")
    assert {"everword-ingest", "everword-search", "everword-embedder"} <= set(budgets)


def test_grpc_ingress_routes_to_the_proxy() -> None:
    ingress = _of(rendered(ALL), "Ingress")["everword-grpc"]
    (path,) = ingress["spec"]["rules"][0]["http"]["paths"]
    assert path["path"] == "/"
    assert path["backend"]["service"] == {"name": "everword-proxy", "port": {"name": "grpc"}}


def test_chart_has_the_version_of_the_code_and_uses_the_release_name() -> None:
    about = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = (ROOT / "libs" / "everword" / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{about["appVersion"]}"' in project
    assert about["version"] == about["appVersion"]
    objects = rendered(name="acme")
    assert all(each["metadata"]["name"].startswith("acme-everword") for each in objects)
    (address,) = {
        variable["value"]
        for _, _, container in _pods(objects)
        for variable in container["env"]
        if variable["name"] == "EVERWORD_EMBEDDER_ADDRESS"
    }
    assert address.partition(":")[0] in _of(objects, "Service")
