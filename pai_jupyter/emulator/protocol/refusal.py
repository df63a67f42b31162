"""Error answers of the services, and the type of fields."""

from pai_jupyter.spec import Json

Fields = dict[str, Json]


class ApiRefusal(Exception):
    """An error answer: HTTP status, the cloud's code, and a message."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def invalid(name: str, value: object, wanted: str) -> ApiRefusal:
    """Create the error for an invalid parameter; `wanted` says what is valid."""
    return ApiRefusal(400, "InvalidParameter", f"{name} is {str(value)[:100]!r}, not {wanted}")


def missing(name: str) -> ApiRefusal:
    """Create the error for a missing parameter."""
    return ApiRefusal(400, "MissingParameter", f"{name} is mandatory for this action")
