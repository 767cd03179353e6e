#!/usr/bin/env python3
"""Compares the effects of interventions on a forward pass with those of torch's hooks on the reference.

For developers. Needs torch and transformers, which the tests do not need.

    PYTHONPATH=build/python python3 tests/reference/compare_interventions.py --seed 1

Runs ten models with random weights, two of each of five families, on random texts. The interventions are heads whose
outputs become zero or their mean over the text's tokens, and a token's vector from another text after each layer. Also
compares the masked-token head on every layer's hidden states. Hooks compute each in float64. Passes if the largest
error of each is at most twice that of the reference in float32.
"""

import argparse
import contextlib
import os
import random
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import bert_infer
import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"word{i}" for i in range(40)]
SIZE = {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 96,
        "max_position_embeddings": 64, "vocab_size": len(WORDS), "pad_token_id": 0}  # fmt: skip
DISTIL = {"dim": 48, "n_layers": 3, "n_heads": 4, "hidden_dim": 96, "max_position_embeddings": 64,
          "vocab_size": len(WORDS), "pad_token_id": 0}  # fmt: skip
MODERN = {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3, "global_attn_every_n_layers": 3}

# For each family: the model class, its settings, the layers, the product that reads the heads' outputs, the head's
# parts.
FAMILIES = {
    "bert": (transformers.BertForMaskedLM, transformers.BertConfig, SIZE,
             lambda m: m.bert.encoder.layer, lambda layer: layer.attention.output.dense, lambda m, x: m.cls(x)),
    "roberta": (transformers.RobertaForMaskedLM, transformers.RobertaConfig, SIZE,
                lambda m: m.roberta.encoder.layer, lambda layer: layer.attention.output.dense,
                lambda m, x: m.lm_head(x)),
    "electra": (transformers.ElectraForMaskedLM, transformers.ElectraConfig, {**SIZE, "embedding_size": 32},
                lambda m: m.electra.encoder.layer, lambda layer: layer.attention.output.dense,
                lambda m, x: m.generator_lm_head(m.generator_predictions(x))),
    "distilbert": (transformers.DistilBertForMaskedLM, transformers.DistilBertConfig, DISTIL,
                   lambda m: m.distilbert.transformer.layer, lambda layer: layer.attention.out_lin,
                   lambda m, x: m.vocab_projector(m.vocab_layer_norm(m.activation(m.vocab_transform(x))))),
    "modernbert": (transformers.ModernBertForMaskedLM, transformers.ModernBertConfig, {**SIZE, **MODERN},
                   lambda m: m.model.layers, lambda layer: layer.attn.Wo, lambda m, x: m.decoder(m.head(x))),
}  # fmt: skip


def write_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(WORDS[:5])
    tokenizer.save(str(folder / "tokenizer.json"))
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), WORDS))
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)


class Reference:
    """A torch model with hooks, in one precision."""

    def __init__(self, family: str, folder: Path, dtype: torch.dtype) -> None:
        kind, _, _, self.layers_of, self.product_of, self.head_of = FAMILIES[family]
        self.model = kind.from_pretrained(folder, dtype=dtype, attn_implementation="eager").eval()
        self.layers = self.layers_of(self.model)
        self.base = self.model.base_model
        self.final_norm = getattr(self.base, "final_norm", None)

    def states(self, ids: list[int]) -> list[torch.Tensor]:
        with torch.no_grad():
            return list(self.base(torch.tensor([ids]), output_hidden_states=True).hidden_states)

    @contextlib.contextmanager
    def without_heads(self, heads: list[tuple[int, int]], mean: bool):
        def change(layer: int):
            def hook(_: torch.nn.Module, arguments: tuple[torch.Tensor, ...]):
                outputs = arguments[0].clone()
                size = outputs.shape[-1] // 4
                for of_layer, head in heads:
                    if of_layer == layer:
                        part = outputs[..., head * size : (head + 1) * size]
                        part[:] = part.mean(-2, keepdim=True) if mean else 0
                return (outputs, *arguments[1:])

            return hook

        handles = [
            self.product_of(layer).register_forward_pre_hook(change(i)) for i, layer in enumerate(self.layers)
        ]
        yield
        for handle in handles:
            handle.remove()

    @contextlib.contextmanager
    def patched(self, layer: int, position: int, vector: torch.Tensor):
        def change(output: "torch.Tensor | tuple[torch.Tensor, ...]"):
            hidden = (output[0] if isinstance(output, tuple) else output).clone()
            hidden[..., position, :] = vector.to(hidden.dtype)
            return (hidden, *output[1:]) if isinstance(output, tuple) else hidden

        embeddings = getattr(self.base, "embeddings_project", self.base.embeddings)
        module = embeddings if layer == 0 else self.layers[layer - 1]
        handle = module.register_forward_hook(lambda _, __, output: change(output))
        yield
        handle.remove()

    def last(self, ids: list[int]) -> np.ndarray:
        with torch.no_grad():
            return self.base(torch.tensor([ids])).last_hidden_state[0].double().numpy()

    def lens(self, ids: list[int]) -> np.ndarray:
        """Returns the logits minus their mean, [layers + 1, masks, vocabulary]."""
        rows = [i for i, token in enumerate(ids) if token == WORDS.index("[MASK]")]
        answers = []
        with torch.no_grad():
            states = self.states(ids)
            for i, state in enumerate(states):
                x = state[0, rows]
                if self.final_norm is not None and i + 1 < len(states):
                    x = self.final_norm(x)
                answers.append(self.head_of(self.model, x).double().numpy())
        return centered(np.array(answers))


def centered(logits: np.ndarray) -> np.ndarray:
    """Subtracts the mean of the logits, because probabilities do not depend on a constant that is added to all
    logits."""
    return logits - logits.mean(-1, keepdims=True)


def text_of(draw: random.Random, words: int, mask: bool = False) -> str:
    chosen = [draw.choice(WORDS[5:]) for _ in range(words)]
    if mask:
        chosen[draw.randrange(words)] = "[MASK]"
    return " ".join(chosen)


def compare(family: str, seed: int) -> bool:
    draw = random.Random(f"{family} {seed}")
    torch.manual_seed(seed)
    kind, config, settings, *_ = FAMILIES[family]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = kind(config(**settings, initializer_range=0.2))
        made.save_pretrained(folder)
        write_tokenizer(folder)
        exact, rounded = (Reference(family, folder, dtype) for dtype in (torch.float64, torch.float32))
        model = bert_infer.Model(folder, threads=2)
        errors: dict[str, list[float]] = {}

        def check(what: str, ours: np.ndarray, by: "list[np.ndarray]") -> None:
            pair = errors.setdefault(what, [0.0, 0.0])
            pair[0] = max(pair[0], float(np.abs(ours.astype(np.float64) - by[0]).max()))
            pair[1] = max(pair[1], float(np.abs(by[1] - by[0]).max()))

        for _ in range(8):
            length = draw.randrange(3, 12)
            text, other = text_of(draw, length), text_of(draw, length)
            ids = [2, *(WORDS.index(word) for word in text.split()), 3]
            heads = [(layer, head) for layer in range(3) for head in range(4) if draw.random() < 0.3] or [(0, 0)]
            for ablation in ("zero", "mean"):
                expected = []
                for reference in (exact, rounded):
                    with reference.without_heads(heads, ablation == "mean"):
                        expected.append(reference.last(ids))
                changed = model.intervene(without_heads=heads, ablation=ablation)
                check(ablation, changed.hidden(text)["last_hidden_state"], expected)
            states = model.hidden(other, states=True)["hidden_states"]
            # For a model with a final norm, the last state is left out: it comes after the norm, where there is no
            # hook.
            for layer in range(4 if exact.final_norm is None else 3):
                position = draw.randrange(len(ids))
                vector = states[layer][position]
                expected = []
                for reference in (exact, rounded):
                    with reference.patched(layer, position, torch.from_numpy(np.array(vector))):
                        expected.append(reference.last(ids))
                changed = model.intervene(patches=[(layer, position, vector)])
                check("patch", changed.hidden(text)["last_hidden_state"], expected)
            masked = text_of(draw, length, mask=True)
            ids = [2, *(WORDS.index(word) for word in masked.split()), 3]
            found = model.fill_mask_layers(masked, top_k=len(WORDS))
            ours = np.empty_like(found["scores"])
            np.put_along_axis(ours, found["ids"], found["scores"], axis=-1)
            check("lens", centered(np.log(ours)), [exact.lens(ids), rounded.lens(ids)])
    passed = all(ours <= 2 * theirs for ours, theirs in errors.values())
    words = ", ".join(f"{what} {ours:.2e} of {2 * theirs:.2e}" for what, (ours, theirs) in errors.items())
    print(f"{family}, seed {seed}: {'' if passed else 'FAILED '}{words}", flush=True)
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", help="of " + ", ".join(FAMILIES) + "; default: all")
    parser.add_argument("--count", type=int, default=2, help="models of each family")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    seeds = range(options.seed, options.seed + options.count)
    return 0 if all([compare(name, seed) for name in options.families or FAMILIES for seed in seeds]) else 1


if __name__ == "__main__":
    sys.exit(main())
