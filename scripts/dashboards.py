"""Content of the Grafana dashboards: a panel is its title, its unit and the expressions of its lines.

`tests/docs/test_dashboards.py` checks that each expression uses metrics and labels of docs/telemetry.md.
"""

from __future__ import annotations

from dataclasses import dataclass

_RATE = "$__rate_interval"


@dataclass(frozen=True)
class Panel:
    """A graph over time."""

    title: str
    unit: str
    """As Grafana names it: s, ops, bytes, percentunit, short."""
    lines: dict[str, str]
    """Expressions, by the legend of their lines."""
    help: str = ""


@dataclass(frozen=True)
class Dashboard:
    """Panels that answer one question."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def rate(metric: str, by: str, selector: str = "") -> str:
    """Return the expression of how much a counter grows in a second."""
    return f"sum by ({by}) (rate({metric}{{{selector}}}[{_RATE}]))"


def quantile(share: float, metric: str, by: str = "", selector: str = "") -> str:
    """Return the expression of a quantile of a histogram."""
    labels = ", ".join(filter(None, ("le", by)))
    inner = f"sum by ({labels}) (rate({metric}_bucket{{{selector}}}[{_RATE}]))"
    return f"histogram_quantile({share}, {inner})"


_CALLS = "rpc_server_call_duration_seconds"
_FAILED = (
    'rpc_response_status_code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED|DATA_LOSS|RESOURCE_EXHAUSTED", '
    'error_type=~"|OVERLOADED"'
)
_SEARCH = 'rpc_method=~".*SearchService/Search"'
_CONTEXT = 'rpc_method=~".*ContextService/(Build|Stream)Context"'
_QUEUE = "messaging_destination_name"
_CHAT = "gen_ai_client_operation_duration_seconds"
_EMBED = "gen_ai_client_embeddings_duration_seconds"
_WAIT, _PRIORITY = "everword_embed_wait_seconds", "everword_embed_priority"
_BY = f"{{{{{_PRIORITY}}}}}"

DASHBOARDS = (
    Dashboard(
        "overview",
        "Everword: overview",
        (
            Panel("Calls", "ops", {"{{service_name}}": rate(f"{_CALLS}_count", "service_name")}),
            Panel(
                "Calls that failed through no fault of the caller",
                "percentunit",
                {
                    "{{service_name}}": f"{rate(f'{_CALLS}_count', 'service_name', _FAILED)} / "
                    f"{rate(f'{_CALLS}_count', 'service_name')}"
                },
                "INTERNAL is a bug. UNAVAILABLE is Postgres, RESOURCE_EXHAUSTED is load.",
            ),
            Panel(
                "Time of calls, 95 in 100",
                "s",
                {"{{service_name}}": quantile(0.95, _CALLS, "service_name")},
            ),
            Panel(
                "Slowest RPCs, 95 in 100",
                "s",
                {"{{rpc_method}}": f"topk(8, {quantile(0.95, _CALLS, 'rpc_method')})"},
            ),
            Panel(
                "Calls being answered",
                "short",
                {"{{service_name}}": "sum by (service_name) (everword_rpc_server_active)"},
            ),
            Panel(
                "How long handlers block their event loop, 99 in 100",
                "s",
                {
                    "{{service_name}}": quantile(
                        0.99, "everword_event_loop_lag_seconds", "service_name"
                    )
                },
            ),
            Panel(
                "Calls that wait for a connection to Postgres",
                "short",
                {"{{service_name}}": "max by (service_name) (everword_db_pool_waiting)"},
                "Above 0 for long: raise EVERWORD_POOL_MAX, or add a replica.",
            ),
            Panel(
                "Connections to Postgres",
                "short",
                {"{{service_name}}": "sum by (service_name) (everword_db_pool_size)"},
            ),
        ),
    ),
    Dashboard(
        "search",
        "Everword: search",
        (
            Panel(
                "Searches and contexts",
                "ops",
                {
                    "searches": f"sum(rate({_CALLS}_count{{{_SEARCH}}}[{_RATE}]))",
                    "contexts": f"sum(rate({_CALLS}_count{{{_CONTEXT}}}[{_RATE}]))",
                },
            ),
            Panel(
                "Time of a search",
                "s",
                {
                    "half": quantile(0.5, _CALLS, "", _SEARCH),
                    "95 in 100": quantile(0.95, _CALLS, "", _SEARCH),
                    "99 in 100": quantile(0.99, _CALLS, "", _SEARCH),
                },
            ),
            Panel(
                "Time of a context",
                "s",
                {
                    "half": quantile(0.5, _CALLS, "", _CONTEXT),
                    "95 in 100": quantile(0.95, _CALLS, "", _CONTEXT),
                },
            ),
            Panel(
                "Time of the arms of a search, 95 in 100",
                "s",
                {
                    "{{everword_search_arm}}": quantile(
                        0.95, "everword_search_arm_duration_seconds", "everword_search_arm"
                    )
                },
            ),
            Panel(
                "Time of a query's vector, 95 in 100",
                "s",
                {"{{gen_ai_request_model}}": quantile(0.95, _EMBED, "gen_ai_request_model")},
            ),
            Panel(
                "Texts that wait for the embedding model",
                "short",
                {_BY: f"sum by ({_PRIORITY}) (everword_embed_waiting)"},
            ),
            Panel("Wait for the model, 95 in 100", "s", {_BY: quantile(0.95, _WAIT, _PRIORITY)}),
        ),
    ),
    Dashboard(
        "background",
        "Everword: from ingest to searchable",
        (
            Panel(
                "Messages stored",
                "ops",
                {"messages": f"sum(rate(everword_ingest_messages_total[{_RATE}]))"},
            ),
            Panel(
                "Bytes stored",
                "Bps",
                {"bytes": f"sum(rate(everword_ingest_bytes_total[{_RATE}]))"},
            ),
            Panel(
                "From the commit to the vector",
                "s",
                {
                    "half": quantile(0.5, "everword_embed_lag_seconds"),
                    "95 in 100": quantile(0.95, "everword_embed_lag_seconds"),
                },
                "Words are found from the commit on, meaning from here on.",
            ),
            Panel(
                "Passages without their vector",
                "short",
                {"pending": "max(everword_embed_pending)"},
                "Counted up to 100,000.",
            ),
            Panel(
                "How long the oldest of them waits",
                "s",
                {"oldest": "max(everword_embed_pending_age_seconds)"},
            ),
            Panel(
                "Attempts at jobs",
                "ops",
                {
                    "{{messaging_destination_name}} {{everword_job_outcome}}": rate(
                        "everword_jobs_total", f"{_QUEUE}, everword_job_outcome"
                    )
                },
            ),
            Panel(
                "Jobs that were given up",
                "short",
                {
                    "{{messaging_destination_name}}": f"sum by ({_QUEUE}) "
                    f'(increase(everword_jobs_total{{everword_job_outcome="failed"}}[{_RATE}]))'
                },
                "`everword queue-status` shows their errors, `everword retry-failed` starts them again.",
            ),
            Panel(
                "Time of an attempt, 95 in 100",
                "s",
                {
                    "{{messaging_destination_name}}": quantile(
                        0.95, "messaging_process_duration_seconds", _QUEUE
                    )
                },
            ),
        ),
    ),
    Dashboard(
        "models",
        "Everword: models",
        (
            Panel(
                "Requests to chat models",
                "ops",
                {"{{everword_chat_task}}": rate(f"{_CHAT}_count", "everword_chat_task")},
            ),
            Panel(
                "Requests that failed",
                "ops",
                {
                    "{{everword_chat_task}} {{error_type}}": rate(
                        f"{_CHAT}_count", "everword_chat_task, error_type", 'error_type!=""'
                    )
                },
            ),
            Panel(
                "Time of a request, 95 in 100",
                "s",
                {"{{everword_chat_task}}": quantile(0.95, _CHAT, "everword_chat_task")},
            ),
            Panel(
                "Tokens of chat models",
                "ops",
                {
                    "{{gen_ai_request_model}} {{gen_ai_token_type}}": rate(
                        "everword_chat_tokens_total", "gen_ai_request_model, gen_ai_token_type"
                    )
                },
            ),
            Panel(
                "Tokens by what they are for",
                "ops",
                {
                    "{{everword_chat_task}}": rate(
                        "everword_chat_tokens_total", "everword_chat_task"
                    )
                },
            ),
            Panel(
                "Budgets that run low or are spent",
                "short",
                {"all": f"sum(increase(everword_budget_events_total[{_RATE}]))"},
                "`everword budget list` says which. What a model would write waits, or is chosen from its sources.",
            ),
            Panel(
                "Texts that got their vectors",
                "ops",
                {
                    "{{gen_ai_request_model}}": rate(
                        "everword_embed_texts_total", "gen_ai_request_model"
                    )
                },
            ),
            Panel(
                "Texts of a call",
                "short",
                {
                    "{{gen_ai_request_model}}": f"{rate('everword_embed_texts_total', 'gen_ai_request_model')} / "
                    f"{rate(f'{_EMBED}_count', 'gen_ai_request_model')}"
                },
            ),
            Panel(
                "Tokens of embedding models",
                "ops",
                {
                    "{{gen_ai_request_model}}": rate(
                        "everword_embed_tokens_total", "gen_ai_request_model"
                    )
                },
            ),
        ),
    ),
)
