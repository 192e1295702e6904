"""The periodic work of ingest."""
