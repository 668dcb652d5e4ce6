"""The parts of a good model, and the sentence with which a bad one is refused."""

import pytest
from helpers.archives import members
from kzoo_recipes import KzooError

import kzoo


@pytest.fixture
def parts():
    """Members of the zoo's classifier, to be changed."""
    return members()


@pytest.fixture
def refusal():
    """Load a file that must be refused; return the sentence, its file left out."""

    def refuse(path):
        with pytest.raises(KzooError) as caught:
            kzoo.load_model(path)
        sentence = str(caught.value)
        assert "\n" not in sentence and sentence.endswith(".")
        start = f"{path}: "
        assert sentence.startswith(start)
        return sentence.removeprefix(start)

    return refuse
