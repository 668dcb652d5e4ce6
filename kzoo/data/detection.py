"""Which scheme tags are written in, by what speaks for each."""

from kzoo.data.schemes import is_tag, split


def detect(sequences):
    """The scheme that lists of tags are written in.

    Which prefixes there are tells most. Between IOB1 and IOB2, which have the same, the
    first words of entities decide: in IOB2 they are all `B`, in IOB1 `B` only follows
    an entity of the same type. Where both are found, the more frequent wins. Entities
    of `I` alone are IO, which reads them as IOB1 does. No entity at all counts as IOB2.

    Args:
        sequences: iterable of lists of str.

    Returns:
        str: `"iob2"`, `"iob1"`, `"bioes"`, `"bilou"`, `"io"` or `"plain"`.

    Raises:
        ValueError: if some tags have a prefix and others are neither that nor `O`, or
            if no scheme has all the prefixes.
    """
    return detected(evidence(sequences))


def evidence(sequences):
    """What speaks for which scheme.

    Returns:
        dict with "prefixes" and "others", dicts from what was found to how often: from
        a prefix, and from a tag that has none and is not `O`. Prefixes without a type
        are others where there are more of those. And "iob1" and "iob2": how many
        entities begin as only this scheme lets them begin.
    """
    counts, begins = {}, {"iob1": 0, "iob2": 0}
    for tags in sequences:
        before = "O"
        for tag in tags:
            counts[tag] = counts.get(tag, 0) + 1
            if tag[:1] in ("B", "I"):
                scheme = _begins_as(before, tag)
                if scheme is not None:
                    begins[scheme] += 1
            before = tag
    prefixes, bare, others = {}, {}, {}
    for tag, count in counts.items():
        if tag == "O":
            continue
        known = is_tag(tag)
        kind = others if not known else prefixes if "-" in tag else bare
        key = tag[0] if known and kind is prefixes else tag
        kind[key] = kind.get(key, 0) + count
    if not others:  # Entities of a kind that has no name.
        for prefix, count in bare.items():
            prefixes[prefix] = prefixes.get(prefix, 0) + count
        bare = {}
    return {"prefixes": prefixes, "others": others | bare, **begins}


def detected(found):
    """The scheme that `evidence` speaks for; see `detect`."""
    prefixes, others = found["prefixes"], found["others"]
    if not prefixes:
        return "plain" if others else "iob2"
    if others:
        odd = min(others, key=lambda tag: (-others[tag], tag))
        raise ValueError(
            f"{sum(prefixes.values())} tags have a prefix, as those of entities do, "
            f"and {sum(others.values())} have none. Received: tag={odd!r}"
        )
    ends, last = set("ES") & set(prefixes), set("LU") & set(prefixes)
    if ends and last:
        raise ValueError(
            "no scheme has all of these prefixes: BIOES ends entities with E and S, "
            f"BILOU with L and U. Received: prefixes={''.join(sorted(prefixes))!r}"
        )
    if ends or last:
        return "bioes" if ends else "bilou"
    if "B" not in prefixes:
        return "io"
    return "iob1" if found["iob1"] > found["iob2"] else "iob2"


def _begins_as(before, tag):
    """The scheme in which `tag` may begin an entity here, if it is but one."""
    if not is_tag(tag):
        return None
    prefix, kind = split(tag)
    inside = before != "O" and is_tag(before) and split(before)[1] == kind
    if prefix == "B":
        return None if inside else "iob2"  # IOB1 has such a B, too.
    return None if inside else "iob1"
