"""The command of a job: words reach argparse unchanged, and nothing else of the command changes. Real shells decide."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pai_jupyter.contract import Command, command, default_command, environment, quoting_needed, replicas
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import ArgumentStyle, JobSpec, Json

SHELLS = [shell for shell in (["sh"], ["bash", "--posix"], ["busybox", "sh"]) if shutil.which(shell[0])]
RECEIVER = """
import argparse, json, sys
parser = argparse.ArgumentParser()
for name in sys.argv.pop(1).split(","):
    parser.add_argument("--" + name)
print(json.dumps(vars(parser.parse_args())))
"""
SHOW = "show() { printf '<%s>' \"$@\"; echo; }\n"  # a function of the test's own, before the command


def spec_with(command: str, /, **hyperparameters: Json) -> JobSpec:
    return JobSpec(name="iris", command=command, hyperparameters=hyperparameters)


def run(shell: Sequence[str], spec: JobSpec, made: Command) -> str:
    """Run the command as a backend does: `sh -c` with the variables of the contract."""
    variables = {"PATH": os.environ["PATH"], "HOME": "/root", **environment(spec, replicas(spec)[0])}
    done = subprocess.run(
        [*shell, *made.argv[1:]], env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", check=False
    )
    return f"{done.stdout.decode()}{done.returncode}"


# --- the text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("python train.py $PAI_USER_ARGS", 'python train.py "$@"'),
        ("python train.py ${PAI_USER_ARGS} --x", 'python train.py "$@" --x'),
        ("$PAI_USER_ARGS;$PAI_USER_ARGS", '"$@";"$@"'),
        ("a &&\\\n  b $PAI_USER_ARGS>out", 'a &&\\\n  b "$@">out'),
        ("(cd x && y $PAI_USER_ARGS)", '(cd x && y "$@")'),
        ("echo $(y $PAI_USER_ARGS) `z $PAI_USER_ARGS`", 'echo $(y "$@") `z "$@"`'),
        ("X=$(y $PAI_USER_ARGS)", 'X=$(y "$@")'),
        ("y ${OTHER:-$PAI_USER_ARGS}", 'y ${OTHER:-"$@"}'),
        ("y 'it'\"s\"$PAI_USER_ARGS", 'y \'it\'"s""$@"'),
        ("for a in $PAI_USER_ARGS; do echo $a; done", 'for a in "$@"; do echo $a; done'),
        ("set -e; y $PAI_USER_ARGS", 'set -e; y "$@"'),
        ("set -eu -o pipefail\ny $PAI_USER_ARGS", 'set -eu -o pipefail\ny "$@"'),
        ("echo a#b $PAI_USER_ARGS # $PAI_USER_ARGS\ny $PAI_USER_ARGS", 'echo a#b "$@" # $PAI_USER_ARGS\ny "$@"'),
        ("cat <<A <<-'B'; x $PAI_USER_ARGS\n$PAI_USER_ARGS\nA\n$PAI_USER_ARGS '\n\tB\ny $PAI_USER_ARGS", None),
        ("echo $((1 << 2)) $PAI_USER_ARGS\n2", 'echo $((1 << 2)) "$@"\n2'),
        ('echo "$(case x in x) echo ")";; esac)" $PAI_USER_ARGS', 'echo "$(case x in x) echo ")";; esac)" "$@"'),
        ('echo "${A:-"b}c"}" $PAI_USER_ARGS', 'echo "${A:-"b}c"}" "$@"'),
        ('echo "${A:-\'}" $PAI_USER_ARGS', 'echo "${A:-\'}" "$@"'),
        ("echo ${#A} $# $PAI_USER_ARGS", 'echo ${#A} $# "$@"'),
        ("cat <<< x; y $PAI_USER_ARGS\nx", 'cat <<< x; y "$@"\nx'),
    ],
)
def test_an_unquoted_reference_becomes_the_words(text: str, wanted: str | None) -> None:
    made = command(spec_with(text, n=1))
    here_documents = 'cat <<A <<-\'B\'; x "$@"\n$PAI_USER_ARGS\nA\n$PAI_USER_ARGS \'\n\tB\ny "$@"'
    assert made == Command(text=wanted or here_documents, arguments=("--n", "1"))


@pytest.mark.parametrize(
    "text",
    [
        "python train.py",
        "y '$PAI_USER_ARGS'",
        'y "$PAI_USER_ARGS" "a ${PAI_USER_ARGS} b"',
        'y "$(z $PAI_USER_ARGS)" "`z $PAI_USER_ARGS`"',
        'y "$(z $((1)) "a $PAI_USER_ARGS")"',
        "y \\$PAI_USER_ARGS",
        "y $PAI_USER_ARGS_2 $PAI_USER_ARGSx ${PAI_USER_ARGS:-a} ${#PAI_USER_ARGS} $XPAI_USER_ARGS",
        "ARGS=$PAI_USER_ARGS; export A=x$PAI_USER_ARGS",
        "y # $PAI_USER_ARGS",
        "y $$PAI_USER_ARGS",
        "set -- 1; y `z $PAI_USER_ARGS`",  # words written there would lose their backslashes
        "y $PAI_USER_ARGS\\\n_2",
        "cat <<EOF\n$PAI_USER_ARGS\nEOF",
        'cat <<"E F"\n$PAI_USER_ARGS\nE F',
        "echo $(( $PAI_USER_ARGS + (1) ))",
        "y '$PAI_USER_ARGS",
        'y "$PAI_USER_ARGS',
    ],
)
def test_any_other_reference_stays_and_no_words_are_passed(text: str) -> None:
    assert command(spec_with(text, n=1)) == Command(text=text)


@pytest.mark.parametrize(
    "before",
    [
        "f() { y; }",
        "f ( )\n{ y; }",
        "function f { y; }",
        "set -- 1 2",
        "set 1",
        "set -e -- 1",
        "shift",
        "if true; then shift 2; fi",
    ],
)
def test_where_the_words_are_hidden_they_are_written_into_the_text(before: str) -> None:
    made = command(spec_with(f"a $PAI_USER_ARGS\n{before}\nb $PAI_USER_ARGS", note="it's"))
    assert made.text == f"a \"$@\"\n{before}\nb --note 'it'\"'\"'s'"
    assert made.arguments == ("--note", "it's")


def test_the_command_runs_under_sh_with_the_words_as_its_arguments() -> None:
    made = command(spec_with("y $PAI_USER_ARGS", a="b c"))
    assert made.argv == ("sh", "-c", 'y "$@"', "sh", "--a", "b c")


@pytest.mark.parametrize(("text", "message"), [("y \0", "NUL"), ("y " * 70_000, "140,000 bytes")])
def test_a_command_that_no_program_can_be_given_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        command(spec_with(text))
    assert caught.value.field == "command"


# --- real shells

HOSTILE = st.one_of(
    st.sampled_from(
        ["a b", "a'; echo x", "训练", "", "--x", "-", "$HOME", "*", "\\", "\n", "\t", "\r", "`id`", "'\"", "a=b"]
    ),
    st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=40),
    st.text(alphabet="$'\"\\`*?[]~!#&;|<>(){}= \t\n-=a中", max_size=12),
)


# a value that is exactly "--" is lost by argparse itself, before Python 3.13
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@given(values=st.lists(HOSTILE.filter(lambda text: text != "--"), min_size=1, max_size=6))
@example(values=["x" * 100_000])
@example(values=["训" * 30_000, " ", "$(exit 3)"])
@settings(max_examples=25)
def test_argparse_receives_every_value_unchanged(shell: list[str], values: list[str]) -> None:
    named: dict[str, Json] = {f"p{index}": value for index, value in enumerate(values)}
    receive = shlex.join([sys.executable, "-I", "-S", "-c", RECEIVER, ",".join(named)])
    spec = spec_with(f"{receive} $PAI_USER_ARGS", **named)
    assert run(shell, spec, command(spec)) == json.dumps(named) + "\n0"


PARSER = """
import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("--sizes", nargs="*", type=int)
parser.add_argument("--one", nargs="+")
parser.add_argument("--none", nargs="*")
parser.add_argument("--fast", action=argparse.BooleanOptionalAction)
parser.add_argument("--slow", action=argparse.BooleanOptionalAction)
parser.add_argument("--amp", action="store_true")
parser.add_argument("--cache", action="store_false")
parser.add_argument("--old", type=bool)
print(json.dumps(vars(parser.parse_args())))
"""


def test_argparse_reads_every_style_back() -> None:
    values: dict[str, Json] = {"sizes": [3, -1], "one": ["--x"], "none": [], "fast": True, "slow": False}
    flags: dict[str, Json] = {"amp": True, "cache": False, "old": False}
    styles: dict[str, ArgumentStyle] = {
        **dict.fromkeys(("sizes", "one", "none"), "words"),
        **dict.fromkeys(("fast", "slow"), "switch"),
        "amp": "flag",
        "cache": "no_flag",
        "old": "truthy",
    }
    text = shlex.join([sys.executable, "-I", "-S", "-c", PARSER]) + " $PAI_USER_ARGS"
    spec = JobSpec(name="iris", command=text, hyperparameters={**values, **flags}, argument_styles=styles)
    assert run(["sh"], spec, command(spec)) == json.dumps({**values, **flags}) + "\n0"


FRAGMENTS = [
    "show $PAI_USER_ARGS",
    "show a${PAI_USER_ARGS}b",
    "show \"$PAI_USER_ARGS\" '$PAI_USER_ARGS' \\$PAI_USER_ARGS",
    'show "$(show $PAI_USER_ARGS)" `show $PAI_USER_ARGS` $(show $PAI_USER_ARGS)',
    'show "`show \\"$PAI_USER_ARGS\\"`"',
    'show ${NONE:-$PAI_USER_ARGS} "${NONE:-it\'s $PAI_USER_ARGS}" ${#PAI_USER_ARGS} ${PAI_USER_ARGS%2}',
    "show $((1 + (2 << 3))) $(: # )\n)",
    "cat <<EOF; show $PAI_USER_ARGS\n$PAI_USER_ARGS ' \\$PAI_USER_ARGS\nEOF",
    "cat <<-'EOF'\n\t$PAI_USER_ARGS \"\n\tEOF",
    "cat <<A <<\\B | cat\n'\nA\n\"\nB",
    "show $(cat <<EOF\n$PAI_USER_ARGS\nEOF\n) $PAI_USER_ARGS",
    "show it\\'s # it's $PAI_USER_ARGS",
    'show a#b \\# "#" # "',
    "ARGS=$PAI_USER_ARGS; show $ARGS",
    "A=1 B=$(show $PAI_USER_ARGS) show $PAI_USER_ARGS",
    'case a in b) show ")" ;; *) show $PAI_USER_ARGS ;; esac',
    "show $(case a in (a) show ' )';; b) shift;; esac) $PAI_USER_ARGS",
    'show "$(case a in a) show "$PAI_USER_ARGS" ;; esac)"',
    "for word in $PAI_USER_ARGS; do show $word; done",
    "if show $PAI_USER_ARGS; then (show $PAI_USER_ARGS); else { show; }; fi",
    "f() { show $PAI_USER_ARGS; }; f 7 8; show $PAI_USER_ARGS",
    "set -- 'x y' z; show $PAI_USER_ARGS `show $PAI_USER_ARGS` \"$@\"",
    "set -e; show $PAI_USER_ARGS",
    "show \\\n  $PAI_USER_ARGS \\\n  # $PAI_USER_ARGS",
    "echo esac case in $PAI_USER_ARGS | cat",
    "show ${PAI_USER_ARGS} >/dev/null 2>&1 && show $PAI_USER_ARGS",
]
TOKENS = [
    *"'\"\\`$){}#;|<\n =",
    "&&",
    "$(",
    "${NONE:-",
    "show ",
    "$PAI_USER_ARGS",
    "<<EOF ",
    "EOF",
    "\nEOF\n",
    "case ",
    "esac",
]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_simple_values_come_out_as_under_a_plain_shell(shell: list[str], fragment: str) -> None:
    compare_with_a_plain_shell(shell, fragment)


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@given(fragments=st.lists(st.sampled_from(FRAGMENTS), min_size=2, max_size=6))
@settings(max_examples=60)
def test_so_do_they_in_any_sequence_of_constructs(shell: list[str], fragments: list[str]) -> None:
    compare_with_a_plain_shell(shell, "\n".join(fragments))


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@given(text=st.lists(st.sampled_from(TOKENS), max_size=14).map("".join))
@settings(max_examples=150)
def test_so_they_do_in_any_text_that_a_shell_accepts(shell: list[str], text: str) -> None:
    assume("$$" not in text and "$#" not in text)  # the process id; the count of the words that are now passed
    assume("PAI_USER_ARGS" not in text or not re.search(r"\$(?![\w{(])", text))  # bash splits no word that has a lone $
    if subprocess.run([*shell, "-n", "-c", text], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        compare_with_a_plain_shell(shell, "show $PAI_USER_ARGS; " + text)


def compare_with_a_plain_shell(shell: list[str], text: str) -> None:
    """`show` is put before the finished text, which itself then defines no function that would hide the words."""
    spec = spec_with(text, epochs=10, lr=0.2)
    made = command(spec)
    rewritten = run(shell, spec, Command(text=SHOW + made.text, arguments=made.arguments))
    assert rewritten == run(shell, spec, Command(text=SHOW + text))


# --- the command that is made where none is given


@pytest.mark.parametrize(
    ("options", "inputs", "outputs", "wanted"),
    [
        ([], ["train"], ["model"], "python train.py $PAI_USER_ARGS"),
        (
            ["train_data", "model", "epochs"],
            ["train_data"],
            ["model", "checkpoints"],
            'python train.py $PAI_USER_ARGS --train_data "$PAI_INPUT_TRAIN_DATA" --model "$PAI_OUTPUT_MODEL"',
        ),
        (["a-b"], ["a-b"], [], 'python train.py $PAI_USER_ARGS --a-b "$PAI_INPUT_A_B"'),
        (["model"], ["model"], ["model"], 'python train.py $PAI_USER_ARGS --model "$PAI_INPUT_MODEL"'),
    ],
)
def test_channels_that_the_script_has_options_for_are_passed(
    options: list[str], inputs: list[str], outputs: list[str], wanted: str
) -> None:
    assert default_command("train.py", options=options, inputs=inputs, outputs=outputs) == wanted


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("run.sh", "bash run.sh $PAI_USER_ARGS"),
        ("my train.py", "python 'my train.py' $PAI_USER_ARGS"),
        ("训练.py", "python '训练.py' $PAI_USER_ARGS"),
    ],
)
def test_a_script_may_have_any_name(script: str, wanted: str) -> None:
    assert default_command(script, options=[], inputs=[], outputs=[]) == wanted


def test_an_input_file_with_spaces_reaches_the_script() -> None:
    receive = shlex.join([sys.executable, "-I", "-S", "-c", RECEIVER, "train"])
    text = default_command("X", options=["train"], inputs=["train"], outputs=[]).replace("python X", receive)
    spec = JobSpec(name="iris", command=text, inputs={"train": "./iris 数据.csv"})
    variables = environment(spec, replicas(spec)[0], input_files={"train": "iris 数据.csv"})
    output = subprocess.run(command(spec).argv, env=variables, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(output) == {"train": "/ml/input/data/train/iris 数据.csv"}


# --- the lint

IN_QUOTES = 'sh -c "python train.py $PAI_USER_ARGS"'


@pytest.mark.parametrize(
    ("text", "values", "fragments"),
    [
        ("y $PAI_USER_ARGS", {"a": "b c"}, []),
        (IN_QUOTES, {"a": "b", "中": 1, "lr": 1e-05}, []),
        (IN_QUOTES, {"a": "b c", "n": 1, "list": [1, 2]}, ["the value of 'a', 'list' does not arrive"]),
        (IN_QUOTES, {"a": ""}, ["'a'"]),
        ("y '$PAI_USER_ARGS'", {"a": "$HOME"}, ["'a'"]),
        ("ARGS=$PAI_USER_ARGS; y $ARGS", {"a": "*"}, ["'a'"]),
        ("cat <<EOF\n$PAI_USER_ARGS\nEOF", {"a": "训 练"}, ["'a'"]),
        ("y # $PAI_USER_ARGS", {"a": "b c"}, []),
        ("y --a $PAI_HPS_A_B", {"a.b": "c d"}, ["splits the value of 'a.b'. Write \"$PAI_HPS_A_B\""]),
        ('y --a "$PAI_HPS_A" --n $PAI_HPS_N', {"a": "b c", "n": 1}, []),
        ("y --a $PAI_HPS_A", {"a": "it's $HOME"}, ["'a'"]),
        ("y --a $PAI_HPS_A", {"a": "it's"}, []),
    ],
)
def test_the_lint_names_values_that_a_shell_would_change(
    text: str, values: dict[str, Json], fragments: list[str]
) -> None:
    found = quoting_needed(spec_with("y", **{name.replace("中", "c"): value for name, value in values.items()}), text)
    assert len(found) == len(fragments)
    assert all(fragment in sentence for fragment, sentence in zip(fragments, found, strict=True))


def test_a_flag_needs_no_quoting() -> None:
    spec = JobSpec(
        name="iris",
        command="y",
        hyperparameters={"amp": True, "lr": "a b"},
        argument_styles={"amp": "flag", "lr": "assigned"},
    )
    assert quoting_needed(spec, IN_QUOTES) == []


def test_a_false_value_that_argparse_would_take_for_true_needs_quoting() -> None:
    spec = JobSpec(name="iris", command="y", hyperparameters={"amp": False}, argument_styles={"amp": "truthy"})
    assert len(quoting_needed(spec, IN_QUOTES)) == 1
