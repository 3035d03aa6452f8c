"""Bytes in JSON: base64, and structs as Go reads them."""
