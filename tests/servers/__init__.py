"""Servers for tests, and what stands between them and a client; all on 127.0.0.1."""
