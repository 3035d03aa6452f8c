"""Edits that people make in an editor: the text that they get, and the edit that it becomes."""
