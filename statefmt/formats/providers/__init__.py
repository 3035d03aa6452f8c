"""Chooses and rewrites the provider sources in a document."""
