"""A function of tensors, run as steppers run steps: compiled where they compile."""

import keras


def on_backend(function, inputs, training=False):
    """Return a function without arguments that computes, and waits until it is done.

    Args:
        function: from tensors to a tensor, on `keras.ops`.
        inputs: list of arrays.
        training: bool. Whether to make the gradients of the outputs' sum, too.
    """
    return _RUNNERS[keras.backend.backend()](function, inputs, training)


def _torch(function, inputs, training):
    import torch
    from keras import ops

    inputs = [ops.convert_to_tensor(x) for x in inputs]

    def run():
        if not training:
            with torch.inference_mode():
                return _torch_waits(function(*inputs))
        with torch.enable_grad():
            given = [x.detach().requires_grad_() for x in inputs]
            outputs = function(*given)
            return _torch_waits(torch.autograd.grad(outputs.sum(), given))

    def _torch_waits(outputs):
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return outputs

    return run


def _tensorflow(function, inputs, training):
    import tensorflow as tf

    inputs = [tf.convert_to_tensor(x) for x in inputs]

    @tf.function(jit_compile=True, autograph=False)
    def compiled(inputs):
        if not training:
            return [function(*inputs)]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            total = tf.reduce_sum(function(*inputs))
        return tape.gradient(total, inputs)

    def run():
        # The host gets one number of each: it waits, and does not copy the rest.
        outputs = compiled(inputs)
        for x in outputs:
            tf.reshape(x, [-1])[0].numpy()
        return outputs

    return run


def _jax(function, inputs, training):
    import jax

    inputs = [jax.numpy.asarray(x) for x in inputs]
    places = tuple(range(len(inputs)))

    def total(*inputs):
        return function(*inputs).sum()

    compiled = jax.jit(jax.grad(total, places) if training else function)
    return lambda: jax.block_until_ready(compiled(*inputs))


_RUNNERS = {"torch": _torch, "tensorflow": _tensorflow, "jax": _jax}
