"""In a job: matplotlib's backend `module://pai_figures`. A figure that is shown becomes a picture of the job.

As in a notebook, `plt.show()` shows all open figures and closes them, and those still open at the end are shown then.
"""

from __future__ import annotations

import atexit
import io
import weakref
from typing import TYPE_CHECKING, Any

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

if TYPE_CHECKING:
    from pai_jupyter.cell.in_job import pictures as pai_pictures
else:
    import pai_pictures

_saved: weakref.WeakSet[Any] = weakref.WeakSet()  # Any: figures


class FigureManager(FigureManagerBase):
    def show(self) -> None:
        """Save the figure (`fig.show()`)."""
        save(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def show(*_: object, **__: object) -> None:
    """Save all open figures and close them (`plt.show()`)."""
    for manager in Gcf.get_all_fig_managers():
        save(manager.canvas.figure)
    Gcf.destroy_all()


def save(figure: Any) -> None:  # Any: a figure of matplotlib
    """Save a figure as a PNG, cut to what is drawn."""
    data = io.BytesIO()
    figure.savefig(data, format="png", bbox_inches="tight")
    pai_pictures.save(data.getvalue())
    _saved.add(figure)


def _show_rest() -> None:
    for manager in Gcf.get_all_fig_managers():
        if manager.canvas.figure not in _saved:
            save(manager.canvas.figure)


atexit.register(_show_rest)  # registered after matplotlib's function that closes all figures, so it runs before
