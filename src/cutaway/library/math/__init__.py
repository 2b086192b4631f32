"""Numbers: arithmetic, powers, `math` and `cmath`."""
