"""What a stranger's folder can make statetool do: nothing that SECURITY.md does not allow."""
