"""Everword against a real vLLM on the CPU: `make test-vllm`."""
