"""Makes conversations, and changes what is known of them."""
