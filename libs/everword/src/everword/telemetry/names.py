"""Every telemetry name that Everword emits. docs/telemetry.md explains them; a test holds both together.

RPC names follow the OpenTelemetry RPC conventions (release candidate, semconv 1.44), database names the stable ones,
memory names the GenAI conventions (development).
"""

from __future__ import annotations

# Spans
RPC_SYSTEM = "rpc.system.name"
RPC_METHOD = "rpc.method"
RPC_STATUS = "rpc.response.status_code"
ERROR_TYPE = "error.type"
REQUEST_ID = "everword.request.id"
DB_SYSTEM = "db.system.name"
DB_QUERY_SUMMARY = "db.query.summary"
GEN_AI_OPERATION = "gen_ai.operation.name"
GEN_AI_STORE = "gen_ai.memory.store.id"
GEN_AI_RECORDS = "gen_ai.memory.record.count"
SEARCH_ARM = "everword.search.arm"
MESSAGING_SYSTEM = "messaging.system"
MESSAGING_DESTINATION = "messaging.destination.name"
MESSAGING_MESSAGE_ID = "messaging.message.id"
MESSAGING_BATCH_COUNT = "messaging.batch.message_count"
JOB_OUTCOME = "everword.job.outcome"
GEN_AI_PROVIDER = "gen_ai.provider.name"
GEN_AI_MODEL = "gen_ai.request.model"
GEN_AI_DIMENSIONS = "gen_ai.embeddings.dimension.count"
GEN_AI_TOKENS = "gen_ai.usage.input_tokens"
GEN_AI_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
GEN_AI_TOKEN_TYPE = "gen_ai.token.type"
GEN_AI_MAX_TOKENS = "gen_ai.request.max_tokens"
GEN_AI_TEMPERATURE = "gen_ai.request.temperature"
GEN_AI_OUTPUT_TYPE = "gen_ai.output.type"
GEN_AI_RESPONSE_MODEL = "gen_ai.response.model"
GEN_AI_FINISH_REASONS = "gen_ai.response.finish_reasons"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"
CHAT_TASK = "everword.chat.task"
BUDGET_EVENT = "everword.budget.event"
EMBED_BATCH = "everword.embed.batch.texts"
EMBED_PRIORITY = "everword.embed.priority"

# Metrics
RPC_SERVER_DURATION = "rpc.server.call.duration"
RPC_CLIENT_DURATION = "rpc.client.call.duration"
RPC_SERVER_ACTIVE = "everword.rpc.server.active"
POOL_SIZE = "everword.db.pool.size"
POOL_WAITING = "everword.db.pool.waiting"
SEARCH_ARM_DURATION = "everword.search.arm.duration"
INGEST_MESSAGES = "everword.ingest.messages"
INGEST_BYTES = "everword.ingest.bytes"
LOOP_LAG = "everword.event_loop.lag"
PROCESS_DURATION = "messaging.process.duration"
JOBS = "everword.jobs"
EMBED_PASSAGES = "everword.embed.passages"
EMBED_LAG = "everword.embed.lag"
EMBED_PENDING = "everword.embed.pending"
EMBED_PENDING_AGE = "everword.embed.pending.age"
EMBED_DURATION = "gen_ai.client.embeddings.duration"
EMBED_TEXTS = "everword.embed.texts"
EMBED_TOKENS = "everword.embed.tokens"
EMBED_WAITING = "everword.embed.waiting"
EMBED_WAIT = "everword.embed.wait"
CHAT_DURATION = "gen_ai.client.operation.duration"
CHAT_TOKENS = "everword.chat.tokens"
BUDGET_EVENTS = "everword.budget.events"

METRICS = frozenset(
    {
        RPC_SERVER_DURATION,
        RPC_CLIENT_DURATION,
        RPC_SERVER_ACTIVE,
        POOL_SIZE,
        POOL_WAITING,
        SEARCH_ARM_DURATION,
        INGEST_MESSAGES,
        INGEST_BYTES,
        LOOP_LAG,
        PROCESS_DURATION,
        JOBS,
        EMBED_PASSAGES,
        EMBED_LAG,
        EMBED_PENDING,
        EMBED_PENDING_AGE,
        EMBED_DURATION,
        EMBED_TEXTS,
        EMBED_TOKENS,
        EMBED_WAITING,
        EMBED_WAIT,
        CHAT_DURATION,
        CHAT_TOKENS,
        BUDGET_EVENTS,
    }
)

#: Bucket bounds of durations, in seconds, as the RPC conventions give them.
DURATION_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
#: Bucket bounds for chat calls: those of the GenAI conventions end at 82 s, and a long summary takes minutes.
CHAT_BUCKETS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1280)
