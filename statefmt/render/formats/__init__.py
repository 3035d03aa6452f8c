"""Renders reports of upgrades, downgrades and rewritten provider sources."""
