#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""compare.py: the list of differences holds for the versions of the witness that it names, and its counts go by version."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import compare  # noqa: E402

ENTRY = {"name": "n", "fields": ["a", "b.*"], "in": ["original"], "when": "theirs == ''", "right": "us", "why": "w", "source": "s", "pcaps": 3}
LIST = pathlib.Path(compare.__file__).parent / "tshark.differences"


class Versions(unittest.TestCase):
    def test_series(self):
        for text in ("4.4", "4.4.18", "TShark (Wireshark) 4.4.18.", "TShark (Wireshark) 4.4.18 (Git v4.4.18 packaged as 4.4.18-0+deb13u1)"):
            self.assertEqual(compare.series(text), (4, 4))
        self.assertLess(compare.series("4.6"), compare.series("4.10"))
        with self.assertRaises(ValueError):
            compare.series("TShark")

    def test_range(self):
        for given, stands in (({}, "yyy"), ({"until": "4.0"}, "ynn"), ({"from": "4.4"}, "nyy"), ({"from": "4.4", "until": "4.4"}, "nyn")):
            entry = compare.Difference(ENTRY | given)
            self.assertEqual("".join("ny"[entry.stands(v)] for v in ((4, 0), (4, 4), (4, 6))), stands, given)

    def test_counts(self):
        for given, counts in ((3, (3, 3, 3)), ({"4.0": 9, "4.4": 4}, (9, 4, 4)), ({"4.4": 5, "4.6": 0}, (0, 5, 0))):
            self.assertEqual(tuple(compare.Difference(ENTRY | {"pcaps": given}, v).expected for v in ((4, 0), (4, 4), (4, 6))), counts)

    def test_mended_is_no_excuse(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as f:
            rows = "\n".join(f"{key} = {value!r}" for key, value in ENTRY.items() if key != "when")
            f.write(f"[[difference]]\n{rows}\nwhen = \"theirs == ''\"\nuntil = '4.0'\n")
            f.flush()
            for version, left in (((4, 0), 0), ((4, 4), 1)):
                verdict = compare.Verdict(compare.load(f.name, version))
                verdict.value("original", "b.c", "packet 1", "", "7")
                self.assertEqual(len(verdict.unexplained), left)

    def test_the_list(self):
        """Each name is in the list once for every version, and unknown names are refused."""
        for version in ((4, 0), (4, 4), (4, 6)):
            names = [entry.name for entry in compare.load(LIST, version)]
            self.assertEqual(len(names), len(set(names)))
        with self.assertRaises(ValueError):
            compare.Difference(ENTRY | {"since": "4.4"})


if __name__ == "__main__":
    unittest.main()
