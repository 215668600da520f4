#!/usr/bin/env python3
"""Gives ringi-opt one wrong op table after the other and compares its error with what is expected.

usage: table_errors.py RINGI_OPT WORK_FOLDER
"""
import json
import pathlib
import subprocess
import sys

STEP = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
ENTRY = {"op": "t.a", "class": "other", "pure": True}


def entry(**fields):
    """A table with one entry that is right but for `fields`; a field that is None is left out."""
    return {"ops": [{key: value for key, value in (ENTRY | fields).items() if value is not None}]}


def formula(text):
    return entry(flops=text)


FORMULA = "op table 'T': ops[0] 't.a': 'flops': formula '%s': expected %s at column %d"
CASES = [
    ('{"ops":', "op table 'T': not JSON: "),
    ("[]", "op table 'T': not a JSON object"),
    ({}, "op table 'T': field 'ops' is missing or no list"),
    ({"ops": [], "oops": 1}, "op table 'T': unknown field 'oops'; known are barrier, dialect, extends, note, ops, reshape, scope"),
    ({"ops": [], "barrier": 3}, "op table 'T': field 'barrier' is not a string"),
    ({"ops": [], "extends": "hlos"}, "op table 'T': extends: unknown op table 'hlos'; known are hlo, mhlo, stablehlo, or give a "
                                     ".json file"),
    ({"ops": [7]}, "op table 'T': ops[0]: not a JSON object"),
    (entry(op=None), "op table 'T': ops[0]: field 'op' is missing"),
    (entry(op=[]), "op table 'T': ops[0]: 'op' must be the name of an op or a list of names"),
    (entry(op=["t.a", 1]), "op table 'T': ops[0]: 'op' must be the name of an op or a list of names"),
    (entry(op="a"), "op table 'T': ops[0]: 'a' has no dialect; write it as dialect.op or give the table the field 'dialect'"),
    (entry(flop="1"), "op table 'T': ops[0] 't.a': unknown field 'flop'; known are body, branches, bytes, carries, class, "
                      "compares, condition, constant, flops, in_place, integer, note, op, ordered, part_into, part_of, pure, "
                      "recomputable, view_of, view_offset, when, workspace"),
    (entry(**{"class": None}), "op table 'T': ops[0] 't.a': field 'class' is missing or no string"),
    (entry(**{"class": "matmul"}), "op table 'T': ops[0] 't.a': "),
    (entry(pure=None), "op table 'T': ops[0] 't.a': field 'pure' is missing or not true or false"),
    (entry(pure="yes"), "op table 'T': ops[0] 't.a': field 'pure' is missing or not true or false"),
    (entry(recomputable=1), "op table 'T': ops[0] 't.a': field 'recomputable' is not true or false"),
    (entry(pure=False, recomputable=True), "op table 'T': ops[0] 't.a': 'recomputable' is true but 'pure' is false; an op with "
                                           "effects runs once"),
    (entry(flops=5), "op table 'T': ops[0] 't.a': field 'flops' is not a string with a formula"),
    (entry(view_of="same-type"), "op table 'T': ops[0] 't.a': 'view_of' must be the number of one operand or \"each\""),
    (entry(view_of=[0, 1]), "op table 'T': ops[0] 't.a': 'view_of' must be the number of one operand or \"each\""),
    (entry(in_place="all"), "op table 'T': ops[0] 't.a': 'in_place' must be an operand's number, a list of them, \"each\" or "
                            "\"same-type\""),
    (entry(in_place=[-1]), "op table 'T': ops[0] 't.a': 'in_place' must be an operand's number, a list of them, \"each\" or "
                           "\"same-type\""),
    (entry(constant=True), "op table 'T': ops[0] 't.a': 'constant' must be the name of an attribute"),
    (entry(ordered=1), "op table 'T': ops[0] 't.a': 'ordered' must be the name of an attribute"),
    (entry(compares=""), "op table 'T': ops[0] 't.a': 'compares' must be the name of an attribute"),
    (entry(carries=True), "op table 'T': ops[0] 't.a': 'carries' must be \"each\""),
    (entry(part_of="each"), "op table 'T': ops[0] 't.a': 'part_of' must be the number of one operand"),
    (entry(part_into=-1), "op table 'T': ops[0] 't.a': 'part_into' must be the number of one operand"),
    (entry(integer="plus"), "op table 'T': ops[0] 't.a': 'integer' must be one of add, subtract, multiply, minimum, maximum, "
                            "select, copy"),
    (entry(body=True), "op table 'T': ops[0] 't.a': 'body' must name regions by number or attributes that name functions"),
    (entry(condition=[0, 1]), "op table 'T': ops[0] 't.a': 'condition' must be one region or attribute"),
    (entry(when={}), "op table 'T': ops[0] 't.a': 'when' must map attributes to the text they hold"),
    (entry(when={"a": 1}), "op table 'T': ops[0] 't.a': 'when' must map attributes to the text they hold"),
    ({"ops": [ENTRY, ENTRY]}, "op table 'T': ops[1] 't.a': 't.a' has an entry already; give each op one entry for the same 'when'"),
    (entry(op=["t.a", "t.a"]), "op table 'T': ops[0] 't.a': 't.a' has an entry already; give each op one entry for the same 'when'"),
    (formula(""), FORMULA % ("", "a number, a parenthesis, body_flops, min, max, log2, elements, bytes, dim, dims, labelled or "
                                 "product", 1)),
    (formula("2 *"), FORMULA % ("2 *", "a number, a parenthesis, body_flops, min, max, log2, elements, bytes, dim, dims, labelled "
                                       "or product", 4)),
    (formula("2 3"), FORMULA % ("2 3", "an operator", 3)),
    (formula("(1"), FORMULA % ("(1", "')'", 3)),
    (formula("1.2.3"), FORMULA % ("1.2.3", "a number", 1)),
    (formula("elements(x)"), FORMULA % ("elements(x)", "operand, operand[N], operands, result, result[N] or results", 10)),
    (formula("elements(operand[a])"), FORMULA % ("elements(operand[a])", "an integer", 18)),
    (formula("dim(operand)"), FORMULA % ("dim(operand)", "','", 12)),
    (formula("dims(operands, a)"), FORMULA % ("dims(operands, a)", "one operand or result before it, not all", 14)),
    (formula("dims(operand, )"), FORMULA % ("dims(operand, )", "the name of an attribute", 15)),
    (formula("labelled(operand, a, 1, oo)"), FORMULA % ("labelled(operand, a, 1, oo)", "one letter", 27)),
    (formula("(" * 100), "op table 'T': ops[0] 't.a': 'flops': formula '" + "(" * 100 + "': expected at most 64 nested parentheses "
                         "and signs at column 66"),
    (formula("1+" * 1000 + "1"), "op table 'T': ops[0] 't.a': 'flops': a formula of 2001 characters is longer than 1000"),
]


def main():
    ringi_opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    step, table = folder / "step.mlir", folder / "table.json"
    step.write_text(STEP)
    CASES.append(({"ops": [], "extends": str(table)}, "extends: "))
    wrong = 0
    for content, expected in CASES:
        table.write_text(content if isinstance(content, str) else json.dumps(content))
        command = ringi_opt.split() + [str(step), f"--ringi-print-memory=op-table={table}"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        errors = [line for line in run.stderr.splitlines() if "error: " in line]
        text = errors[0].replace(str(table), "T") if errors else "no error"
        if run.returncode != 2 or len(errors) != 1 or expected not in text:
            wrong += 1
            print(f"table {json.dumps(content)[:200]}\n  expected {expected}\n  exit code {run.returncode}: {text}")
    print(f"{len(CASES) - wrong} of {len(CASES)} errors as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
