"""The HDF5 file of weights inside a model, read strictly and by kzoo itself.

Keras writes the oldest form of HDF5: groups as trees of symbols, arrays in one piece,
a layer's name as attribute. This module follows every address in the file, sees that
each stretch of bytes serves one purpose, and refuses whatever is not of that form:
links that leave the file or go in circles, arrays that are chunked, compressed, virtual
or kept elsewhere. So the HDF5 library, not written for hostile files, meets none.

Reference:
    - The HDF Group, HDF5 File Format Specification, version 1.1
"""

import itertools
import math
import struct
from dataclasses import dataclass

import numpy as np
from kzoo_recipes import KzooError

from kzoo.safety.hdf5_messages import (
    ATTRIBUTE,
    CONTINUATION,
    DATASPACE,
    DATATYPE,
    IN_DATASETS,
    IN_GROUPS,
    LAYOUT,
    NOTHING,
    STRANGE,
    SYMBOL_TABLE,
    Malformed,
    array_type,
    attribute,
    check_simple,
    contiguous,
    dimensions,
)

SIGNATURE = b"\x89HDF\r\n\x1a\n"
UNDEFINED = 0xFFFFFFFFFFFFFFFF
MOST_DEPTH = 32  # groups within groups
GROUP_FREE_END = 1  # what a heap's last free block points at


@dataclass(frozen=True)
class Dataset:
    """An array in the file: its shape, its NumPy dtype and where its bytes lie."""

    shape: tuple
    dtype: np.dtype
    start: int
    size: int


def read_datasets(content, where):
    """Find every array of an HDF5 file of weights.

    Args:
        content: bytes. The whole file.
        where: str. What errors call it.

    Returns:
        dict from path, such as "layers/dense/vars/0", to `Dataset`.

    Raises:
        KzooError: if the file is not of the form that Keras writes.
    """
    reader = _Reader(content)
    try:
        reader.read()
    except Malformed as error:
        raise KzooError(f"{where}: {error}.") from None
    except (struct.error, IndexError, OverflowError, RecursionError):
        raise KzooError(f"{where}: this HDF5 file is damaged; save it anew.") from None
    return reader.datasets


class _Reader:
    def __init__(self, content):
        self.content = content
        self.datasets = {}
        self._claims = []
        self._seen = set()
        self._collections = {}

    def read(self):
        root = self._superblock()
        self._object(root, "", 0)
        self._claims.sort()
        for (_, end), (start, _) in itertools.pairwise(self._claims):
            if start < end:
                raise Malformed(
                    f"byte {start:,} belongs to two things at once; save the model anew"
                )

    def _superblock(self):
        content = self.content
        if not content.startswith(SIGNATURE):
            raise Malformed("this is not an HDF5 file; save the model anew")
        versions = content[8:16]
        if len(content) < 96 or versions != bytes((0, 0, 0, 0, 0, 8, 8, 0)):
            raise Malformed(
                "it is of a form of HDF5 that Keras does not write; save the model "
                "with model.save('NAME.keras')"
            )
        leaf, internal, flags = struct.unpack_from("<2HI", content, 16)
        base, free, end, driver = struct.unpack_from("<4Q", content, 24)
        if not (0 < leaf <= 4096 and 0 < internal <= 4096) or flags:
            raise Malformed("its first bytes are damaged; save the model anew")
        if base or free != UNDEFINED or driver != UNDEFINED:
            raise Malformed("it is spread over several files; save the model anew")
        if end != len(content):
            raise Malformed(
                f"it says that it has {end:,} bytes but has {len(content):,}; it was "
                "cut off or added to"
            )
        self._leaf_size = 8 + 2 * leaf * 40
        self._tree_size = 24 + 2 * internal * 8 + (2 * internal + 1) * 8
        self._claim(0, 96)
        name, root, cached, reserved, tree, heap = struct.unpack_from(
            "<2Q2I2Q", content, 56
        )
        self._root_cache = (tree, heap) if cached == 1 else None
        if name or cached not in (0, 1) or reserved:
            raise Malformed("its root is damaged; save the model anew")
        return root

    def _claim(self, start, size):
        """Take a stretch of bytes; that no two overlap is seen at the end."""
        if start < 0 or start + size > len(self.content):
            raise Malformed("it points beyond its end; it was cut off or altered")
        self._claims.append((start, start + size))

    def _object(self, address, path, depth, cache=None):
        """Read the group or array at `address`, and what lies in it."""
        shown = path or "the root"
        if address in self._seen:
            raise Malformed(f"{shown} is a second link to something else in it")
        self._seen.add(address)
        if depth > MOST_DEPTH:
            raise Malformed(f"groups lie more than {MOST_DEPTH} deep in each other")
        messages = self._messages(address, shown)
        kinds = {kind for kind, _ in messages}
        is_group = SYMBOL_TABLE in kinds
        if DATATYPE in kinds and not is_group:
            array_type(dict(messages)[DATATYPE], shown)
        for kind, body in messages:
            if kind not in (IN_GROUPS if is_group else IN_DATASETS):
                raise Malformed(
                    f"{shown} is no group or array of the form Keras writes"
                )
            if kind == ATTRIBUTE:
                self._attribute(body, shown)
            else:
                check_simple(kind, body, shown)
        if is_group:
            self._group(dict(messages)[SYMBOL_TABLE], path, depth, cache)
        else:
            self._dataset(messages, path)

    def _messages(self, address, shown):
        """The messages of an object, as pairs of kind and bytes."""
        version, _, count, _, size = struct.unpack_from("<2BH2I", self.content, address)
        if version != 1 or self.content[address + 1]:
            raise Malformed(f"{shown} is no group or array of the form Keras writes")
        self._claim(address, 16 + size)
        blocks, messages = [(address + 16, size)], []
        while blocks:
            at, size = blocks.pop(0)
            end = at + size
            while at + 8 <= end:
                kind, length, flags = struct.unpack_from("<2HB", self.content, at)
                body = self.content[at + 8 : at + 8 + length]
                at += 8 + length
                if kind in STRANGE:
                    raise Malformed(
                        f"{shown} has {STRANGE[kind]}, which no weights of kzoo have"
                    )
                if at > end or length % 8 or flags & ~1 or len(messages) > 4096:
                    raise Malformed(f"the description of {shown} is damaged")
                if kind == CONTINUATION:
                    where, size = struct.unpack("<2Q", body)
                    self._claim(where, size)
                    blocks.append((where, size))
                messages.append((kind, body))
            if at != end:
                raise Malformed(f"the description of {shown} is damaged")
        kinds = [kind for kind, _ in messages]
        repeatable = (NOTHING, CONTINUATION, ATTRIBUTE)
        if len(messages) != count or any(
            kinds.count(kind) > 1 for kind in set(kinds) if kind not in repeatable
        ):
            raise Malformed(f"the description of {shown} is damaged")
        return messages

    def _group(self, body, path, depth, cache):
        tree, heap_address = struct.unpack("<2Q", body)
        if (cache or self._root_cache or (tree, heap_address)) != (tree, heap_address):
            raise Malformed(f"{path or 'the root'} says two things about its members")
        self._root_cache = None
        heap = self._heap(heap_address)
        names, self._levels = set(), {}
        members = list(self._symbols(tree, heap, 0))
        self._check_neighbours()
        for name, address, cache in members:
            if name in names:
                raise Malformed(f"{path or 'the root'} has two members called {name}")
            names.add(name)
            inner = f"{path}/{name}" if path else name
            self._object(address, inner, depth + 1, cache)

    def _heap(self, address):
        """The names of a group's members, as they lie in its heap."""
        magic, version, size, free, data = struct.unpack_from(
            "<4sB3x3Q", self.content, address
        )
        if magic != b"HEAP" or version or size > len(self.content):
            raise Malformed("the names of a group are damaged")
        self._claim(address, 32)
        self._claim(data, size)
        names = self.content[data : data + size]
        for _ in range(size // 16 + 1):
            if free in (GROUP_FREE_END, UNDEFINED):
                return names
            following, length = struct.unpack_from("<2Q", names, free)
            if free % 8 or length < 16 or free + length > size:
                break
            free = following
        raise Malformed("the names of a group are damaged")

    def _check_neighbours(self):
        """The nodes of each level of a tree name each other in their order."""
        for nodes in self._levels.values():
            order = [UNDEFINED, *(address for address, _, _ in nodes), UNDEFINED]
            for place, (_, left, right) in enumerate(nodes):
                if (left, right) != (order[place], order[place + 2]):
                    raise Malformed("the members of a group are damaged")

    def _symbols(self, address, heap, depth):
        """Yield name, address and cached addresses of each member below a node."""
        magic, kind, level, used, left, right = struct.unpack_from(
            "<4s2BH2Q", self.content, address
        )
        self._levels.setdefault(level, []).append((address, left, right))
        if magic != b"TREE" or kind or depth > MOST_DEPTH:
            raise Malformed("the members of a group are damaged")
        self._claim(address, self._tree_size)
        if 24 + used * 16 + 8 > self._tree_size:
            raise Malformed("the members of a group are damaged")
        for place in range(used):
            before, child, last = struct.unpack_from(
                "<3Q", self.content, address + 24 + 16 * place
            )
            before, last = _name(heap, before), _name(heap, last)
            if level:
                if self.content[child + 5] != level - 1:
                    raise Malformed("the members of a group are damaged")
                below = self._symbols(child, heap, depth + 1)
            else:
                below = self._leaf(child, heap)
            for name, header, cache in below:
                if not before.encode() < name.encode() <= last.encode():
                    raise Malformed("the members of a group are out of order")
                before = name
                yield name, header, cache

    def _leaf(self, address, heap):
        magic, version, count = struct.unpack_from("<4sBxH", self.content, address)
        if magic != b"SNOD" or version != 1 or 8 + count * 40 > self._leaf_size:
            raise Malformed("the members of a group are damaged")
        self._claim(address, self._leaf_size)
        for place in range(count):
            offset, header, cached, reserved, tree, names = struct.unpack_from(
                "<2Q2I2Q", self.content, address + 8 + 40 * place
            )
            name = _name(heap, offset)
            if cached == 2:
                raise Malformed(f"{name} is a soft link; save the model anew")
            if cached > 1 or reserved:
                raise Malformed("the members of a group are damaged")
            if not name or "/" in name or name in (".", ".."):
                raise Malformed(f"a member is called {name!r:.60}")
            yield name, header, (tree, names) if cached else None

    def _dataset(self, messages, path):
        body = dict(messages)
        if not {DATASPACE, DATATYPE, LAYOUT} <= body.keys():
            raise Malformed(f"{path or 'the root'} is neither a group nor an array")
        shape = dimensions(body[DATASPACE], path)
        dtype = array_type(body[DATATYPE], path)
        start, size = contiguous(body[LAYOUT], path)
        if math.prod(shape) * dtype.itemsize != size:
            raise Malformed(
                f"{path} of shape {shape} stores {size:,} bytes, not "
                f"{math.prod(shape) * dtype.itemsize:,}"
            )
        if size and start == UNDEFINED:
            raise Malformed(f"{path} of shape {shape} stores no values")
        if size:
            self._claim(start, size)
        self.datasets[path] = Dataset(shape, dtype, start, size)

    def _attribute(self, body, shown):
        place = attribute(body, shown)
        if place is None:
            return
        length, address, index = place
        if address not in self._collections:
            self._collections[address] = self._collection(address)
        if self._collections[address].get(index, -1) < length:
            raise Malformed(f"an attribute of {shown} is damaged")

    def _collection(self, address):
        """The sizes of the texts in a collection, by number."""
        magic, version, size = struct.unpack_from("<4sB3xQ", self.content, address)
        if magic != b"GCOL" or version != 1 or size < 16:
            raise Malformed("its texts are damaged")
        self._claim(address, size)
        at, end, sizes = address + 16, address + size, {}
        while at + 16 <= end:
            index, _, _, length = struct.unpack_from("<2HIQ", self.content, at)
            if index == 0:  # the free rest, its own header counted
                if length != end - at:
                    raise Malformed("its texts are damaged")
                return sizes
            at += 16 + (length + 7) // 8 * 8
            if at > end or index in sizes:
                raise Malformed("its texts are damaged")
            sizes[index] = length
        if any(self.content[at:end]):
            raise Malformed("its texts are damaged")
        return sizes


def _name(heap, offset):
    end = heap.find(b"\0", offset) if offset < len(heap) else -1
    if end < 0:
        raise Malformed("the names of a group are damaged")
    try:
        return heap[offset:end].decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed(f"{heap[offset:end][:40]!r} is not a name in UTF-8") from None
