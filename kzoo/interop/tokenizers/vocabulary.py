"""A vocabulary with its special tokens: who is who, and who comes after the last."""

from kzoo_recipes import KzooError


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
        self.names = {}  # from role to token
        for number in sorted(folder.added):
            self._place(folder.added[number], number)
        for role, usual in row.tokens.items():
            self._role(role, usual, role in row.stripping)
        for token in folder.more():
            self.add(token)

    def add(self, token):
        """Make a described token one of the added ones."""
        name = token["content"]
        if any(one["content"] == name for one in self.tokens):
            return
        self.tokens.append(token)
        self.ids.setdefault(name, max(self.ids.values(), default=-1) + 1)

    def _role(self, role, usual, stripping):
        token = self._folder.role(f"{role}_token", usual)
        if token is None:
            return
        known = any(one["content"] == token["content"] for one in self.tokens)
        if stripping and not known and token["content"] == usual:
            token = {**token, "lstrip": True}
        self.names[role] = token["content"]
        self.add(token)

    def _place(self, token, number):
        name = token["content"]
        self.add(token)
        if self.ids[name] != number:
            raise KzooError(
                f"{self._folder.path}: the token {name!r} is said to have the id "
                f"{number}, but the vocabulary gives it {self.ids[name]}; fetch the "
                "checkpoint again."
            )
