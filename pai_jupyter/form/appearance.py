"""Styles that ipywidgets lacks: a field with an error, and a form whose kernel has ended.

A form without its kernel cannot change itself. So its message is there from the beginning, hidden, and a style shows it:
ipywidgets marks widgets that lost their kernel by a restart with `jupyter-widgets-disconnected`, our JupyterLab extension
those whose kernel ended otherwise with `pj-mod-noKernel` (labextension/src/lab/forms.ts). The broken-chain icons that
ipywidgets adds to each widget are hidden, since the message says it once.
"""

FORM, WRONG, GONE = "pj-Form", "pj-Form-wrong", "pj-Form-gone"
_LOST = ":is(.jupyter-widgets-disconnected, .pj-mod-noKernel)"
STYLE = f"""<style>
.{WRONG} :is(input, textarea, select) {{ border-color: var(--jp-error-color1, #b00020) !important; }}
.{FORM} .{GONE} {{ display: none; }}
.{FORM}{_LOST} .{GONE} {{ display: block; }}
.{FORM}{_LOST} button {{ visibility: hidden; }}
.{FORM}.jupyter-widgets-disconnected::before, .{FORM} .jupyter-widgets-disconnected::before {{ content: none !important; }}
</style>"""
