"""What services say no with, and the fields that their calls and answers are made of."""

from pai_jupyter.spec import Json

Fields = dict[str, Json]


class ApiRefusal(Exception):
    """The service says no: an HTTP status, the cloud's code for it, and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def invalid(name: str, value: object, wanted: str) -> ApiRefusal:
    """Create the refusal of a value."""
    return ApiRefusal(400, "InvalidParameter", f"{name} is {str(value)[:100]!r}, not {wanted}")


def missing(name: str) -> ApiRefusal:
    """Create the refusal of a call that lacks a parameter."""
    return ApiRefusal(400, "MissingParameter", f"{name} is mandatory for this action")
