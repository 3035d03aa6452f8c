"""Renders results: text for users, JSON for programs."""
