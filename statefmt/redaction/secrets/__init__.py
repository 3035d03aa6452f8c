"""Recognises secrets in attributes and outputs: what the SEC rules report, and what is hidden without a mark."""
