"""Words with tags from the Hugging Face hub, as the recipes of taggers name them."""

import json

import pytest
from test_hub import needs_datasets, probe

from tests.helpers.hub import serving

NAMES = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
SENTENCES = [
    (["May", "left", "New", "Hexby"], [3, 0, 1, 2]),
    (["Rain", "."], [0, 0]),
    (["Jo", "Orme", "Dale", "agrees"], [3, 4, 1, 0]),
]
PARTS = ["NOUN", "VERB", "PUNCT"]
SPOKEN = [(["Dogs", "bark", "."], [0, 1, 2]), (["Rain", "!"], [0, 2])]


def dataset(column, names, sentences, config="default"):
    """A dataset whose tags are numbers, with a card that says what they are called."""
    classes = ", ".join(f"'{place}': '{name}'" for place, name in enumerate(names))
    splits = ("train", "validation", "test")
    files = "\n".join(
        f"  - {{split: {split}, path: {split}.jsonl}}" for split in splits
    )
    card = f"""---
configs:
- config_name: {config}
  data_files:
{files}
dataset_info:
- config_name: {config}
  features:
  - {{name: tokens, sequence: string}}
  - {{name: {column}, sequence: {{class_label: {{names: {{{classes}}}}}}}}}
---
"""
    rows = [{"tokens": words, column: tags} for words, tags in sentences]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return {"README.md": card.encode(), **{f"{name}.jsonl": content for name in splits}}


REPOSITORIES = {
    "lhoestq/conll2003": dataset("ner_tags", NAMES, SENTENCES),
    "leondz/wnut_17": dataset("ner_tags", NAMES, SENTENCES),
    "ghadeermobasher/BC5CDR-Chemical-Disease": dataset("ner_tags", NAMES, SENTENCES),
    "commul/universal_dependencies": dataset("upos", PARTS, SPOKEN, "en_ewt"),
}
RECIPES = ("conll2003", "wnut17", "bc5cdr", "ud_pos")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    home = str(tmp_path_factory.mktemp("tagged_hub"))
    cases = [{"tagger": name} for name in RECIPES]
    with serving(REPOSITORIES) as address:
        told = probe(cases, HF_ENDPOINT=address, HF_HOME=home, HF_HUB_OFFLINE="0")
    return dict(zip(RECIPES, told, strict=True))


@needs_datasets
@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_read_words_and_the_names_of_tags(told, recipe):
    plain = recipe == "ud_pos"
    sentences, names = (SPOKEN, PARTS) if plain else (SENTENCES, NAMES)
    assert set(told[recipe]) == {"train", "dev", "test"}
    for words, tags, _, scheme in told[recipe].values():
        assert words == [words for words, _ in sentences]
        assert tags == [[names[tag] for tag in tags] for _, tags in sentences]
        assert scheme == ("plain" if plain else "iob2")
