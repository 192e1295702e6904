"""The sources of vectors: a model in this process, or a server with OpenAI's API for embeddings."""
