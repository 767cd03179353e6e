"""The inert nodes for torch's objects in a pickle, and the rules for the arguments of calls that torch would make.

Each function here checks the arguments of one call: their types, number and sign, and that every element of a tensor is
inside its storage. The calls are never made. A node describes the requested call.
"""

import dataclasses
from typing import Any

from .errors import ConvertError, quoted
from .tensor import MAX_RANK, NUMPY_TYPES

STORAGE_TYPES = {
    "torch.DoubleStorage": "F64",
    "torch.FloatStorage": "F32",
    "torch.HalfStorage": "F16",
    "torch.BFloat16Storage": "BF16",
    "torch.LongStorage": "I64",
    "torch.IntStorage": "I32",
    "torch.ShortStorage": "I16",
    "torch.CharStorage": "I8",
    "torch.ByteStorage": "U8",
    "torch.BoolStorage": "BOOL",
}
UNTYPED_STORAGE = "torch.storage.UntypedStorage"
NUMBER_TYPES = {
    "torch.float64": "F64",
    "torch.float32": "F32",
    "torch.float16": "F16",
    "torch.bfloat16": "BF16",
    "torch.int64": "I64",
    "torch.int32": "I32",
    "torch.int16": "I16",
    "torch.int8": "I8",
    "torch.uint8": "U8",
    "torch.bool": "BOOL",
}


@dataclasses.dataclass(frozen=True)
class Global:
    """One of the allowed globals, which has its full name."""

    name: str


@dataclasses.dataclass(frozen=True)
class Storage:
    """A reference to numbers. dtype is None for an untyped storage, whose elements are bytes. first is the first
    element of a view into the stored numbers."""

    key: str
    dtype: str | None
    stored_elements: int
    first: int
    elements: int


@dataclasses.dataclass(frozen=True)
class TensorNode:
    """A tensor. offset and strides count elements of its storage. Every element lies inside the storage."""

    storage: Storage
    dtype: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class OrderedDictNode(dict):
    """A collections.OrderedDict, the only node that BUILD may follow, with the state that BUILD sets."""

    state: dict[str, Any] | None = None


# The functions that REDUCE may name, and their numbers of arguments.
CALLS = {
    "collections.OrderedDict": (0, 1),
    "torch.Size": (1,),
    "torch._utils._rebuild_tensor": (4,),
    "torch._utils._rebuild_tensor_v2": (6, 7),
    "torch._utils._rebuild_tensor_v3": (7, 8),
    "torch._utils._rebuild_parameter": (3,),
}


def kind_of(value: Any) -> str:
    """Return the kind of a node for errors."""
    names = {
        dict: "a dict",
        OrderedDictNode: "an OrderedDict",
        list: "a list",
        tuple: "a tuple",
        str: "a string",
        int: "an integer",
        float: "a float",
        bool: "a bool",
        type(None): "None",
        TensorNode: "a tensor",
        Storage: "a storage",
    }
    return f"global {value.name}" if type(value) is Global else names[type(value)]


def _natural(value: Any, what: str) -> int:
    if type(value) is not int:
        raise ConvertError(f"{what} is {kind_of(value)}, expected an integer")
    if value < 0:
        raise ConvertError(f"{what} is {value}, expected 0 or more")
    return value


def sizes_of(value: Any, what: str) -> tuple[int, ...]:
    """Check a size or a stride, a tuple of at most MAX_RANK integers from 0 up. `what` names it in errors."""
    if type(value) is not tuple:
        raise ConvertError(f"{what} is {kind_of(value)}, expected a tuple")
    if len(value) > MAX_RANK:
        raise ConvertError(f"{what} has {len(value)} dimensions, at most {MAX_RANK} are read")
    return tuple(_natural(item, f"{what}[{index}]") for index, item in enumerate(value))


def storage_of(value: Any, legacy: bool) -> Storage:
    """Check a persistent id ('storage', type, key, location, elements). In legacy files a view or None follows."""
    parts = 6 if legacy else 5
    if type(value) is not tuple or len(value) != parts or value[0] != "storage":
        first = value[0] if type(value) is tuple and value and type(value[0]) is str else kind_of(value)
        raise ConvertError(f"persistent id {quoted(first)} is not a storage reference of {parts} parts")
    _, kind, key, location, elements = value[:5]
    if type(kind) is not Global or (kind.name not in STORAGE_TYPES and kind.name != UNTYPED_STORAGE):
        raise ConvertError(f"storage type is {kind_of(kind)}, expected one of torch's storages")
    longest = 20 if legacy else 10
    if type(key) is not str or not 1 <= len(key) <= longest or not (key.isascii() and key.isdigit()):
        raise ConvertError(
            f"storage key {quoted(key if type(key) is str else kind_of(key))} is not 1 to {longest} digits"
        )
    if type(location) is not str:
        raise ConvertError(f"storage location is {kind_of(location)}, expected a string")
    stored = _natural(elements, "storage size")
    first, viewed = 0, stored
    if legacy and value[5] is not None:
        view = value[5]
        if type(view) is not tuple or len(view) != 3:
            raise ConvertError(f"storage view is {kind_of(view)}, expected a tuple of 3")
        first, viewed = _natural(view[1], "storage view offset"), _natural(view[2], "storage view size")
        if first + viewed > stored:
            raise ConvertError(f"storage view ends at element {first + viewed} of {stored}")
    return Storage(key, STORAGE_TYPES.get(kind.name), stored, first, viewed)


def rebuilt(function: str, arguments: tuple[Any, ...]) -> TensorNode:
    """Return the tensor that one of torch's _rebuild functions would make. The number of arguments must be checked
    before."""
    short = function.rsplit(".", 1)[1]
    if short == "_rebuild_parameter":
        if type(arguments[0]) is not TensorNode:
            raise ConvertError(f"{short} of {kind_of(arguments[0])}, expected a tensor")
        _check_flags(short, arguments[1], arguments[2])
        return arguments[0]
    if short != "_rebuild_tensor":
        _check_flags(short, arguments[4], arguments[5])
    storage = arguments[0]
    if type(storage) is not Storage:
        raise ConvertError(f"{short} of {kind_of(storage)}, expected a storage")
    dtype = storage.dtype
    if short == "_rebuild_tensor_v3":
        if type(arguments[6]) is not Global or arguments[6].name not in NUMBER_TYPES:
            raise ConvertError(f"number type of {short} is {kind_of(arguments[6])}")
        if dtype is not None:
            raise ConvertError(f"{short} of a storage that has a type of its own")
        dtype = NUMBER_TYPES[arguments[6].name]
    elif dtype is None:
        raise ConvertError(f"{short} of a storage without a type")
    offset, shape = _natural(arguments[1], "offset"), sizes_of(arguments[2], "size")
    strides = sizes_of(arguments[3], "stride")
    if len(shape) != len(strides):
        raise ConvertError(f"{len(shape)} sizes and {len(strides)} strides")
    # An untyped storage counts bytes.
    elements = storage.elements if storage.dtype else storage.elements // NUMPY_TYPES[dtype].itemsize
    _check_inside(offset, shape, strides, elements)
    return TensorNode(storage, dtype, offset, shape, strides)


def _check_flags(function: str, requires_grad: Any, hooks: Any) -> None:
    if type(requires_grad) is not bool:
        raise ConvertError(f"requires_grad of {function} is {kind_of(requires_grad)}, expected a bool")
    if type(hooks) is not OrderedDictNode or hooks:
        raise ConvertError(f"hooks of {function} are {kind_of(hooks)} that is not an empty OrderedDict")


def _check_inside(offset: int, shape: tuple[int, ...], strides: tuple[int, ...], elements: int) -> None:
    if 0 in shape:
        return
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides))
    if last >= elements:
        raise ConvertError(
            f"tensor {list(shape)} with strides {list(strides)} from {offset} reaches element {last} "
            f"of a storage of {elements}"
        )
