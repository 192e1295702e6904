"""A provider that asks a server with the embeddings API of OpenAI."""
