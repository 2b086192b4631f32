"""The battery: small language constructs, what compiles of them and what is planned."""
