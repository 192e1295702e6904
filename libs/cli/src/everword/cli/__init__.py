"""The command line: `everword`."""
