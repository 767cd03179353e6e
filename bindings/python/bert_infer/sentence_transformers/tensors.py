"""Tensors of torch beside arrays of numpy. torch is imported only to make a tensor."""

import importlib.util
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgumentError, UnsupportedError, notify
from ..vectors import numbers_of, rows_of

if TYPE_CHECKING:
    from torch import Tensor

# Types of 16 bits, in whose place float32 is computed.
COMPUTED_IN_FLOAT32 = {"float16", "half", "bfloat16"}


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor; for a list of vectors, whether its first one is."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.split(".")[0] == "torch"


def is_sparse(value: Any) -> bool:
    """A sparse tensor or an array of scipy; of a list of vectors, by its first."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.startswith("scipy.sparse") or bool(getattr(first, "is_sparse", False))


def as_array(value: Any) -> Any:
    """float32, of an array, a tensor of any type, or a list of either."""
    import numpy as np

    if not isinstance(value, (list, tuple)) or not value:
        numbers = _numbers_of("embeddings", value)
        return numbers if numbers.ndim else rows_of("embeddings", value)  # which refuses one number
    rows = [_numbers_of(f"embeddings[{i}]", vector) for i, vector in enumerate(value)]
    if len({row.shape for row in rows}) > 1:
        raise InvalidArgumentError(f"embeddings of shapes {sorted({row.shape for row in rows})}, expected one shape")
    return np.stack(rows)


def _numbers_of(name: str, value: Any) -> Any:
    """numbers_of, of a dense or sparse tensor too."""
    if is_tensor(value) and not isinstance(value, (list, tuple)):
        dense = value.detach().cpu().float()
        return (dense.to_dense() if dense.is_sparse else dense).numpy()
    return numbers_of(name, value.toarray() if is_sparse(value) and hasattr(value, "toarray") else value)


def torch_is_loaded() -> bool:
    """Whether this process uses torch: then results that are tensors there are tensors here, unless asked for."""
    return "torch" in sys.modules


def scores_of(scores: Any) -> Any:
    """Similarities as a tensor where torch is loaded, else as the array that they are."""
    return as_tensor(scores) if torch_is_loaded() else scores


def as_tensor(array: Any) -> "Tensor":
    """The array as a tensor; an error without torch."""
    if importlib.util.find_spec("torch") is None:
        raise UnsupportedError("a tensor was asked for, and the package torch is not installed")
    tensor: Tensor = import_module("torch").as_tensor(array)
    return tensor


def check_device(device: Any) -> None:
    """Only the CPU, also as torch's cpu:0. Several are as many processes there, with the same results."""
    for one in device if isinstance(device, (list, tuple)) else [device]:
        if one is not None and str(one) not in ("cpu", "cpu:0"):
            raise UnsupportedError(f"device {str(one)!r} is not supported, expected 'cpu'")


def is_float_type(value: Any) -> bool:
    """A type of torch, or its name."""
    return type(value).__name__ == "dtype" or str(value) in COMPUTED_IN_FLOAT32 | {"float32"}


def check_float_type(name: str, value: Any) -> None:
    """The numbers to compute in are float32; a Notice tells where 16 bits were asked for."""
    kind = str(value).removeprefix("torch.")
    if kind in COMPUTED_IN_FLOAT32:
        notify(f"{name}: {kind} was asked for, and float32 is computed")
    elif kind not in ("float32", "float", "auto", "None"):
        raise UnsupportedError(f"{name}={value!r} is not supported, expected float32")


class Device(str):
    """The CPU where torch is not loaded, with the field of torch.device that names the kind."""

    type = "cpu"


def cpu_device() -> Any:
    """The CPU as torch has it, where torch is loaded."""
    torch = sys.modules.get("torch")
    return Device("cpu") if torch is None else torch.device("cpu")


def float_type() -> Any:
    """float32 as torch has it, where torch is loaded, else as numpy has it."""
    import numpy as np

    torch = sys.modules.get("torch")
    return np.dtype(np.float32) if torch is None else torch.float32


class OnCpu:
    """What computes on the CPU in float32."""

    @property
    def device(self) -> Any:
        """The CPU."""
        return cpu_device()

    @property
    def dtype(self) -> Any:
        """The type of the numbers that are computed: float32."""
        return float_type()
