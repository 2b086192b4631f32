"""The intermediate representation: ops, functions, graphs, text form, verifier, interpreter."""
