# SPDX-License-Identifier: BSD-2-Clause
"""The command lines of the programs that play cases in guests: which cases are asked for, and how a program ends."""

import argparse
import fnmatch
import json
import sys

from peer import Failed, Gone


def chosen(all_of, names):
    return [e for e in all_of if not names or any(fnmatch.fnmatchcase(e.name, name) for name in names)]


def arguments(usage, all_of, noun, wanted):
    """Parses the command line. all_of: the cases that may be named; wanted: options with values and their number, {"guests": 2}
    (None: one). Ends the program if the command line is wrong. given.chosen: the cases to make."""
    parser = argparse.ArgumentParser(usage=usage, allow_abbrev=False)
    parser.add_argument("--list", action="store_true")
    for option, count in wanted.items():
        parser.add_argument(f"--{option}", nargs=count)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    for name in given.names:
        if not chosen(all_of, [name]):
            sys.exit(f"guest: no {noun} '{name}' (--list names them)")
    if not given.list and not all(getattr(given, option) for option in wanted):
        options = [f"--{option}" for option in wanted]
        parser.error(f"{', '.join(options[:-1])} and {options[-1]} are wanted")
    given.chosen = chosen(all_of, given.names)
    return given


def run(main):
    """Ends the program with main's exit code, or with a line about what stopped it."""
    try:
        sys.exit(main())
    except (Failed, Gone, OSError, json.JSONDecodeError) as trouble:
        sys.exit(f"guest: {trouble}")
    except KeyboardInterrupt:
        sys.exit(130)
