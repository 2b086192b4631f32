"""Graphs of a program: what they are made of, their layout, and drawing them.

`model` is a graph as data; `flow`, `dataflow`, `network`, `trees`, `calls` and `assembly` make
graphs of a program; `layout` gives boxes and lines places, `svg`, `dot` and `picture` write them
down, and `drawing` is what a user gets.
"""
