"""Edits of states: one pipeline for everything that writes one."""
