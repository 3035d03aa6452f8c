"""Shell completion: the scripts for bash, zsh and fish, and what statetool answers when they call it.

Completion reads regular files only: it never asks, writes, runs a program, reads standard input or uses the network.
"""
