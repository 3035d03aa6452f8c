"""Attributes, identities and outputs as values to be shown: exact, and with their sensitive parts hidden."""
