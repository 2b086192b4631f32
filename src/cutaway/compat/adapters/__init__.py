"""Numba functions whose work Cutaway does under another name or in another form."""
