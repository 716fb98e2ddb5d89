# SPDX-License-Identifier: BSD-2-Clause
"""recheck.py: the program around functions that each show one deviation of the guest."""

import sys

DEVIATIONS = {}


def deviation(function):
    """Its name, with dashes, is the waiver's; it takes a device and fails if the deviation does not show."""
    DEVIATIONS[function.__name__.replace("_", "-")] = function
    return function


def main(names, seen):
    """seen: calls the function; returns None if the deviation shows, else the actual result. Returns the exit code."""
    for name in names:
        if name not in DEVIATIONS:
            print(f"no deviation '{name}': there are {' '.join(DEVIATIONS)}", file=sys.stderr)
            return 2
    missing = 0
    for name in names or DEVIATIONS:
        instead = seen(DEVIATIONS[name])
        print(f"{name}: {'as said' if instead is None else f'not seen: {instead}'}", flush=True)
        missing += instead is not None
    return 1 if missing else 0
