"""CoNLL as people have it: columns, blank lines, comments, ends of lines."""

import bz2
import gzip
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.data import iterate
from kzoo.data.tagged import TaggedLayout, read_tagged


@pytest.fixture
def conll(tmp_path):
    """Write a file and read it."""

    def reading(content, name="rows.conll", **options):
        content = content.encode() if isinstance(content, str) else content
        tmp_path.joinpath(name).write_bytes(content)
        return read_tagged(tmp_path / name, **options)

    return reading


SENTENCES = [["EU", "rejects", "it"], ["Peter", "Blackburn"]]
TAGS = [["B-ORG", "O", "O"], ["B-PER", "I-PER"]]


def same(rows):
    return (rows.words, rows.tags) == (SENTENCES, TAGS)


@pytest.mark.parametrize(
    "content",
    [
        "EU B-ORG\nrejects O\nit O\n\nPeter B-PER\nBlackburn I-PER\n",
        "EU B-ORG\nrejects O\nit O\n\nPeter B-PER\nBlackburn I-PER",  # no last newline
        "EU\tB-ORG\nrejects\tO\nit\tO\n\t\nPeter\tB-PER\nBlackburn\tI-PER\n",
        "EU B-ORG\nrejects O\nit O\n  \nPeter B-PER\nBlackburn I-PER\n\t \n\n",
        "EU B-ORG\r\nrejects O\r\nit O\r\n\r\nPeter B-PER\r\nBlackburn I-PER\r\n",
        "EU B-ORG\rrejects O\rit O\r\rPeter B-PER\rBlackburn I-PER",
        "\ufeffEU B-ORG\nrejects O\nit O\n\n\n\nPeter B-PER\nBlackburn I-PER\n",
        "\n\nEU  B-ORG \nrejects    O\n it O\n\nPeter B-PER\nBlackburn I-PER\n",
        "-DOCSTART- -X-\n\nEU B-ORG\nrejects O\nit O\n-DOCSTART-\nPeter B-PER\n"
        "Blackburn I-PER\n",
        "# a comment\n# and another one\nEU B-ORG\nrejects O\nit O\n\n"
        "#begin document (x)\nPeter B-PER\nBlackburn I-PER\n\n#end document\n",
        "EU NNP I-NP B-ORG\nrejects VBZ I-VP O\nit PRP I-NP O\n\n"
        "Peter NNP I-NP B-PER\nBlackburn NNP I-NP I-PER\n",
    ],
    ids=lambda content: repr(content[:24]),
)
def test_many_ways_to_write_the_same(conll, content):
    assert same(conll(content))


def test_where_words_stand(conll):
    rows = conll("-DOCSTART- O\n\nEU B-ORG\nrejects O\nit O\n \nPeter B-PER\nB I-PER\n")
    assert rows.texts == ["EU rejects it", "Peter B"]
    assert rows.spans == [[(0, 2), (3, 10), (11, 13)], [(0, 5), (6, 7)]]
    assert rows.lines == [[3, 4, 5], [7, 8]]
    assert rows.where(1).endswith("rows.conll, line 7")
    assert rows.where(1, word=1).endswith("rows.conll, line 8")
    assert rows.notes == ["1 -DOCSTART- line was passed over (line 1)"]


def test_words_hold_spaces_where_tabs_part_columns(conll):
    rows = conll("New York \tB-LOC\nis O.K.\tO\n \tO\n#\tO\n\n#\tO\n# 1\tO\n")
    assert rows.words == [["New York", "is O.K.", " ", "#"], ["#", "# 1"]]
    assert rows.tags == [["B-LOC", "O", "O", "O"], ["O", "O"]]


def test_a_tab_further_down_counts(conll):
    rows = conll("# no tab here\nNew York\tB-LOC\n\nNew York\tB-LOC\n")
    assert rows.words == [["New York"], ["New York"]]


def test_number_signs_are_words_where_they_have_columns(conll):
    rows = conll("# x y z\n# B-a\n#tag O\n1 O\n# O\n")
    assert rows.words == [["#", "#tag", "1", "#"]]


def test_columns_by_number_and_by_name(conll):
    content = "1 EU NNP B-ORG -\n2 left VBD O -\n"
    assert conll(content, words=2, tags=4).tags == [["B-ORG", "O"]]
    assert conll(content, words="2", tags="4").words == [["EU", "left"]]
    named = ["id", "word", "pos", "ner", "rest"]
    rows = conll(content, columns=named, words="word", tags="ner")
    assert (rows.words, rows.tags) == ([["EU", "left"]], [["B-ORG", "O"]])
    plain = {"scheme": "plain", "learn_scheme": "plain"}
    rows = conll(content, columns=named, words="word", tags="pos", **plain)
    assert (rows.tags, rows.scheme) == ([["NNP", "VBD"]], "plain")


CONLL_U = """\
# sent_id = 1
# text = vámonos al mar
1-2	vámonos	_	_	_	_	_	_	_	_
1	vamos	ir	VERB	V	_	0	root	_	_
2	nos	nosotros	PRON	P	_	1	obj	_	_
3-4	al	_	_	_	_	_	_	_	_
3	a	a	ADP	S	_	5	case	_	_
4	el	el	DET	D	_	5	det	_	_
5	mar	mar	NOUN	N	_	1	obl	_	_
5.1	x	x	VERB	V	_	_	_	_	_

# text = #
1	#	#	SYM	Y	_	0	root	_	_
"""
PLAIN = {"scheme": "plain", "learn_scheme": "plain"}


@pytest.mark.parametrize("name", ["rows.conllu", "rows.txt", "rows.conllu.gz"])
def test_conll_u(conll, name):
    content = CONLL_U.encode()
    content = gzip.compress(content) if name.endswith("gz") else content
    rows = conll(content, name, format="conll", **PLAIN)
    assert rows.words == [["vamos", "nos", "a", "el", "mar"], ["#"]]
    assert rows.tags == [["VERB", "PRON", "ADP", "DET", "NOUN"], ["SYM"]]
    assert rows.lines[0] == [4, 5, 7, 8, 9]
    assert rows.notes == [
        "2 ranges of words of CoNLL-U were passed over; their words follow them "
        "(lines 3, 6)",
        "1 empty node of CoNLL-U was passed over (line 10)",
    ]


def test_any_column_of_conll_u(conll):
    rows = conll(CONLL_U, "rows.conllu", words="LEMMA", tags="xpos", **PLAIN)
    assert rows.words[0] == ["ir", "nosotros", "a", "el", "mar"]
    assert rows.tags[0] == ["V", "P", "S", "D", "N"]
    assert conll(CONLL_U, "rows.conllu", tags=8, **PLAIN).tags[1] == ["root"]


def test_columns_that_the_file_names(conll):
    content = "# global.columns = ID FORM NER\n1\tEU\tB-ORG\n2\tleft\tO\n"
    rows = conll(content, tags="ner")
    assert (rows.words, rows.tags) == ([["EU", "left"]], [["B-ORG", "O"]])


def test_files_are_found_unpacked_and_decoded(conll, tmp_path):
    packed = bz2.compress("Zoë B-PER\n\n".encode("latin-1"))
    tmp_path.joinpath("b.bio.bz2").write_bytes(packed)
    tmp_path.joinpath("a.bio").write_bytes("Zoé B-PER\n".encode("latin-1"))
    rows = read_tagged(str(tmp_path / "*.bio*"), encoding="latin-1")
    assert rows.words == [["Zoé"], ["Zoë"]]
    assert rows.where(1) == f"{tmp_path}/b.bio.bz2, line 1"


def refused(read, *arguments, **options):
    with pytest.raises(KzooError) as refusal:
        read(*arguments, **options)
    return str(refusal.value).split("/")[-1]


@pytest.mark.parametrize(
    "content, options, sentence",
    [
        (
            "EU B-ORG\nrejects\n",
            {},
            "rows.conll, line 2: the line has 1 column, and column 2 is asked for; a "
            "word may hold spaces where tabs part the columns.",
        ),
        (
            "EU\tB-ORG\n\nrejects O\n",
            {},
            "rows.conll, line 3: the line has 1 column, and column 2 is asked for; "
            "tabs part the columns of this file.",
        ),
        (
            "EU B-ORG\nNew York B-LOC\n",
            {},
            "rows.conll, line 2: the line has 3 columns where line 1 has 2; a word may "
            "hold spaces where tabs part the columns.",
        ),
        (
            "EU B-ORG x\nNew York B-LOC x\n",
            {"words": 1, "tags": 2},
            "rows.conll, line 2: the line has 4 columns where that before it has 3; a "
            "word may hold spaces where tabs part the columns.",
        ),
        (
            "EU NNP B-ORG\n",
            {"columns": ["word", "ner"]},
            "rows.conll, line 1: the line has 3 columns where 2 have a name; a word "
            "may hold spaces where tabs part the columns.",
        ),
        (
            "EU\n",
            {},
            "rows.conll, line 1: there is one column, and words and tags would both be "
            "column 1; a word and its tag need one each.",
        ),
        (
            "EU NNP B-ORG\n",
            {"tags": "ner"},
            'rows.conll: there is no column "ner"; columns have numbers from 1, or the '
            'names that --set data.columns=\'["word", "column2", "ner"]\' gives them.',
        ),
        (
            "EU NNP B-ORG\n",
            {"words": "form"},
            'rows.conll: there is no column "form"; columns have numbers from 1, or '
            'the names that --set data.columns=\'["form", "column2", "tag"]\' gives '
            "them.",
        ),
        (
            "EU NNP B-ORG\n",
            {"tags": "ner", "option": "--{flag} "},
            'rows.conll: there is no column "ner"; columns have numbers, from 1 to 3.',
        ),
        (
            "DET NOUN\n",
            {"option": "--{flag} "},
            'rows.conll, line 1: the tag "NOUN" of "DET" is neither O nor a prefix '
            "with a type, as in B-person; write one of these, or name another column.",
        ),
        (
            "EU NNP B-ORG\n",
            {"tags": "net", "columns": ["word", "pos", "ner"]},
            'rows.conll: there is no column "net"; did you mean "ner"?',
        ),
        (
            "\tO\n",
            {},
            "rows.conll, line 1: there is no word in column 1; remove the line, or "
            "write the word.",
        ),
        (
            "EU\t\tx\n",
            {"tags": 2},
            "rows.conll, line 1: there is no tag in column 2; a word outside entities "
            "has the tag O.",
        ),
        (
            b"EU O\n\nZo\xeb B-PER\n",
            {},
            "rows.conll, line 3: the byte 0xeb is not UTF-8; say what the file is with "
            "--set data.encoding=latin-1, or save it as UTF-8.",
        ),
        (
            "EU B-ORG\n",
            {"weight": "importance"},
            "rows.conll: CoNLL has a line for each word, so no column weighs a "
            'sentence; leave "importance" out, or write JSONL.',
        ),
        (" \n\t\n", {}, "rows.conll: the file has no rows; give it at least one."),
        (
            "DET NOUN\n",
            {},
            'rows.conll, line 1: the tag "NOUN" of "DET" is neither O nor a prefix '
            "with a type, as in B-person; if these are parts of speech, say --set "
            "data.scheme=plain.",
        ),
        (
            "EU B-ORG\nleft O\nit BLOC\n",
            {},
            'rows.conll, line 3: the tag "BLOC" of "it" is neither O nor a prefix with '
            "a type, as in B-person; to learn tags as they are, say --set "
            "data.scheme=plain.",
        ),
        (
            "EU I-ORG\nleft VERB\n",
            {"scheme": "iob2"},
            'rows.conll, line 2: the tag "VERB" of "left" is neither O nor a prefix '
            "with a type, as in B-person; write one of these, or name another column.",
        ),
        (
            "EU B-a\nleft E-a\nit U-b\n",
            {},
            "rows.conll: no scheme has all of these prefixes: BIOES ends entities with "
            "E and S, BILOU with L and U. Received: prefixes='BEU'.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(conll, content, options, sentence):
    assert refused(conll, content, **options) == sentence


def test_the_names_of_columns_that_are_asked_for_fit_the_file(conll):
    said = refused(conll, "EU NNP B-ORG\n", tags="ner")
    [names] = re.findall(r"data\.columns='(.*)' gives", said)
    rows = conll("EU NNP B-ORG\n", tags="ner", columns=tuple(json.loads(names)))
    assert (rows.words, rows.tags) == ([["EU"]], [["B-ORG"]])


def test_formats_that_do_not_fit_say_so(tmp_path):
    tmp_path.joinpath("rows.tsv").write_text("EU\tB-ORG\n")
    tmp_path.joinpath("rows.conll").write_text("EU\tB-ORG\n")
    tmp_path.joinpath("rows.txt").write_text("EU\tB-ORG\n")
    assert refused(read_tagged, tmp_path / "rows.tsv") == (
        "rows.tsv: tsv has no place for the tag of each word; if a word and its tag "
        "stand on each line, say so with --set data.format=conll (or jsonl, parquet)."
    )
    assert refused(read_tagged, tmp_path / "rows.txt") == (
        "rows.txt: the ending does not tell the format; say which it is with "
        "--set data.format=conll (or jsonl, parquet)."
    )
    assert refused(lambda path: [*iterate(path)], tmp_path / "rows.conll") == (
        "rows.conll: conll has a tag for each word, which a token tagger learns; if "
        "this is a table of texts for all its name, say so with --set data.format=csv "
        "(or tsv, jsonl, parquet)."
    )
    assert read_tagged(tmp_path / "rows.tsv", format="conll").words == [["EU"]]


def test_a_broken_line_costs_its_sentence_alone(tmp_path):
    path = tmp_path / "rows.conll"
    path.write_text("a O\n\nb\nc\n\nd O\nx\ne O\n\nf O\n")
    broken = []
    layout = TaggedLayout()
    words = [row.words for row in iterate(path, layout, broken=broken.append)]
    assert words == [["a"], ["f"]]
    assert [error.line for error in broken] == [3, 7]


def test_words_without_tags(conll, tmp_path):
    rows = conll("EU\nrejects\n\n#\nit\n", tagged=False)
    assert (rows.words, rows.tags) == ([["EU", "rejects"], ["#", "it"]], None)
    tmp_path.joinpath("rows.csv").write_text("text\nEU left.\n")
    [row] = iterate(tmp_path / "rows.csv", TaggedLayout(tagged=False))
    assert (row.text, row.words, row.tags) == ("EU left.", None, None)


WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n\0"), min_size=1
).filter(lambda word: word.strip(" ") == word and not word.startswith("-DOCSTART-"))


@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_words_come_back(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("any") / "rows.conll"
    lines = ["".join(f"{word}\tO\n" for word in words) for words in sentences]
    path.write_text("\n".join(lines), "utf-8", newline="")
    rows = read_tagged(path)
    assert rows.words == sentences
    for words, text, spans in zip(rows.words, rows.texts, rows.spans, strict=True):
        assert [text[start:end] for start, end in spans] == words
