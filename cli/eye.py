"""Pictures that `kzoo predict` is asked about, each read once."""


class Eye:
    """Reads pictures, as a model wants them, and counts those that are one of several.

    Attributes:
        settings: `kzoo.images.ImageSettings` of the model, or `None` before it is
            loaded; what is seen by then is only looked at.
    """

    settings = None

    def __init__(self):
        self._moving = set()  # Where one file stands in many rows, it is one.
        self._last = None, None

    def see(self, path):
        """A picture as float32 `(size, size, 3)`, or `None` without settings.

        Raises:
            KzooError: if it cannot be read.
        """
        from kzoo.images import open_picture, prepare

        if self._last[0] == path:  # As where all texts have one picture.
            return self._last[1]
        picture = open_picture(path)
        if picture.several:
            self._moving.add(path)
        if self.settings is None:
            return None
        pixels = prepare(picture.pixels, self.settings, path)
        self._last = path, pixels
        return pixels

    def notes(self):
        """What a person should know of what was seen."""
        if not self._moving:
            return []
        from kzoo.images import note_of_several

        return [f"{note_of_several(len(self._moving))}."]
