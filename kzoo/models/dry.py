"""What weights a model would have, without making one."""

import dataclasses
import threading

import keras


@dataclasses.dataclass(frozen=True)
class Implied:
    """A weight that was not made.

    Attributes:
        path: str.
        shape: tuple of int.
        dtype: str.
    """

    path: str
    shape: tuple
    dtype: str


def implied_weights(description):
    """The weights of a model, from its description alone.

    The model is put together in a `keras.StatelessScope`, where variables have a shape
    but no value, so the sizes it names cost nothing. It happens in a thread of its own:
    what Keras remembers of variables without value it remembers per thread.

    Args:
        description: dict, a checked `config.json`.

    Returns:
        list of `Implied`, in Keras' order.

    Raises:
        Exception: whatever the constructors of the model raise.
    """
    found, raised = [], []

    def build():
        try:
            with keras.StatelessScope(initialize_variables=False):
                model = keras.saving.deserialize_keras_object(
                    {**description, "compile_config": None}, safe_mode=True
                )
                found.extend(
                    Implied(v.path, tuple(v.shape), str(v.dtype)) for v in model.weights
                )
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=build)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return found
