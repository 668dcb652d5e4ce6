"""The texts of a recipe or of a file, and the tokenizer that counts their tokens."""

from ..commands.check_data import recipe_tokenizer


def of_recipe(recipe):
    """Texts by what they are, and the recipe's tokenizer.

    Returns:
        dict from "text", or "document" and "summary", to a pair: dict from each split
        to a list of str, and how many tokens are read at once; and the tokenizer.

    Raises:
        KzooError: if the rows cannot be used.
    """
    if recipe.task == "summarizer":
        from kzoo.data.pairs import load_paired_splits

        splits = load_paired_splits(recipe.data)
        train = splits["train"]
        tokenizer = recipe_tokenizer(recipe, train.documents + train.summaries)
        documents = {name: rows.documents for name, rows in splits.items()}
        summaries = {name: rows.summaries for name, rows in splits.items()}
        return {
            "document": (documents, recipe.data.sequence_length),
            "summary": (summaries, recipe.data.summary_length),
        }, tokenizer
    if recipe.task == "token_tagger":
        from kzoo.data.tagged import load_tagged_splits as load_splits
    elif recipe.task == "image_text_classifier":
        from kzoo.data.pictured import load_pictured_splits as load_splits
    elif recipe.task == "text_classifier":
        from kzoo.data import load_splits
    else:
        from kzoo.data.texts import load_text_splits as load_splits
    splits = load_splits(recipe.data)
    tokenizer = recipe_tokenizer(recipe, splits["train"].texts)
    texts = {name: rows.texts for name, rows in splits.items()}
    return {"text": (texts, recipe.data.sequence_length)}, tokenizer


def of_model(model, path, data, column):
    """Texts of a file, likewise, and the model's tokenizer.

    Raises:
        KzooError: if there is no such file or column.
    """
    from kzoo_recipes import TextData, recipe_beside

    from kzoo.data.texts import TextLayout, read_texts

    recipe = recipe_beside(path)
    own = getattr(recipe and recipe.data, "text", None) or getattr(
        recipe and recipe.data, "document", None
    )
    told = {"text": column or own} if column or own else {}
    rows = read_texts(data, TextLayout.like(TextData(), data, told))
    cut = getattr(model, "source_length", None) or model.sequence_length
    return {"text": ({"texts": rows.texts}, cut)}, model.tokenizer
