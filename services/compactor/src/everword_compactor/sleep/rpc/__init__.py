"""What the RPC `Sleep` asks for, and what it tells."""
