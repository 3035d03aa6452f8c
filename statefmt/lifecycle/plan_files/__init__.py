"""Reads plan files: the zip archives that `plan -out` writes, as the JSON documents that `show -json` prints."""
