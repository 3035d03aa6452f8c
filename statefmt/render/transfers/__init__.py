"""Renders copies of states from one place to another."""
