"""Dashboards, alerts and their runbook use existing metrics, and pass Prometheus' own tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
import yaml

from support.documents import ROOT, code, table_rows

DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "rules" / "everword.yml"
#: Words of the query language, and placeholders of Grafana.
LANGUAGE = {"by", "sum", "max", "rate", "increase", "topk", "histogram_quantile", "le", "le_"}


def _metrics() -> dict[str, set[str]]:
    """Return the labels of each metric, by its name in Prometheus."""
    return {
        code(row["in Prometheus"]): {
            attribute.strip(" `").replace(".", "_") for attribute in row["attributes"].split(",")
        }
        for row in table_rows("docs/telemetry.md", "Metrics")
    }


def _panels() -> Iterator[tuple[str, str, str]]:
    """Yield (panel, legend, expression) of every dashboard."""
    for path in sorted((DEPLOY / "grafana" / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]:
            for target in panel["targets"]:
                yield f"{path.stem}: {panel['title']}", target["legendFormat"], target["expr"]


def test_dashboard_panels_use_existing_metrics_and_labels() -> None:
    metrics = _metrics()
    shown: set[str] = set()
    for panel, legend, expression in _panels():
        bare = re.sub(r'"[^"]*"', "", expression.replace("$__rate_interval", "5m"))
        words = set(re.findall(r"\b[a-z][a-z_]{3,}\b", bare)) - LANGUAGE
        families = {
            family
            for word in words
            if (family := re.sub(r"_(bucket|count|sum)$", "", word)) in metrics
        }
        assert families, panel
        labels = {"service_name"}.union(*(metrics[family] for family in families))
        others = {
            word for word in words if re.sub(r"_(bucket|count|sum)$", "", word) not in metrics
        }
        assert others <= labels, f"{panel}: {others - labels}"
        assert set(re.findall(r"\{\{(\w+)\}\}", legend)) <= labels, panel
        shown |= families
    # Metrics of the client library belong to the caller's own telemetry.
    assert set(metrics) - shown <= {
        "rpc_client_call_duration_seconds",
        "everword_embed_passages_total",
    }


def test_runbook_has_exactly_the_alerts() -> None:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    alerts = {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}
    runbook = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", runbook, re.MULTILINE) == list(alerts)
    for name, rule in alerts.items():
        assert rule["annotations"]["runbook"] == f"docs/runbook.md#{name.lower()}"
    tested = (DEPLOY / "prometheus" / "tests" / "everword.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"alertname: (\w+)", tested)) == set(alerts)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_alert_rules_pass_promtool_tests() -> None:
    for command in (
        ("check", "rules", str(RULES)),
        ("test", "rules", str(DEPLOY / "prometheus" / "tests" / "everword.yml")),
    ):
        done = subprocess.run(["promtool", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
