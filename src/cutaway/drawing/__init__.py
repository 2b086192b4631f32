"""Drawing graphs: layout and pictures; knows no program."""
