"""Reads the graph of an ONNX file: its nodes, and the places of its weights. The numbers of fields are in onnx.proto.

A file consists of protocol buffers: fields with a number, a kind and a value. The file is read through a window that
skips the weights, which are most of it. A subgraph, weights in other files, and a truncated file are errors.
"""

import dataclasses
import math
import re
from collections.abc import Iterator

from .errors import ConvertError, quoted
from .source_file import SourceFile
from .tensor import MAX_RANK, NUMPY_TYPES, Tensor

MAX_NODES = 1_000_000
MAX_TENSORS = 100_000
MAX_NODE_BYTES = 16 * 1024 * 1024  # the tensors of attributes do not count, because they stay in the file
_WINDOW_BYTES = 64 * 1024

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_OUTPUT, _GRAPH_SPARSE = 1, 5, 12, 15
_NODE_INPUT, _NODE_OUTPUT, _NODE_NAME, _NODE_KIND, _NODE_ATTRIBUTE, _NODE_DOMAIN = 1, 2, 3, 4, 5, 7
_NODE_METADATA, _ENTRY_KEY, _ENTRY_VALUE = 9, 1, 2
_SCOPES = "pkg.torch.onnx.name_scopes"  # a list in Python's syntax, from the model to the operation
_ATTRIBUTE_NAME, _ATTRIBUTE_INTEGER, _ATTRIBUTE_TENSOR, _ATTRIBUTE_GRAPH, _ATTRIBUTE_INTEGERS = 1, 3, 5, 6, 8
_ATTRIBUTE_GRAPHS = 11
_TENSOR_SHAPE, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_RAW, _TENSOR_PLACE = 1, 2, 8, 9, 14
_TENSOR_LISTS = {4: "F32", 5: "I32", 7: "I64", 10: "F64"}  # packed values of these types
_TYPES = {1: "F32", 2: "U8", 3: "I8", 5: "I16", 6: "I32", 7: "I64", 9: "BOOL", 10: "F16", 11: "F64", 16: "BF16"}


@dataclasses.dataclass
class Node:
    """An operation. `integers` has the attributes that are whole numbers or lists of them. `module` is the name that
    torch's exporter gives to the operation's module."""

    kind: str = ""
    name: str = ""
    domain: str = ""
    inputs: list[str] = dataclasses.field(default_factory=list)
    outputs: list[str] = dataclasses.field(default_factory=list)
    integers: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    module: str = ""


@dataclasses.dataclass(frozen=True)
class ListedTensor(Tensor):
    """A tensor of whole numbers that the file has as a list. `pieces` may not be called."""

    values: tuple[int, ...] = ()


@dataclasses.dataclass
class Graph:
    """A graph. `tensors` has the initializers and the values of nodes of the kind Constant, by name."""

    nodes: list[Node] = dataclasses.field(default_factory=list)
    tensors: dict[str, Tensor] = dataclasses.field(default_factory=dict)
    outputs: set[str] = dataclasses.field(default_factory=set)


def read_graph(file: SourceFile) -> Graph:
    """Return the graph of the file. Raises ConvertError for a file that is not ONNX or has unsupported parts."""
    reader = _Reader(file)
    graphs = [(start, end) for field, kind, start, end, _ in reader.fields(0, file.size)
              if (field, kind) == (_MODEL_GRAPH, _BYTES)]
    if len(graphs) != 1:
        raise ConvertError(f"{quoted(file.path)} is no ONNX file: {len(graphs)} graphs, expected one")
    graph = Graph()
    for field, kind, start, end, _ in reader.fields(*graphs[0]):
        if kind != _BYTES:
            continue
        if field == _GRAPH_NODE:
            _add_node(reader, start, end, graph)
        elif field == _GRAPH_INITIALIZER:
            _add_tensor(reader.tensor(start, end, ""), graph)
        elif field == _GRAPH_SPARSE:
            raise ConvertError(f"{quoted(file.path)}: sparse initializers are not read")
        elif field == _GRAPH_OUTPUT:
            graph.outputs |= {reader.text(s, e) for f, k, s, e, _ in reader.fields(start, end) if (f, k) == (1, _BYTES)}
    return graph


def _add_tensor(tensor: Tensor, graph: Graph) -> None:
    if tensor.name in graph.tensors:
        raise ConvertError(f"{tensor.where()} stands there twice")
    if len(graph.tensors) >= MAX_TENSORS:
        raise ConvertError(f"{quoted(tensor.file.path)} has more than {MAX_TENSORS} tensors")
    graph.tensors[tensor.name] = tensor


def _add_node(reader: "_Reader", start: int, end: int, graph: Graph) -> None:
    node, values = Node(), []
    for field, kind, begin, stop, _ in reader.fields(start, end):
        if kind != _BYTES:
            continue
        if field == _NODE_ATTRIBUTE:
            value = _read_attribute(reader, begin, stop, node)
            values += [value] if value else []
        elif field in (_NODE_INPUT, _NODE_OUTPUT):
            (node.inputs if field == _NODE_INPUT else node.outputs).append(reader.text(begin, stop))
        elif field == _NODE_NAME:
            node.name = reader.text(begin, stop)
        elif field == _NODE_KIND:
            node.kind = reader.text(begin, stop)
        elif field == _NODE_DOMAIN:
            node.domain = reader.text(begin, stop)
        elif field == _NODE_METADATA:
            entry = {part: (first, last) for part, _, first, last, _ in reader.fields(begin, stop)}
            if _ENTRY_VALUE in entry and reader.text(*entry.get(_ENTRY_KEY, (0, 0))) == _SCOPES:
                scopes = re.findall(r"'([^']*)'", reader.text(*entry[_ENTRY_VALUE]))
                node.module = scopes[-2] if len(scopes) > 1 else ""
    if node.kind == "Constant" and values and node.outputs:
        _add_tensor(dataclasses.replace(reader.tensor(*values[0], node.outputs[0]), name=node.outputs[0]), graph)
        return
    if len(graph.nodes) >= MAX_NODES:
        raise ConvertError(f"{quoted(reader.file.path)} has more than {MAX_NODES} nodes")
    graph.nodes.append(node)


def _read_attribute(reader: "_Reader", start: int, end: int, node: Node) -> tuple[int, int] | None:
    """Add an attribute of whole numbers to the node. Return the place of the tensor if the attribute is a tensor."""
    name, integers, tensor = "", [], None
    for field, kind, begin, stop, value in reader.fields(start, end):
        if (field, kind) == (_ATTRIBUTE_NAME, _BYTES):
            name = reader.text(begin, stop)
        elif field in (_ATTRIBUTE_INTEGER, _ATTRIBUTE_INTEGERS):
            integers += [_signed(value)] if kind == _VARINT else reader.varints(begin, stop)
        elif (field, kind) == (_ATTRIBUTE_TENSOR, _BYTES):
            tensor = (begin, stop)
        elif field in (_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS):
            raise ConvertError(f"{quoted(reader.file.path)}: a node with a graph of its own is not read")
    if integers:
        node.integers[name] = integers
    return tensor


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


class _Reader:
    """Reads protocol buffers of a file through a window."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self._start, self._window = 0, b""

    def _byte(self, at: int) -> int:
        if not self._start <= at < self._start + len(self._window):
            if at >= self.file.size:
                raise self._cut(at)
            self._start = at
            self._window = self.file.read(at, min(_WINDOW_BYTES, self.file.size - at))
        return self._window[at - self._start]

    def _cut(self, at: int) -> ConvertError:
        return ConvertError(f"{quoted(self.file.path)} is no ONNX file, or cut off: what stands at byte {at} goes "
                            "beyond its end")

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = shift = 0
        while at < end and shift < 70:
            byte = self._byte(at)
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & (1 << 64) - 1, at
            shift += 7
        raise self._cut(at)

    def fields(self, start: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield (number, kind, begin, end, value) of each field of a message. Only whole numbers have a value; else
        0."""
        at = start
        while at < end:
            tag, at = self._varint(at, end)
            kind, value, begin = tag & 7, 0, at
            if kind == _VARINT:
                value, at = self._varint(at, end)
            elif kind == _BYTES:
                size, begin = self._varint(at, end)
                at = begin + size
            elif kind in (_FIXED64, _FIXED32):
                at += 8 if kind == _FIXED64 else 4
            else:
                raise ConvertError(f"{quoted(self.file.path)} is no ONNX file: a field of kind {kind} at byte {begin}")
            if at > end:
                raise self._cut(begin)
            yield tag >> 3, kind, begin, at, value

    def text(self, start: int, end: int) -> str:
        """Return a name."""
        if end - start > MAX_NODE_BYTES:
            raise ConvertError(f"{quoted(self.file.path)}: a text of {end - start} bytes at byte {start}")
        return self.file.read(start, end - start).decode("utf-8", "backslashreplace")

    def varints(self, start: int, end: int) -> list[int]:
        """Return a packed list of whole numbers."""
        found = []
        while start < end:
            value, start = self._varint(start, end)
            found.append(_signed(value))
        return found

    def tensor(self, start: int, end: int, name: str) -> Tensor:
        """Return the description of a tensor. `name` is for a tensor without its own name."""
        shape, number, places = [], 0, {}
        for field, kind, begin, stop, value in self.fields(start, end):
            if field == _TENSOR_SHAPE:
                shape += [_signed(value)] if kind == _VARINT else self.varints(begin, stop)
            elif field == _TENSOR_TYPE:
                number = value
            elif (field, kind) == (_TENSOR_NAME, _BYTES):
                name = self.text(begin, stop)
            elif (field == _TENSOR_RAW or field in _TENSOR_LISTS) and kind == _BYTES:
                places[field] = (begin, stop)
            elif field == _TENSOR_PLACE and value:
                raise ConvertError(f"tensor {quoted(name)} in {quoted(self.file.path)}: its numbers are in another "
                                   "file, which is not read")
        where = f"tensor {quoted(name)} in {quoted(self.file.path)}"
        if number not in _TYPES:
            raise ConvertError(f"{where}: type {number} of ONNX cannot be converted")
        if len(shape) > MAX_RANK or any(size < 0 for size in shape):
            raise ConvertError(f"{where}: shape {shape}, expected at most {MAX_RANK} sizes")
        dtype = _TYPES[number]
        begin, stop = places.get(_TENSOR_RAW, (start, start))
        for field, (first, last) in places.items():
            if field != _TENSOR_RAW and last > first:
                if dtype != _TENSOR_LISTS[field] or dtype in ("I32", "I64"):
                    return self._small_list(name, dtype, shape, field, (first, last))
                begin, stop = first, last
        size = math.prod(shape) * NUMPY_TYPES[dtype].itemsize
        if stop - begin != size:
            raise ConvertError(f"{where}: {dtype} {shape} has {stop - begin} bytes, expected {size}")
        return Tensor(name, dtype, tuple(shape), self.file, begin)

    def _small_list(self, name: str, dtype: str, shape: list[int], field: int, place: tuple[int, int]) -> Tensor:
        """Read whole numbers as varints, such as constants and zero points. Refuses other types, which are weights."""
        if dtype not in ("I8", "U8", "I16", "I32", "I64", "BOOL") or field not in (5, 7):
            raise ConvertError(f"tensor {quoted(name)} in {quoted(self.file.path)}: {dtype} as a list of field {field} "
                               "is not read, expected raw data")
        values = tuple(self.varints(*place))
        if len(values) != math.prod(shape):
            raise ConvertError(f"tensor {quoted(name)} in {quoted(self.file.path)}: {len(values)} numbers of {shape}")
        return ListedTensor(name, dtype, tuple(shape), self.file, place[0], values=values)
