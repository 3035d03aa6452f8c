"""Offers the choices for each kind of defect."""
