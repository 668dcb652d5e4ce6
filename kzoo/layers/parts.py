"""Parts: the layers that a stack is given by name or by example, and copies."""

import difflib

import keras


def part(value, choices, argument):
    """Turn a name into a new layer; let a layer or its serialised form through.

    Args:
        value: str, a key of `choices`; a Keras layer; or a dict made by
            `keras.saving.serialize_keras_object`.
        choices: dict from name to a function that makes the layer.
        argument: str. The argument's name, for the error.

    Raises:
        ValueError: if `value` is a name that `choices` lacks, or nothing of these.
    """
    if isinstance(value, keras.layers.Layer):
        return value
    if isinstance(value, dict):
        return keras.saving.deserialize_keras_object(value)
    if isinstance(value, str) and value in choices:
        return choices[value]()
    names = ", ".join(map(repr, choices))
    close = difflib.get_close_matches(str(value), choices, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(
        f"`{argument}` must be a layer or one of {names}.{hint} "
        f"Received: {argument}={value!r}"
    )


def config_of(value):
    """Return the JSON form of a part: a name as it is, a layer serialised.

    Patterns are kept in this form, since Keras takes any layer that is an attribute
    for a child. Without the shapes it was built for, none is built again on loading.
    """
    if not isinstance(value, keras.layers.Layer):
        return value
    serialised = keras.saving.serialize_keras_object(value)
    serialised.pop("build_config", None)
    return serialised


def copy_of(layer, name, dtype=None, **changes):
    """Return a new layer like `layer`, not built, under another name.

    Args:
        layer: a Keras layer, the pattern.
        name: str. The copy's name.
        dtype: dtype policy of the copy. `None` keeps the pattern's.
        **changes: arguments that are otherwise than the pattern's.
    """
    config = {**layer.get_config(), "name": name, **changes}
    if dtype is not None:
        config["dtype"] = dtype
    return type(layer).from_config(config)
