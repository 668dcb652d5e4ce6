"""The tokenizer that a recipe describes."""

from kzoo.text.tokenizer import Tokenizer


def make_tokenizer(settings, texts, sentinels=0):
    """The tokenizer of a recipe: read from its file or trained on `texts`.

    Args:
        settings: `kzoo_recipes.Tokenizer`.
        texts: list of str. The training texts.
        sentinels: int. How many a trained one has, see `Tokenizer.train`.

    Returns:
        `kzoo.text.Tokenizer`.
    """
    if settings.file is not None:
        return Tokenizer.load(settings.file)
    return Tokenizer.train(
        texts,
        kind=settings.kind,
        vocabulary_size=settings.vocabulary_size,
        lowercase=settings.lowercase,
        min_frequency=settings.min_frequency,
        sentinels=sentinels,
    )
