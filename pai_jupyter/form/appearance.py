"""How the form looks where ipywidgets has no words for it: a wrong field, and a form whose kernel is gone.

A form without its kernel cannot change itself. So what it then says stands in it from the beginning, hidden, and a style shows
it: ipywidgets marks what has lost its kernel with `jupyter-widgets-disconnected` on a restart, and our JupyterLab extension
marks it with `pj-mod-noKernel` when a kernel ends in another way (labextension/src/lab/forms.ts).
"""

FORM, WRONG, GONE = "pj-Form", "pj-Form-wrong", "pj-Form-gone"
_LOST = ":is(.jupyter-widgets-disconnected, .pj-mod-noKernel)"
STYLE = f"""<style>
.{WRONG} :is(input, textarea, select) {{ border-color: var(--jp-error-color1, #b00020) !important; }}
.{FORM} .{GONE} {{ display: none; }}
.{FORM}{_LOST} .{GONE} {{ display: block; }}
.{FORM}{_LOST} button {{ visibility: hidden; }}
</style>"""
