"""Advice for objects whose provider goes away."""
