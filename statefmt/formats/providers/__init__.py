"""Provider sources in a document: which to rewrite, and how."""
