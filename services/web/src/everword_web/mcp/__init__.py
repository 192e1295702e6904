"""Tools for agents over the Model Context Protocol (MCP): a client of Everword's gRPC API."""
