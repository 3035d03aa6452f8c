"""Shared parts of the rules about configurations: blocks, places and anchors."""
