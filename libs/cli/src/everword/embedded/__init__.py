"""All that Everword needs, on this machine: PostgreSQL, Valkey and the services, supervised."""
