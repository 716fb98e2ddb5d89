/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections and datagram services. A line and the event that it causes are one rule: where the model has no such
 * event, the line that waits for it is left out. On real time answers take seconds, so that no message comes again
 * while the tester is slow. */
#include "rules.h"

/* clang-format off */
#define TOLD(who, what) "\n  " who FUZZ_WORD(told) what

static const struct fuzz_rule rules[] = {
    ANY("slow", " localresptout=20 remoteresptout=20"),
    IF("patience", virtual_time, " localresptout={10..16} maxcmretr={0..4}"),
    {"wait", FUZZ_CAP(virtual_time), FUZZ_ANY, "  wait {10|70|140|300|700}ms"},

    /* ---- fields ---- */
    ANY("of_req", " responderres={0..9} initdepth={0..9}"),
    ANY("of_req", " pppmtu={1..5}"),
    ANY("of_req", " retrcount={0..7} rnrretrcount={0..7}"),
    ANY("of_req", " private=fill:x"),
    ANY("of_req", " prim_localacktout={8..14}"),
    IF("of_req", cm_fields, " pppmtu={0|6|7|15}"),
    IF("of_req", cm_fields, " transpsvctype={0..3} ext_transport={0..2}"),
    IF("of_req", cm_fields, " sid=0x{1000000000000042|1000000000000043|0}"),
    IF("of_req", cm_fields, " localqpn=0x{0bee03|0bee04|ffffff|000000}"),
    IF("of_req", cm_fields, " prim_remotegid=fe80::99"),
    IF("of_req", cm_fields, " localcommid={0|1|0x99}"),
    IF("of_req", cm_fields, " version={1|2|3}"),
    ANY("of_rep", " respres={0..4} initdepth={0..4}"),
    ANY("of_rep", " private=fill:y"),
    IF("of_rep", cm_fields, " tgtackdelay={0..31} failoveracc={0..3}"),
    IF("of_rep", cm_fields, " psn=0x{000000|ffffff|123456}"),
    ANY("wrong", " localcommid=0x99"),
    ANY("wrong", " remotecommid={0|0x01020304|c.id+1}"),
    ANY("wrong", " tid=0x7777"),
    ANY("wrong", " version=1"),
    ANY("wrong", " qkey=0x80010001"),
    ANY("reason", "{1..35}"),

    /* ---- messages that nothing led up to ---- */
    ANY("stray", "> {c|c|d} {RTU|DREP|DREQ}{wrong?}"),
    ANY("stray", "> {c|c|d} RTU{wrong}"),
    ANY("stray", "> {c|c|d} DREQ{wrong}"),
    IF("stray", cm_fields, "> {c|c|d} REP{wrong?}"),
    IF("stray", cm_fields, "> {c|c|d} REJ msgrej={0..3} reason={reason}{wrong?}"),
    IF("stray", cm_fields, "> {c|c|d} MRA msgmraed={0..3} servicetimeout={8..16}{wrong?}"),
    IF("stray", cm_fields, "> {c|c|d} {LAP|APR|SAP|SPR}{wrong?}"),

    /* ---- an established connection, and its end ---- */
    ANY("goes_on", "> c DREQ" TOLD("c", "DREQ") "\n  c call disconnect"),
    ANY("goes_on", "  c call disconnect\n> c DREP" TOLD("c", "DREP")),
    ANY("goes_on", "  c call disconnect{|\n> c DREP{wrong}}"),
    ANY("goes_on", "  c call abandon"),
    ANY("goes_on", "> c {RTU|DREQ|DREP}"),
    ANY("goes_on", "{stray}"),
    ANY("goes_on", "{wait}"),
    IF("goes_on", cm_verbs, "> c LAP" TOLD("c", "LAP") "\n  c call loaded status={0..3}"),
    IF("goes_on", cm_verbs, "  c call load\n> c APR status={0..3}{wrong?}"),
    IF("goes_on", cm_verbs, "  c call suggest\n> c SPR"),
    IF("goes_on", cm_verbs, "> c SAP" TOLD("c", "SAP") "\n  c call suggested"),
    IF("goes_on", cm_verbs, "  c call delay servicetimeout={8..16}"),

    /* ---- the passive end ---- */
    ANY("passive", "> c REQ{slow}{of_req?}" TOLD("c", "REQ")),
    ANY("passive", "> c REQ{slow}{of_req?}" TOLD("c", "REQ") "\n  c call accept{of_rep?}"),
    ANY("passive", "> c REQ{slow}{of_req}" TOLD("c", "REQ") "\n  c call accept{of_rep}\n> c RTU" TOLD("c", "ESTABLISHED")),
    IF("passive", virtual_time, "> c REQ{patience}{of_req?}" TOLD("c", "REQ") "\n  c call accept\n{wait}"),
    ANY("passive", "> d REQ{slow}{of_req?}" TOLD("d", "REQ") "\n  d call accept{|\n> d RTU" TOLD("d", "ESTABLISHED") "}"),
    ANY("passive", "  c call accept{of_rep?}"),
    ANY("passive", "> c RTU{wrong?}" TOLD("c", "ESTABLISHED")),
    ANY("passive", "  c call established"),
    ANY("passive", "  c call reject reason=28"),
    IF("passive", cm_fields, "  c call reject reason={reason}"),
    IF("passive", cm_fields, "> c REJ msgrej=1 reason={reason}"),
    ANY("passive", "{goes_on}"),
    ANY("passive", "{goes_on}"),

    /* ---- the active end ---- */
    ANY("active", "  c call connect{| private=fill:x}"),
    ANY("active", "  c call connect\n> c REP{of_rep?}" TOLD("c", "REP") "\n  c call confirm"),
    ANY("active", "  d call connect\n> d REP" TOLD("d", "REP") "\n  d call confirm"),
    ANY("active", "> c REP{of_rep?}" TOLD("c", "REP") "\n  c call confirm"),
    ANY("active", "> c REJ reason={reason}" TOLD("c", "REJ")),
    IF("active", cm_fields, "> c REP{wrong?}"),
    IF("active", cm_fields, "> c REJ reason={reason}{wrong}"),
    IF("active", virtual_time, "  c call connect{patience}\n{wait}"),
    ANY("active", "{goes_on}"),
    ANY("active", "{goes_on}"),

    /* ---- datagram services ---- */
    ANY("service", "> c SIDR_REQ{| private=fill:x}" TOLD("c", "SIDR_REQ")),
    ANY("service", "> c SIDR_REQ" TOLD("c", "SIDR_REQ") "\n  c call resolved qpn=0x00f00d"),
    ANY("service", "> d SIDR_REQ" TOLD("d", "SIDR_REQ") "\n  d call resolved qpn=0x00f00d{| private=fill:y}"),
    ANY("service", "  c call resolved {qpn=0x00f00d|status=2 qpn=0 qkey=0}"),
    ANY("service", "> c SIDR_REQ sid=0x1000000000000043"),
    ANY("service", "  c call abandon"),
    ANY("service", "  c call resolve{| private=fill:x}"),
    ANY("service", "  c call resolve\n> c SIDR_REP{| qpn=0x001234| status={1..5} qpn=0}" TOLD("c", "SIDR_REP")),
    ANY("service", "> c SIDR_REP requestid={c.id+1|0}"),
    IF("service", cm_fields, "> {c|d} SIDR_REQ{ version=1| qkey=0x80010001| requestid={0|1}| sid=0x{0|1000000000000041}}"),
    IF("service", cm_verbs, "  c call resolved status={0..5} qpn=0x00f00d"),
    ANY("service", "{wait}"),
};
/* clang-format on */
const struct fuzz_rules fuzz_cm_rules = {rules, sizeof rules / sizeof *rules};
