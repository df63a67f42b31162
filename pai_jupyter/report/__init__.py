"""A report of several jobs: one file that others read without pai_jupyter, and without a network.

    contents   what a report tells of its jobs, read once and cleaned
    curves     a chart of one metric over all jobs, as SVG
    page       the report as one HTML file, without script
    notebook   the report as a notebook, whose cells show the jobs again where they are
    writing    `write_report`

Rule 1: a report holds no script and nothing that a reader's browser would fetch. All text of jobs is cleaned and escaped.
Rule 2: it tells what the records tell: values of secrets are masked, home directories are `~`.
"""

from pai_jupyter.report.writing import write_report

__all__ = ["write_report"]
