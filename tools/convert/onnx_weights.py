"""Reads the weights of an encoder that was exported to ONNX, with the names and the layout of the checkpoint.

An export keeps the names of most parameters. If the matrix of a linear layer has lost its name, the name comes from the
bias that is added to the product, or without a bias from the layer's place among the modules. 8-bit numbers become
floats by their scales. A tensor that is neither a parameter nor a constant of the graph is an error. So is a graph that
an optimizer rewrote, because its tensors are no longer those of the model.
"""

import dataclasses
import math
import re
from collections.abc import Iterator

import numpy as np

from .errors import ConvertError, quoted
from .names import TIED_BIASES
from .onnx_file import Graph, ListedTensor, Node, read_graph
from .source_file import SourceFile
from .tensor import FLOAT_TYPES, NUMPY_TYPES, PIECE_BYTES, Tensor, same_bits

_WRAPPERS = ("0.auto_model.", "auto_model.")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
_ENDINGS = (".weight", ".bias", ".gamma", ".beta")
_INTEGERS = ("I8", "U8")
_QUANTIZED = "_quantized"
_PRODUCT = re.compile(r"/(.+)/MatMul(_quant)?")  # the name of a product has the layer's place among the modules
_FREQUENCIES = re.compile(r"/(.+/)?rotary_emb(_\d+)?/Constant(_\d+)?_output_0|(.+\.)?rotary_emb\.(\w+_)?inv_freq")


@dataclasses.dataclass(frozen=True)
class ScaledTensor(Tensor):
    """Converts 8-bit numbers to floats: (number - zero point) * scale. `scales` and `zeros` have one number, or one for
    each place of the axis in the file's order. The tensor's type is F32; stored_type is that of the file."""

    stored_type: str = "I8"
    stored_shape: tuple[int, ...] = ()
    scales: tuple[float, ...] = ()
    zeros: tuple[int, ...] = ()
    axis: int = 0

    def pieces(self) -> Iterator[np.ndarray]:
        """Yield the elements as Tensor.pieces does. The whole tensor is in memory."""
        data = self.file.read(self.offset_bytes, math.prod(self.stored_shape))
        numbers = np.frombuffer(data, dtype=NUMPY_TYPES[self.stored_type]).reshape(self.stored_shape)
        along = [1] * len(self.stored_shape)
        if len(self.scales) > 1:
            along[self.axis] = len(self.scales)
        scales = np.array(self.scales, dtype=np.float32).reshape(along if len(self.scales) > 1 else ())
        zeros = np.array(self.zeros, dtype=np.int32).reshape(along if len(self.zeros) > 1 else ())
        floats = (numbers.astype(np.int32) - zeros).astype(np.float32) * scales
        if self.strides is not None:
            floats = floats.T
        flat = np.ascontiguousarray(floats).reshape(-1)
        for start in range(0, len(flat), PIECE_BYTES // 4):
            yield flat[start : start + PIECE_BYTES // 4]


def read_onnx(file: SourceFile) -> tuple[list[Tensor], list[str]]:
    """Return the parameters of the file, and notes for the user."""
    return _Export(file, read_graph(file)).parameters()


class _Export:
    def __init__(self, file: SourceFile, graph: Graph) -> None:
        self._file, self._graph = file, graph
        self._consumers: dict[str, list[tuple[Node, int]]] = {}
        self._producer: dict[str, Node] = {}
        for node in graph.nodes:
            if node.domain not in ("", "ai.onnx"):
                raise ConvertError(
                    f"{quoted(file.path)}: operation {quoted(node.domain + '.' + node.kind)} is of a graph that was "
                    "optimised, whose weights are not the model's; export the model without that"
                )
            for place, name in enumerate(node.inputs):
                self._consumers.setdefault(name, []).append((node, place))
            self._producer |= {name: node for name in node.outputs}
        self._found: dict[str, Tensor] = {}
        self._scaled: dict[str, ScaledTensor] = {}  # by the tensor's name in the file
        self._floats: dict[str, list[str]] = {}  # the graph's names of the scaled numbers, by the tensor's name
        self._accounted: set[str] = set()  # scales and zero points
        self._by_bias = self._by_product = 0

    def parameters(self) -> tuple[list[Tensor], list[str]]:
        for node in self._graph.nodes:
            self._read_scales(node)
        for name, tensor in self._graph.tensors.items():
            if name not in self._accounted:
                self._add(name, tensor)
        if not self._found:
            raise ConvertError(f"{quoted(self._file.path)}: no parameter of an encoder in this graph")
        self._drop_repeated()
        self._check_shapes()
        notes = self._drop_wrapper()
        if self._by_bias:
            notes.append(f"{self._by_bias} matrices have no name in {quoted(self._file.path)}: they are named by the "
                         "biases that are added to their products")
        if self._by_product:
            notes.append(f"{self._by_product} matrices have neither a name nor a bias in {quoted(self._file.path)}: "
                         "they are named by their products")
        if self._scaled:
            notes.append(f"{len(self._scaled)} tensors are 8-bit numbers in {quoted(self._file.path)}: they become "
                         "floats by their scales, which are not those of the model before it was quantised")
        return list(self._found.values()), notes

    def _where(self, name: str) -> str:
        return f"tensor {quoted(name)} in {quoted(self._file.path)}"

    def _add(self, name: str, stored: Tensor) -> None:
        tensor = self._scaled.get(name, stored)
        if tensor.dtype not in FLOAT_TYPES:
            if tensor.dtype in _INTEGERS and math.prod(tensor.shape) > 1:
                raise ConvertError(f"{stored.where()}: 8-bit numbers without a scale that is known")
            return  # indices, sizes and masks
        names = self._names(name, tensor)
        if not names:
            if math.prod(tensor.shape) <= 1 or _FREQUENCIES.fullmatch(name) or self._is_no_bias(name, tensor):
                return  # a number of the graph, or one that config.json has
            raise ConvertError(f"{stored.where()}: {tensor.dtype} {list(tensor.shape)} is no parameter that is known: "
                               "it has no name, and no product of it has a bias with one")
        for parameter in names:
            laid_out = self._laid_out(name, parameter, tensor)
            before = self._found.setdefault(parameter, laid_out)
            if same_bits(before, laid_out):
                continue
            if not _is_quantised_from(before, laid_out) and not _is_quantised_from(laid_out, before):
                raise ConvertError(f"{stored.where()}: {quoted(parameter)} is there twice, with other numbers")
            self._found[parameter] = laid_out if isinstance(before, ScaledTensor) else before

    def _names(self, name: str, tensor: Tensor) -> list[str]:
        """Returns the tensor's names in the checkpoint: its own and those of its copies. A matrix without a name gets
        that of the linear layer, by the layer's bias or its product."""
        given = list(dict.fromkeys(_parameter(value) for value in self._values(name) if _parameter(value)))
        if given or len(tensor.shape) != 2:
            return given
        products = [node for node, place in self._users(name) if place == 1]
        biases = [bias for bias in map(self._bias_of, products) if bias.endswith(".bias")]
        if biases:
            self._by_bias += 1
            return list(dict.fromkeys(_layer_of(bias).removesuffix(".bias") + ".weight" for bias in biases))
        layers = [found[1].replace("/", ".") if found else node.module
                  for node in products if (found := _PRODUCT.fullmatch(node.name)) or node.module]
        self._by_product += bool(layers)
        return list(dict.fromkeys(_parameter(layer + ".weight") for layer in layers))

    def _is_no_bias(self, name: str, tensor: Tensor) -> bool:
        """Tells whether the tensor is the zeros that an export adds to norms without a bias."""
        users = list(self._users(name))
        is_of_norms = all(node.kind == "LayerNormalization" and place == 2 for node, place in users)
        return bool(users) and is_of_norms and not any(piece.any() for piece in tensor.pieces())

    def _values(self, name: str) -> list[str]:
        """Returns the names of the tensor, of its copies, and of its numbers in another type."""
        found = [name]
        for value in found:
            if value in self._floats:
                found += [one for one in self._floats[value] if one not in found]
            for node, _ in self._consumers.get(value, []):
                if node.kind == "Identity" or node.kind == "Cast" and self._graph.tensors[name].dtype in FLOAT_TYPES:
                    found += [one for one in node.outputs if one not in found]
        return found

    def _users(self, name: str) -> Iterator[tuple[Node, int]]:
        """Yields the operations that use the tensor, and the number of the input."""
        values = self._values(name)
        for value in values:
            for node, place in self._consumers.get(value, []):
                if not set(node.outputs) & set(values) and not (name in self._floats and node.kind == "Cast"):
                    yield node, place

    def _bias_of(self, node: Node) -> str:
        """Returns the parameter that is added to the product, also after scales, or "" if there is none."""
        if node.kind == "Gemm":
            return _parameter(node.inputs[2]) if len(node.inputs) > 2 else ""
        output = node.outputs[0] if node.outputs else ""
        if node.kind == "MatMulInteger":
            for step in ("Cast", "Mul"):
                output = self._output_of_only(output, step)
        elif node.kind != "MatMul":
            return ""
        for consumer, place in self._consumers.get(output, []):
            if consumer.kind == "Add" and len(consumer.inputs) == 2:
                other = consumer.inputs[1 - place]
                if other in self._graph.tensors and len(self._graph.tensors[other].shape) == 1:
                    return _parameter(other)
        return ""

    def _output_of_only(self, name: str, kind: str) -> str:
        consumers = self._consumers.get(name, [])
        return consumers[0][0].outputs[0] if len(consumers) == 1 and consumers[0][0].kind == kind else ""

    def _laid_out(self, name: str, parameter: str, tensor: Tensor) -> Tensor:
        """Returns the tensor under its name, a matrix as [out, in]. A matrix that the graph multiplies as it is has
        [in, out] in the file."""
        layouts = set()
        for node, place in self._users(name):
            if node.kind == "Gemm" and place == 1:
                layouts.add(node.integers.get("transB", [0]) == [1])
            else:
                layouts.add(place != 1 or node.kind not in ("MatMul", "MatMulInteger"))
        if len(tensor.shape) != 2 or layouts in (set(), {True}):
            return dataclasses.replace(tensor, name=parameter)
        if len(layouts) > 1:
            raise ConvertError(f"{self._where(name)}: is used as [in, out] and as [out, in]")
        rows, columns = tensor.shape
        return dataclasses.replace(tensor, name=parameter, shape=(columns, rows), strides=(1, columns))

    def _read_scales(self, node: Node) -> None:
        """Scales the 8-bit numbers that the node uses. Their scale stands at this node or at those after it."""
        tensors = self._graph.tensors
        if node.kind == "DequantizeLinear" and len(node.inputs) >= 2 and node.inputs[1] in tensors:
            stored = self._stored(node.inputs[0])
            zeros = node.inputs[2] if len(node.inputs) > 2 else ""
            if stored:
                self._scale(stored, node.inputs[1], zeros, node.integers.get("axis", [1])[0])
            if stored == node.inputs[0]:
                self._floats.setdefault(stored, []).extend(node.outputs)
        elif node.kind == "MatMulInteger" and node.inputs[1] in tensors:
            zeros = node.inputs[3] if len(node.inputs) > 3 else ""
            product = self._output_of_only(node.outputs[0], "Cast")
            for consumer, place in self._consumers.get(product, []):
                both = self._producer.get(consumer.inputs[1 - place]) if consumer.kind == "Mul" else None
                scales = [one for one in both.inputs if one in tensors] if both and both.kind == "Mul" else []
                if len(scales) == 1:
                    self._scale(node.inputs[1], scales[0], zeros, -1)
        elif node.kind == "Cast" and node.inputs[0] in tensors and tensors[node.inputs[0]].dtype in _INTEGERS:
            for consumer, place in self._consumers.get(node.outputs[0], []):
                if consumer.kind == "Mul" and consumer.inputs[1 - place] in tensors:
                    self._scale(node.inputs[0], consumer.inputs[1 - place], "", -1)
                    self._floats.setdefault(node.inputs[0], []).extend(consumer.outputs)

    def _stored(self, name: str) -> str:
        """Returns the name of the file's tensor for a value that is a tensor or its gathered rows, or "" for others."""
        if name in self._graph.tensors:
            return name
        node = self._producer.get(name)
        return node.inputs[0] if node and node.kind == "Gather" and node.inputs[0] in self._graph.tensors else ""

    def _scale(self, name: str, scale: str, zero: str, axis: int) -> None:
        """Notes the scale of 8-bit numbers. `axis` is for a scale with a number for each place of that axis. A scale of
        several dimensions determines its own axis."""
        stored = self._graph.tensors[name]
        if stored.dtype not in _INTEGERS or isinstance(stored, ListedTensor):
            raise ConvertError(f"{stored.where()}: {stored.dtype} with a scale, expected 8-bit integers")
        scales = self._numbers(scale)
        zeros = self._numbers(zero) if zero else [0]
        rank, shape = len(stored.shape), self._graph.tensors[scale].shape
        if len(shape) > 1 and len(scales) > 1:
            axis = shape.index(len(scales)) - len(shape)
        axis %= max(rank, 1)
        for numbers in (scales, zeros):
            if len(numbers) not in (1, stored.shape[axis] if stored.shape else 1):
                raise ConvertError(f"{stored.where()}: {len(numbers)} scales of {list(stored.shape)}")
        scaled = ScaledTensor(
            name, "F32", stored.shape, stored.file, stored.offset_bytes, stored_type=stored.dtype,
            stored_shape=stored.shape, scales=tuple(map(float, scales)), zeros=tuple(map(int, zeros)), axis=axis)
        if self._scaled.setdefault(name, scaled) != scaled:
            raise ConvertError(f"{stored.where()}: has two scales")
        self._accounted |= {scale, zero}

    def _numbers(self, name: str) -> list[float]:
        tensor = self._graph.tensors.get(name)
        if tensor is None or sum(size > 1 for size in tensor.shape) > 1:
            raise ConvertError(f"{self._where(name)}: expected a scale or a zero point in the file")
        if isinstance(tensor, ListedTensor):
            return list(tensor.values)
        data = tensor.file.read(tensor.offset_bytes, tensor.size_bytes)
        return np.frombuffer(data, dtype=NUMPY_TYPES[tensor.dtype]).tolist()

    def _drop_repeated(self) -> None:
        """Leaves out the tensors that a tracer names anew when a layer is used again, such as query_1 with the numbers
        of query."""
        for name, tensor in list(self._found.items()):
            again = re.fullmatch(r"(.+)_[0-9]+(\.\w+)", name)
            first = self._found.get(again[1] + again[2]) if again else None
            if first is not None and same_bits(first, tensor):
                del self._found[name]

    def _drop_wrapper(self) -> list[str]:
        """Leaves out the part before all names, which the export has if a model of its own was around the encoder."""
        words = [name for name in self._found if re.search(r"(^|\.)embeddings\.", name)]
        wrapper = words[0][: re.search(r"(^|\.)(embeddings\.)", words[0]).start(2)] if words else ""
        if not wrapper or not all(name.startswith(wrapper) for name in self._found):
            return []
        self._found = {name.removeprefix(wrapper): dataclasses.replace(tensor, name=name.removeprefix(wrapper))
                       for name, tensor in self._found.items()}
        return [f"all names in {quoted(self._file.path)} begin with {quoted(wrapper)}, which is left out"]

    def _check_shapes(self) -> None:
        """Checks that each linear layer has as many biases as outputs."""
        for name, tensor in self._found.items():
            bias = self._found.get(name.removesuffix(".weight") + ".bias") if name.endswith(".weight") else None
            if bias is not None and tensor.shape and bias.shape != tensor.shape[:1]:
                raise ConvertError(f"{self._where(name)}: shape {list(tensor.shape)} with a bias of {list(bias.shape)}")


def _is_quantised_from(tensor: Tensor, floats: Tensor) -> bool:
    """Returns whether these are the 8-bit numbers of the floats. If a layer is used twice, onnxruntime quantises only
    one use."""
    if not isinstance(tensor, ScaledTensor) or isinstance(floats, ScaledTensor) or tensor.shape != floats.shape:
        return False
    step = np.float32(max(tensor.scales))
    return all(np.all(np.abs(a - b.astype(np.float32)) <= step) for a, b in zip(tensor.pieces(), floats.pieces()))


def _layer_of(bias: str) -> str:
    """Returns the name that the bias has beside its matrix. The name of a decoder's bias may stand one level above."""
    for beside, above in TIED_BIASES:
        if bias.endswith(above) and not bias.endswith(beside):
            return bias.removesuffix(above) + beside
    return bias


def _parameter(name: str) -> str:
    """Returns the checkpoint's name for the name of a parameter, or "" for other names."""
    for wrapper in _WRAPPERS:
        name = name.removeprefix(wrapper)
    name = name.removesuffix(_QUANTIZED)
    return name if _PARAMETER.fullmatch(name) and name.endswith(_ENDINGS) else ""
