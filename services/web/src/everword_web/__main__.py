"""`python -m everword_web`."""

from everword_web.command import web

if __name__ == "__main__":
    web()
