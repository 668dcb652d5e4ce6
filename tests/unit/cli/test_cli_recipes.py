"""ls, show, cp and validate: exact output and exit codes."""

import json
import sys

import pytest
from kzoo_cli.main import main
from kzoo_recipes import describe, dict_of, find, load, names, to_toml
from kzoo_recipes.json_schema import json_schema
from kzoo_recipes.reference import reference


@pytest.mark.parametrize("columns", ["30", "200"])
def test_ls_cuts_nothing_where_no_terminal_is(kzoo, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    result = kzoo("ls")
    assert result.exit_code == 0
    width = max(map(len, names()))
    lines = [f"{name:{width}}  {describe(name)}\n" for name in names()]
    assert result.output == "".join(lines)


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_ls_wraps_in_a_terminal(monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(SystemExit) as ended:
        main(["ls"])
    lines = capsys.readouterr().out.splitlines()
    assert ended.value.code == 0
    assert max(map(len, lines)) <= columns
    assert [line.split()[0] for line in lines if line[0] != " "] == names()
    said = " ".join(" ".join(lines).split())
    assert said == " ".join(f"{name} {describe(name)}" for name in names())


def test_ls_json(kzoo):
    rows = json.loads(kzoo("ls", "--json").stdout)
    assert [row["name"] for row in rows] == names()
    assert rows[0]["description"] == describe(names()[0])
    assert rows[0]["path"] == str(find(names()[0]))


def test_show_is_the_file(kzoo):
    result = kzoo("show", "sst2")
    assert result.exit_code == 0
    assert result.output == find("sst2").read_text()


def test_show_says_the_rates_of_layers(kzoo):
    options = ["--set", "training.layer_decay=0.5", "--set", "training.learning_rate=1"]
    result = kzoo("show", "token_tagger", *options)
    recipe = load("token_tagger", options[1::2])
    assert (result.exit_code, result.stdout) == (0, to_toml(recipe))
    assert recipe.model.encoder.num_layers == 2
    assert result.stderr == (
        "peak rates by layer: encoder.block_1 0.5, encoder.block_0 0.25, "
        "encoder.embedding 0.125; `kzoo train --dry-run` says them all\n"
    )
    options += ["--set", 'training.learning_rates={"encoder.block_*"=0.1}']
    assert "encoder.block_1 0.05, " in kzoo("show", "token_tagger", *options).stderr
    assert kzoo("show", "token_tagger", *options, "--json").stderr == ""
    summarizer = kzoo("show", "summarizer", *options[:4]).stderr
    assert "decoder.block_1 0.5, " in summarizer
    assert "decoder.embedding" not in summarizer  # It is the encoder's.


def test_show_resolved(kzoo):
    result = kzoo("show", "sst2", "--resolved")
    assert result.output == to_toml(load("sst2"))


def test_show_with_override(kzoo):
    result = kzoo("show", "sst2", "--set", "seed=9")
    assert result.output == to_toml(load("sst2", ["seed=9"]))


def test_show_json(kzoo):
    result = kzoo("show", "sst2", "--json", "--set", "training.epochs=9")
    assert json.loads(result.stdout) == dict_of(load("sst2", ["training.epochs=9"]))


def test_cp_to_the_working_directory(kzoo, tmp_path):
    result = kzoo("cp", "trec6")
    assert (result.exit_code, result.output) == (0, "Copied trec6 to trec6.toml\n")
    assert tmp_path.joinpath("trec6.toml").read_bytes() == find("trec6").read_bytes()


def test_cp_to_a_folder_and_to_a_file(kzoo, tmp_path):
    tmp_path.joinpath("mine").mkdir()
    assert kzoo("cp", "trec6", "mine").stdout == "Copied trec6 to mine/trec6.toml\n"
    result = kzoo("cp", "trec6", "mine/questions.toml", "--json")
    assert result.stdout == '{"path": "mine/questions.toml"}\n'


def test_cp_never_overwrites_unless_forced(kzoo, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("mine")
    result = kzoo("cp", "trec6", "own.toml")
    assert result.exit_code == 2
    assert result.stderr == "Error: own.toml is there already; --force replaces it.\n"
    assert own.read_text() == "mine"
    assert kzoo("cp", "trec6", "own.toml", "--force").exit_code == 0
    assert own.read_bytes() == find("trec6").read_bytes()
    assert kzoo("cp", "own.toml", "own.toml", "--force").exit_code == 0
    assert own.read_bytes() == find("trec6").read_bytes()


def test_cp_to_nowhere(kzoo):
    result = kzoo("cp", "trec6", "no/where.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: there is no folder no to copy to.\n"


def test_validate(kzoo):
    result = kzoo("validate", "sst2", "trec6")
    assert result.exit_code == 0
    assert result.output == "sst2 is valid\ntrec6 is valid\n"


def test_validate_tells_of_every_file(kzoo, tmp_path):
    shipped = find("sst2").read_text()
    for name, key in {
        "a.toml": "epoch",
        "b.toml": "epochs",
        "c.toml": "eopchs",
    }.items():
        tmp_path.joinpath(name).write_text(shipped.replace("epochs", key))
    result = kzoo("validate", "a.toml", "b.toml", "c.toml")
    assert result.exit_code == 2
    assert result.stdout == "b.toml is valid\n"
    assert [line.split(";")[0] for line in result.stderr.splitlines()] == [
        'Error: a.toml: [training] has no key "epoch"',
        'Error: c.toml: [training] has no key "eopchs"',
    ]


def test_validate_lists_every_mistake(kzoo, tmp_path):
    text = find("sst2").read_text().replace("epochs = 5", "epochs = 0\nlr = 1")
    tmp_path.joinpath("my.toml").write_text(text)
    result = kzoo("validate", "my.toml", "--set", "seed=no")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        'Error: my.toml: [training] has no key "lr"; did you mean "learning_rate"? '
        "Received: lr=1\n"
        "Error: --set seed=no: seed must be a whole number of at least 0. "
        'Received: seed="no"\n'
        "Error: my.toml: [training] epochs must be a whole number of at least 1. "
        "Received: epochs=0\n"
    )


def test_validate_json(kzoo):
    result = kzoo("validate", "--json", "sst2", "sst3")
    assert result.exit_code == 2
    message = 'no recipe is named "sst3"; did you mean "sst2"?'
    assert json.loads(result.stdout) == [
        {"recipe": "sst2", "valid": True, "errors": []},
        {
            "recipe": "sst3",
            "valid": False,
            "errors": [{"key": None, "message": message}],
        },
    ]


def test_validate_json_names_keys(kzoo):
    result = kzoo("validate", "--json", "sst2", "--set", "training.epochs=0")
    [recipe] = json.loads(result.stdout)
    assert [error["key"] for error in recipe["errors"]] == ["training.epochs"]


def test_schema(kzoo):
    result = kzoo("schema")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json_schema()


def test_schema_for_readers(kzoo):
    assert kzoo("schema", "--markdown").stdout == reference()


def test_a_line_for_editors_is_no_description(kzoo, tmp_path):
    lines = "#:schema kzoo.schema.json\n# What it is.\n"
    tmp_path.joinpath("my.toml").write_text(lines)
    assert describe("my.toml") == "What it is."


@pytest.mark.parametrize("command", ["show", "validate", "train"])
def test_every_command_takes_overrides(kzoo, command):
    result = kzoo(command, "sst2", "--set", "training.batch_size=big")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: --set training.batch_size=big: [training] batch_size must be a whole "
        'number of at least 1. Received: batch_size="big"\n'
    )


@pytest.mark.parametrize("command", ["show", "cp", "validate", "train"])
def test_every_command_knows_near_names(kzoo, command):
    result = kzoo(command, "text_clasifier")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        'Error: no recipe is named "text_clasifier"; did you mean "text_classifier"?\n'
    )


@pytest.mark.parametrize(
    "option, meant",
    {
        "--epochs": "--set training.epochs=…",
        "--num-train-epochs": "--set training.epochs=…",
        "--lr": "--set training.learning_rate=…",
        "--seed": "--set seed=…",
        "--pretrained": "--set model.pretrained=…",
        "--gpu": "--device gpu:0",
    }.items(),
)
def test_options_of_other_programs(kzoo, option, meant):
    result = kzoo("train", "sst2", option, "3")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: there is no option {option}; write {meant}. `kzoo train --help` says "
        "more.\n"
    )


def test_options_that_no_recipe_says_either(kzoo):
    result = kzoo("train", "sst2", "--zzz")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: No such option '--zzz'")
