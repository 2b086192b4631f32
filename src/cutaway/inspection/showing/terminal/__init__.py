"""`cutaway view`: a compilation on the whole screen, walked through with the keyboard.

`book` finds what there is to see in a record, `model` says what each key does (a state and a key
give a state), `frames` draws a state, `keys` reads the keyboard, `viewer` runs them.
"""
