"""Search: from a query to a page of memories, best first."""
