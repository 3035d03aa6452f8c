"""Salvages a state at a place, with its backups."""
