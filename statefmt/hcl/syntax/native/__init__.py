"""HCL's native syntax, read with tree-sitter."""
