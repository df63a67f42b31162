"""The form of a job: `Schema` -> ipywidgets controls -> values.

    schema, values of the line ──► rows.py, inputs.py: one Row per hyperparameter and input (controls.py: the control by type)
                                      │ any change        (taken.py: a checkbox per name of another cell)
                                      ▼
      place.py ──► Schema.errors ──► inline errors, Submit enabled or disabled, "Magic line" (training.form_values)
                                      │ Submit
                                      ▼
                                  FormValues ──► callbacks

Sections, order and words are those of `wire.schema.form` and `wire.protocol.form_model`, which JupyterLab's dialog draws, too.

Rule 1: the form validates nothing itself; it shows the errors of `Schema.errors` beside their fields.
Rule 2: a field keeps what the user typed, even if it is invalid.
Rule 3: plain widgets only: no Output widget, no printing, one style (appearance.py); the only handler of the page's own copies the
    line (readonly.py), the only thread asks a service (machines.py). Text from scripts and users is escaped.

Import this package late: it imports ipywidgets, which is slow.
"""

from pai_jupyter.form.form import HyperparameterForm
from pai_jupyter.form.machines import service_offers
from pai_jupyter.form.words import translator
from pai_jupyter.training import FormValues

__all__ = ["FormValues", "HyperparameterForm", "service_offers", "translator"]
