"""What a job costs, in the words of its view."""

from pai_jupyter.cost import Cost
from pai_jupyter.money import money, rate
from pai_jupyter.view.words import Language, say


def amount_text(cost: Cost, language: Language) -> str:
    """Return what a job has cost: "¥0.13", while it runs "¥0.13 so far"; of preemptible machines the most."""
    amount = f"{'≤ ' if cost.is_spot else ''}{money(cost.amount, cost.currency)}"
    return amount if cost.is_final else say("{amount} so far", language).format(amount=amount)


def cost_text(cost: Cost, language: Language) -> str:
    """Return what a job costs at most and so far: "≤ ¥0.42 · ¥0.13 so far"; before it runs only the first."""
    if cost.is_final:
        return amount_text(cost, language)
    if cost.ceiling is not None:
        most = f"≤ {money(cost.ceiling, cost.currency, is_most=True)}"
    else:
        most = say("{amount}/h", language).format(amount=rate(cost.per_hour, cost.currency))
    return f"{most} · {amount_text(cost, language)}" if cost.amount else most
