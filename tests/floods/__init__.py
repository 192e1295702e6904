"""One tenant floods each kind of call, while another tenant's calls are timed."""
