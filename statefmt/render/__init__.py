"""Renders results: text for people, JSON for programs."""
