"""Why a variable has its type, and what forbids another."""
