"""Styles that ipywidgets lacks: a field with an error, one that is only to be read, a form whose kernel has ended, a narrow one.

A form without its kernel cannot change itself. So its message is there from the beginning, hidden, and a style shows it:
ipywidgets marks widgets that lost their kernel by a restart with `jupyter-widgets-disconnected`, our JupyterLab extension
those whose kernel ended otherwise with `pj-mod-noKernel` (labextension/src/lab/forms.ts). The broken-chain icons that
ipywidgets adds to each widget are hidden, since the message says it once.

In a narrow notebook there is no room beside a control, so that its help text stands below it.
"""

FORM, WRONG, GONE = "pj-Form", "pj-Form-wrong", "pj-Form-gone"
READ_ONLY, COPY = "pj-Form-readOnly", "pj-Form-copy"
LINE, HELP = "pj-Form-line", "pj-Form-help"
LABEL_WIDTH = "12em"
_LOST = ":is(.jupyter-widgets-disconnected, .pj-mod-noKernel)"
STYLE = f"""<style>
.{WRONG} :is(input, textarea, select) {{ border-color: var(--jp-error-color1, #b00020) !important; }}
.{READ_ONLY} {{ width: 100%; box-sizing: border-box; padding: 0.1em 0.3em; border: 1px dashed var(--jp-border-color2, #bdbdbd);
  background: none; color: inherit; font-family: var(--jp-code-font-family, monospace); }}
.{COPY} {{ margin: 4px 8px 4px 0; padding: 2px 8px; border: 1px solid var(--jp-border-color1, #767676); border-radius: 2px;
  background: var(--jp-layout-color1, #fff); color: var(--jp-ui-font-color1, #1f1f1f); font: inherit; cursor: pointer; }}
.{COPY}:disabled {{ opacity: 0.6; cursor: default; }}
.{FORM} {{ container-type: inline-size; }}
@container (max-width: 660px) {{
  .{FORM} .{LINE} {{ flex-wrap: wrap; }}
  .{FORM} .{LINE} > .{HELP} {{ flex: 1 0 100%; padding-left: calc({LABEL_WIDTH} + 10px); box-sizing: border-box; }}
  .{FORM} .{LINE} > .{HELP}:has(small:empty) {{ display: none; }}
  .{FORM} .{LINE} > button[style*="visibility: hidden"] {{ display: none; }}
}}
.{FORM} .{GONE} {{ display: none; }}
.{FORM}{_LOST} .{GONE} {{ display: block; }}
.{FORM}{_LOST} button {{ visibility: hidden; }}
.{FORM}.jupyter-widgets-disconnected::before, .{FORM} .jupyter-widgets-disconnected::before {{ content: none !important; }}
</style>"""
