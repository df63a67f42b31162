"""The form of a job: `Schema` -> ipywidgets controls -> values.

    schema, values of the line ──► rows.py: one Row per hyperparameter and input (controls.py: the control by type)
                                      │ any change
                                      ▼
      place.py ──► Schema.errors ──► inline errors, Submit on or off, "copy as line" (line.py)
                                      │ Submit
                                      ▼
                                  FormValues ──► callbacks

Rule 1: the form checks nothing itself; what is wrong is what `Schema.errors` says, and it is said beside the field.
Rule 2: a field keeps what was typed, however wrong, and whatever happens to the others.
Rule 3: plain widgets: no Output widget, no printing, no thread, no script, one style (appearance.py). Text of others only ever
    goes in escaped.

This room imports ipywidgets, which takes a while; whoever needs the form imports it late.
"""

from pai_jupyter.form.form import HyperparameterForm
from pai_jupyter.form.line import FormValues
from pai_jupyter.form.words import translator

__all__ = ["FormValues", "HyperparameterForm", "translator"]
