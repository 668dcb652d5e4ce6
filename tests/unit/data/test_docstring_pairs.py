"""One docstring: its first sentence, what is left of it, and what is none of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kzoo.data.docstrings.described import described_in
from kzoo.data.docstrings.sentences import LEFT, Unfit, parted, repeats

MORE = "The tides of both harbours are taken from the table that the caller hands in."


def described(source, module="sea.tides"):
    found, left_out = described_in(source.encode(), module)
    return [(pair.document, pair.summary, pair.line) for pair in found], left_out


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("Count the boats.", "Count the boats."),
        ("Count the boats\nin a harbour", "Count the boats in a harbour"),
        ("Count boats, e.g. Trawlers. Slow.", "Count boats, e.g. Trawlers."),
        ("Count boats vs. Ships. Slow.", "Count boats vs. Ships."),
        ("Is it a boat? Ask it.", "Is it a boat?"),
        ("Read sea.boats of v1.2 files. Stop.", "Read sea.boats of v1.2 files."),
        ("Count the boats. but not all", "Count the boats. but not all"),
        ('Count the "boats." Not more.', 'Count the "boats."'),
        ("Count :class:`~sea.Boat` of ``A`` or `b`_.", "Count sea.Boat of A or b."),
        ("Count by :meth:`x <sea.Port.count>` here.", "Count by x here."),
        ("Count a `boat' or `ship'", "Count a `boat' or `ship'"),
        ("Count the boats\n- one\n- two", "Count the boats"),
        ("Count the boats\n:param port: where", "Count the boats"),
        ("Count the boats\nArgs:\n    port: where", "Count the boats"),
        ("Count the boats\n>>> count()", "Count the boats"),
        ("Count the boats\n===============", "Count the boats"),
    ],
)
def test_the_first_sentence(text, sentence):
    found, left = parted(f"{text}\n\n{MORE}")
    assert found == sentence
    assert left.endswith(MORE)


def test_what_follows_on_its_line_is_left():
    sentence, left = parted(f"Count the boats. Slow.\nVery.\n\n\n{MORE}")
    assert (sentence, left) == ("Count the boats.", f"Slow. Very.\n\n{MORE}")


@pytest.mark.parametrize(
    "text, reason",
    [
        ("Count the boats.", "little follows its first sentence"),
        (f"Boats.\n\n{MORE}", "no sentence begins it"),
        (f"boats (list, *optional*): The boats of a port.\n\n{MORE}", "no sentence"),
        (f"boats : list of all the boats\n\n{MORE}", "no sentence begins it"),
        (f"The boats are:\n\n{MORE}", "no sentence begins it"),
        (f">>> count()\n\n{MORE}", "no sentence begins it"),
        (f"x = f(a)[0] + {{3: 4}} * 77\n\n{MORE}", "no sentence begins it"),
        (f"Считает лодки в порту.\n\n{MORE}", "no sentence begins it"),
        (f"See https://sea.example for boats\n\n{MORE}", "no sentence begins it"),
        (f"{'Count ' * 41}\n\n{MORE}", "its first sentence is long"),
        (f"Count {'boats' * 50} by hand.\n\n{MORE}", "its first sentence is long"),
        (f"{'Count ' * 30}\n\n{MORE}", "little follows its first sentence"),
        (f"Count the boats.\n\n{MORE} count THE\n boats!", "it repeats its first sent"),
    ],
)
def test_what_makes_no_pair(text, reason):
    with pytest.raises(Unfit, match=reason):
        parted(text)


@given(st.text(max_size=300))
def test_no_document_holds_its_summary(text):
    try:
        sentence, left = parted(text)
    except Unfit:
        return
    assert "\n" not in sentence and len(left.split()) >= LEFT
    assert not repeats(sentence, left)


def test_words_and_not_letters_repeat():
    assert repeats("Count the boats.", "so: COUNT\nthe boats and ships")
    assert not repeats("Count the boats.", "recount the boats")
    assert not repeats("Count the boats.", "count the boatswains")


SOURCE = f'''
"""Tides of the sea.

{MORE}"""

if True:
    class Port(Place):
        """A place for boats of all kinds.

        {MORE}
        """

        def __init__(self, name, /, depth=3, *b, flag, size=(1, 2, 3, 4, 5, 6, 7), **m):
            pass

        async def count(self, *, fast=None):
            "Count the boats.\\n\\n{MORE}"

            def inner():
                """Count what is within.

                {MORE}"""

        @classmethod
        def make(cls): """Make a new port.

            {MORE}"""

        def say(self): "Nothing."

def tally():
    """Count the boats!

    {MORE}"""

def number(): 7
def joined(): f"""Count all of them.

    {MORE}"""
'''


def test_modules_classes_and_functions_with_their_arguments():
    pairs, left_out = described(SOURCE)
    headings = {document.split("\n")[0]: summary for document, summary, _ in pairs}
    assert headings == {
        "sea.tides": "Tides of the sea.",
        "Port(name, depth=3, *b, flag, size=..., **m)": (
            "A place for boats of all kinds."
        ),
        "Port.count(*, fast=None)": "Count the boats.",
        "Port.make()": "Make a new port.",
        "tally()": "Count the boats!",
    }
    assert all(document.endswith(f"\n\n{MORE}") for document, _, _ in pairs)
    assert sorted(line for *_, line in pairs) == [2, 8, 17, 25, 32]
    assert left_out == {"no sentence begins it": 1}


def test_a_name_that_says_the_summary_is_no_document():
    pairs, left_out = described(
        f'def f(a="count the boats"):\n """Count the boats.\n\n {MORE}"""'
    )
    assert (pairs, left_out) == ([], {"it repeats its first sentence": 1})


@pytest.mark.parametrize(
    "content",
    [
        b"print 1",
        b"\x00",
        b"# coding: nonsense\n1",
        b"x = '\xff'",
        b"(" * 5000,
        b"x" + b".y" * 200_000,
    ],
)
def test_files_that_are_no_python(content):
    try:
        assert described_in(content, "m") == ([], {})
    except Unfit as reason:
        assert str(reason) == "not Python of this version"


def test_code_is_not_run_and_does_not_warn(recwarn):
    described(f'"""Tides of "\\d" the sea.\n\n{MORE}"""\nraise SystemExit\n1 is 1\n')
    assert not recwarn.list


def test_half_a_character_becomes_one_that_can_be_written():
    [(document, _, _)], _ = described(f'"""Tides of the sea.\n\n{MORE} \\ud800"""')
    assert document.endswith("?")
