# SPDX-License-Identifier: BSD-2-Clause
"""Mutants of tables: rows of X-macros (#define NAME(F) F(a, b, c) F(d, e, f)), which no parser of C sees as rows.

A row is left out, exchanged with the one after it, or has another row's entry in one column. Sentences, clauses and names (strings and
the first column) are not changed, since they are no behaviour. Lists of the ways to break an engine are not changed either.

No mutant is made where the way the table is read hides the change: the exchange of two rows for different inputs or of rows that exclude
each other, since no input reaches both; the exchange of rows of a table whose order has no effect; the code of an answer without a
code; and what becomes of a connection, in a row that has none.
"""

import re

from mutant import Mutant

DEFINE = re.compile(rb"^#[ \t]*define[ \t]+(\w+)\((\w+)\)((?:[^\n]*\\\n)+[^\n]*)", re.M)
BROKEN = re.compile(r"DOES|DEVIATION")
# The column that must equal the input for a row to apply, and the columns of the answer and of its code, which only these answers have.
INPUT = {"CM_MESSAGE_RULES": 1, "CM_TIMER_RULES": 1, "CM_VERB_RULES": 1}
CODE = dict.fromkeys(INPUT, (5, 6, (b"REJ", b"APR", b"SIDR_REP")))
# The column of the states of a connection in which a row applies.
STATES = dict.fromkeys(INPUT, 2)
# Rows without a connection, which these entries of two columns tell: no code reads their columns of state, timer and event.
BARE = {"CM_MESSAGE_RULES": ((2, (b"NO",)), (4, (b"NULL", b"iba_cm_take_stale")), (7, 8, 9))}
# Rows that exclude each other: each is of another operation, syndrome, NAK code, service or kind of port, of another kind of message or
# state of a connection, of a receive WQE that is there or is not, of a message that begins or goes on, of a PSN before or after the
# expected one, of the first PSN or a later one, or of a DMA length above 2^31 or below that of the payload. Or a row before has taken what
# both would: accepted_stray each acceptance of another connection, close_unknown each end of one.
EXCLUSIVE = {
    "RC_RESPONDER_RULES": (
        "write_not_enabled read_not_enabled atomic_not_enabled flush_not_enabled atomic_write_not_enabled",
        "no_receive_wqe receive_absent", "write_beyond write_short send_too_long atomic_misaligned atomic_write_length",
        "write_denied read_denied atomic_denied flush_denied atomic_write_denied", "send_end write_part", "write_end read swap",
        "add flush atomic_write", "gap malformed_again", "duplicate rd_refused", "unfinished_before nothing_to_go_on",
        "xrc_other_srq rd_other_receiver", "depth_exceeded no_receive_wqe", "atomic_write_misaligned receive_protected write_denied",
        "atomic_write_denied page_absent send_part send_invalidate", "write_part write_notify", "dma_too_long write_beyond"),
    "RC_COMPLETER_RULES": (
        "NAK_SEQUENCE RNR_EXHAUSTED", "RNR NAK_INVALID_REQUEST NAK_REMOTE_ACCESS NAK_REMOTE_OPERATION NAK_INVALID_RD ACK",
        "ACK_FOR_ANSWER NAK_SEQUENCE", "ACK ANSWER_NOT_POSITIVE", "LOSS_KNOWN NAK_KNOWN", "READ_DATA ATOMIC_RESULT"),
    "UC_RULES": (
        "reserved nothing_to_go_on", "other_operation unfinished_before", "write_not_enabled send_without_wqe",
        "dma_too_long write_beyond write_short send_too_long", "receive_protected write_denied page_absent", "send_end write_unnoticed"),
    "UD_RULES": ("no_wqe too_long", "receive_protected receive_absent"),
    "ROWS": (  # of both ends of a DC connection
        "request accepted_stray", "other_connection accepted", "accepted_again done", "done_again cnak bad_key",
        "refused_late closed", "closed_early resend", "no_answer idle connect half connected", "connect_again connect_late",
        "connect close_unknown", "close other_connection", "duplicate gap"),
    "VALIDATE_RULES": (
        "longer_than_mtu mac_foreign", "mac_foreign dlid_foreign", "to_qp0_over_ethernet multicast_no_grh",
        "request_out_of_season response_out_of_season", "grh_missing grh_unwanted", "xrc_foreign_srq gid_foreign",
        "qkey_differs cnp", "rc_request uc_packet"),
}
# Lists whose order has no effect: each attribute of a QP is copied to its own field, each counter is shown and set by its own name, and
# the statements that broken engines break are found by the engine's name (conformance-targets-names checks that each name is there once).
UNORDERED = ("ATTRIBUTES", "BREAKS", "COUNTERS", "EXTENDED")
COMMENT = re.compile(rb"/\*.*?\*/", re.S)


def closing(text, at):
    """Offset after the parenthesis that closes the one at `at`, or None."""
    depth, quoted = 0, None
    for i in range(at, len(text)):
        c = text[i:i + 1]
        if quoted:
            quoted = None if c == quoted and text[i - 1:i] != b"\\" else quoted
        elif c in (b'"', b"'"):
            quoted = c
        elif c == b"(":
            depth += 1
        elif c == b")":
            depth -= 1
            if depth == 0:
                return i + 1
    return None


def columns(text, start, end):
    """Spans of the arguments between parentheses, without blanks around them."""
    found, depth, quoted, first = [], 0, None, start
    for i in range(start, end + 1):
        c = text[i:i + 1]
        if quoted:
            quoted = None if c == quoted and text[i - 1:i] != b"\\" else quoted
        elif i == end or (c == b"," and depth == 0):
            piece = text[first:i]
            left = len(piece) - len(piece.lstrip(b" \t\\\n"))
            found.append((first + left, first + left + len(piece.strip(b" \t\\\n"))))
            first = i + 1
        elif c in (b'"', b"'"):
            quoted = c
        elif c in (b"(", b"{"):
            depth += 1
        elif c in (b")", b"}"):
            depth -= 1
    return found


def tables_of(text):
    """(name of the table, spans of its rows) for each X-macro of two rows or more."""
    plain = COMMENT.sub(lambda m: re.sub(rb"[^\n\\]", b" ", m.group()), text)
    for match in DEFINE.finditer(plain):
        name, parameter = match.group(1).decode(), match.group(2)
        rows = []
        for call in re.finditer(rb"\b" + parameter + rb"\(", match.group(3)):
            start = match.start(3) + call.start()
            end = closing(plain, match.start(3) + call.end() - 1)
            if end is not None and end <= match.end(3):
                rows.append((start, end, columns(plain, match.start(3) + call.end(), end - 1)))
        if len(rows) > 1 and not BROKEN.search(name):
            yield name, plain, rows


def states_in(text, plain):
    """The states that an expression of IN(...) and of macros names."""
    found = set(re.findall(rb"\bIN\((\w+)\)", text))
    for word in set(re.findall(rb"\b\w+\b", text)) - found - {b"IN"}:
        macro = re.search(rb"^#define " + word + rb" (.*)$", plain, re.M)
        found |= states_in(macro.group(1), plain) if macro else set()
    return found


def asked_apart(name, one, other, plain):
    """Whether no input reaches both rows, given by their columns, or the order of the table has no effect."""
    column, states = INPUT.get(name), STATES.get(name)
    names = {plain[slice(*row[0])].decode() for row in (one, other)}
    return (name in UNORDERED or any(names <= set(group.split()) for group in EXCLUSIVE.get(name, ()))
            or (column is not None and len({plain[slice(*row[column])] for row in (one, other)}) == 2)
            or (states is not None and not set.intersection(*(states_in(plain[slice(*row[states])], plain) for row in (one, other)))))


def unread(name, column, parts, plain):
    """Whether no code reads that column of a row with this answer, or of a row without a connection."""
    answer, code, coded = CODE.get(name, (None, None, ()))
    *bare, bare_columns = BARE.get(name, ((),))
    return ((column == code and plain[slice(*parts[answer])] not in coded)
            or (column in bare_columns and all(plain[slice(*parts[at])] in entries for at, entries in bare)))


def blank(text):
    """As many empty lines as `text` has."""
    return "\\\n" * text.count(b"\n")


def mutants_of(path, name, lines=None):
    text = path.read_bytes()
    found = []

    def add(span, operator, replacement):
        line = text.count(b"\n", 0, span[0]) + 1
        if lines is None or line in lines:
            column = span[0] - text.rfind(b"\n", 0, span[0])
            found.append(Mutant(name, line, column, operator, span[0], span[1], replacement))

    for table, plain, rows in tables_of(text):
        for i, (start, end, parts) in enumerate(rows):
            add((start, end), "row-dropped", blank(text[start:end]))
            after = rows[(i + 1) % len(rows)]
            one_line = b"\n" not in text[start:end] + text[after[0]:after[1]]
            if i + 1 < len(rows) and one_line and not asked_apart(table, parts, after[2], plain):
                gap = text[end:after[0]]
                swapped = text[after[0]:after[1]] + gap + text[start:end]
                add((start, after[1]), "rows-exchanged", swapped.decode())
            for column, span in enumerate(parts[1:], 1):
                old = plain[span[0]:span[1]]
                if old.startswith(b'"') or len(after[2]) <= column or unread(table, column, parts, plain):
                    continue
                other = plain[after[2][column][0]:after[2][column][1]]
                if other and other != old and b"\n" not in old + other and not other.startswith(b'"'):
                    add(span, "other-row's-entry", other.decode())
                if re.fullmatch(rb"[0-9]+", old):
                    add(span, "constant", str(int(old) + 1))
    return found
