"""Type errors and explanations in the user's words."""
