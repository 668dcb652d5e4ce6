"""Where sentences end."""

import pytest

from kzoo.metrics.sentences import sentences


@pytest.mark.parametrize(
    "text, parts",
    [
        ("", []),
        (" \n ", []),
        ("One line\nanother one", ["One line", "another one"]),
        ("It rained. It stopped! Did it? Yes… No.", 5),
        ("It rained. it stopped.", 1),
        ('She said "stop." He did.', ['She said "stop."', "He did."]),
        ("He left (at 5.) Then she did.", 2),
        ("Dr. Ada Byron and Prof. Wei met.", 1),
        ("J. R. Smith wrote it. Nobody read it.", 2),
        ("Cats, e.g. Tom, sleep. The U.S. Senate does not.", 2),
        ("See Fig. 3 and No. 5 of it.", 1),
        ("She said no. Nobody asked why.", 2),
        ("1. Open the box. 2. Close it.", ["1. Open the box.", "2. Close it."]),
        ("In 1999. Or later.", 2),
        ("Version 3.5 is out. It works.", 2),
        ("Wait... Now.", 2),
        ("wait ... and see", 1),
        ("今日は雨です。明日は晴れ。", ["今日は雨です。", "明日は晴れ。"]),
        ("「行く。」と言った。", ["「行く。」", "と言った。"]),
        ("¿Vienes? ¡Sí! «No.» Bien.", 4),
        ("No end", ["No end"]),
    ],
)
def test_sentences(text, parts):
    found = sentences(text)
    assert found == parts if isinstance(parts, list) else len(found) == parts


def test_nothing_but_space_is_lost():
    text = 'A. B c.  "D?" E!\nf g. H (i.e. J) K. 12. L 你好。M'
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
