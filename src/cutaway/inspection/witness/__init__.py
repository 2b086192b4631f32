"""Every level run beside Python: `c.witness`, `c.bisect`, and what they stand on."""
