"""What would help where an optimization was missed: proposed, tried, and only then shown."""
