"""Writes ONNX files for tests, by the field numbers of onnx.proto. Needs only numpy."""

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7, "float16": 10, "float64": 11}


def varint(value: int) -> bytes:
    """Returns an integer as a varint."""
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field: int, value: int) -> bytes:
    """Returns a field that is an integer."""
    return varint(field << 3) + varint(value)


def message(field: int, data: "bytes | str") -> bytes:
    """Returns a field that is a text or another message."""
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name: str, array: np.ndarray, as_list: bool = False) -> bytes:
    """Returns a tensor with the array's bytes in the machine's order. as_list: writes float32 as the packed list of its
    values instead."""
    shape = b"".join(number(1, size) for size in array.shape)
    data = message(4 if as_list else 9, np.ascontiguousarray(array).tobytes())
    return shape + number(2, TYPES[array.dtype.name]) + message(8, name) + data


def listed(name: str, array: np.ndarray) -> bytes:
    """Returns a tensor of whole numbers as the list of field 5, in which an exporter may write 8-bit zero points."""
    shape = b"".join(number(1, size) for size in array.shape)
    data = b"".join(varint(int(value)) for value in array.reshape(-1))
    return shape + number(2, TYPES[array.dtype.name]) + message(8, name) + message(5, data)


def node(
    kind: str, inputs: list[str], outputs: list[str], domain: str = "", name: str = "", module: str = "",
    **attributes: int
) -> bytes:
    """Returns an operation whose attributes are whole numbers. module: the module of which it is part, as torch's
    exporter notes it."""
    data = b"".join(message(1, name) for name in inputs) + b"".join(message(2, name) for name in outputs)
    for attribute, value in attributes.items():
        data += message(5, message(1, attribute) + number(3, value) + number(20, 2))
    scopes = message(1, "pkg.torch.onnx.name_scopes") + message(2, f"['', '{module}', 'linear']")
    return data + message(3, name) + message(4, kind) + message(7, domain) + (message(9, scopes) if module else b"")


def constant(output: str, array: np.ndarray) -> bytes:
    """Returns a Constant node."""
    value = message(1, "value") + message(5, tensor("", array)) + number(20, 4)
    return message(2, output) + message(4, "Constant") + message(5, value)


def model(nodes: list[bytes], tensors: list[bytes], outputs: tuple[str, ...] = ("last_hidden_state",)) -> bytes:
    """Returns the whole file."""
    graph = b"".join(message(1, one) for one in nodes) + message(2, "main_graph")
    graph += b"".join(message(5, one) for one in tensors) + b"".join(message(12, message(1, one)) for one in outputs)
    return number(1, 8) + message(2, "a test") + message(7, graph)
