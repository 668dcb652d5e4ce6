"""PyTorch: eager forward and backward, one fused kernel for the update."""

import torch
from torch.optim.adamw import adamw

from kzoo.training.steppers.variables import Variables


class Stepper:
    """See `kzoo.training.steppers`. Trains the model's own parameters in place."""

    compilations = 0  # Nothing is compiled.

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.variables = Variables(model)
        self.step = 0
        self.trainable = [v.value for v in self.variables.trainable]
        self.device = self.trainable[0].device
        self.moments, self.counts = None, []
        if optimizer is not None:
            self.moments = [[torch.zeros_like(w) for w in self.trainable] for _ in "12"]
            # The kernel wants a step count per weight.
            self.counts = [torch.zeros((), device=self.device) for _ in self.trainable]
            self.groups = self._groups()

    def _groups(self):
        """The weights with and without decay, each with its slots, by column."""
        rows = zip(self.trainable, *self.moments, self.counts, strict=True)
        groups = {True: [], False: []}
        for row, decay in zip(rows, self.variables.decayed, strict=True):
            groups[decay].append(row)
        return {
            decay: list(map(list, zip(*rows, strict=True)))
            for decay, rows in groups.items()
            if rows
        }

    def train(self, batch, learning_rate):
        self.step += 1
        for weight in self.trainable:
            weight.grad = None
        logits = self.model(self._tensors(batch.inputs), training=True)
        loss = self.loss(
            self._tensor(batch.labels), logits, self._tensor(batch.weights)
        )
        loss.backward()
        self._update(learning_rate)
        return loss.detach()

    @torch.no_grad()
    def _update(self, learning_rate):
        optimizer, divisor = self.optimizer, None
        for weight in self.trainable:
            if weight.grad is None:  # The loss did not use it.
                weight.grad = torch.zeros_like(weight)
        if optimizer.clip_norm is not None:
            norm = torch.nn.utils.get_total_norm([w.grad for w in self.trainable])
            divisor = torch.clamp((norm + 1e-6) / optimizer.clip_norm, min=1.0)
        for decay, (weights, first, second, counts) in self.groups.items():
            adamw(
                weights,
                [weight.grad for weight in weights],
                first,
                second,
                [],
                counts,
                fused=True,
                grad_scale=divisor,  # Divides the gradients as they are read.
                amsgrad=False,
                beta1=optimizer.beta_1,
                beta2=optimizer.beta_2,
                lr=float(learning_rate),
                weight_decay=optimizer.weight_decay if decay else 0.0,
                eps=optimizer.epsilon,
                maximize=False,
            )

    def predict(self, inputs):
        with torch.inference_mode():
            logits = self.model(self._tensors(inputs), training=False)
        return logits.cpu().numpy()

    def state(self):
        moments = self.moments and [numpy_all(slots) for slots in self.moments]
        return self.variables.pack(
            numpy_all(self.trainable), numpy_all(self._other()), moments, self.step
        )

    @torch.no_grad()
    def load_state(self, state):
        other = self._other()
        trainable, new_other, moments, self.step = self.variables.unpack(
            state, numpy_all(other), self.moments is not None
        )
        copy_all(self.trainable, trainable)
        copy_all(other, new_other)
        if moments:
            for slots, values in zip(self.moments, moments, strict=True):
                copy_all(slots, values)
            copy_all(self.counts, [self.step] * len(self.counts))

    def sync(self):
        """Nothing to do: the model's parameters are the stepper's."""

    def _other(self):
        return [v.value for v in self.variables.other]

    def _tensor(self, array):
        return torch.as_tensor(array, device=self.device)

    def _tensors(self, inputs):
        return {name: self._tensor(value) for name, value in inputs.items()}


def numpy_all(values):
    return [value.detach().cpu().numpy() for value in values]


def copy_all(targets, values):
    for target, value in zip(targets, values, strict=True):
        target.copy_(torch.as_tensor(value))
