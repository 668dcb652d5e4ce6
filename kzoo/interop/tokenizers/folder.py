"""The files of a checkpoint that say how it reads text."""

from functools import cached_property
from pathlib import Path

from kzoo_recipes import KzooError

from kzoo.interop.checkpoints.files import refuse_pointer
from kzoo.safety import parse

SETTINGS = "tokenizer_config.json"
SPECIAL = "special_tokens_map.json"
ADDED = "added_tokens.json"
MORE = ("additional_special_tokens", "extra_special_tokens")


class Folder:
    """Reads files of a checkpoint, or says in one sentence why it cannot.

    Args:
        path: str or `Path`. A folder.
        config: dict. What its `config.json` says.
    """

    def __init__(self, path, config):
        self.path = Path(path)
        self.config = config

    def has(self, *names):
        """Whether all of these files are there."""
        return all(self.path.joinpath(name).is_file() for name in names)

    def bytes(self, name):
        path = self.path / name
        try:
            refuse_pointer(path)
            return path.read_bytes()
        except OSError as error:
            raise KzooError(f"{path}: cannot be read: {error.strerror}.") from None

    def text(self, name):
        try:
            return self.bytes(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise KzooError(
                f"{self.path / name}: byte {error.start} is not UTF-8 text; fetch the "
                "checkpoint again."
            ) from None

    def table(self, name):
        """A JSON file that holds a table; an empty one if the file is not there."""
        if not self.has(name):
            return {}
        found = parse(self.bytes(name), str(self.path / name))
        if not isinstance(found, dict):
            raise KzooError(f"{self.path / name}: this is no table of names.")
        return found

    def numbers(self, name):
        """A table whose values are ids."""
        found = self.table(name)
        for key, value in found.items():
            if not isinstance(value, int) or isinstance(value, bool):
                self._refuse(name, f"{key!r:.60} has the id {value!r:.60}")
        return found

    @cached_property
    def settings(self):
        """What tokenizer_config.json and special_tokens_map.json say, dict."""
        settings, special = self.table(SETTINGS), self.table(SPECIAL)
        # Where the first lists its tokens, it is the newer of the two.
        newer = "added_tokens_decoder" in settings
        return {**special, **settings} if newer else {**settings, **special}

    @cached_property
    def added(self):
        """Tokens with ids of their own: dict from id to the token's description."""
        found = {}
        listed = self.settings.get("added_tokens_decoder")
        for number, token in listed.items() if isinstance(listed, dict) else ():
            if not str(number).isdecimal():
                self._refuse(SETTINGS, f"added_tokens_decoder has the id {number!r}")
            found[int(number)] = self._token(token, SETTINGS)
        if not found:
            special = self._names()
            for token, number in self.numbers(ADDED).items():
                found[number] = described(token, special=token in special)
        return found

    def role(self, role, default):
        """The description of the token that `settings` call `role`, or of `default`."""
        token = self.settings.get(role)
        token = self._token(default if token is None else token, SETTINGS)
        return self._as_added(token)

    def more(self):
        """Descriptions of the special tokens that have no role."""
        return [self._as_added(token) for token in self._more()]

    def _more(self):
        listed = []
        for key in MORE:
            part = self.settings.get(key) or []
            if not isinstance(part, dict | list):
                self._refuse(SETTINGS, f"{key} is no list")
            listed += part.values() if isinstance(part, dict) else part
        return [self._token(one, SETTINGS) for one in listed]

    def _names(self):
        """All that is called special, set of str."""
        roles = [
            value for key, value in self.settings.items() if key.endswith("_token")
        ]
        tokens = [self._token(one, SETTINGS) for one in roles if one is not None]
        return {token["content"] for token in (*tokens, *self._more())}

    def _as_added(self, token):
        """`token` as the list of added tokens has it, which may know its manners."""
        same = [
            one for one in self.added.values() if one["content"] == token["content"]
        ]
        return {**same[0], "special": True} if same else token

    def _token(self, token, file):
        if isinstance(token, str):
            return described(token)
        if isinstance(token, dict) and isinstance(token.get("content"), str):
            keys = ("lstrip", "rstrip", "single_word", "special", "normalized")
            manners = {key: bool(token[key]) for key in keys if key in token}
            return described(token["content"], **manners)
        self._refuse(file, f"{token!r:.60} is no token")

    def _refuse(self, file, what):
        raise KzooError(f"{self.path / file}: {what}; fetch the checkpoint again.")


def described(
    content,
    special=True,
    lstrip=False,
    rstrip=False,
    single_word=False,
    normalized=None,
):
    """A token as the `added_tokens` of a tokenizer.json have it, but for its id."""
    return {
        "content": content,
        "single_word": single_word,
        "lstrip": lstrip,
        "rstrip": rstrip,
        "normalized": not special if normalized is None else normalized,
        "special": special,
    }
