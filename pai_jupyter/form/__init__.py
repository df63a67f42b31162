"""The form of a job: `Schema` -> ipywidgets controls -> values.

    schema, values of the line ──► rows.py: one Row per hyperparameter and input (controls.py: the control by type)
                                      │ any change        (taken.py: a checkbox per name of another cell)
                                      ▼
      place.py ──► Schema.errors ──► inline errors, Submit enabled or disabled, "Magic line" (line.py)
                                      │ Submit
                                      ▼
                                  FormValues ──► callbacks

Rule 1: the form validates nothing itself; it shows the errors of `Schema.errors` beside their fields.
Rule 2: a field keeps what the user typed, even if it is invalid.
Rule 3: plain widgets only: no Output widget, no printing, no thread, no script, one style (appearance.py). Text from scripts
    and users is escaped.

Import this package late: it imports ipywidgets, which is slow.
"""

from pai_jupyter.form.form import HyperparameterForm
from pai_jupyter.form.line import FormValues
from pai_jupyter.form.words import translator

__all__ = ["FormValues", "HyperparameterForm", "translator"]
