"""`python -m everword_gateway`."""

from everword_gateway.command import gateway

if __name__ == "__main__":
    gateway()
