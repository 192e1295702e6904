"""AdminService: namespaces and API keys."""
