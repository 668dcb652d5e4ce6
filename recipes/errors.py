"""The exceptions that speak to the user."""


class KzooError(ValueError):
    """A problem the user can mend: a file, a recipe, a row, a name.

    Its message is one sentence that names where the problem is, what was found
    there and what to do. The command line prints it and exits with code 2.
    """


class RecipeError(KzooError):
    """A recipe with mistakes: its message is the first, and how many more there are.

    Attributes:
        mistakes: list of `(key, sentence)`, the key as `training.epochs`.
    """

    def __init__(self, mistakes):
        self.mistakes = list(mistakes)
        message = self.mistakes[0][1]
        if len(self.mistakes) > 1:
            more = len(self.mistakes) - 1
            message += f" (and {more} more; `kzoo validate` lists them)"
        super().__init__(message)


class Terminated(SystemExit):
    """SIGTERM came; what was done until then is saved. Exits with code 143.

    Attributes:
        text: str. A sentence for the user.
    """

    def __init__(self, text):
        super().__init__(143)
        self.text = text
