"""`python -m everword_console`."""

from everword_console.command import console

if __name__ == "__main__":
    console()
