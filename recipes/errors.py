"""The one exception that speaks to the user."""


class KzooError(ValueError):
    """A problem the user can mend: a file, a recipe, a row, a name.

    Its message is one sentence that names where the problem is, what was found
    there and what to do. The command line prints it and exits with code 2.
    """
