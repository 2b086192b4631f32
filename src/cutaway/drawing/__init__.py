"""Layout and drawing of graphs, independent of programs."""
