"""Where the bytes of states live: local files. Nothing here knows what the bytes mean."""
