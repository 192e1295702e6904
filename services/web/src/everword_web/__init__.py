"""Everword over HTTP: the gateway for JSON, tools for agents (MCP), and the console, each a client of the services."""
