"""Parquet: a batch of rows in memory at a time. Needs `kzoo[parquet]`."""

import io
import json

from kzoo_recipes import KzooError

from kzoo.data.readers.rows import Origin, RowError
from kzoo.data.readers.streams import opened
from kzoo.data.readers.values import class_names

BATCH = 1024  # rows


def parquet_rows(file, name, layout, broken):
    """Yield the `Row`s of a Parquet file; see `kzoo.data.readers.iterate`."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise KzooError(
            f'{name}: Parquet is read by pyarrow; `pip install "kzoo[parquet]"` '
            "brings it."
        ) from None
    try:
        with opened(file, name) as stream, pq.ParquetFile(stream) as table:
            _check_columns(table.schema_arrow, name, layout)
            _check_rows(table.metadata, stream, name)
            wanted = layout.wanted(table.schema_arrow.names)
            columns = [*dict.fromkeys(column for _, column in wanted)]
            classes = _classes(table.schema_arrow, wanted)
            number, origin = 0, Origin(name, "row")
            for batch in table.iter_batches(BATCH, columns=columns):
                for values in batch.to_pylist():
                    number += 1
                    try:
                        for column, named in classes.items():
                            values[column] = class_names(
                                values[column], named, column, number, origin
                            )
                        row = layout.row(values, number, origin)
                    except RowError as error:
                        broken(error)
                    else:
                        yield row
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if getattr(error, "errno", None):  # Not about the file's content.
            raise
        first = str(error).strip().splitlines()[0].rstrip(".")
        raise KzooError(f"{name}: the file is not sound Parquet ({first}).") from None


def _classes(schema, wanted):
    """Names of tags that are numbers, where `datasets` wrote them into the file."""
    try:
        said = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        found = {c: said[c]["feature"]["names"] for key, c in wanted if key == "tags"}
    except (KeyError, TypeError, ValueError):
        return {}
    return {column: names for column, names in found.items() if names}


def _check_rows(metadata, stream, name):
    """Refuse rows without end: equal ones take no room in Parquet."""
    groups = range(metadata.num_row_groups)
    rows = sum(metadata.row_group(group).num_rows for group in groups)
    size = stream.seek(0, io.SEEK_END)
    if rows > size:
        raise KzooError(
            f"{name}: the file has {rows:,} rows in {size:,} bytes, more than texts "
            "can be; write it anew without the doubles."
        )


def _check_columns(schema, name, layout):
    """Refuse columns that are not there, or of types that no row could mend."""
    for key, column in layout.wanted(schema.names):
        if schema.names.count(column) != 1:
            absent = layout.absent(key, column, schema.names)
            raise KzooError(f"{name}: there is {absent}")
