"""The zip archive around a saved model, read strictly.

Keras and `zip` write members one after another, from the first byte to the table of
contents, and nothing else. An archive that has gaps, overlaps, comments, twins or two
opinions on a size means something to somebody, and is refused.
"""

import mmap
import stat
import struct
import zlib
from dataclasses import dataclass

from kzoo_recipes import KzooError

from kzoo.safety.kinds import kind_of, kind_of_archive

# Each member a `.keras` file of kzoo may have, and the most bytes it may unpack to.
MEMBERS = {
    "metadata.json": 1 << 20,
    "config.json": 4 << 20,
    "model.weights.h5": 1 << 50,
    "assets/tokenizer.json": 1 << 28,
    "assets/labels.json": 1 << 26,
    "assets/memory.safetensors": 1 << 32,
}
MOST_ENTRIES = 100  # that are looked at; more members are refused by their names
NEWEST = 63  # version of the format, in tenths
MOST_RATIO = 20  # weights shrink by a tenth, vocabularies to a fifth
CHUNK = 1 << 20
END, END64, LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
ENTRY, LOCAL = b"PK\x01\x02", b"PK\x03\x04"
HARMLESS_FLAGS = 0x0806  # UTF-8 names, and how hard deflate tried
HARMLESS_EXTRAS = (0x5455, 0x7875)  # times and owners, as `zip` notes them
STORED, DEFLATED = 0, 8


@dataclass(frozen=True)
class Member:
    """A member as the table of contents describes it; `start` is its local header."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int
    data: int  # where its bytes begin
    end: int


class Archive:
    """A `.keras` file, open for reading; its form is checked when it is opened.

    Args:
        path: `Path`. Errors call the file by it.

    Raises:
        KzooError: if the file is no archive, or not one in the form that Keras writes.
    """

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                start = file.read(64)
                if not start.startswith(b"PK"):
                    raise KzooError(f"{path}: {kind_of(start, path.suffix)}")
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise KzooError(f"{path}: cannot be read: {error.strerror}.") from None
        try:
            self.members = self._read_members()
        except (struct.error, IndexError):
            self.close()
            self._refuse("its table of members is damaged; copy or download it again")
        except KzooError:
            self.close()
            raise

    def close(self):
        self._bytes.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self, name):
        """The bytes of a member, its checksum verified: a copy, never a view."""
        member = self.members[name]
        data = self._bytes[member.data : member.data + member.packed]
        if member.method == DEFLATED:
            unpack = zlib.decompressobj(-15)
            try:
                data = unpack.decompress(data, member.size + 1)
            except zlib.error as error:
                self._refuse(f"{name} does not unpack: {error}")
            if len(data) != member.size or not unpack.eof or unpack.unused_data:
                self._refuse(
                    f"{name} does not unpack to the {member.size:,} bytes that the "
                    "archive says"
                )
        checksum = 0
        for at in range(0, len(data), CHUNK):
            checksum = zlib.crc32(data[at : at + CHUNK], checksum)
        if checksum != member.crc:
            self._refuse(
                f"the checksum of {name} is wrong, so it was damaged or altered; copy "
                "or download it again"
            )
        return data

    def _refuse(self, what):
        raise KzooError(f"{self.path}: {what}.")

    def _read_members(self):
        at, count, table, size = self._end()
        if table + size != at:
            self._refuse(
                "the archive holds bytes that belong to no member; pack it anew"
            )
        entries, place = [], table
        for _ in range(min(count, MOST_ENTRIES)):
            entry, place = self._entry(place, at)
            entries.append(entry)
        if place != at and count <= MOST_ENTRIES:
            self._refuse("its table of members has another length than it says")
        self._check_names([entry[0] for entry in entries])
        members = [self._member(*entry) for entry in entries]
        place = 0
        for member in sorted(members, key=lambda m: m.start):
            if member.start != place:
                what = "overlaps another" if member.start < place else "follows a gap"
                self._refuse(f"the member {member.name} {what}; pack the archive anew")
            place = member.end
        if place != table:
            self._refuse("the archive hides bytes before its table of members")
        return {member.name: member for member in members}

    def _end(self):
        """Where the table of members ends, its entries, its start and its size."""
        data, at = self._bytes, len(self._bytes) - 22
        if at < 0 or data[at : at + 4] != END:
            found = data.rfind(END, max(0, len(data) - 66_000))
            if found >= 0:
                self._refuse(
                    f"{len(data) - found - 22:,} bytes follow the end of the archive; "
                    "pack it anew without them"
                )
            self._refuse(
                "the archive is cut off before its table of members; copy or download "
                "it again"
            )
        disk, first, here, count, size, table, comment = struct.unpack_from(
            "<4H2IH", data, at + 4
        )
        if disk or first or here != count or comment:
            self._refuse("the archive has a comment or several parts; pack it anew")
        if at < 20 or data[at - 20 : at - 16] != LOCATOR:
            return at, count, table, size
        return self._end64(at, count, size, table)

    def _end64(self, at, count, size, table):
        """The same for an archive beyond 4 GB, whose end is written twice."""
        data, start = self._bytes, at - 20 - 56
        disk, where, disks = struct.unpack_from("<IQI", data, at - 16)
        if start < 0 or where != start or disk or disks != 1:
            self._refuse("its 64-bit end is not where the archive says")
        magic, length, _, _, disk, first, here, many, large, far = struct.unpack_from(
            "<4sQ2H2I4Q", data, start
        )
        if magic != END64 or length != 44 or disk or first or here != many:
            self._refuse("its 64-bit end is damaged")
        short = ((count, many, 0xFFFF), (size, large, ~0), (table, far, ~0))
        if any(a not in (b, full & 0xFFFFFFFF) for a, b, full in short):
            self._refuse("the archive gives two answers on where its members are")
        return start, many, far, large

    def _entry(self, at, end):
        """One row of the table, and where the next one starts."""
        fields = struct.unpack_from("<4s6H3I5H2I", self._bytes, at)
        magic, made_by, needed, flags, method, _, _, crc, packed, size = fields[:10]
        name_length, extra_length, comment, disk, _, attributes, start = fields[10:]
        stop = at + 46 + name_length + extra_length + comment
        if magic != ENTRY or stop > end:
            raise IndexError
        name = self._name(self._bytes[at + 46 : at + 46 + name_length])
        extra = self._bytes[at + 46 + name_length : stop - comment]
        if needed > NEWEST:
            self._refuse(f"the member {name} needs a later version of zip")
        if comment or disk:
            self._refuse(f"the member {name} has a comment or lies in another file")
        size, packed, start = self._extra(name, extra, [size, packed, start])
        mode = attributes >> 16 if made_by >> 8 == 3 else 0
        return (name, mode, flags, method, crc, packed, size, start), stop

    def _name(self, written):
        try:
            return written.decode("utf-8")
        except UnicodeDecodeError:
            self._refuse(f"the name {written[:40]!r} of a member is not UTF-8")

    def _extra(self, name, extra, fields):
        """`fields` with those that are too large for 32 bits taken from `extra`."""
        seen = set()
        while extra:
            kind, length = struct.unpack_from("<2H", extra)
            body, rest = extra[4 : 4 + length], extra[4 + length :]
            known = kind == 1 or kind in HARMLESS_EXTRAS
            if len(body) != length or kind in seen or not known:
                self._refuse(f"the member {name} carries fields that kzoo cannot judge")
            seen.add(kind)
            if kind == 1:
                wide = [i for i, field in enumerate(fields) if field == 0xFFFFFFFF]
                if length != 8 * len(wide):
                    self._refuse(f"the member {name} gives two answers on its size")
                for i, value in zip(
                    wide, struct.unpack(f"<{len(wide)}Q", body), strict=True
                ):
                    fields[i] = value
            extra = rest
        return fields

    def _check_names(self, names):
        kind = kind_of_archive(names)
        if kind:
            raise KzooError(f"{self.path}: {kind}")
        for name in names:
            parts = name.replace("\\", "/").split("/")
            if ".." in parts or "" in parts[:-1] or ":" in name or "\0" in name:
                self._refuse(f"the member {name!r} would leave the archive's folder")
            if name not in MEMBERS:
                self._refuse(
                    f"there is a member {name!r:.80} that no kzoo model has; it holds "
                    f"{', '.join(MEMBERS)}"
                )
            if names.count(name) > 1:
                self._refuse(f"there are {names.count(name)} members called {name}")

    def _member(self, name, mode, flags, method, crc, packed, size, start):
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            kind = "link" if stat.S_ISLNK(mode) else "folder or device"
            self._refuse(f"the member {name} is a {kind}, not a file")
        if flags & 1:
            self._refuse(f"the member {name} is encrypted; save it without a password")
        if flags & ~HARMLESS_FLAGS:
            self._refuse(f"the member {name} is written in pieces; pack it anew")
        if method not in (STORED, DEFLATED):
            self._refuse(
                f"the member {name} is compressed by method {method}; kzoo reads "
                "stored and deflated ones"
            )
        if method == STORED and packed != size:
            self._refuse(f"the member {name} gives two answers on its size")
        if size > MOST_RATIO * packed or size > MEMBERS[name]:
            self._refuse(
                f"the member {name} unpacks from {packed:,} to {size:,} bytes, far "
                "more than a model's does"
            )
        data = self._local(name, flags, method, crc, packed, size, start)
        return Member(name, method, crc, packed, size, start, data, data + packed)

    def _local(self, name, flags, method, crc, packed, size, start):
        """Where the bytes of a member begin; its header must agree with the table."""
        fields = struct.unpack_from("<4s5H3I2H", self._bytes, start)
        magic, _, own_flags, own_method, _, _, own_crc, own_packed, own_size = fields[
            :9
        ]
        name_length, extra_length = fields[9:]
        at = start + 30
        own_name = self._bytes[at : at + name_length]
        extra = self._bytes[at + name_length : at + name_length + extra_length]
        own_size, own_packed = self._extra(name, extra, [own_size, own_packed])
        own = (own_flags, own_method, own_crc, own_packed, own_size)
        data = at + name_length + extra_length
        if (
            magic != LOCAL
            or own != (flags, method, crc, packed, size)
            or own_name != name.encode()
            or data + packed > len(self._bytes)
        ):
            self._refuse(f"the archive gives two answers on its member {name}")
        return data
