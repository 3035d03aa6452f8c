"""Edits as users ask for them, with addresses and selectors as strings; a command and a method of the library each."""
