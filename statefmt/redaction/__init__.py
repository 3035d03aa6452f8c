"""Prepares attributes, identities and outputs for display: exact, with sensitive parts hidden."""
