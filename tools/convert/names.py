"""Maps the tensors of a checkpoint to those of model.safetensors, or skips them with a reason.

Names stay, with prefix and heads, so that transformers loads the result. Only old names of LayerNorm, names of wrappers
around a whole model, and TensorFlow's paths change.
"""

import dataclasses
import re
from collections.abc import Callable

from .errors import ConvertError, quoted
from .tensor import FLOAT_TYPES, Tensor, same_bits

_WRAPPER_PREFIXES = ("module.", "_orig_mod.", "0.auto_model.")
_IGNORED_BUFFERS = ("embeddings.position_ids", "embeddings.token_type_ids")

# Decoders that can share their weights with the word embeddings, and biases that can repeat another bias. transformers
# does not store the first of each pair. The names are those of its models with a language-model head (version 4.57).
_TIED_WEIGHTS = (
    "cls.predictions.decoder.weight",
    "lm_head.decoder.weight",
    "vocab_projector.weight",
    "predictions.decoder.weight",
    "generator_lm_head.weight",
)
TIED_BIASES = (
    ("cls.predictions.decoder.bias", "cls.predictions.bias"),
    ("lm_head.decoder.bias", "lm_head.bias"),
    ("predictions.decoder.bias", "predictions.bias"),
)
_WORD_EMBEDDINGS = "embeddings.word_embeddings.weight"

# Variables of the training instead of the model (google-research/bert optimization.py, and TensorFlow's optimizers).
_OPTIMIZER = re.compile(
    r"(^|/)(adam_[mv]|Adam(_1)?|AdamWeightDecayOptimizer(_1)?|LAMB(_1)?|Momentum|global_step|beta[12]_power"
    r"|loss_scale|good_steps)(/|$)"
)
_TF_EXACT = {
    "cls/predictions/output_bias": "cls.predictions.bias",
    "cls/seq_relationship/output_weights": "cls.seq_relationship.weight",
    "cls/seq_relationship/output_bias": "cls.seq_relationship.bias",
    "cls/squad/output_weights": "qa_outputs.weight",
    "cls/squad/output_bias": "qa_outputs.bias",
    "output_weights": "classifier.weight",
    "output_bias": "classifier.bias",
}
_TF_DENSE = re.compile(
    r"(bert/encoder/layer_\d{1,3}/(attention/self/(query|key|value)|attention/output/dense"
    r"|intermediate/dense|output/dense)|bert/pooler/dense|cls/predictions/transform/dense)/(kernel|bias)"
)
_TF_NORM = re.compile(
    r"(bert/embeddings|bert/encoder/layer_\d{1,3}/(attention/)?output|cls/predictions/transform)"
    r"/LayerNorm/(gamma|beta)"
)
_TF_EMBEDDING = re.compile(r"bert/embeddings/(word|position|token_type)_embeddings")


@dataclasses.dataclass(frozen=True)
class Mapped:
    """A tensor to be written, its new name, and a word for another change ("" for none)."""

    name: str
    tensor: Tensor
    remark: str


@dataclasses.dataclass
class Plan:
    """What becomes of every tensor. `skipped` has pairs of the name in the source and the reason."""

    mapped: list[Mapped] = dataclasses.field(default_factory=list)
    skipped: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)


def plan_torch(tensors: list[Tensor], tied: bool) -> Plan:
    """Plan the tensors of a torch or safetensors checkpoint. `tied`: whether config.json lets the decoder be tied."""
    plan = _plan(tensors, _torch_name)
    if tied:
        _drop_tied(plan)
    return plan


def plan_tensorflow(tensors: list[Tensor]) -> Plan:
    """Plan the variables of a Google BERT checkpoint. Raises ConvertError for a variable that is neither BERT's nor an
    optimizer's."""
    return _plan(tensors, _tensorflow_name)


def _plan(tensors: list[Tensor], rename: Callable[[Tensor], tuple[str, Tensor, str]]) -> Plan:
    plan = Plan()
    source_of: dict[str, str] = {}
    for tensor in tensors:
        reason = _skip_reason(tensor)
        if reason:
            plan.skipped.append((tensor.name, reason))
            continue
        name, moved, remark = rename(tensor)
        if tensor.dtype not in FLOAT_TYPES:
            raise ConvertError(f"{tensor.where()}: type {tensor.dtype}, expected one of {', '.join(FLOAT_TYPES)}")
        if name in source_of:
            raise ConvertError(f"{tensor.where()}: {quoted(source_of[name])} becomes {quoted(name)} as well")
        source_of[name] = tensor.name
        plan.mapped.append(Mapped(name, moved, remark))
    if not plan.mapped:
        raise ConvertError("the checkpoint holds no weights")
    return plan


def _skip_reason(tensor: Tensor) -> str:
    if tensor.name.endswith(_IGNORED_BUFFERS) and tensor.dtype not in FLOAT_TYPES:
        return f"{tensor.dtype} buffer that counts positions, not a weight"
    if _OPTIMIZER.search(tensor.name):
        return "belongs to the optimizer"
    return ""


def _torch_name(tensor: Tensor) -> tuple[str, Tensor, str]:
    name = tensor.name
    if (
        not name
        or len(name.encode("utf-8", "surrogatepass")) > 1024
        or not name.isprintable()
        or name == "__metadata__"
    ):
        raise ConvertError(f"{tensor.where()}: not a name that model.safetensors can hold")
    for prefix in _WRAPPER_PREFIXES:
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            break
    for old, new in (("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias")):
        if name.endswith(old):
            name = name.removesuffix(old) + new
    return name, tensor, ""


def _tensorflow_name(tensor: Tensor) -> tuple[str, Tensor, str]:
    name = tensor.name
    if name in _TF_EXACT:
        return _TF_EXACT[name], tensor, ""
    dotted = re.sub(r"layer_(\d+)", r"layer.\1", name).replace("/", ".")
    if _TF_EMBEDDING.fullmatch(name):
        return dotted + ".weight", tensor, ""
    if _TF_NORM.fullmatch(name):
        return dotted.replace(".gamma", ".weight").replace(".beta", ".bias"), tensor, ""
    if _TF_DENSE.fullmatch(name):
        if not name.endswith("/kernel"):
            return dotted, tensor, ""
        if len(tensor.shape) != 2:
            raise ConvertError(f"{tensor.where()}: shape {list(tensor.shape)}, expected two dimensions")
        rows, columns = tensor.shape
        # TensorFlow multiplies x by [in, out]; the weights here are [out, in].
        turned = dataclasses.replace(tensor, shape=(columns, rows), strides=(1, columns))
        return dotted.removesuffix(".kernel") + ".weight", turned, "transposed"
    raise ConvertError(
        f"variable {quoted(name)} in {quoted(tensor.file.path)} is none of Google's BERT, and no others are known"
    )


def _drop_tied(plan: Plan) -> None:
    """Skip decoders whose bits equal those of the tensor they are tied to. Report decoders that differ."""
    by_name = {item.name: item.tensor for item in plan.mapped}
    words = next((tensor for name, tensor in by_name.items() if name.endswith(_WORD_EMBEDDINGS)), None)
    twins = {name: words for name in _TIED_WEIGHTS if words is not None and name in by_name}
    twins |= {name: by_name[bias] for name, bias in TIED_BIASES if name in by_name and bias in by_name}
    for name, twin in twins.items():
        if same_bits(by_name[name], twin):
            plan.skipped.append((by_name[name].name, f"same numbers as {quoted(twin.name)}, to which it is tied"))
            plan.mapped = [item for item in plan.mapped if item.name != name]
        else:
            plan.notes.append(
                f"{quoted(name)} differs from {quoted(twin.name)}, to which it is tied: it is kept, and models "
                'that tie them ignore it ("tie_word_embeddings": false in config.json unties them)'
            )
