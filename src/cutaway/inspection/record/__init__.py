"""The record of a compilation as plain data: what every view is drawn from, and what is saved.

`model` says what it holds, `making` fills it from a compilation, `encoding` turns it into JSON and
back; `schema.json` is the description of that JSON (`docs/record.md` in words).
"""
