"""Texts from scores: greedy, beams, samples, and the rules they keep. No Keras here."""

from kzoo.generation.hypotheses import Hypothesis
from kzoo.generation.search import NotNumbers, generate
from kzoo.generation.settings import Generation

__all__ = ["Generation", "Hypothesis", "NotNumbers", "generate"]
