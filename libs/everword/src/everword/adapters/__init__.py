"""Everword where other libraries expect a memory. Each module imports its library: `pip install everword[…]`."""
