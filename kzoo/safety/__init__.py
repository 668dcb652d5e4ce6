"""Looking into a file before anything that could be hurt by it does: no Keras here.

A saved model is a zip archive with JSON and HDF5 inside. Each of the three is read by
a few pages of Python that know the one form in which Keras writes it and refuse the
rest, so that no library meets a file it was not made for. Memory follows the size of
the file.
"""

from kzoo.safety.archive import Archive
from kzoo.safety.config import check_config, find
from kzoo.safety.hdf5 import Dataset, read_datasets
from kzoo.safety.strict_json import parse

__all__ = ["Archive", "Dataset", "check_config", "find", "parse", "read_datasets"]
