"""The editor that `statetool edit` runs, and the private copy that it edits."""
