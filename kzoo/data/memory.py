"""What a model remembers of its training: summaries, found by words of documents."""

import functools
import json

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data.comparison import normal_form

HASHES = 1 << 22  # numbers that words and pairs of words are hashed to
BETWEEN, BEFORE_DOCUMENT = " | ", " || "
COMMON = 0.2  # A word of more than a fifth of all documents says little of one,
FEW = 10  # unless there are hardly any.
CANDIDATES = 8  # times as many as asked are looked at: summaries repeat
CELLS = 1 << 24  # similarities at once
ARRAYS = {
    "features": "int32",
    "rarity": "float32",
    "starts": "int64",
    "places": "int32",
    "values": "float16",
    "summaries": "uint8",
}


class Memory:
    """Documents as the words they hold, and the summary of each.

    Which documents are alike is the cosine of their TF-IDF vectors over words and
    pairs of words. Made by `Memory.of`, or read by `from_bytes`.

    Args:
        neighbours: int. How many summaries are recalled for a document.
        summaries: list of str, one per document.
        arrays: dict of NumPy arrays. "features", int32 `(F,)`, ascending, the hashes
            that count; "rarity", float32 `(F,)`, their inverse document frequency;
            "starts", int64 `(documents + 1,)`, "places", int32 `(N,)`, and "values",
            float16 `(N,)`, the rows of unit length in compressed form, places in
            [0, F).

    Reference:
        - [Cao et al., 2018](https://aclanthology.org/P18-1015), summaries of similar
          documents as soft templates
    """

    def __init__(self, neighbours, summaries, arrays):
        self.neighbours = neighbours
        self.summaries = summaries
        self._arrays = arrays

    @functools.cached_property
    def _forms(self):
        return [normal_form(summary) for summary in self.summaries]

    @functools.cached_property
    def _columns(self):
        """The rows the other way round, `(features, documents)`.

        Made when first asked: a file is checked, and opened, without it.
        """
        from scipy.sparse import csr_matrix

        arrays = self._arrays
        values = arrays["values"].astype("float32")
        shape = len(self), len(arrays["features"])
        rows = csr_matrix((values, arrays["places"], arrays["starts"]), shape)
        return rows.T.tocsr()

    @classmethod
    def of(cls, documents, summaries, neighbours):
        """Remember documents, which is work in proportion to their words.

        Args:
            documents: list of str.
            summaries: list of str, as many.
            neighbours: int, at least 1.
        """
        counts = _counts(documents)
        held = np.bincount(counts.indices, minlength=HASHES)  # documents of each hash
        most = max(FEW, COMMON * len(documents))
        features = np.flatnonzero((held >= 2) & (held <= most))
        rarity = np.log((1 + len(documents)) / (1 + held[features])) + 1
        features, rarity = features.astype("int32"), rarity.astype("float32")
        rows = _rows(counts, features, rarity)
        arrays = {
            "features": features,
            "rarity": rarity,
            "starts": rows.indptr.astype("int64"),
            "places": rows.indices.astype("int32"),
            "values": rows.data.astype("float16"),
        }
        return cls(neighbours, list(summaries), arrays)

    def __len__(self):
        return len(self.summaries)

    def recall(self, documents, own=False):
        """The summaries of the documents that are most like each of some.

        Args:
            documents: list of str.
            own: bool. Whether these are the documents remembered, in their order. Then
                none recalls itself, nor another that differs from it only in case,
                spacing and punctuation.

        Returns:
            list for each document of at most `neighbours` pairs, most similar first:
            a summary, no two alike, and the similarity of its document, a float in
            (0, 1]. Documents that share no word are not similar.

        Raises:
            ValueError: if `own` and there are not as many as are remembered.
        """
        left_out = self._equals(documents) if own else None
        queries = _rows(
            _counts(documents), self._arrays["features"], self._arrays["rarity"]
        )
        found, step = [], max(1, CELLS // max(1, len(self)))
        for start in range(0, len(documents), step):
            block = (queries[start : start + step] @ self._columns).toarray()
            for place, similarity in enumerate(block, start):
                if left_out is not None:
                    similarity[left_out[place]] = 0.0
                found.append(self._first(similarity))
        return found

    def _equals(self, documents):
        """For each document, the rows of those that are the same text."""
        if len(documents) != len(self):
            raise ValueError(
                f"`own` documents must be the {len(self)} that are remembered. "
                f"Received: {len(documents)} documents"
            )
        groups = {}
        forms = [normal_form(document) for document in documents]
        for row, form in enumerate(forms):
            groups.setdefault(form, []).append(row)
        return [groups[form] for form in forms]

    def _first(self, similarity):
        """The largest entries of float `(documents,)`, each with its summary."""
        count = min(len(similarity), CANDIDATES * self.neighbours)
        if count < len(similarity):
            bound = np.partition(similarity, -count)[-count]
            rows = np.flatnonzero(similarity >= max(bound, np.finfo("float32").tiny))
        else:
            rows = np.flatnonzero(similarity > 0)
        chosen = {}
        for row in rows[np.argsort(-similarity[rows], kind="stable")]:
            pair = self.summaries[row], float(similarity[row])
            chosen.setdefault(self._forms[row], pair)
            if len(chosen) == self.neighbours:
                break
        return list(chosen.values())

    def before(self, documents, own=False):
        """Documents as a model reads them: what is recalled stands before each.

        Each summary follows the tenths of its similarity, 0 to 9, from which a model
        learns how far to trust it: "7 Budget of May | 1 Lunch || Dear all, …".

        Arguments are those of `recall`. A document that nothing is like stays as it is.
        """
        pairs = zip(documents, self.recall(documents, own), strict=True)
        return [_read(document, recalled) for document, recalled in pairs]

    def to_bytes(self):
        """All of it as a safetensors file."""
        from safetensors.numpy import save

        said = json.dumps({"neighbours": self.neighbours, "summaries": self.summaries})
        said = np.frombuffer(said.encode("utf-8"), "uint8")
        return save({**self._arrays, "summaries": said})

    @classmethod
    def from_bytes(cls, content, source="memory.safetensors"):
        """Read what `to_bytes` wrote.

        Raises:
            KzooError: naming `source`, if it says what no memory says.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            arrays = load(content)
            said = json.loads(arrays["summaries"].tobytes())
            neighbours, summaries = said["neighbours"], said["summaries"]
            fault = _fault(arrays, neighbours, summaries)
        except (SafetensorError, LookupError, TypeError, ValueError) as error:
            fault = f"it cannot be read: {' '.join(str(error).split())}"
        if fault:
            raise KzooError(f"{source}: this is no memory of kzoo: {fault}.")
        del arrays["summaries"]
        return cls(neighbours, summaries, arrays)


def _read(document, recalled):
    if not recalled:
        return document
    told = [f"{min(9, int(10 * close))} {summary}" for summary, close in recalled]
    return BETWEEN.join(told) + BEFORE_DOCUMENT + document


def _fault(arrays, neighbours, summaries):
    """What is wrong with what a file says; `None` if nothing is."""
    kinds = {name: str(array.dtype) for name, array in arrays.items()}
    if kinds != ARRAYS or any(array.ndim != 1 for array in arrays.values()):
        return f"its arrays must be {ARRAYS}, of one axis"
    if type(neighbours) is not int or neighbours < 1:
        return f"`neighbours` must be a whole number of at least 1, not {neighbours!r}"
    if type(summaries) is not list or not all(type(s) is str for s in summaries):
        return "`summaries` must be a list of texts"
    features, rarity = arrays["features"], arrays["rarity"]
    starts, places, values = arrays["starts"], arrays["places"], arrays["values"]
    if len(features) != len(rarity) or (np.diff(features) <= 0).any():
        return "`features` must ascend, with one `rarity` each"
    if len(features) and (features[0] < 0 or features[-1] >= HASHES):
        return f"`features` must lie in [0, {HASHES:,})"
    whole = len(starts) == len(summaries) + 1 and starts[0] == 0
    if not whole or starts[-1] != len(places) or (np.diff(starts) < 0).any():
        return "`starts` must be where the row of each summary begins, and the end"
    if len(values) != len(places):
        return "`places` and `values` must be as many"
    if len(places) and (places.min() < 0 or places.max() >= len(features)):
        return "`places` must point at `features`"
    if not (np.isfinite(rarity).all() and np.isfinite(values).all()):
        return "`rarity` and `values` must be finite"
    return None


def _counts(texts):
    """How often each word and pair of words stands in each text, hashed."""
    from sklearn.feature_extraction.text import HashingVectorizer

    count = HashingVectorizer(
        n_features=HASHES,
        ngram_range=(1, 2),
        alternate_sign=False,
        norm=None,
        dtype=np.float32,
    )
    return count.transform(texts)  # sparse (texts, HASHES)


def _rows(counts, features, rarity):
    """Rows of unit length over `features`: 1 + log of the count, times the rarity."""
    from scipy.sparse import csr_matrix
    from sklearn.preprocessing import normalize

    if not len(features):  # No word is in two documents.
        return csr_matrix((counts.shape[0], 0), dtype="float32")
    places = np.searchsorted(features, counts.indices)
    places = np.minimum(places, len(features) - 1)
    known = features[places] == counts.indices
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))[known]
    places = places[known]
    values = (1 + np.log(counts.data[known])) * rarity[places]
    shape = counts.shape[0], len(features)
    return normalize(csr_matrix((values.astype("float32"), (row, places)), shape))
