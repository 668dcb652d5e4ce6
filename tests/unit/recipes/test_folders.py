import pytest
from kzoo_recipes import KzooError
from kzoo_recipes.folders import written_beside


def test_appears_only_when_it_is_complete(tmp_path):
    folder = tmp_path / "recipe" / "jax"
    with written_beside(folder) as partial:
        (partial / "inner").mkdir()
        (partial / "inner" / "a").write_text("1")
        assert not folder.exists()
    assert (folder / "inner" / "a").read_text() == "1"
    assert [p.name for p in folder.parent.iterdir()] == ["jax"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_nothing(tmp_path, error):
    with pytest.raises(error), written_beside(tmp_path / "recipe" / "jax") as partial:
        (partial / "a").write_text("1")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_a_failed_replacement_leaves_the_old_one(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "a").write_text("old")
    with pytest.raises(RuntimeError), written_beside(folder, replace=True) as partial:
        (partial / "a").write_text("new")
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    assert (folder / "a").read_text() == "old"


def test_replaces_the_whole_folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "old").write_text("old")
    with written_beside(folder, replace=True) as partial:
        (partial / "new").write_text("new")
    assert [p.name for p in folder.iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_takes_the_place_of_a_link_and_not_of_what_it_links_to(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "old").write_text("old")
    (tmp_path / "run").symlink_to(tmp_path / "kept")
    with written_beside(tmp_path / "run", replace=True) as partial:
        (partial / "new").write_text("new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept", "run"]
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["new"]
    assert [p.name for p in (tmp_path / "kept").iterdir()] == ["old"]


def test_does_not_overwrite_what_appeared_in_the_meantime(tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(KzooError, match="appeared"), written_beside(folder):
        folder.mkdir()
        (folder / "a").write_text("theirs")
    assert (folder / "a").read_text() == "theirs"
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
