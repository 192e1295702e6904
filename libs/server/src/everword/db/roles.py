"""The database roles of the services."""

from __future__ import annotations

SERVICE_ROLES = ("everword_ingest", "everword_search", "everword_compactor", "everword_embedder")
#: Taken for calls whose key is bound to an agent or a subject.
SCOPED_ROLES = ("everword_ingest_scoped", "everword_search_scoped")
