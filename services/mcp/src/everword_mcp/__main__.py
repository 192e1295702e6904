"""`python -m everword_mcp`."""

from everword_mcp.command import mcp

if __name__ == "__main__":
    mcp()
