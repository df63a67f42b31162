"""What a notebook gives its cells, for a job: `display`, `get_ipython`, figures, tqdm's notebook bars.

The modules here go into the package of a job as `_pai_notebook/` (`cell/notebook_names.py` says when), and run there.
Rule 1: they need Python 3.8 and its standard library; they use what else the job has, and never pai_jupyter.
Rule 2: nothing is patched in what the user imports, but for the modules that only work in a notebook.
Rule 3: they do nothing when they are imported as part of pai_jupyter.
"""
