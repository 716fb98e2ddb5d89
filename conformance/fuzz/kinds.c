/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of cases. The rules use these names of objects: QPs a b u e j, regions m l of the language itself, f (peers
 * may write), g (peers may read), x (of another domain), i (can be invalidated), z (zero-based), o (on demand), windows
 * w and v of type 1 and 2, CQs c d, SRQ s, groups n h, domain p, conversations c and d of a connection manager. */
#include "grammar.h"

/* clang-format off */
#define REGIONS "pd p\n" \
                "mr f length=4096 access=local_write,remote_write,mw_bind\n" \
                "mr g length=4096 access=local_write,remote_read,mw_bind\n" \
                "mr x length=4096 pd=p\n"
#define CQ "cq c\n"
#define PATH "{|||sl={0..7}}{||| tclass={0..255}}{||| hop={1..255}}{||| flow={u20}}"
#define QP_BARE "qp a pmtu={mtu} epsn={psn0} psn={psn0} {|scq=c rcq=c|rcq=c} " PATH
#define QP_A QP_BARE "{receives}"
#define COUNTS "{timeout} retry={0..7} rnr_retry={0..7} rd={0..5}"
#define ALL(weight, name, spec, service, objects, begin, step) {name, weight, FUZZ_ANY, 0, spec, service, objects, begin, step}
#define IF(weight, name, cap, spec, service, objects, begin, step) {name, weight, FUZZ_ANY, cap, spec, service, objects, begin, step}

#define VIRTUAL FUZZ_CAP(virtual_time)

const struct fuzz_kind fuzz_kinds[] = {
    ALL(12, "RC responder", "RR-01", "rc",
        REGIONS CQ "{s}" QP_A " min_rnr={0..31} dest_rd={0..4}{credit_flow}{||| access={remote_write|remote_read|none}}{||| state=rtr}\n", NULL, "rc"),
    ALL(8, "RC responder with all it has", "RR-01", "rc",
        REGIONS CQ "{i}{o}{w}{s}" QP_A "{entry} min_rnr={0..31} dest_rd={0..4}\n", "{|{pkey_entry}}", "rc"),
    ALL(10, "RC requester", "RQ-01", "rc",
        REGIONS CQ "{s}" QP_A " retry={0..7} rnr_retry={0..7} rd={0..5}{credit_flow} sig={all|wr}\n", NULL, "rq"),
    IF(14, "RC requester and its timers", VIRTUAL, "RQ-19", "rc",
        REGIONS CQ "{s}" QP_A COUNTS "{credit_flow} sig={all|wr}\n", NULL, "rq"),
    IF(8, "UC receiver", FUZZ_CAP(uc), "UU-01", "uc",
        REGIONS CQ "{o}{s}" QP_A "{||| access={remote_write|remote_read|none}}{||| state=rtr}\n", NULL, "uconnection"),
    IF(3, "UC sender", FUZZ_CAP(uc), "UU-01", "uc",
        REGIONS CQ "{w}{s}" QP_A " sig={all|wr}\n", NULL, "uc"),
    IF(7, "UD receiver", FUZZ_CAP(ud), "UU-20", "ud",
        REGIONS CQ "{o}{s}{groups}" QP_A " qkey={0x11111111|{u32}}{||| state=rtr}\n", "{|{join}}", "datagram"),
    IF(4, "UD sender", FUZZ_CAP(ud), "UU-16", "ud",
        REGIONS CQ "{groups}{s}" QP_A " qkey={0x11111111|{u32}} sig={all|wr}\n", NULL, "send"),
    IF(1, "QP1", FUZZ_CAP(management), "UU-26", "gsi", CQ REGIONS "qp a recv=4\n", NULL, "management"),
    {"QP0", 1, FUZZ_IB, FUZZ_CAP(management), "UU-26", "smi", CQ REGIONS "qp a recv=4\n", NULL, "management"},
    {"raw packets", 2, FUZZ_LINK(ib_local), FUZZ_CAP(raw), "UU-39", "{raw-ethertype|raw-ipv6}", REGIONS CQ "{s}" QP_A "\n", NULL, "raw"},
    ALL(9, "keys and windows", "QS-54", "rc",
        REGIONS "{i}{z}{o}{w}{v}qp a recv=2\nqp b recv=2{| pd=p}\nqp e recv=1\nqp j recv=1\n", NULL, "window"),
    IF(9, "states", FUZZ_CAP(qp_states), "QS-07", "{rc|rc|uc|ud}",
        REGIONS CQ "qp a state={reset|init|rtr|rts|rts|rts} {timeout}\n", NULL, "life"),
    IF(6, "objects and queues", FUZZ_CAP(srq) | FUZZ_CAP(notify) | FUZZ_CAP(ud), "QS-33", "rc",
        "pd p\ncq c{depth}\ncq d\nsrq s recv={0..4} limit={0..3} {||pd=p}\n{groups}mr x length=4096 pd=p\nmr f length=4096\n"
        "qp a scq={c|c|d} rcq={c|d} {|srq=s|recv=3} sq={2..8} rq={4..8} timeout=0\nqp b {scq=c rcq=c|scq=d rcq=c|srq=s}\nqp u type=ud recv=2\n", NULL, "object"),
    IF(4, "path migration", FUZZ_CAP(apm), "WF-30", "rc",
        CQ REGIONS "qp a recv=6 alt={peer|stranger} mig={rearm|rearm|migrated} {||pkey=1}\n", NULL, "apm"),
    IF(3, "credits", FUZZ_CAP(credits), "RR-20", "rc",
        CQ REGIONS "qp a pmtu={mtu} flow_control={1|1|1|0} rq=2048 recv={{0..9}|{0..40}|12|16|24|32|48|64|96|128|192|256|384|512|768|1024} recv_bytes={mtu}*2\n",
        NULL, "credits"),
    IF(2, "XRC initiator", FUZZ_CAP(xrc), "RQ-60", "xrc-ini", REGIONS CQ QP_BARE "\n", NULL, "xrc"),
    IF(3, "XRC target", FUZZ_CAP(xrc), "QS-45", "xrc-tgt",
        REGIONS "xrcd k\nxrcd y\nsrq s xrcd=k recv={0..5} {||pd=p}\nsrq r xrcd=k recv={0..3}\nsrq t xrcd=y recv=2\n"
        "qp a xrcd=k pmtu={mtu} epsn={psn0} dest_rd={0..4}\n", NULL, "target"),
    IF(6, "attributes", FUZZ_CAP(qp_states), "QS-07", "{rc|rc|uc|ud}",
        REGIONS CQ "qp a recv=2 state={rtr|rts|rts|rts}\n", NULL, "set"),
    IF(5, "connections, passive end", FUZZ_CAP(cm), "MD-65", "rc", "cm c\ncm d\n", "  c call listen", "passive"),
    IF(4, "connections, active end", FUZZ_CAP(cm), "MD-67", "rc", "cm c\ncm d\n", "  c call connect", "active"),
    IF(2, "datagram services", FUZZ_CAP(cm), "MD-80", "rc", "cm c\ncm d\n", "  c call listen datagrams", "service"),
    IF(2, "paths and entries", FUZZ_CAP(pkey_table) | FUZZ_CAP(two_ports), "PV-09", "{rc|ud|uc}",
        CQ REGIONS "{groups}qp a recv=6 pkey={0|1|1|2} port={1|1|2} gid_index={0|0|1} {|path_bits={0..3}} sl={0..15} {|vlan={1..4000}} " "\n",
        "  port pkey[1]={pkeys}", "path"),
};
/* clang-format on */
const size_t fuzz_kind_count = sizeof fuzz_kinds / sizeof *fuzz_kinds;
