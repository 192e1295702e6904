"""Asks a language model: any server with OpenAI's chat API, from async servers and from sync workers."""
