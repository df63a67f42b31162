"""What the lint finds, by its code."""

from pai_jupyter.cell import Finding, lint


def found(source: str, code: str, *, literal_ml: bool = True) -> list[Finding]:
    return [finding for finding in lint(source, literal_ml=literal_ml) if finding.code == code]
