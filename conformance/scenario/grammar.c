/* SPDX-License-Identifier: BSD-2-Clause */
#include "grammar.h"
#include "transport/iba_wr_ops.h"

/* clang-format off */
#define MAX(bits) ((bits) == 64 ? UINT64_MAX : (UINT64_C(1) << (bits) % 64) - 1)
#define KIND(k) (1 << IBC_O_##k)
#define WR(op) (1u << IBA_WR_##op)

#define FLAG(k)                {IBC_K_##k, IBC_T_FLAG,    0, 0, 0, 0}
#define ROW(k, t, of)          {IBC_K_##k, IBC_T_##t,     0, of, 0, 0}
#define UPTO(k, max)           {IBC_K_##k, IBC_T_NUMBER,  0, IBC_A_ITSELF, 0, max}
#define ONE_TO(k, max)         {IBC_K_##k, IBC_T_NUMBER,  IBC_R_SOME, IBC_A_ITSELF, 0, max}
#define BITS(k, bits)          UPTO(k, MAX(bits))
#define LIVE(k, bits, attr)    {IBC_K_##k, IBC_T_NUMBER,  0, IBC_A_##attr, 0, MAX(bits)}
#define WORD(k, v)             ROW(k, WORD, IBC_VOCAB_##v)
#define WORDS(k, v)            ROW(k, WORDS, IBC_VOCAB_##v)
#define OBJECT(k, kinds)       ROW(k, OBJECT, kinds)
#define FAILS                  ROW(error, ERROR, IBC_VOCAB_ERROR)
#define FL(k, t, of, max, flags) {IBC_K_##k, IBC_T_##t, flags, of, 0, max}
#define IF(k, t, of, max, ops) {IBC_K_##k, IBC_T_##t, 0, of, ops, max}
#define BARE IBC_R_BARE
#define MUST (IBC_R_BARE | IBC_R_MUST)
#define N IBC_A_ITSELF

/* ---- fields before the BTH, in one header or another ---- */
#define EVERYWHERE(k, bits, words) {IBC_K_##k, IBC_T_EVERYWHERE, 0, IBA_VALUES_##words, 0, MAX(bits)}
#define PACKET_FIELDS                                                                                                  \
    EVERYWHERE(hop, 8, NONE), EVERYWHERE(tclass, 8, NONE), EVERYWHERE(flow, 20, NONE), EVERYWHERE(ecn, 2, ECN),        \
    EVERYWHERE(dscp, 6, NONE), ROW(sgid, GID, 0), ROW(dgid, GID, 0)

static const struct ibc_row send[] = {
    PACKET_FIELDS,
    ROW(payload, PAYLOAD, 0),
    ROW(fill, PATTERN, 0),
    FL(icrc, CRC, IBC_VOCAB_CRC, MAX(32), 0),
    FL(vcrc, CRC, IBC_VOCAB_CRC, MAX(16), 0),
    UPTO(cut, 16383),
    UPTO(extra, 8192),
    FL(insert, SPLICE, 0, 16383, IBC_R_MANY),
    FL(remove, REMOVE, 0, 16383, IBC_R_MANY),
    FL(poke, SPLICE, 0, 16383, IBC_R_MANY),
    FLAG(repair),
    BITS(pad_byte, 8),
    ROW(from, WORD, IBC_VOCAB_PARTY),
    FLAG(mapped),
    ONE_TO(port, 2),
    ROW(to, PARTY, IBC_VOCAB_PARTY),
    ROW(via, WORD, IBC_VOCAB_ENCAP),
    ONE_TO(times, 4096),
    ROW(after, TIME, 0),
    ROW(as, NEW, 0),
    ROW(same, KNOWN, 0),
};
static const struct ibc_row expect[] = {
    PACKET_FIELDS,
    ROW(payload, PAYLOAD, 0),
    ROW(fill, PATTERN, 0),
    FL(to, PARTY, IBC_VOCAB_PARTY, 0, IBC_R_PLAIN),
    FL(port, NUMBER, N, 2, IBC_R_PLAIN | IBC_R_SOME),
    FL(times, NUMBER, N, 4096, IBC_R_PLAIN | IBC_R_SOME),
    ROW(after, TIME, 0),
    ROW(within, TIME, 0),
    ROW(as, NEW, 0),
    ROW(same, KNOWN, 0),
    FL(then, WORD, IBC_VOCAB_THEN, 0, IBC_R_PLAIN | IBC_R_MIDDLE),
};

/* ---- objects ---- */
static const struct ibc_row pd[] = {FAILS};
static const struct ibc_row mr[] = {
    UPTO(length, UINT64_C(1) << 26),
    OBJECT(pd, KIND(pd)),
    WORDS(access, ACCESS),
    BITS(iova, 64),
    FL(piece, SGE, 0, MAX(32), IBC_R_MANY),
    BITS(stride, 32),
    FL(rounds, NUMBER, N, 65536, IBC_R_SOME),
    FAILS,
};
static const struct ibc_row reregister[] = {
    UPTO(length, UINT64_C(1) << 26), OBJECT(pd, KIND(pd)), WORDS(access, ACCESS), FAILS,
};
static const struct ibc_row mw[] = {WORD(type, WINDOW), OBJECT(pd, KIND(pd)), FAILS};
static const struct ibc_row cq[] = {UPTO(depth, 65536), FAILS};
static const struct ibc_row xrcd[] = {FAILS};
static const struct ibc_row srq[] = {
    UPTO(depth, 65536),     UPTO(limit, 65536),     UPTO(recv, 65536),  BITS(recv_bytes, 31),
    OBJECT(pd, KIND(pd)), OBJECT(xrcd, KIND(xrcd)), OBJECT(cq, KIND(cq)), ONE_TO(tags, 64),
    FAILS,
};
static const struct ibc_row handle[] = {OBJECT(pd, KIND(pd)), FAILS};
static const struct ibc_row group[] = {ROW(gid, GID, 0), BITS(lid, 16)};

/* Scenarios set attributes out of their range where a device must refuse them. `modify` accepts larger values than
 * the `qp` line, whose values packets use. */
#define QP_ATTRS(rights, psn_bits, flow_bits, paths)                                                                                                    \
    UPTO(pmtu, 65536), LIVE(epsn, psn_bits, epsn), LIVE(psn, psn_bits, psn), BITS(timeout, 8), BITS(retry, 8), BITS(rnr_retry, 8), \
    BITS(min_rnr, 8), BITS(rd, 8), BITS(dest_rd, 8), WORDS(access, rights), BITS(pkey, 8), BITS(qkey, 32),          \
    UPTO(flow_control, 1), BITS(sl, 4), BITS(hop, 8), BITS(tclass, 8), BITS(flow, flow_bits), BITS(port, 8), WORD(alt, paths),  \
    WORD(mig, MIG), BITS(vlan, 12), BITS(sport, 16), BITS(gid_index, 8), BITS(path_bits, 7)
static const struct ibc_row qp[] = {
    WORD(type, SERVICE),
    OBJECT(pd, KIND(pd)),
    OBJECT(scq, KIND(cq)),
    OBJECT(rcq, KIND(cq)),
    OBJECT(srq, KIND(srq)),
    OBJECT(xrcd, KIND(xrcd)),
    BITS(rdd, 32),
    UPTO(recv, 65536),
    BITS(recv_bytes, 31),
    WORD(state, STATE),
    QP_ATTRS(QP_ACCESS, 24, 20, ALT),
    WORD(sig, SIG),
    UPTO(sq, 65536),
    UPTO(rq, 65536),
    FL(dut, NUMBER, N, 2, IBC_R_SOME | IBC_R_MIDDLE),
    FL(peer, LATER, KIND(qp), 0, IBC_R_MIDDLE),
    FAILS,
};

/* ---- verbs ---- */
static const struct ibc_row modify[] = {
    FL(state, WORD, IBC_VOCAB_STATE, 0, IBC_R_MUST),
    QP_ATTRS(ACCESS, 32, 32, PATH),
    WORD(cur_state, STATE),
    UPTO(sqd_notify, 1),
    WORD(av, PATH),
    BITS(av_port, 8),
    BITS(alt_port, 8),
    LIVE(qpn, 24, qpn),
    FLAG(only),
    FL(without, WORDS, IBC_VOCAB_ATTR, 0, IBC_R_MANY),
    FAILS,
};
#define TO_PEER                                                                                                        \
    (WR(WRITE) | WR(WRITE_IMM) | WR(READ) | WR(CMP_SWAP) | WR(FETCH_ADD) | WR(FLUSH) | WR(ATOMIC_WRITE))
#define ANY_SEND (WR(SEND) | WR(SEND_IMM) | WR(SEND_INV))
#define WITH_SGE (TO_PEER | ANY_SEND)
#define OR_WR(name, words) | WR(name)
_Static_assert((0 IBA_WR_SENT_OPS(OR_WR)) == WITH_SGE,
               "conformance/scenario/grammar.c: an operation of iba_wr.h is neither in TO_PEER nor in ANY_SEND");
static const struct ibc_row post[] = {
    {IBC_K_len, IBC_T_NUMBER, 0, N, WITH_SGE | WR(BIND_MW), MAX(32)},
    IF(at, PLACE, 0, MAX(64), WITH_SGE),
    IF(lkey, NUMBER, IBC_A_lkey, MAX(32), WITH_SGE),
    {IBC_K_sge, IBC_T_SGE, IBC_R_MANY, 0, WITH_SGE, MAX(32)},
    IF(to, PLACE, 0, MAX(64), TO_PEER),
    IF(rkey, NUMBER, IBC_A_rkey, MAX(32), TO_PEER),
    IF(imm, NUMBER, N, MAX(32), WR(SEND_IMM) | WR(WRITE_IMM)),
    IF(ethertype, NUMBER, N, MAX(16), WR(SEND)),
    IF(srqn, NUMBER, N, MAX(24), WITH_SGE),
    IF(eecn, NUMBER, IBC_A_qpn, MAX(24), WITH_SGE),
    IF(inv, NUMBER, IBC_A_rkey, MAX(32), WR(SEND_INV) | WR(LOCAL_INV)),
    IF(cmp, NUMBER, N, MAX(64), WR(CMP_SWAP)),
    IF(swap, NUMBER, N, MAX(64), WR(CMP_SWAP)),
    IF(add, NUMBER, N, MAX(64), WR(FETCH_ADD)),
    IF(placement, NUMBER, N, MAX(4), WR(FLUSH)),
    IF(selectivity, NUMBER, N, MAX(2), WR(FLUSH)),
    UPTO(signaled, 1),
    UPTO(solicited, 1),
    UPTO(fence, 1),
    UPTO(inline, 1),
    BITS(id, 64),
    IF(dest, PARTY, IBC_VOCAB_PATH, 0, ANY_SEND),
    IF(pd, OBJECT, KIND(pd), 0, ANY_SEND),
    IF(av_port, NUMBER, N, MAX(8), ANY_SEND),
    IF(qpn, NUMBER, IBC_A_qpn, MAX(24), WITH_SGE),
    IF(qkey, NUMBER, N, MAX(32), WITH_SGE),
    IF(mw, OBJECT, KIND(mw), 0, WR(BIND_MW)),
    IF(mr, OBJECT, KIND(mr), 0, WR(BIND_MW)),
    IF(va, PLACE, 0, MAX(64), WR(BIND_MW)),
    IF(access, WORDS, IBC_VOCAB_ACCESS, 0, WR(BIND_MW)),
    IF(key, NUMBER, N, MAX(8), WR(BIND_MW)),
    WORD(late, STATUS),
    FAILS,
};
static const struct ibc_row recv[] = {
    ONE_TO(times, 65536), BITS(len, 32),    ROW(at, PLACE, 0), LIVE(lkey, 32, lkey),
    FL(sge, SGE, 0, MAX(32), IBC_R_MANY), BITS(id, 64),      FAILS,
};
static const struct ibc_row completion[] = {
    FLAG(send),
    FLAG(recv),
    WORD(status, STATUS),
    BITS(id, 64),
    BITS(bytes, 32),
    BITS(imm, 32),
    LIVE(inv, 32, rkey),
    UPTO(solicited, 1),
    UPTO(grh, 1),
    LIVE(srcqp, 24, peer),
    BITS(pkey_index, 16),
    BITS(slid, 16),
    BITS(sl, 4),
    BITS(path_bits, 7),
    ROW(fill, PATTERN, 0),
    UPTO(match, 1),
    UPTO(data, 1),
    BITS(tag, 64),
    BITS(app, 32),
};
static const struct ibc_row completions[] = {
    UPTO(send, 65536),
    UPTO(recv, 65536),
    FLAG(none),
};
/* Attributes of a queue pair, as a device reports them. */
#define REPORTED                                                                                                       \
    BITS(epsn, 24), BITS(psn, 24), BITS(qpn, 24), UPTO(pmtu, 65536), BITS(timeout, 8), BITS(retry, 8),                 \
        BITS(rnr_retry, 8), BITS(rd, 8), BITS(dest_rd, 8), WORD(mig, MIG)
static const struct ibc_row state[] = {
    FL(value, WORD, IBC_VOCAB_STATE, 0, MUST), REPORTED, BITS(min_rnr, 8), BITS(pkey, 8), BITS(qkey, 32),
};
static const struct ibc_row event[] = {FL(value, WORD, IBC_VOCAB_EVENT, 0, MUST)};
static const struct ibc_row events[] = {FL(none, FLAG, 0, 0, IBC_R_ONE)};
static const struct ibc_row fails[] = {FAILS};
static const struct ibc_row arm[] = {FLAG(solicited), FAILS};
static const struct ibc_row resize[] = {FL(value, NUMBER, N, 65536, MUST), FAILS};
static const struct ibc_row number[] = {FL(value, NUMBER, N, UINT32_MAX, MUST)};
static const struct ibc_row limit[] = {FL(value, NUMBER, N, UINT32_MAX, MUST), FAILS};
static const struct ibc_row tag[] = {
    FL(value, NUMBER, N, MAX(64), MUST), BITS(mask, 64), UPTO(handled, UINT32_MAX), BITS(len, 32), ROW(at, PLACE, 0),
    LIVE(lkey, 32, lkey), FL(sge, SGE, 0, MAX(32), IBC_R_MANY), BITS(id, 64), FAILS,
};
static const struct ibc_row untag[] = {FL(value, NUMBER, N, MAX(64), MUST), UPTO(handled, UINT32_MAX), FAILS};
static const struct ibc_row joins[] = {FL(value, OBJECT, KIND(group), 0, MUST), FAILS};

/* ---- the device's memory, ports, counters; time ---- */
#define CONTENT                                                                                                        \
    FL(value, PLACE, 0, 0, MUST | IBC_R_PLAIN), FL(len, NUMBER, N, MAX(31), IBC_R_PLAIN), FL(fill, PATTERN, 0, 0, IBC_R_ONE),                                   \
    FL(hex, BYTES, 0, 0, IBC_R_ONE | IBC_R_COLON), FL(u64, NUMBER, N, MAX(64), IBC_R_ONE)
static const struct ibc_row memory[] = {CONTENT, FL(unchanged, FLAG, 0, 0, IBC_R_ONE)};
static const struct ibc_row write[] = {CONTENT};
static const struct ibc_row page[] = {
    FL(value, PLACE, 0, 0, MUST), FL(absent, FLAG, 0, 0, IBC_R_ONE), FL(present, FLAG, 0, 0, IBC_R_ONE)};
static const struct ibc_row prefetch[] = {
    FL(value, PLACE, 0, 0, MUST), BITS(len, 31), FLAG(write), FLAG(no_fault), FLAG(later), ROW(pd, OBJECT, KIND(pd)),
    LIVE(lkey, 32, lkey), FAILS,
};
static const struct ibc_row port[] = {
    FL(pkey, NUMBER, N, MAX(16), IBC_R_MANY | IBC_R_INDEX),
    UPTO(lmc, 7),
    BITS(lid, 16),
    UPTO(mtu, 65536),
    UPTO(congestion, 1),
    FL(sl2vl, NUMBER, N, MAX(4), IBC_R_MANY | IBC_R_INDEX),
    FL(gid, GID, 0, 0, IBC_R_MANY | IBC_R_INDEX),
    BITS(pkey_violations, 16),
    BITS(qkey_violations, 16),
    FL(dut, NUMBER, N, 2, IBC_R_SOME | IBC_R_MIDDLE),
};
static const struct ibc_row counter[] = {FL(name, NAME, 0, 0, MUST | IBC_R_PLAIN), FL(delta, DELTA, 0, MAX(64), MUST)};
static const struct ibc_row time_must[] = {FL(value, TIME, 0, 0, MUST)};
static const struct ibc_row time_may[] = {FL(value, TIME, 0, 0, BARE)};
static const struct ibc_row score[] = {FL(value, WORD, IBC_VOCAB_SCORE, 0, MUST), ONE_TO(n, 65536), FLAG(quiet)};
static const struct ibc_row pace[] = {
    FL(value, NUMBER, N, 4096, MUST | IBC_R_SOME), ROW(as, NEW, 0), ROW(slower, KNOWN, 0), ROW(faster, KNOWN, 0)};

/* ---- connection managers ---- */
static const struct ibc_row cm[] = {FAILS};
static const struct ibc_row call[] = {
    UPTO(backlog, 65536), ROW(compare, BYTES, 0), FLAG(datagrams), FLAG(both), FAILS,
};
static const struct ibc_row told[] = {FL(within, TIME, 0, 0, IBC_R_PLAIN)};
static const struct ibc_row gives[] = {
    FL(value, WORD, IBC_VOCAB_STATE, 0, MUST | IBC_R_PLAIN),
    REPORTED,
    UPTO(flow_control, 1),
    BITS(alt_lid, 16),
    BITS(alt_port, 8),
};

/* ---- nodes of a subnet ---- */
#define MANAGED(k, t, of, max) FL(k, t, of, max, IBC_R_FABRIC)
#define NODE                                                                                                           \
    ONE_TO(ports, 18), MANAGED(lid, NUMBER, N, MAX(16)), MANAGED(lmc, NUMBER, N, 7), MANAGED(sm, NUMBER, N, MAX(16)),  \
        MANAGED(mkey, NUMBER, N, MAX(64)), MANAGED(protect, NUMBER, N, 3), MANAGED(lease, NUMBER, N, MAX(16)),         \
        MANAGED(state, WORD, IBC_VOCAB_PORT, 0), FL(vls, NUMBER, N, 5, IBC_R_SOME | IBC_R_FABRIC),                     \
        MANAGED(credits, NUMBER, N, 2048), MANAGED(refresh, FLAG, 0, 0), MANAGED(unmapped, FLAG, 0, 0)
static const struct ibc_row node_switch[] = {NODE, FL(route, REMOVE, 0, 0xffff, IBC_R_MANY | IBC_R_FABRIC)};
static const struct ibc_row node_adapter[] = {NODE, MANAGED(ipd, NUMBER, N, MAX(8))};
static const struct ibc_row node_router[] = {NODE};
static const struct ibc_row cable[] = {FL(one, OBJECT, KIND(wire), 0, MUST), FL(other, OBJECT, KIND(wire), 0, MUST)};

/* ---- subnet managers ---- */
static const struct ibc_row manager[] = {
    FL(at, OBJECT, KIND(wire), 0, IBC_R_MUST), UPTO(priority, 15), UPTO(lmc, 7), BITS(mkey, 64), UPTO(protect, 3),
    BITS(lease, 16), ROW(sweep, TIME, 0), ROW(poll, TIME, 0)};
static const struct ibc_row partition[] = {
    FL(pkey, NUMBER, N, MAX(15), IBC_R_MUST), FL(full, OBJECT, KIND(wire), 0, IBC_R_MANY),
    FL(limited, OBJECT, KIND(wire), 0, IBC_R_MANY)};
static const struct ibc_row within[] = {FL(within, TIME, 0, 0, IBC_R_PLAIN)};

#define ROWS(r) r, sizeof r / sizeof *r
#define SENDS (1 << IBC_ROLE_responder | 1 << IBC_ROLE_requester | 1 << IBC_ROLE_both | 1 << IBC_ROLE_middle | SUBNET)
#define BETWEEN (1 << IBC_ROLE_middle)
#define FABRIC (1 << IBC_ROLE_fabric)
#define MANAGER (1 << IBC_ROLE_sm)
#define SUBNET (FABRIC | MANAGER)
#define QUEUES (KIND(qp) | KIND(srq) | KIND(cq))
/*   kind            keys               object              kinds                        op    must   packet compares some, roles */
static const struct ibc_shape steps[IBC_S_COUNT] = {
    [IBC_S_send]        = {ROWS(send),        IBC_OBJECT_AFTER,  KIND(qp) | KIND(cm) | KIND(wire), 0,                true,  true,  false, false, SENDS},
    [IBC_S_expect]      = {ROWS(expect),      IBC_OBJECT_AFTER,  KIND(qp) | KIND(cm) | KIND(wire), 0,                true,  true,  true,  false, SENDS},
    [IBC_S_silence]     = {ROWS(time_may),    IBC_OBJECT_MAYBE,  KIND(qp) | KIND(cm) | KIND(wire), 0,                false, false, false, false, 0},
    [IBC_S_wait]        = {ROWS(time_must),   IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
    [IBC_S_post]        = {ROWS(post),        IBC_OBJECT_BEFORE, KIND(qp),                IBC_VOCAB_POST,   true,  false, false, false, 0},
    [IBC_S_recv]        = {ROWS(recv),        IBC_OBJECT_BEFORE, KIND(qp) | KIND(srq),    0,                false, false, false, false, 0},
    [IBC_S_modify]      = {ROWS(modify),      IBC_OBJECT_BEFORE, KIND(qp),                0,                false, false, false, false, 0},
    [IBC_S_state]       = {ROWS(state),       IBC_OBJECT_BEFORE, KIND(qp),                0,                false, false, true,  false, 0},
    [IBC_S_completion]  = {ROWS(completion),  IBC_OBJECT_BEFORE, KIND(qp),                IBC_VOCAB_DONE,   false, false, true,  false, 0},
    [IBC_S_completions] = {ROWS(completions), IBC_OBJECT_BEFORE, KIND(qp),                0,                false, false, false, true, 0},
    [IBC_S_event]       = {ROWS(event),       IBC_OBJECT_MAYBE,  QUEUES,                  0,                false, false, true,  false, 0},
    [IBC_S_events]      = {ROWS(events),      IBC_OBJECT_MAYBE,  QUEUES,                  0,                false, false, false, false, 0},
    [IBC_S_destroy]     = {ROWS(fails),       IBC_OBJECT_BEFORE, QUEUES | KIND(pd) | KIND(xrcd) | KIND(handle), 0,                false, false, false, false, 0},
    [IBC_S_dereg]       = {ROWS(fails),       IBC_OBJECT_BEFORE, KIND(mr),                0,                false, false, false, false, 0},
    [IBC_S_reregister]  = {ROWS(reregister),  IBC_OBJECT_BEFORE, KIND(mr),                0,                false, false, false, true, 0},
    [IBC_S_free]        = {ROWS(fails),       IBC_OBJECT_BEFORE, KIND(mw),                0,                false, false, false, false, 0},
    [IBC_S_arm]         = {ROWS(arm),         IBC_OBJECT_BEFORE, KIND(cq),                0,                false, false, false, false, 0},
    [IBC_S_resize]      = {ROWS(resize),      IBC_OBJECT_BEFORE, KIND(cq),                0,                false, false, false, false, 0},
    [IBC_S_notified]    = {ROWS(number),      IBC_OBJECT_BEFORE, KIND(cq),                0,                false, false, true,  false, 0},
    [IBC_S_limit]       = {ROWS(limit),       IBC_OBJECT_BEFORE, KIND(srq),               0,                false, false, false, false, 0},
    [IBC_S_tag]         = {ROWS(tag),         IBC_OBJECT_BEFORE, KIND(srq),               0,                false, false, false, false, 0},
    [IBC_S_untag]       = {ROWS(untag),       IBC_OBJECT_BEFORE, KIND(srq),               0,                false, false, false, false, 0},
    [IBC_S_sync]        = {ROWS(limit),       IBC_OBJECT_BEFORE, KIND(srq),               0,                false, false, false, false, 0},
    [IBC_S_attach]      = {ROWS(joins),       IBC_OBJECT_AFTER,  KIND(qp),                0,                false, false, false, false, 0},
    [IBC_S_detach]      = {ROWS(joins),       IBC_OBJECT_AFTER,  KIND(qp),                0,                false, false, false, false, 0},
    [IBC_S_memory]      = {ROWS(memory),      IBC_OBJECT_NONE,   0,                       0,                false, false, true,  false, 0},
    [IBC_S_write]       = {ROWS(write),       IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
    [IBC_S_page]        = {ROWS(page),        IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
    [IBC_S_prefetch]    = {ROWS(prefetch),    IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
    [IBC_S_port]        = {ROWS(port),        IBC_OBJECT_NONE,   0,                       0,                false, false, false, true, 0},
    [IBC_S_counter]     = {ROWS(counter),     IBC_OBJECT_NONE,   0,                       0,                false, false, true,  false, 0},
    [IBC_S_pass]        = {ROWS(time_may),    IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, BETWEEN},
    [IBC_S_release]     = {NULL, 0,           IBC_OBJECT_AFTER,  KIND(qp),                0,                false, false, false, false, BETWEEN},
    [IBC_S_score]       = {ROWS(score),       IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
    [IBC_S_pace]        = {ROWS(pace),        IBC_OBJECT_BEFORE, KIND(qp),                0,                false, false, false, false, 0},
    [IBC_S_health]      = {NULL, 0,           IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
    [IBC_S_call]        = {ROWS(call),        IBC_OBJECT_BEFORE, KIND(cm),                IBC_VOCAB_CM_VERB, true,  false, false, false, 0},
    [IBC_S_told]        = {ROWS(told),        IBC_OBJECT_BEFORE, KIND(cm),                IBC_VOCAB_CM_EVENT, true,  false, true,  false, 0},
    [IBC_S_gives]       = {ROWS(gives),       IBC_OBJECT_BEFORE, KIND(cm),                0,                false, false, true,  false, 0},
    [IBC_S_set]         = {NULL, 0,           IBC_OBJECT_BEFORE, KIND(wire),              0,                true,  false, false, false, FABRIC},
    [IBC_S_get]         = {NULL, 0,           IBC_OBJECT_BEFORE, KIND(wire),              0,                true,  false, true,  false, FABRIC},
    [IBC_S_pull]        = {NULL, 0,           IBC_OBJECT_BEFORE, KIND(wire),              0,                false, false, false, false, SUBNET},
    [IBC_S_plug]        = {NULL, 0,           IBC_OBJECT_BEFORE, KIND(wire),              0,                false, false, false, false, SUBNET},
    [IBC_S_start]       = {NULL, 0,           IBC_OBJECT_BEFORE, KIND(manager),           0,                false, false, false, false, MANAGER},
    [IBC_S_stop]        = {NULL, 0,           IBC_OBJECT_BEFORE, KIND(manager),           0,                false, false, false, false, MANAGER},
    [IBC_S_has]         = {ROWS(within),      IBC_OBJECT_BEFORE, KIND(wire),              0,                true,  false, true,  false, MANAGER},
    [IBC_S_gets]        = {ROWS(within),      IBC_OBJECT_BEFORE, KIND(wire),              0,                true,  false, true,  false, MANAGER},
    [IBC_S_subnet]      = {ROWS(within),      IBC_OBJECT_NONE,   0,                       IBC_VOCAB_CHECK,  true,  false, false, false, MANAGER},
    [IBC_S_object]      = {NULL, 0,           IBC_OBJECT_NONE,   0,                       0,                false, false, false, false, 0},
};
static const struct ibc_shape objects[IBC_O_COUNT] = {
    [IBC_O_pd] = {.row = pd, .n = sizeof pd / sizeof *pd},
    [IBC_O_mr] = {.row = mr, .n = sizeof mr / sizeof *mr},
    [IBC_O_mw] = {.row = mw, .n = sizeof mw / sizeof *mw},
    [IBC_O_cq] = {.row = cq, .n = sizeof cq / sizeof *cq},
    [IBC_O_xrcd] = {.row = xrcd, .n = sizeof xrcd / sizeof *xrcd},
    [IBC_O_srq] = {.row = srq, .n = sizeof srq / sizeof *srq},
    [IBC_O_group] = {.row = group, .n = sizeof group / sizeof *group},
    [IBC_O_handle] = {.row = handle, .n = sizeof handle / sizeof *handle},
    [IBC_O_cm] = {.row = cm, .n = sizeof cm / sizeof *cm},
    [IBC_O_qp] = {.row = qp, .n = sizeof qp / sizeof *qp},
    [IBC_O_switch] = {.row = node_switch, .n = sizeof node_switch / sizeof *node_switch},
    [IBC_O_adapter] = {.row = node_adapter, .n = sizeof node_adapter / sizeof *node_adapter},
    [IBC_O_router] = {.row = node_router, .n = sizeof node_router / sizeof *node_router},
    [IBC_O_manager] = {.row = manager, .n = sizeof manager / sizeof *manager},
    [IBC_O_partition] = {.row = partition, .n = sizeof partition / sizeof *partition},
    [IBC_O_cable] = {.row = cable, .n = sizeof cable / sizeof *cable},
};
/* clang-format on */

const struct ibc_shape *ibc_shape_of_step(enum ibc_step_kind k)
{
    return &steps[k];
}

const struct ibc_shape *ibc_shape_of_object(enum ibc_object_kind k)
{
    return &objects[k];
}
