"""Redoes a derivation with nothing but what its Markdown says, as a reader with a calculator would.

python tests/recompute.py FILE.md

It knows nothing of attncli. Every printed result is computed again from the printed operands: the
numbers of q, q·k and y that are written out, S, exp, a, a v, z and y. A result may be off by as
many units of its last digit as the section says, and by none where it says nothing; it must be
marked if it is off. Exit status 1 if one is not so.
"""

import math
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|inf)"


@dataclass
class Section:
    title: str
    formula: str = ""
    text: str = ""
    stated: int = 0  # units of the last digit by which results may be off
    equations: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)


def cells_of(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def sections_of(text):
    made = []
    in_table = False
    for line in text.splitlines():
        if line.startswith("## "):
            made.append(Section(line[3:]))
        elif not made:
            continue
        elif line.startswith("|"):
            if not in_table:
                made[-1].tables.append([])
            if not re.fullmatch(r"[|:\- ]+", line):
                made[-1].tables[-1].append(cells_of(line))
        elif line.startswith("$"):
            made[-1].formula = made[-1].formula or line
            made[-1].equations.append(line)
        elif found := re.search(r"≈.*?(?:by up to|最多相差) (\d+)", line):
            made[-1].stated = int(found[1])
        else:
            made[-1].text += line
        in_table = line.startswith("|")
    return made


def number(cell):
    found = re.fullmatch(rf"({NUMBER})≈?", cell)
    return float(found[1]) if found else None


class Calculator:
    def __init__(self):
        self.checked = 0
        self.off = 0
        self.faults = []

    def compare(self, section, what, printed, value):
        """The printed result against the recomputed one, in units of its last digit."""
        text = printed.removesuffix("≈")
        mantissa, _, exponent = text.partition("e")
        unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        off = math.ceil(abs(float(text) - value) / unit - 0.5 - 1e-6)
        self.checked += 1
        self.off += off > 0
        if off > section.stated or (off > 0) != printed.endswith("≈"):
            self.faults.append(f"{section.title}: {what}: printed {printed}, recomputed {value}")

    def written_out(self, section, table):
        """Label, left, right, product; then other terms; then the sum."""
        products = []
        for label, left, right, product in table[1:-1]:
            if left:
                self.compare(section, f"product {label}", product, float(left) * float(right))
            products.append(number(product))
        self.compare(section, "sum of products", table[-1][3], math.fsum(products))

    def scores(self, section, table):
        """From left to right, each column from those before it, as its head says."""
        heads = table[0][2:]
        for row in table[1:]:
            if row[0]:
                self.score(section, heads, row[2:], f"key {row[0]}: ")

    def score(self, section, heads, cells, key):
        value, parts = number(cells[0]), []
        for at, (head, cell) in enumerate(zip(heads, cells, strict=True)):
            if at == 0:
                continue
            if root := re.search(r"\\div \\sqrt\{(\d+)\}", head):
                self.compare(section, key + head, cell, value / math.sqrt(float(root[1])))
                value = number(cell)
            elif factor := re.search(rf"\\times ({NUMBER})", head):
                self.compare(section, key + head, cell, value * float(factor[1]))
                value = number(cell)
            elif cap := re.search(r"to ([\d.]+) \\tanh", section.formula):
                self.compare(
                    section, key + head, cell, float(cap[1]) * math.tanh(value / float(cap[1]))
                )
            elif head in (r"$q \cdot r$", r"$k \cdot r$"):
                parts.append(number(cell))
            elif head.startswith("$+"):  # the position bias
                if parts:
                    self.compare(section, key + head, cell, math.fsum(parts))
                elif slope := re.search(rf"(?:number is|系数是) ({NUMBER})", section.text):
                    self.compare(section, key + head, cell, float(slope[1]) * number(cells[at - 1]))
                value += number(cell)
            elif re.fullmatch(r"\$(S|\\text\{(biased|加偏置后)\})\$", head) and cell != "-inf":
                self.compare(section, key + head, cell, value)
                value = number(cell)

    def softmax(self, section, table):
        """exp(S - max); or, where it has a column of its own, a = exp / sum. Then their sum."""
        keys = [row for row in table[1:] if row[0]]
        *_, sums = table[1:]
        peak = next(number(row[2]) for row in table[1:] if not row[0] and row[2])
        others = [row for row in table[1:-1] if not row[0] and not row[2]]
        for row in keys:
            if len(row) > 4:
                self.compare(
                    section, f"a of key {row[0]}", row[4], number(row[3]) / number(sums[3])
                )
            else:
                value = math.exp(number(row[2]) - peak)
                self.compare(section, f"exp of key {row[0]}", row[3], value)
        self.compare(section, "sum", sums[-1], math.fsum(number(row[-1]) for row in keys + others))

    def weigh(self, section, table):
        """Pairs of rows: v, then a × v."""
        for value, product in zip(table[1::2], table[2::2], strict=True):
            a = float(re.match(rf"\$\\quad ({NUMBER})", product[0])[1])
            for v, printed in zip(value[1:], product[1:], strict=True):
                self.compare(section, product[0], printed, a * float(v))

    def column_sums(self, section, table, columns):
        """The last row from those above it."""
        for column in columns:
            total = math.fsum(number(row[column]) for row in table[1:-1])
            self.compare(section, f"column {column}", table[-1][column], total)

    def equation(self, section, line):
        """One number of a vector, after norm or rotation: `$q_{5}[3] = a \\times b ... = r$ ≈`."""
        found = re.fullmatch(r"\$[qk]_\{\d+\}\[\d+\] = ([^=]+) = (\S+?)\$( ≈)?", line)
        if found and "\\sum" not in line:
            operations = found[1].replace(r"\times", "*")
            assert re.fullmatch(r"[-+*/().\de ]+", operations), operations
            value = eval(operations)
            self.compare(section, found[1], found[2] + "≈" * bool(found[3]), value)

    def section(self, section):
        before = self.off
        for line in section.equations:
            self.equation(section, line)
        for table in section.tables:
            heads = " ".join(table[0])
            if table[0][1].endswith("[t]$"):
                self.written_out(section, table)
            elif re.search(r"\\exp\(S", heads):
                self.softmax(section, table)
            elif table[0][0] == "j":
                self.scores(section, table)
            elif r"\lvert" in heads:
                self.column_sums(section, table, range(1, len(table[0]) - 1))
            elif table[-1][0].startswith("$z_"):
                self.column_sums(section, table, range(1, len(table[0])))
            elif len(table) > 2 and r"\times v" in table[2][0]:
                self.weigh(section, table)
        if section.stated and self.off == before:
            self.faults.append(f"{section.title}: speaks of rounding, and nothing is off")


def recompute(text):
    """Redoes all sections; returns how many results it has checked, and the faults."""
    calculator = Calculator()
    for section in sections_of(text):
        calculator.section(section)
    return calculator.checked, calculator.faults


if __name__ == "__main__":
    count, wrong = recompute(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(*wrong, f"{count} results recomputed, {len(wrong)} wrong", sep="\n")
    sys.exit(bool(wrong) or not count)
