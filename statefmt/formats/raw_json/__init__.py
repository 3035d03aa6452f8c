"""Locates parts of raw JSON (positions, spans, pointers) without decoding values."""
