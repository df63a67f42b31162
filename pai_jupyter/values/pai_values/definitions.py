"""Classes of a notebook in pickles: the reader's own class is used where its definition is the same.

cloudpickle writes a class of `__main__` by value, and who reads it makes another class of the same name: `isinstance`, `is` and
`==` of an Enum's members are False then. A job often has that class, too, since its definition came along from another cell.

Rule 1: the name and a digest of the definition are added to what cloudpickle writes, in an argument that it ignores. So a pickle
    can be read without this module, and without that class.
Rule 2: the digest is of the code of methods, of bases, members and the types of attributes. Values of attributes change while
    a program runs and are not in it; an Enum's are.
Rule 3: a class that the writer itself no longer calls by its name has no name here.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import types
from typing import Any, Callable, Dict, Mapping, Set, Tuple  # Any: classes have anything in them

MODULE = "cloudpickle.cloudpickle"
_KEY = "pai_values"
_MAIN = ("__main__", "__mp_main__")
_SKELETONS = {"_make_skeleton_class": 4, "_make_skeleton_enum": 5}  # the place of the tracker's id in their arguments
_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_DATA = (*_PLAIN, list, dict, set, tuple)
_CODE_FLAGS = 0x3FF  # those above are of `from __future__`


def with_definition(cls: type, reduced: Any, names: Mapping[str, Any]) -> Any:
    """Add name and digest of the class `cls` to its reduction by cloudpickle; `names` are the writer's."""
    if not isinstance(reduced, tuple) or getattr(reduced[0], "__name__", "") not in _SKELETONS:
        return reduced
    made, given = reduced[0], reduced[1]
    if cls.__module__ not in _MAIN or _named(names, cls.__qualname__) not in (cls, None) or given[-1] is not None:
        return reduced
    return (made, (*given[:-1], {_KEY: [cls.__qualname__, digest_of(cls)]}), *reduced[2:])


class Definitions:
    """The reader's classes, in the place of those in a pickle.

    `takes_state`: the class gets the plain attributes that it had where the pickle was written.
    """

    def __init__(self, names: Mapping[str, Any], *, takes_state: bool) -> None:
        self._names = names
        self._takes_state = takes_state
        self._own: Set[type] = set()

    def find(self, function: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return what is called in the place of a function of cloudpickle."""
        if function in _SKELETONS:
            return functools.partial(self._make, original, _SKELETONS[function])
        return functools.partial(self._set_state, original) if function == "_class_setstate" else original

    def _make(self, original: Callable[..., Any], tracker: int, *given: Any) -> Any:
        said = given[-1].get(_KEY) if isinstance(given[-1], dict) else None
        if said is not None:
            found = _named(self._names, said[0])
            if isinstance(found, type) and found.__module__ in _MAIN and digest_of(found) == said[1]:
                self._own.add(found)
                return found
        known = _known(original, given[tracker])
        made = original(*given)
        if made is known:  # a class of this process that went out and came back
            self._own.add(made)
        return made

    def _set_state(self, original: Callable[..., Any], cls: type, state: Tuple[Dict[str, Any], Any]) -> Any:
        if cls not in self._own:
            return original(cls, state)
        if self._takes_state and not issubclass(cls, enum.Enum):
            for name, value in state[0].items():
                if type(value) in _DATA and not name.startswith(("__", "_abc_")):
                    setattr(cls, name, value)
        return cls


def _known(original: Callable[..., Any], tracker_id: Any) -> Any:
    """Return the class that cloudpickle knows by this id in this process."""
    return getattr(original, "__globals__", {}).get("_DYNAMIC_CLASS_TRACKER_BY_ID", {}).get(tracker_id, Ellipsis)


def _named(names: Mapping[str, Any], qualified: str) -> Any:
    """Return what `names` have under a qualified name, of which each part but the first is an attribute."""
    first, *parts = str(qualified).split(".")
    found = names.get(first)
    for part in parts:
        found = vars(found).get(part) if isinstance(found, type) else None
    return found


def digest_of(cls: type) -> str:
    """Return a digest of a class's definition."""
    return hashlib.sha256(repr(_class_form(cls)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _class_form(cls: type) -> Any:
    bases = [
        _class_form(base) if base.__module__ in _MAIN else f"{base.__module__}.{base.__qualname__}"
        for base in cls.__bases__
    ]
    is_enum = issubclass(cls, enum.Enum)
    members = [(name, _plain(each.value)) for name, each in getattr(cls, "__members__", {}).items()] if is_enum else []
    attributes = [(name, _attribute(name, value)) for name, value in sorted(vars(cls).items())]
    said = [each for each in attributes if each[1] is not None and not (is_enum and isinstance(each[1], str))]
    return cls.__qualname__, type(cls).__name__, bases, members, said


def _attribute(name: str, value: Any) -> Any:
    """Return what an attribute adds to the definition; None if nothing."""
    if isinstance(value, types.FunctionType):
        return _function(value)
    if isinstance(value, (staticmethod, classmethod)):
        return type(value).__name__, _attribute(name, value.__func__)
    if isinstance(value, property):
        return [_attribute(name, each) for each in (value.fget, value.fset, value.fdel)]
    if isinstance(value, functools.cached_property):
        return "cached_property", _attribute(name, value.func)
    if name.startswith(("__", "_abc_")):  # set by Python, and by what decorates a class
        return None
    return type(value).__name__


def _function(function: types.FunctionType) -> Any:
    defaults = [_plain(each) for each in function.__defaults__ or ()]
    named = sorted((name, _plain(each)) for name, each in (function.__kwdefaults__ or {}).items())
    return _code(function.__code__), defaults, named


def _code(code: types.CodeType) -> Any:
    return (
        code.co_name,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _CODE_FLAGS),
        code.co_code,
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        [_plain(each) for each in code.co_consts],
    )


def _plain(value: Any) -> Any:
    """Return a form of a constant that is the same in every process."""
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, frozenset):
        return sorted(repr(_plain(each)) for each in value)
    return (type(value).__name__, value) if type(value) in _PLAIN else type(value).__name__
