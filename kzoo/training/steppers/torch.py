"""PyTorch: eager forward and backward, one fused kernel for the update."""

import torch
from torch.optim.adamw import adamw

from kzoo.training.steppers.variables import Variables, micro_batches

FUSED = ("cpu", "cuda", "mps", "xpu")  # devices with a fused kernel for AdamW


class Stepper:
    """See `kzoo.training.steppers`. Trains the model's own parameters in place."""

    compilations = 0  # Nothing is compiled.

    def __init__(self, model, loss, optimizer, average=None, measured=None):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.average, self.measured = average, measured or loss
        self.variables = Variables(model, optimizer)
        self.step = 0
        self.trainable = [v.value for v in self.variables.trainable]
        self.device = self.trainable[0].device
        self.moments, self.counts, self.averages = None, [], None
        self.swapped = False  # Whether the model's parameters hold the averages.
        if average is not None:
            self.averages = [w.detach().clone() for w in self.trainable]
        if optimizer is not None:
            self.moments = [[torch.zeros_like(w) for w in self.trainable] for _ in "12"]
            # The kernel wants a step count per weight.
            self.counts = [torch.zeros((), device=self.device) for _ in self.trainable]
            self.groups = self._groups()

    def _groups(self):
        """The weights that are moved alike, each with its slots, by column."""
        rows = zip(self.trainable, *self.moments, self.counts, strict=True)
        groups = {}
        for row, manner in zip(rows, self.variables.manners, strict=True):
            groups.setdefault(manner, []).append(row)
        return {
            manner: list(map(list, zip(*rows, strict=True)))
            for manner, rows in groups.items()
        }

    def train(self, batch, learning_rate):
        self._show_average(False)
        self.step += 1
        if self.optimizer.staged:
            self._open(self.step)
        for weight in self.trainable:
            weight.grad = None
        losses = [self._backward(part) for part in micro_batches(batch)[0]]
        self._update(learning_rate)
        return losses[0] if len(losses) == 1 else torch.stack(losses).sum()

    def _backward(self, batch):
        """The loss of a batch, its gradients added to those that are there."""
        logits = self.model(self._tensors(batch.inputs), training=True)
        loss = self.loss(
            self._tensor(batch.labels), logits, self._tensor(batch.weights)
        )
        loss.backward()
        return loss.detach()

    def _open(self, step):
        """Let gradients reach the weights that move in this step, and no others."""
        for weight, manner in zip(self.trainable, self.variables.manners, strict=True):
            weight.requires_grad_(self.optimizer.made(manner.stage, step) > 0)

    @torch.no_grad()
    def _update(self, learning_rate):
        optimizer, divisor, moved = self.optimizer, None, self.trainable
        if optimizer.staged:
            moved = [weight for weight in moved if weight.requires_grad]
        for weight in moved:
            if weight.grad is None:  # The loss did not use it.
                weight.grad = torch.zeros_like(weight)
        if optimizer.clip_norm is not None:
            norm = torch.nn.utils.get_total_norm([w.grad for w in moved])
            divisor = torch.clamp((norm + 1e-6) / optimizer.clip_norm, min=1.0)
        fused = self.device.type in FUSED
        if divisor is not None and not fused:
            torch._foreach_div_([w.grad for w in moved], divisor)
        for manner, (weights, first, second, counts) in self.groups.items():
            if not optimizer.made(manner.stage, self.step):
                continue
            adamw(
                weights,
                [weight.grad for weight in weights],
                first,
                second,
                [],
                counts,
                fused=fused,
                foreach=not fused,
                # Divides the gradients as they are read.
                grad_scale=divisor if fused else None,
                amsgrad=False,
                beta1=optimizer.beta_1,
                beta2=optimizer.beta_2,
                lr=manner.factor * float(learning_rate),
                weight_decay=manner.weight_decay,
                eps=optimizer.epsilon,
                maximize=False,
            )
        if self.averages is not None:
            rate = float(self.average.rate(self.step))
            torch._foreach_lerp_(self.averages, self.trainable, rate)

    def predict(self, inputs):
        self._show_average(True)
        with torch.inference_mode():
            outputs = self.model(self._tensors(inputs), training=False)
        if isinstance(outputs, dict):
            return dict(zip(outputs, numpy_all(outputs.values()), strict=True))
        return outputs.cpu().numpy()

    def measure(self, batch):
        self._show_average(True)
        with torch.inference_mode():
            outputs = self.model(self._tensors(batch.inputs), training=False)
            labels, weights = self._tensor(batch.labels), self._tensor(batch.weights)
            return self.measured(labels, outputs, weights)

    def state(self):
        self._show_average(False)
        moments = self.moments and [numpy_all(slots) for slots in self.moments]
        return self.variables.pack(
            numpy_all(self.trainable),
            numpy_all(self._other()),
            moments,
            self.averages and numpy_all(self.averages),
            self.step,
        )

    @torch.no_grad()
    def load_state(self, state):
        self._show_average(False)
        other = self._other()
        trainable, new_other, moments, averages, self.step = self.variables.unpack(
            state,
            numpy_all(other),
            self.moments is not None,
            self.averages is not None,
        )
        copy_all(self.trainable, trainable)
        copy_all(other, new_other)
        if moments:
            for slots, values in zip(self.moments, moments, strict=True):
                copy_all(slots, values)
            stages = [manner.stage for manner in self.variables.manners]
            made = [self.optimizer.made(stage, self.step) for stage in stages]
            copy_all(self.counts, made)
        if averages:
            copy_all(self.averages, averages)

    def sync(self):
        """The model's parameters are the stepper's; only an average is shown apart."""
        self._show_average(True)
        for weight in self.trainable:
            weight.requires_grad_(True)  # Until the next step closes some again.

    def _show_average(self, shown):
        """Let the parameters hold the averages or the weights: pointers change places.

        `averages` then holds the others.
        """
        if self.averages is None or shown == self.swapped:
            return
        self.swapped = shown
        for weight, average in zip(self.trainable, self.averages, strict=True):
            weight.data, average.data = average.data, weight.data

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
