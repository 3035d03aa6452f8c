"""Describes what each release of OpenTofu and Terraform reads, writes and keeps."""
