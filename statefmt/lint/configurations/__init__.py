"""Findings about configurations: blocks, places and anchors."""
