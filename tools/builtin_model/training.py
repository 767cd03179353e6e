"""The training loop. It has a schedule by time, stacks layers, and writes a state from which a killed run continues.

The state holds the weights, the optimizer's buffers and the number of the step, which determines the position in the
data. It is written every five minutes under a new name and then renamed.
"""

import copy
import functools
import itertools
import random
import time
from collections import Counter
from dataclasses import asdict

import torch
import torch.nn.functional as F

from .corpus import POSITIONS, masked
from .network import Layer, Network, Shape, pooled
from .optimizer import Optimizer

SAVE_SECONDS = 300
MASK_RATE = 0.2
TEACHER_HIDDEN = 384
REPORT_SECONDS = 60
# Sentences of a step and learning rate of the phase without layers.
EMBEDDINGS_SENTENCES, EMBEDDINGS_RATE = 512, 5e-3


class Batches(torch.utils.data.IterableDataset):
    """Yields the data of the steps of one phase, from step `first` on: the sentences, passages and packed rows that the
    phase needs. With `workers` worker processes, each makes the data of every workers-th step."""

    def __init__(self, settings, data, phase, first, first_row, vocab):
        self.settings, self.data, self.phase, self.vocab = settings, data, phase, vocab
        self.first, self.first_row = first, first_row

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        start, every = (worker.id, worker.num_workers) if worker else (0, 1)
        for step in itertools.count(self.first + start, every):
            yield self.of_step(step)

    def of_step(self, step):
        settings, batch = self.settings, {}
        rng = random.Random(f"{settings.seed} {step}")
        if self.phase in ("embeddings", "joint"):
            count = EMBEDDINGS_SENTENCES if self.phase == "embeddings" else settings.sentences
            batch["sentences"] = self.data.sentences.batch(settings.seed, step, count)
        if self.phase == "joint":
            batch["passages"] = self.data.passages.batch(rng, settings.passage_tokens, self.vocab, MASK_RATE)
        if rows := packed_rows(settings, self.phase):
            ids = self.data.packed.take(self.first_row + (step - self.first) * rows, rows)
            batch["packed"] = masked(rng, ids, self.vocab, MASK_RATE)
        return batch


def packed_rows(settings, phase):
    """Returns the number of packed rows in a step of the phase."""
    return {"words": settings.word_rows, "joint": settings.joint_rows}.get(phase, 0)


def busy_seconds(device):
    """Returns the seconds that the training has used: the CPU time divided by the number of threads, which are all
    busy. So a pause, or another process, takes nothing from the schedule. With CUDA it is the wall time."""
    return time.monotonic() if device == "cuda" else time.process_time() / torch.get_num_threads()


class Data:
    """The data of the training steps: packed rows for masked tokens, and sentences and passages for the joint phase.
    Sentences and passages are made once, when they are first needed."""

    def __init__(self, packed, make_sentences, make_passages):
        self.packed, self.make_sentences, self.make_passages = packed, make_sentences, make_passages

    def prepare(self):
        """Makes now the data that the joint phase would otherwise make in its first step."""
        return self.sentences, self.passages

    @functools.cached_property
    def sentences(self):
        return self.make_sentences()

    @functools.cached_property
    def passages(self):
        return self.make_passages()


def identity_layer(layer):
    """Returns a copy of the layer whose outputs are zero, so that only its two norms act on x. They give back the
    numbers that they normalise, except for the differences of one token's mean and deviation from the average. Plain
    copies in a row destroy what the network has learned: masked tokens right fell from 0.28 to 0.04 after the first
    doubling."""
    copied = copy.deepcopy(layer)
    with torch.no_grad():
        gain, shift = layer.narrow_norm.weight, layer.narrow_norm.bias
        for linear in (copied.attended, copied.narrow):
            linear.weight.zero_()
            linear.bias.zero_()
        for norm in (copied.attended_norm, copied.narrow_norm):
            norm.weight.fill_((gain.square().mean() + shift.var(correction=0)).sqrt())
            norm.bias.fill_(shift.mean())
    return copied


class Trainer:
    def __init__(self, settings, shape, data, device):
        """settings are the program's arguments. shape is that of the finished model."""
        self.settings, self.shape, self.data, self.device = settings, shape, data, device
        self.step, self.steps_without_layers, self.seconds, self.rows = 0, 0, 0.0, 0
        torch.manual_seed(settings.seed)
        self.network = Network(Shape(**{**asdict(shape), "layers": self.wanted_layers()})).to(device)
        self.projection = torch.nn.Linear(shape.hidden, TEACHER_HIDDEN).to(device)
        self.optimizer, self.phase, self.batches = None, None, None
        self.attach()

    def attach(self):
        """Makes a new optimizer for the present layers, with the buffers of the old one."""
        named = [*self.network.named_parameters(), *(("projection." + n, p)
                                                      for n, p in self.projection.named_parameters())]
        buffers = self.optimizer.state() if self.optimizer else {}
        self.optimizer = Optimizer(named, use_muon=self.settings.muon_rate > 0)
        self.optimizer.load(buffers)

    # -------------------------------------------------------------- schedule

    @property
    def done(self):
        """Returns the part of the training that is over, 0 to 1: by tokens if their number is set, else by time."""
        if self.settings.training_tokens:
            return self.rows * POSITIONS / self.settings.training_tokens
        return self.seconds / (60 * self.settings.minutes) if self.settings.minutes else 1.0

    def rate(self):
        """Returns the learning rate: it rises in the first `warmup` steps that have layers, then is constant, and falls
        to 0 in the last part."""
        falling = min(1.0, (1 - self.done) / (1 - self.settings.constant_until))
        return max(0.0, falling) * min(1.0, (self.step + 1 - self.steps_without_layers) / self.settings.warmup)

    def wanted_layers(self):
        """Returns the number of layers for this time. It is 0 at first, then that of --first-layers, and doubles at
        each time of --stack-at until it is that of the finished model."""
        if self.done < self.settings.embeddings_until:
            return 0
        doublings = sum(self.done >= at for at in self.settings.stack_at)
        return min(self.shape.layers, self.settings.first_layers * 2 ** doublings)

    def wanted_phase(self):
        if self.done < self.settings.embeddings_until:
            return "embeddings"
        return "words" if self.done < self.settings.words_until else "joint"

    def stack(self, layers):
        """Adds a new layer after each layer until there are `layers`. A new one changes nothing yet."""
        if layers and not len(self.network.layers):
            torch.manual_seed(self.settings.seed)
            first = min(layers, self.settings.first_layers)
            self.network.layers = torch.nn.ModuleList(Layer(self.shape) for _ in range(first)).to(self.device)
            self.network.initialize(self.network.layers)
            self.attach()
        while len(self.network.layers) < layers:
            stacked, kept = [], {name: value for name, value in self.optimizer.buffers.items()
                                 if not name.startswith("layers.")}
            for number, layer in enumerate(self.network.layers):
                prefix, new = f"layers.{number}.", f"layers.{len(stacked)}."
                kept.update({new + name.removeprefix(prefix): value for name, value in self.optimizer.buffers.items()
                             if name.startswith(prefix)})
                stacked += [layer, identity_layer(layer)]
            self.network.layers = torch.nn.ModuleList(stacked)
            self.optimizer.buffers = kept
            self.attach()
        self.network.shape.layers = len(self.network.layers)

    # -------------------------------------------------------------- state

    def save(self, folder):
        state = {"network": self.network.state_dict(), "projection": self.projection.state_dict(),
                 "buffers": self.optimizer.state(), "layers": len(self.network.layers), "step": self.step,
                 "seconds": self.seconds, "rows": self.rows, "steps_without_layers": self.steps_without_layers}
        partial = folder / "state.partial"
        torch.save(state, partial)
        partial.replace(folder / "state.pt")

    def resume(self, folder):
        state = torch.load(folder / "state.pt", map_location=self.device, weights_only=True)
        self.stack(state["layers"])
        self.network.load_state_dict(state["network"])
        self.projection.load_state_dict(state["projection"])
        self.optimizer.load(state["buffers"])
        self.step, self.seconds, self.rows = state["step"], state["seconds"], state["rows"]
        self.steps_without_layers = state["steps_without_layers"]

    def start_from(self, network):
        """Begins with the weights of a finished model. All its layers are trained from the first step."""
        self.stack(len(network.layers))
        self.network.load_state_dict(network.state_dict())
        self.attach()

    # -------------------------------------------------------------- steps

    def hidden(self, ids, mask=None, segments=None):
        """Returns the network's last hidden state in float32. With CUDA it is computed in bfloat16."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            return self.network(ids, mask, segments).float()

    def word_loss(self, hidden, chosen, wanted):
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            logits = self.network.word_logits(hidden.flatten(0, 1)[chosen])
        self.seen.update(words=1, right=(logits.argmax(1) == wanted).float().mean().detach())
        return F.cross_entropy(logits.float(), wanted)

    def packed_loss(self, ids, chosen, wanted):
        """Returns the loss of the masked tokens of packed rows."""
        return self.word_loss(self.hidden(ids), chosen, wanted)

    def passage_loss(self, ids, mask, segments, chosen, wanted, labels):
        """Returns the losses of the masked tokens of both texts, and of whether B follows A."""
        hidden = self.hidden(ids, mask, segments)
        logits = self.network.pair_logits(hidden)
        self.seen.update(pairs=len(labels), pairs_right=(logits.argmax(1) == labels).sum().detach())
        return self.word_loss(hidden, chosen, wanted), F.cross_entropy(logits, labels)

    def similarity_loss(self, ids, mask, target, family):
        """Returns the loss of the projected vectors' cosine to the teacher's, and of the distance between the two
        matrices of similarities. Pairs of one family count more."""
        vectors = pooled(self.hidden(ids, mask), mask)
        cosine = 1 - (F.normalize(self.projection(vectors), dim=1) * target).sum(1).mean()
        unit = F.normalize(vectors, dim=1)
        error = (unit @ unit.T - target @ target.T) ** 2
        kin = (family[:, None] == family[None, :]).float().fill_diagonal_(0)
        self.seen.update(joint=1, cosine=1 - cosine.detach())
        of_families = (error * kin).sum() / kin.sum().clamp(min=1)
        return cosine + self.settings.matrix_weight * error.mean() + self.settings.family_weight * of_families

    def next_batch(self):
        """Returns the step's batch on the device. Worker processes make the batches of a phase during the training."""
        phase, settings = self.wanted_phase(), self.settings
        if phase != self.phase:
            made = Batches(settings, self.data, phase, self.step, self.rows, self.shape.vocab)
            self.batches = iter(torch.utils.data.DataLoader(made, batch_size=None, num_workers=settings.workers,
                                                            pin_memory=self.device == "cuda"))
            self.phase = phase
        self.rows += packed_rows(settings, phase)
        return {name: [t.to(self.device, non_blocking=True) for t in part] for name, part in next(self.batches).items()}

    def take_step(self):
        settings, batch = self.settings, self.next_batch()
        if self.phase == "embeddings":
            self.similarity_loss(*batch["sentences"]).backward()
            self.optimizer.step(EMBEDDINGS_RATE * (1 - self.done / settings.embeddings_until), 0)
            self.step += 1
            self.steps_without_layers = self.step
            return
        if self.phase == "words":
            self.packed_loss(*batch["packed"]).backward()
        else:
            self.similarity_loss(*batch["sentences"]).backward()
            words, pairs = self.passage_loss(*batch["passages"])
            (settings.word_weight * (words + self.packed_loss(*batch["packed"]))
             + settings.pair_weight * pairs).backward()
        torch.nn.utils.clip_grad_norm_(self.optimizer.parameters.values(), 1.0)
        rate = self.rate()
        self.optimizer.step(settings.rate * rate, settings.muon_rate * rate)
        self.step += 1

    def run(self, state=None, checkpoint=None):
        """Trains to the end. `state` is the folder of the state. checkpoint(trainer) is called when it is saved."""
        if self.settings.words_until < 1:
            self.data.prepare()      # this time does not count for the schedule
        last, saved, reported, self.seen = busy_seconds(self.device), time.monotonic(), time.monotonic(), Counter()
        while self.done < 1:
            self.stack(self.wanted_layers())
            self.take_step()
            now = busy_seconds(self.device)
            self.seconds, last = self.seconds + now - last, now
            if time.monotonic() - reported >= REPORT_SECONDS:
                self.report()
                reported = time.monotonic()
            if state and time.monotonic() - saved >= SAVE_SECONDS:
                self.save(state)
                if checkpoint:
                    checkpoint(self)
                saved, last = time.monotonic(), busy_seconds(self.device)
        self.report()
        if state:
            self.save(state)

    def report(self):
        seen, tokens = self.seen, self.rows * POSITIONS
        text = f"  step {self.step}, {self.done:.1%}, {self.seconds:.0f} s, {len(self.network.layers)} layers, "
        text += f"{tokens / 1e6:.2f} M packed tokens"
        for name, value, count in (("masked right", "right", "words"), ("cosine", "cosine", "joint"),
                                   ("pairs", "pairs_right", "pairs")):
            if seen[count]:
                text += f", {name} {seen[value] / seen[count]:.3f}"
        print(text, flush=True)
        seen.clear()
