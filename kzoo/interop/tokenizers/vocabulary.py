"""A vocabulary with its special tokens: who is who, and who comes after the last."""

from kzoo_recipes import KzooError

OPTIONAL = ("mask", "mask_sent")


class Vocabulary:
    """Gives every special token of a family its id.

    A token that the vocabulary lacks gets the next id after the largest, as
    `tokenizers` numbers them.

    Args:
        folder: `Folder`.
        row: `Row`.
        ids: dict from piece to id, of the model.
    """

    def __init__(self, folder, row, ids):
        self._folder = folder
        self.ids = dict(ids)
        self.tokens = []  # descriptions of the added ones
        self._next = max(self.ids.values(), default=-1) + 1
        self.names = {}  # from role to token
        self._added = set()
        for number in sorted(folder.added):
            self._place(folder.added[number], number)
        for role, usual in row.tokens.items():
            self._role(role, usual, role in row.stripping)
        for token in folder.more():
            self.add(token)

    def add(self, token):
        """Make a described token one of the added ones."""
        name = token["content"]
        if name in self._added:
            return
        self._added.add(name)
        self.tokens.append(token)
        if name not in self.ids:
            self.ids[name] = self._next
            self._next += 1

    def _role(self, role, usual, stripping):
        key = f"{role}_token"
        token = self._folder.role(key, usual)
        said = self._folder.settings.get(key) is not None
        lacking = token["content"] not in self.ids and self._full()
        if role in OPTIONAL and lacking and not said:
            return  # Nobody said that there is one, and no vector is for it.
        known = token["content"] in self._added
        if stripping and not known and token["content"] == usual:
            token = {**token, "lstrip": True}
        self.names[role] = token["content"]
        self.add(token)

    def _full(self):
        size = self._folder.config.get("vocab_size")
        return isinstance(size, int) and self._next >= size

    def _place(self, token, number):
        name = token["content"]
        self.add(token)
        if self.ids[name] != number:
            raise KzooError(
                f"{self._folder.path}: the token {name!r} is said to have the id "
                f"{number}, but the vocabulary gives it {self.ids[name]}; fetch the "
                "checkpoint again."
            )
