"""The page of a record: one HTML file that shows a compilation, with nothing to load.

`page.html`, `page.css` and the `.js` files are the sources of the app; `page.py` combines them with
the data of a record; `notebook.py` shows parts of it in a notebook's frame.
"""
