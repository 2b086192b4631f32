"""`cutaway view`: a full-screen viewer of a compilation, controlled by the keyboard.

`book` finds the stops of a record, `model` implements the keys (as functions from state to state),
`frames` draws a state, `keys` reads the keyboard, `viewer` runs them.
"""
