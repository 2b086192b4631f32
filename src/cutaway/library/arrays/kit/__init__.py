"""What several functions of arrays are made of."""
