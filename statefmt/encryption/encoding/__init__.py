"""Encodes and decodes bytes and structs in JSON as Go does."""
