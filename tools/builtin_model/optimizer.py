"""The optimizer is Muon for the layers' matrices, and Adam with decoupled decay for everything else.

Buffers are found by the parameters' names, so that a stacked layer takes over the buffers of the layer it was copied
from.
"""

import torch

ADAM_BETAS, ADAM_EPS = (0.9, 0.98), 1e-6
MUON_MOMENTUM = 0.95
# Muon's polynomial (Jordan et al. 2024): after five rounds every singular value is between about 0.7 and 1.2.
MUON_POLYNOMIAL, MUON_ROUNDS = (3.4445, -4.7750, 2.0315), 5


def orthogonal(matrices):
    """Returns about the nearest matrices whose singular values are 1. matrices is [count, rows, columns] with rows <=
    columns."""
    a, b, c = MUON_POLYNOMIAL
    x = matrices / (matrices.flatten(1).norm(dim=1)[:, None, None] + 1e-7)
    for _ in range(MUON_ROUNDS):
        square = x @ x.transpose(1, 2)
        x = a * x + (b * square + c * square @ square) @ x
    return x


class Optimizer:
    def __init__(self, named_parameters, use_muon=True, decay=0.01):
        self.parameters = {name: p for name, p in named_parameters if p.requires_grad}
        self.use_muon, self.decay, self.buffers = use_muon, decay, {}

    def is_for_muon(self, name, parameter):
        return self.use_muon and name.startswith("layers.") and parameter.dim() == 2

    def step(self, adam_rate, muon_rate):
        """Updates the parameters once by their gradients, and clears the gradients."""
        shapes, counts = {}, {}
        with torch.no_grad():
            for name, p in self.parameters.items():
                if p.grad is None:
                    continue
                if self.is_for_muon(name, p):
                    shapes.setdefault(tuple(sorted(p.shape)), []).append((name, p))
                    continue
                if name not in self.buffers:
                    self.buffers[name] = {"mean": torch.zeros_like(p), "square": torch.zeros_like(p), "count": 0}
                self.buffers[name]["count"] += 1
                counts.setdefault(self.buffers[name]["count"], []).append((self.buffers[name], p))
            for group in shapes.values():
                self.muon(group, muon_rate)
            for count, group in counts.items():
                self.adam(group, count, adam_rate)
            for p in self.parameters.values():
                p.grad = None

    def adam(self, group, count, rate):
        """Updates a group of parameters by Adam. All have been updated equally often."""
        first, second = ADAM_BETAS
        parameters, gradients = [p for _, p in group], [p.grad for _, p in group]
        means, squares = ([buffer[name] for buffer, _ in group] for name in ("mean", "square"))
        torch._foreach_lerp_(means, gradients, 1 - first)
        torch._foreach_mul_(squares, second)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - second)
        scales = torch._foreach_div(squares, 1 - second ** count)
        torch._foreach_sqrt_(scales)
        torch._foreach_add_(scales, ADAM_EPS)
        if matrices := [p for p in parameters if p.dim() == 2]:
            torch._foreach_mul_(matrices, 1 - rate * self.decay)
        torch._foreach_addcdiv_(parameters, means, scales, -rate / (1 - first ** count))

    def muon(self, group, rate):
        """Updates matrices of one shape, or of its transpose, by Muon."""
        updates = []
        for name, p in group:
            if name not in self.buffers:
                self.buffers[name] = {"momentum": torch.zeros_like(p)}
            momentum = self.buffers[name]["momentum"]
            momentum.lerp_(p.grad, 1 - MUON_MOMENTUM)
            update = p.grad.lerp(momentum, MUON_MOMENTUM)      # Nesterov's
            updates.append(update if p.shape[0] <= p.shape[1] else update.T)
        for (_, p), update in zip(group, orthogonal(torch.stack(updates))):
            rows, columns = p.shape
            p.mul_(1 - rate * self.decay)
            p.add_(update if rows <= columns else update.T, alpha=-rate * max(1, rows / columns) ** 0.5)

    def state(self):
        return self.buffers

    def load(self, buffers):
        self.buffers = buffers
