"""recheck.py: the program around functions that each show one deviation of the guest's; each starts with fresh objects."""

import os
import sys

from by_hand import Wire
from device import Device

DEVIATIONS = {}


def deviation(function):
    """Its name, with dashes, is the waiver's; it takes the device and fails where the deviation does not show."""
    DEVIATIONS[function.__name__.replace("_", "-")] = function
    return function


def seen(device, name):
    try:
        if device.ask is None:
            device.greet()
        device.fresh()
        DEVIATIONS[name](device)
        print(f"{name}: as said", flush=True)
        return True
    except (AssertionError, OSError, ValueError, KeyError) as why:
        print(f"{name}: not seen: {str(why) or repr(why)}", flush=True)
        if not isinstance(why, AssertionError):
            device.ask = None  # it may have gone down
        return False


def main(names):
    for name in names:
        if name not in DEVIATIONS:
            print(f"no deviation '{name}': there are {' '.join(DEVIATIONS)}", file=sys.stderr)
            return 2
    wire = Wire(os.environ["IBPROOF_WIRE"])
    try:
        device = Device(wire)
        found = [seen(device, name) for name in names or DEVIATIONS]
        device.fresh()  # no window may stay bound
    finally:
        wire.close()
    return 0 if all(found) else 1
