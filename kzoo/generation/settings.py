"""How texts are generated: every setting, with what it means and what it refuses."""

from dataclasses import dataclass, fields, replace

from kzoo_recipes.hints import nearest

from kzoo.generation.setting_checks import INTEGERS, fitting, listed, standing_alone

OF_BEAMS = (
    *("beams", "beam_groups", "diversity_penalty", "length_penalty"),
    *("early_stopping", "nbest"),
)
OF_SAMPLES = ("sample", "temperature", "top_k", "top_p", "min_p")


@dataclass(frozen=True)
class Generation:
    """The settings of generation, checked when made. Their meaning is that of Hugging
    Face transformers' `generate`, whose names for them stand in brackets.

    Args:
        max_new_tokens: int. The most tokens of a text, its end counted.
        min_new_tokens: int. How many tokens come before the end may.
        beams: int. Texts that are followed at once (`num_beams`); 1 is greedy search.
        beam_groups: int. Groups of beams that differ from each other; must divide
            `beams`. Each is a beam search of its own over `beams / beam_groups`.
        diversity_penalty: float. What a token loses for each beam of the groups before
            that chose it at the same place. Above 0 exactly where there are groups.
        length_penalty: float. Power of a text's length by which the sum of its
            log-probabilities is divided: above 0 favours long texts, below 0 short.
        early_stopping: `True` stops a source once `beams` texts ended; `False` once no
            beam is better than the worst of those, at its present length; `"never"`
            once none could become better at any length.
        nbest: int. Texts to return for each source (`num_return_sequences`), at most
            `beams`; when sampling, how many are drawn.
        no_repeat_ngram: int. No n tokens in a row come twice
            (`no_repeat_ngram_size`); 0 is no such rule.
        repetition_penalty: float. Scores of tokens that the text has already are
            divided by it where positive, multiplied where negative.
        forced_first: int or None. Id of the first token (`forced_bos_token_id`).
        forced_last: int or None. Id of the token at `max_new_tokens`
            (`forced_eos_token_id`).
        suppress: ids of tokens that never come (`suppress_tokens`).
        bad_words: lists of ids that never come in a row (`bad_words_ids`).
        other_ends: ids of tokens that end a text as the model's own end does
            (`eos_token_id`, where it has several).
        sample: bool. Draws each token by its probability (`do_sample`).
        temperature: float. Divides the scores before drawing; below 1 is bolder.
        top_k: int. Draws among so many most probable tokens; 0 among all.
        top_p: float. Draws among the most probable tokens that together have this
            probability, the one that reaches it included.
        min_p: float. Draws among tokens with at least this share of the most
            probable one's probability.
        seed: int. Of the draws. A text follows from it and from the number of its
            source, whatever else is in the batch and whichever backend runs.

    Raises:
        ValueError: if a setting is out of range or two contradict each other.

    Reference:
        - [Vijayakumar et al., 2016](https://arxiv.org/abs/1610.02424), the groups
        - [Holtzman et al., 2019](https://arxiv.org/abs/1904.09751), `top_p`
        - [Keskar et al., 2019](https://arxiv.org/abs/1909.05858), `repetition_penalty`
        - [Nguyen et al., 2024](https://arxiv.org/abs/2407.01082), `min_p`
    """

    max_new_tokens: int = 64
    min_new_tokens: int = 0
    beams: int = 1
    beam_groups: int = 1
    diversity_penalty: float = 0.0
    length_penalty: float = 1.0
    early_stopping: bool | str = False
    nbest: int = 1
    no_repeat_ngram: int = 0
    repetition_penalty: float = 1.0
    forced_first: int | None = None
    forced_last: int | None = None
    suppress: tuple = ()
    bad_words: tuple = ()
    other_ends: tuple = ()
    sample: bool = False
    temperature: float = 1.0
    top_k: int = 50
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int = 0

    def __post_init__(self):
        set_ = object.__setattr__  # The dataclass is frozen; lists become tuples.
        words = listed("bad_words", self.bad_words)
        for name in ("suppress", "other_ends"):
            set_(self, name, listed(name, getattr(self, name)))
        set_(self, "bad_words", tuple(listed("bad_words", word) for word in words))
        standing_alone(self)
        for name in INTEGERS:  # Of NumPy too, whose integers lack some of int's ways.
            set_(self, name, int(getattr(self, name)))

    def check(self, vocabulary_size, longest=None, end_ids=()):
        """Check what depends on the model.

        Args:
            vocabulary_size: int. The model's number of tokens.
            longest: int or None. The most tokens its decoder has positions for.
            end_ids: ids of the tokens that end a text, `other_ends` aside.

        Returns:
            The settings themselves.

        Raises:
            ValueError: if the model cannot generate so.
        """
        fitting(self, vocabulary_size, longest, end_ids)
        return self

    def told(self, **changes):
        """These settings with `changes`, which win over all that contradicts them.

        Greedy search and sampling have no beams, and beams do not sample: where
        `beams=1` or `sample=True` is told, settings of beams that are not told are
        `Generation`'s own again, and where several beams are, so are those of samples.

        Raises:
            ValueError: if what was told is out of range or contradicts itself.
        """
        first = {field.name: field.default for field in fields(self)}
        unknown = sorted(set(changes) - set(first))
        if unknown:
            near = nearest(unknown[0], first)
            hint = f"; did you mean `{near}`?" if near else f" ({', '.join(first)})."
            raise ValueError(
                f"No setting of generation has this name{hint} Received: {unknown[0]}="
                f"{changes[unknown[0]]!r}"
            )
        fall = ()
        if changes.get("sample") or changes.get("beams") == 1:
            fall += OF_BEAMS
        if changes.get("sample") is False or changes.get("beams", 1) != 1:
            fall += OF_SAMPLES
        changes = {name: first[name] for name in fall} | changes
        return replace(self, **changes)

    def greedy(self):
        """The same rules with one beam and without draws."""
        return self.told(beams=1, sample=False)

    @property
    def streams(self):
        """Whether tokens are final as they come, one text for each source."""
        return self.beams == 1 and self.nbest == 1
