"""Writes the specification of the state file: a page for each format version, and an index.

The pages come from the schemas, the table of releases, the recorded cases and the texts in `texts/`.
"""
