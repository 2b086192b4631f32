"""The page of a record: one HTML file that shows a compilation, with nothing to load.

`page.html`, `page.css` and the `.js` files are the app, as they are written; `page.py` puts them
together with the data of a record; `notebook.py` shows parts of it in a notebook's frame.
"""
