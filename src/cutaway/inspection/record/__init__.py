"""The record of a compilation as plain data, from which all views are drawn and which is saved.

`model` declares it, `making` fills it from a compilation, `encoding` turns it into JSON and back;
`schema.json` is the description of that JSON (`docs/record.md` in words).
"""
