"""Styles that ipywidgets lacks: a field with an error, one that is only to be read, a form whose kernel has ended, a narrow one.

A form without its kernel cannot change itself. So its message is there from the beginning, hidden, and a style shows it:
ipywidgets marks widgets that lost their kernel by a restart with `jupyter-widgets-disconnected`, our JupyterLab extension
those whose kernel ended otherwise with `pj-mod-noKernel` (labextension/src/lab/forms.ts). The broken-chain icons that
ipywidgets adds to each widget are hidden, since the message says it once.

In a narrow notebook there is no room beside a control, so that its help text stands below it. ipywidgets draws the arrows of its
selects in black on any theme, and gives boxes that are too narrow scroll bars, which the form has in no row.
"""

FORM, WRONG, GONE = "pj-Form", "pj-Form-wrong", "pj-Form-gone"
READ_ONLY, COPY = "pj-Form-readOnly", "pj-Form-copy"
LINE, HELP = "pj-Form-line", "pj-Form-help"
LABEL_WIDTH = "12em"
_ARROW = (
    "url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'%3E"
    "%3Cpath fill='%23e0e0e0' d='M5.2 5.9 9 9.7l3.8-3.8L14 7.1l-5 5-5-5z'/%3E%3C/svg%3E\")"
)
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
.{FORM}.widget-box, .{FORM} .widget-box {{ overflow: visible; }}
[data-jp-theme-light="false"] .{FORM} {{ --jp-widgets-dropdown-arrow: {_ARROW}; }}
.{FORM} .{GONE} {{ display: none; }}
.{FORM}{_LOST} .{GONE} {{ display: block; }}
.{FORM}{_LOST} button {{ visibility: hidden; }}
.{FORM}.jupyter-widgets-disconnected::before, .{FORM} .jupyter-widgets-disconnected::before {{ content: none !important; }}
</style>"""
