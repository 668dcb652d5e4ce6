"""The archive itself: every trick that a zip file can play is named and refused."""

import io
import stat
import struct
import zipfile

import pytest
from helpers.archives import packed
from kzoo_recipes import KzooError

import kzoo
from kzoo.safety import archive as zips

CONFIG = "config.json"
MEMORY = "assets/memory.safetensors"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.keras"


def patched(path, *changes):
    """Overwrite bytes: pairs of an offset and what to write there."""
    content = bytearray(path.read_bytes())
    for at, new in changes:
        content[at : at + len(new)] = new
    path.write_bytes(content)


def central(path, name):
    """Where the table's row for `name` starts."""
    content = path.read_bytes()
    at = content.rfind(b"PK\x01\x02")
    while content[at + 46 : at + 46 + len(name)] != name.encode():
        at = content.rfind(b"PK\x01\x02", 0, at)
    return at


def test_a_good_archive_loads(parts, path):
    packed(parts, path)
    assert kzoo.check_model_file(path)["labels"] == ["negative", "positive"]
    assert kzoo.load_model(path).labels == ["negative", "positive"]


def test_a_good_archive_may_be_deflated(parts, path):
    packed(parts, path, zipfile.ZIP_DEFLATED)
    weights = kzoo.load_model(path).weights
    counted = kzoo.check_model_file(path)["parameters"]
    assert counted == sum(w.numpy().size for w in weights if "float" in str(w.dtype))


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "assets/../../x", "a\\..\\b", "C:evil", "a//b"]
)
def test_a_member_that_would_leave_the_folder(parts, path, refusal, name):
    packed({**parts, name: b"x"}, path)
    assert refusal(path) == (f"the member {name!r} would leave the archive's folder.")


def test_a_member_too_many(parts, path, refusal):
    packed({**parts, "assets/run.py": b"x"}, path)
    assert refusal(path) == (
        "there is a member 'assets/run.py' that no kzoo model has; it holds "
        "metadata.json, config.json, model.weights.h5, assets/tokenizer.json, "
        "assets/labels.json, assets/memory.safetensors."
    )


def test_a_classifier_remembers_no_summaries(parts, path, refusal):
    packed({**parts, MEMORY: b"x"}, path)
    assert refusal(path) == f"only a model that writes has a {MEMORY}; save it anew."


def test_a_link(parts, path, refusal):
    entry = zipfile.ZipInfo(CONFIG)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    rest = {name: content for name, content in parts.items() if name != CONFIG}
    packed([(entry, b"/etc/passwd"), *rest.items()], path)
    assert refusal(path) == "the member config.json is a link, not a file."


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_twins(parts, path, refusal):
    packed([*parts.items(), (CONFIG, b"{}")], path)
    assert refusal(path) == "there are 2 members called config.json."


def test_a_bomb_by_its_ratio(parts, path, refusal):
    packed({**parts, CONFIG: bytes(4_000_000)}, path, zipfile.ZIP_DEFLATED)
    assert refusal(path).startswith("the member config.json unpacks from 3,")


def test_a_member_larger_than_its_kind(parts, path, refusal):
    packed({**parts, CONFIG: bytes(5_000_000)}, path)
    assert refusal(path) == (
        "the member config.json unpacks from 5,000,000 to 5,000,000 bytes, far more "
        "than a model's does."
    )


def test_a_bomb_that_lies_about_its_size(parts, path, refusal):
    packed({**parts, CONFIG: bytes(4_000_000)}, path, zipfile.ZIP_DEFLATED)
    size = struct.pack("<I", 1000)
    local = path.read_bytes().find(CONFIG.encode()) - 30
    patched(path, (local + 22, size), (central(path, CONFIG) + 24, size))
    assert refusal(path) == (
        "config.json does not unpack to the 1,000 bytes that the archive says."
    )


def test_members_that_overlap(parts, path, refusal):
    """A quoted-overlap bomb: one stretch of bytes unpacked as several members."""
    packed(parts, path)
    first = central(path, "metadata.json")
    start = path.read_bytes()[first + 42 : first + 46]
    patched(path, (central(path, CONFIG) + 42, start))
    assert "gives two answers on its member config.json" in refusal(path)


def test_a_member_inside_another(parts, path, refusal):
    """The weights quote a whole member, and the table names the quoted one."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr(CONFIG, parts[CONFIG])
    quoted = inner.getvalue()[: inner.getvalue().rfind(b"PK\x01\x02")]
    packed({**parts, "assets/labels.json": quoted, CONFIG: parts[CONFIG]}, path)
    at = path.read_bytes().rfind(quoted)
    patched(path, (central(path, CONFIG) + 42, struct.pack("<I", at)))
    sentence = refusal(path)
    assert "overlaps another" in sentence or "follows a gap" in sentence


def test_a_gap(parts, path, refusal):
    packed(parts, path)
    content = path.read_bytes()
    table = struct.unpack("<I", content[-6:-2])[0]
    longer = struct.pack("<I", table + 8)
    path.write_bytes(content[:table] + bytes(8) + content[table:-6] + longer + b"\0\0")
    assert refusal(path) == "the archive hides bytes before its table of members."


def test_bytes_before_and_after(parts, path, refusal):
    good = packed(parts, path).read_bytes()
    path.write_bytes(good + b"tail")
    assert refusal(path) == (
        "4 bytes follow the end of the archive; pack it anew without them."
    )
    path.write_bytes(b"PK\x03\x04head" + good)
    assert refusal(path) == (
        "the archive holds bytes that belong to no member; pack it anew."
    )


def test_a_comment(parts, path, refusal):
    packed(parts, path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"hello"
    assert "follow the end of the archive" in refusal(path)


def test_a_cut_archive(parts, path, refusal):
    packed(parts, path)
    path.write_bytes(path.read_bytes()[:100_000])
    assert refusal(path) == (
        "the archive is cut off before its table of members; copy or download it again."
    )


def test_a_wrong_checksum(parts, path, refusal):
    packed(parts, path)
    at = path.read_bytes().rfind(b'"vocab"')
    patched(path, (at, b'"VOCAB"'))
    assert refusal(path).startswith("the checksum of assets/tokenizer.json is wrong")


def test_an_encrypted_member(parts, path, refusal):
    packed(parts, path)
    local = path.read_bytes().find(CONFIG.encode()) - 30
    patched(path, (local + 6, b"\x01"), (central(path, CONFIG) + 8, b"\x01"))
    assert refusal(path) == (
        "the member config.json is encrypted; save it without a password."
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unknown_compression(parts, path, refusal, method):
    packed(parts, path, method)
    assert refusal(path) == (
        f"the member metadata.json is compressed by method {method}; kzoo reads stored "
        "and deflated ones."
    ) or "written in pieces" in refusal(path)


def test_a_later_version_of_zip(parts, path, refusal):
    packed(parts, path)
    patched(path, (central(path, CONFIG) + 6, b"\xf6"))
    assert refusal(path) == "the member config.json needs a later version of zip."


def test_two_answers_on_a_size(parts, path, refusal):
    packed(parts, path)
    patched(path, (central(path, CONFIG) + 24, struct.pack("<I", 7)))
    assert refusal(path) == "the member config.json gives two answers on its size."


def test_a_second_end_beyond_the_first(parts, path, refusal):
    """A 64-bit end that leads elsewhere than the ordinary one."""
    good = packed(parts, path).read_bytes()
    body, end = good[:-22], good[-22:]
    fields = (len(body), 44, 45, 45, 0, 0, 9, 9, 9, 9)
    long_end = struct.pack("<4sQ2H2I4Q", zips.END64, *fields[1:])
    locator = struct.pack("<4sIQI", zips.LOCATOR, 0, len(body), 1)
    path.write_bytes(body + long_end + locator + end)
    assert refusal(path) == ("the archive gives two answers on where its members are.")


def test_sizes_of_64_bits_are_read(parts, path):
    """`zipfile` writes them for files that might become large."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(content)
    assert kzoo.check_model_file(path)["class"] == "TextClassifier"


def test_no_permission(parts, path, refusal, monkeypatch):
    packed(parts, path)

    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(zips, "open", denied, raising=False)
    assert refusal(path) == "cannot be read: Permission denied."


@pytest.mark.parametrize("name", [name for name in zips.MEMBERS if name != MEMORY])
def test_a_member_that_is_missing(parts, path, refusal, name):
    packed({n: content for n, content in parts.items() if n != name}, path)
    assert refusal(path).startswith(f"the archive has no {name}, so the model ")


def test_a_file_may_end_anywhere(parts, path):
    """Cut at any byte, it is refused: never an error of another kind."""
    good = packed({**parts, "model.weights.h5": b"x" * 50}, path).read_bytes()
    for length in range(0, len(good), 97):
        path.write_bytes(good[:length])
        with pytest.raises(KzooError):
            kzoo.check_model_file(path)
