"""What the keys of a recipe are made of: numbers with a range, tables, descriptions."""

from typing import Annotated

from msgspec import Meta, Struct

INT32_MAX = 2**31 - 1
LONGEST = 65_536  # tokens of a text; memory is taken for all of them
Count = Annotated[int, Meta(ge=1, le=INT32_MAX)]
Natural = Annotated[int, Meta(ge=0, le=INT32_MAX)]
Length = Annotated[int, Meta(ge=3, le=LONGEST)]  # from [CLS], one piece, [SEP] on
Positive = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Rate = Annotated[float, Meta(ge=0, lt=1)]
Text = Annotated[str, Meta(min_length=1)]


STRICT = {"frozen": True, "forbid_unknown_fields": True, "kw_only": True}


class Table(Struct, **STRICT):
    """One table of a recipe: immutable, without unknown keys."""


def says(description):
    """What a key means, said once: `epochs: Annotated[Count, says("…")] = 3`.

    `kzoo schema` hands it to editors and docs/recipes.md prints it, so it is one or
    more sentences in Markdown, with the unit, and with what happens when the key is
    left out, unless the default says that.
    """
    return Meta(description=description)
