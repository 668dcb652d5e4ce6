"""How long a text may be, and which end of a longer one is kept."""

from kzoo.interop.tokenizers.folder import Folder

# They number the places of tokens from the padding's id on.
FAIRSEQ = ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer")
UNLIMITED = 1_000_000  # tokenizers without a limit state numbers far above
SIDES = {"right": "head", "left": "tail"}  # cut off there, kept here


def read_limits(folder, config):
    """What a checkpoint says of texts that are too long.

    Args:
        folder: str or `Path`.
        config: dict. What `config.json` says.

    Returns:
        int or `None`, most tokens of a text, special ones counted; and `"head"` or
        `"tail"`, the part of a longer text that is kept.
    """
    settings = Folder(folder, config).settings
    said = settings.get("model_max_length")
    limits = [places(config), said if isinstance(said, int) else None]
    limits = [limit for limit in limits if limit is not None and 0 < limit < UNLIMITED]
    side = settings.get("truncation_side")
    return min(limits, default=None), SIDES.get(side, "head")


def places(config):
    """How many tokens a model of this `config.json` has places for, or `None`."""
    count = config.get("max_position_embeddings") or config.get("n_positions")
    if not isinstance(count, int):
        return None
    if config.get("model_type") in FAIRSEQ:
        count -= (config.get("pad_token_id") or 0) + 1
    return count
