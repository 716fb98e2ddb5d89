#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The list of broken engines that no scenario catches (docs/tables/survivors.md) grows only by rows that name a number, and every
number is explained there. IBPROOF_BIN names the folder of our programs."""
import os
import pathlib
import re
import subprocess
import unittest

BIN = pathlib.Path(os.environ["IBPROOF_BIN"])
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "tables" / "survivors.md"

# The list before any verdict was withdrawn.
FIRST = """
RC-requester.ACK=swap
RC-requester.ACK_FOR_ANSWER=other:2
RC-requester.ACK_FOR_ANSWER=swap
RC-requester.DUPLICATE=drop
RC-requester.NAK_INVALID_RD=swap
RC-requester.NAK_INVALID_REQUEST=swap
RC-requester.NAK_KNOWN=other:1
RC-requester.NAK_REMOTE_ACCESS=swap
RC-requester.NAK_REMOTE_OPERATION=swap
RC-requester.NAK_SEQUENCE=swap
RC-requester.READ_DATA=swap
RC-requester.READ_OUT_OF_ORDER=swap
RC-requester.RNR=swap
RC-responder.AGAIN_ACKED=other
RC-responder.CREDITS_AGREED=drop
RC-responder.add=swap
RC-responder.answer_waits=drop
RC-responder.atomic_write_denied=swap
RC-responder.atomic_write_misaligned=swap
RC-responder.depth_exceeded=drop
RC-responder.depth_exceeded=swap
RC-responder.duplicate=swap
RC-responder.first_in_rtr=swap
RC-responder.flush=swap
RC-responder.gap=swap
RC-responder.malformed_again=drop
RC-responder.no_room_again=drop
RC-responder.page_absent=swap
RC-responder.read=swap
RC-responder.read_gone=drop
RC-responder.read_gone=swap
RC-responder.receive_absent=swap
RC-responder.receive_protected=swap
RC-responder.reserved=drop
RC-responder.reserved=other:2
RC-responder.send_end=swap
RC-responder.send_part=swap
RC-responder.send_too_long=swap
RC-responder.write_end=swap
RC-responder.write_part=drop
RC-responder.write_part=swap
RC-responder.write_short=swap
UC-receiver.dma_too_long=drop
UC-receiver.dma_too_long=other:1
UC-receiver.first_in_rtr=swap
UC-receiver.nothing_to_go_on=other
UC-receiver.nothing_to_go_on=swap
UC-receiver.other_operation=swap
UC-receiver.receive_protected=swap
UC-receiver.send_end=swap
UC-receiver.send_without_wqe=other:1
UC-receiver.unfinished_before=swap
UC-receiver.write_unnoticed=other
UC-receiver.write_unnoticed=other:1
UD-receiver.raw=drop
UD-receiver.receive_protected=swap
emit.atomic_request/bth.a=^1
emit.extended_request/bth.a=^1
emit.ip.id=+1
emit.read_request/bth.a=^1
header-validation.marked=swap
header-validation.multicast_disagrees=swap
header-validation.multicast_no_grh=drop
header-validation.peer_armed=swap
header-validation.qkey_differs=swap
header-validation.rc_request=swap
memory.INVALIDATE_VALID=drop
memory.INVALIDATE_WINDOW_PD=drop
memory.WINDOW_OF_DEAD_QP=drop
objects.QPN_ORDINARY=drop
receivers.WRITE_WHOLE=other
transitions.RESET_TO_ERR=drop
"""
GONE = {
    "RC-responder.depth_exceeded=drop": "rc.responder.depth-zero catches it: a queue pair with a depth of 0 serves no READ",
}
# Rows of the first list whose reason is another one since a verdict was withdrawn.
RENUMBERED = {"RC-responder.first_in_rtr=swap", "UC-receiver.first_in_rtr=swap", "UC-receiver.unfinished_before=swap"}
NUMBER = re.compile(r"\(([acdn]\d+)\)")


def reasons():
    """broken engine: why it is not caught."""
    text = subprocess.run([BIN / "ibconform", "mutants", "--list"], capture_output=True, text=True, check=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("mutant:"):
            name = line.split()[0].removeprefix("mutant:")
        match = re.match(r"    (?:equivalent|allowed|not tested): (.*)", line)
        if match:
            found[name] = match.group(1)
    return found


class Survivors(unittest.TestCase):
    def setUp(self):
        self.reasons, self.first = reasons(), set(FIRST.split())

    def test_a_later_row_names_a_number_and_an_early_one_none(self):
        for name, why in self.reasons.items():
            with self.subTest(name):
                later = name not in self.first or name in RENUMBERED
                self.assertEqual(bool(NUMBER.search(why)), later, why)

    def test_no_row_is_gone_without_a_reason(self):
        self.assertEqual(self.first - set(self.reasons), set(GONE))

    def test_every_number_is_explained_and_used(self):
        used = {n for why in self.reasons.values() for n in NUMBER.findall(why)}
        explained = set(re.findall(r"^\| ([acdn]\d+) \|", PAGE.read_text(encoding="utf-8"), re.M))
        self.assertLessEqual(used, explained)
        # Verdicts that were withdrawn in scenarios alone have a number, but no broken engine.
        self.assertEqual(explained - used, {"c2"})


if __name__ == "__main__":
    unittest.main()
