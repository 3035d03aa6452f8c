"""Describes where the state of a folder is kept: the backend, its arguments with their origins, and the workspace.

Nothing here opens a state or a connection.
"""
