"""Handles tensors of torch and arrays of numpy. torch is imported only to make a tensor."""

import importlib.util
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgumentError, UnsupportedError, notify
from ..vectors import numbers_of, rows_of

if TYPE_CHECKING:
    from torch import Tensor

# 16-bit types; float32 is computed instead.
COMPUTED_IN_FLOAT32 = {"float16", "half", "bfloat16"}


def is_tensor(value: Any) -> bool:
    """Returns whether the value is a tensor; for a list of vectors, whether the first one is."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.split(".")[0] == "torch"


def is_sparse(value: Any) -> bool:
    """Returns whether the value is a sparse tensor or an array of scipy; for a list of vectors, whether the first one
    is."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.startswith("scipy.sparse") or bool(getattr(first, "is_sparse", False))


def as_array(value: Any) -> Any:
    """Returns a float32 array. The argument is an array, a tensor of any type, or a list of either."""
    import numpy as np

    if not isinstance(value, (list, tuple)) or not value:
        numbers = _numbers_of("embeddings", value)
        return numbers if numbers.ndim else rows_of("embeddings", value)  # which refuses one number
    rows = [_numbers_of(f"embeddings[{i}]", vector) for i, vector in enumerate(value)]
    if len({row.shape for row in rows}) > 1:
        raise InvalidArgumentError(f"embeddings of shapes {sorted({row.shape for row in rows})}, expected one shape")
    return np.stack(rows)


def _numbers_of(name: str, value: Any) -> Any:
    """Returns a float32 array like `numbers_of`, also for a dense or sparse tensor."""
    if is_tensor(value) and not isinstance(value, (list, tuple)):
        dense = value.detach().cpu().float()
        return (dense.to_dense() if dense.is_sparse else dense).numpy()
    return numbers_of(name, value.toarray() if is_sparse(value) and hasattr(value, "toarray") else value)


def torch_is_loaded() -> bool:
    """Returns whether torch is loaded in this process. If so, results are tensors by default, as in
    sentence-transformers."""
    return "torch" in sys.modules


def scores_of(scores: Any) -> Any:
    """Returns similarities as a tensor if torch is loaded, otherwise as the given array."""
    return as_tensor(scores) if torch_is_loaded() else scores


def as_tensor(array: Any) -> "Tensor":
    """Returns a tensor with the array's numbers. Raises an error without torch."""
    if importlib.util.find_spec("torch") is None:
        raise UnsupportedError("a tensor was asked for, and the package torch is not installed")
    tensor: Tensor = import_module("torch").as_tensor(array)
    return tensor


def check_device(device: Any) -> None:
    """Raises an error unless the device is the CPU. Several CPU devices, for which sentence-transformers starts
    processes, are allowed."""
    for one in device if isinstance(device, (list, tuple)) else [device]:
        if one is not None and str(one) not in ("cpu", "cpu:0"):
            raise UnsupportedError(f"device {str(one)!r} is not supported, expected 'cpu'")


def is_float_type(value: Any) -> bool:
    """Returns whether the value is a float type of torch, or the name of one."""
    return type(value).__name__ == "dtype" or str(value) in COMPUTED_IN_FLOAT32 | {"float32"}


def check_float_type(name: str, value: Any) -> None:
    """Raises an error for a type other than float32. For a 16-bit type, issues a Notice that float32 is computed."""
    kind = str(value).removeprefix("torch.")
    if kind in COMPUTED_IN_FLOAT32:
        notify(f"{name}: {kind} was asked for, and float32 is computed")
    elif kind not in ("float32", "float", "auto", "None"):
        raise UnsupportedError(f"{name}={value!r} is not supported, expected float32")


class Device(str):
    """The CPU as a device if torch is not loaded. Has the field of torch.device that names the kind of device."""

    type = "cpu"


def cpu_device() -> Any:
    """Returns torch's CPU device if torch is loaded, otherwise a Device."""
    torch = sys.modules.get("torch")
    return Device("cpu") if torch is None else torch.device("cpu")


def float_type() -> Any:
    """Returns torch's float32 if torch is loaded, otherwise numpy's."""
    import numpy as np

    torch = sys.modules.get("torch")
    return np.dtype(np.float32) if torch is None else torch.float32


class OnCpu:
    """The base class of objects that compute on the CPU in float32."""

    @property
    def device(self) -> Any:
        """The device, which is the CPU."""
        return cpu_device()

    @property
    def dtype(self) -> Any:
        """The type of computed numbers, which is float32."""
        return float_type()
