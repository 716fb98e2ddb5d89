/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's protocol: its verbs, with the members of requests and replies. One table, from which both sides are
 * generated: C structures, and the code that writes them as lines of JSON and reads them. README.md has the meaning.
 *
 * A structure's `given` has a bit for each optional member; the others always exist. Nothing here allocates memory that
 * outlives its call. */
#ifndef IBC_AGENT_PROTOCOL_H
#define IBC_AGENT_PROTOCOL_H
#include "targets/target.h"

enum {
    AG_VERSION = 1,
    AG_LINE = 65536,  /* bytes of a line at most, its end included */
    AG_BYTES = 24576, /* bytes of memory that one verb reads or writes */
    AG_TEXT = 128,    /* bytes of a text, its end included */
    AG_SENTENCE = 200,
};
#define AG_EXACT (UINT64_C(1) << 53) /* numbers above this one are written as "0x..." */

/* ---- kinds of values ---- */
struct ag_text {
    char s[AG_TEXT];
};
struct ag_gid {
    uint8_t b[16];
};
struct ag_bytes {
    uint32_t n;
    uint8_t b[AG_BYTES];
};
struct ag_counters {
    uint32_t n;
    struct {
        char name[48];
        uint64_t value;
    } c[IBC_MAX_COUNTERS];
};
/* clang-format off */
/*    kind      how        what of */
#define AG_KINDS(K)                                                                                                    \
    K(U8,       NUMBER,    0)               /* also of 16, 32, 64 bits: never cut, but refused */                      \
    K(U16,      NUMBER,    0)                                                                                          \
    K(U32,      NUMBER,    0)                                                                                          \
    K(U64,      NUMBER,    0)                                                                                          \
    K(FLAG,     FLAG,      0)                                                                                          \
    K(TEXT,     TEXT,      0)                                                                                          \
    K(LETTER,   LETTER,    0)               /* of a pattern */                                                         \
    K(MTU,      MTU,       0)               /* enum iba_mtu; bytes on the line */                                      \
    K(GID,      GID,       0)               /* "fe80::1" */                                                            \
    K(IPV4,     IPV4,      0)               /* "10.0.0.1" */                                                           \
    K(MAC,      MAC,       0)               /* "02:00:00:00:00:01" */                                                  \
    K(BYTES,    BYTES,     0)               /* "00ff" */                                                               \
    K(COUNTERS, COUNTERS,  0)               /* an object: name, value */                                               \
    K(STATE,    WORD,      AG_W_STATE)      /* a word for a number of 8 bits */                                        \
    K(TYPE,     WORD,      AG_W_TYPE)                                                                                  \
    K(OP,       WORD,      AG_W_OP)                                                                                    \
    K(STATUS,   WORD,      AG_W_STATUS)                                                                                \
    K(EVENT,    WORD,      AG_W_EVENT)                                                                                 \
    K(MIG,      WORD,      AG_W_MIG)                                                                                   \
    K(LINK,     WORD,      AG_W_LINK)                                                                                  \
    K(OBJECT,   WORD,      AG_W_OBJECT)                                                                                \
    K(SETTING,  WORD,      AG_W_SETTING)    /* enum ibc_key */                                                         \
    K(CM_VERB,  WORD,      AG_W_CM_VERB)    /* of a connection manager */                                              \
    K(CM_EVENT, WORD,      AG_W_CM_EVENT)                                                                              \
    K(CLOCK,    WORD,      AG_W_CLOCK)      /* 1: virtual */                                                           \
    K(ACCESS,   WORDS,     AG_W_ACCESS)     /* a list of words for a set of bits */                                    \
    K(LINKS,    WORDS,     AG_W_LINK)                                                                                  \
    K(CAPS,     WORDS,     AG_W_CAP)                                                                                   \
    K(LIMITS,   MEMBERS,   AG_S_limits)                                                                                \
    K(ADDRESS,  MEMBERS,   AG_S_address)                                                                               \
    K(DEST,     MEMBERS,   AG_S_dest)                                                                                  \
    K(SEND,     MEMBERS,   AG_S_send)                                                                                  \
    K(RECV,     MEMBERS,   AG_S_recv)                                                                                  \
    K(WC,       MEMBERS,   AG_S_wc)                                                                                    \
    K(ASYNC,    MEMBERS,   AG_S_event)                                                                                 \
    K(PORTS,    LIST,      AG_S_address)                                                                               \
    K(SGES,     LIST,      AG_S_sge)

/* Structures: M(shape, kind, member, need). Need: MUST, MAY (optional), or OR_NULL (null means none). */
#define AG_M_limits(M, s)                                                                                              \
    M(s, U32, line, MUST) M(s, U32, bytes, MUST)
#define AG_M_address(M, s)                                                                                             \
    M(s, MAC, mac, MAY) M(s, IPV4, ipv4, MAY) M(s, GID, ipv6, MAY) M(s, GID, gid, MAY) M(s, U16, lid, MAY)
#define AG_M_sge(M, s)                                                                                                 \
    M(s, U64, at, MUST) M(s, U32, len, MUST) M(s, U32, lkey, MUST)
#define AG_M_dest(M, s)                                                                                                \
    M(s, ADDRESS, to, MAY) M(s, GID, group, MAY) M(s, U8, sl, MAY) M(s, U8, hop, MAY) M(s, U8, tclass, MAY)            \
    M(s, U16, vlan, MAY) M(s, U16, sport, MAY) M(s, U8, gid_index, MAY) M(s, U8, path_bits, MAY)                       \
    M(s, U8, port, MAY) M(s, U32, pd, MAY) M(s, FLAG, none, MAY)
#define AG_M_send(M, s)                                                                                                \
    M(s, OP, op, MUST) M(s, U64, id, MAY) M(s, SGES, sge, MAY)                                                         \
    M(s, FLAG, signaled, MAY) M(s, FLAG, solicited, MAY) M(s, FLAG, fence, MAY) M(s, FLAG, inlined, MAY)               \
    M(s, U32, imm, MAY) M(s, U32, inv, MAY)                                                                            \
    M(s, U64, to, MAY) M(s, U32, rkey, MAY) M(s, U32, srqn, MAY)                                                       \
    M(s, U64, cmp, MAY) M(s, U64, swap, MAY) M(s, U8, placement, MAY) M(s, U8, selectivity, MAY)                       \
    M(s, U32, qpn, MAY) M(s, U32, qkey, MAY)                                                                           \
    M(s, U32, mw, MAY) M(s, U32, lkey, MAY) M(s, U64, va, MAY) M(s, U64, len, MAY) M(s, ACCESS, access, MAY)           \
    M(s, U8, key, MAY)
#define AG_M_recv(M, s)                                                                                                \
    M(s, U64, id, MAY) M(s, SGES, sge, MAY)
#define AG_M_wc(M, s)                                                                                                  \
    M(s, U64, id, MUST) M(s, STATUS, status, MUST) M(s, OP, op, MAY) M(s, U32, bytes, MAY) M(s, U32, qpn, MAY)         \
    M(s, U32, srcqp, MAY) M(s, U32, srqn, MAY) M(s, U32, imm, MAY) M(s, U32, inv, MAY) M(s, U32, rkey, MAY)            \
    M(s, FLAG, grh, MAY) M(s, FLAG, solicited, MAY) M(s, U8, sl, MAY) M(s, U8, path_bits, MAY) M(s, U16, slid, MAY)    \
    M(s, U16, pkey_index, MAY)
#define AG_M_event(M, s)                                                                                               \
    M(s, EVENT, kind, MUST) M(s, U8, port, MAY) M(s, U32, object, MAY) M(s, U32, key, MAY) M(s, U32, srcqp, MAY)
/* structures without members that are structures; all others contain them */
#define AG_LEAVES(S) S(limits) S(address) S(sge) S(wc) S(event)
#define AG_BRANCHES(S) S(dest) S(send) S(recv)

/* ---- verbs ---- */
#define AG_VERBS(V)                                                                                                    \
    V(hello) V(reset) V(create_pd) V(create_cq) V(create_srq) V(create_xrcd) V(create_xrc_srq) V(create_ah) V(create_qp) V(modify_qp) V(query_qp) V(destroy)         \
    V(reg_mr) V(alloc_mw) V(arm_cq) V(resize_cq) V(notified) V(arm_srq) V(post_send) V(post_recv) V(poll_cq) V(poll_event)          \
    V(attach) V(read_memory) V(write_memory) V(page) V(prefetch) V(reregister) V(set_port) V(set_gid) V(choose_psn) V(counters) V(log) \
    V(cm_open) V(cm_call) V(cm_event) V(cm_attributes) V(advance)

#define AG_M_hello_args(M, s)        M(s, U32, version, MUST) M(s, TEXT, token, MAY)
#define AG_M_hello_ok(M, s)                                                                                            \
    M(s, U32, version, MUST) M(s, TEXT, name, MUST) M(s, U32, devices, MUST) M(s, LINKS, links, MUST)                  \
    M(s, CAPS, capabilities, MUST) M(s, CLOCK, time, MUST) M(s, LIMITS, limits, MUST) M(s, TEXT, boot, MAY)
#define AG_M_reset_args(M, s)        M(s, LINK, link, MUST) M(s, U64, seed, MAY)
#define AG_M_reset_ok(M, s)                                                                                            \
    M(s, U64, now, MUST) M(s, PORTS, device, MUST) M(s, PORTS, second, MAY) M(s, ADDRESS, stranger, MUST)              \
    M(s, ADDRESS, tester, MUST)
#define AG_M_create_pd_args(M, s)
#define AG_M_create_pd_ok(M, s)      M(s, U32, pd, MUST)
#define AG_M_create_cq_args(M, s)    M(s, U32, depth, MUST)
#define AG_M_create_cq_ok(M, s)      M(s, U32, cq, MUST)
#define AG_M_create_srq_args(M, s)   M(s, U32, pd, MUST) M(s, U32, depth, MUST) M(s, U32, limit, MAY)
#define AG_M_create_srq_ok(M, s)     M(s, U32, srq, MUST)
#define AG_M_create_xrcd_args(M, s)
#define AG_M_create_xrcd_ok(M, s)    M(s, U32, xrcd, MUST)
#define AG_M_create_xrc_srq_args(M, s)                                                                                 \
    M(s, U32, pd, MUST) M(s, U32, depth, MUST) M(s, U32, xrcd, MUST) M(s, U32, cq, MUST)
#define AG_M_create_xrc_srq_ok(M, s) M(s, U32, srq, MUST) M(s, U32, number, MUST)
#define AG_M_create_ah_args(M, s)    M(s, U32, pd, MUST) M(s, ADDRESS, to, MUST)
#define AG_M_create_ah_ok(M, s)      M(s, U32, ah, MUST)
#define AG_M_create_qp_args(M, s)                                                                                      \
    M(s, TYPE, type, MUST) M(s, U32, pd, MUST) M(s, U32, scq, MUST) M(s, U32, rcq, MUST) M(s, U32, srq, MAY)           \
    M(s, FLAG, sig_all, MAY) M(s, U32, sq, MUST) M(s, U32, rq, MAY) M(s, U32, xrcd, MAY)
#define AG_M_create_qp_ok(M, s)      M(s, U32, qpn, MUST)
#define AG_M_attributes(M, s)                                                                                          \
    M(s, STATE, cur_state, MAY) M(s, FLAG, sqd_notify, MAY) M(s, ACCESS, access, MAY) M(s, U8, pkey, MAY)              \
    M(s, U8, port, MAY) M(s, U32, qkey, MAY) M(s, MTU, pmtu, MAY) M(s, U8, timeout, MAY) M(s, U8, retry, MAY)          \
    M(s, U8, rnr_retry, MAY) M(s, U32, epsn, MAY) M(s, U8, rd, MAY) M(s, MIG, mig, MAY) M(s, U8, min_rnr, MAY)         \
    M(s, U32, psn, MAY) M(s, U8, dest_rd, MAY) M(s, U32, qpn_of_peer, MAY) M(s, FLAG, flow_control, MAY)
#define AG_M_modify_qp_args(M, s)                                                                                      \
    M(s, U32, qpn, MUST) M(s, STATE, state, MUST) AG_M_attributes(M, s) M(s, FLAG, av, MAY) M(s, FLAG, alt, MAY)       \
    M(s, ADDRESS, to, MAY) M(s, ADDRESS, alt_to, MAY) M(s, U8, sl, MAY) M(s, U8, hop, MAY) M(s, U8, tclass, MAY)       \
    M(s, U32, flow, MAY) M(s, U16, vlan, MAY) M(s, U16, sport, MAY) M(s, U8, gid_index, MAY) M(s, U8, path_bits, MAY)  \
    M(s, U8, av_port, MAY) M(s, U8, alt_port, MAY)
#define AG_M_modify_qp_ok(M, s)
#define AG_M_query_qp_args(M, s)     M(s, U32, qpn, MUST)
#define AG_M_query_qp_ok(M, s)       M(s, STATE, state, MUST) AG_M_attributes(M, s) M(s, U16, alt_lid, MAY)    \
    M(s, U8, alt_port, MAY)
#define AG_M_destroy_args(M, s)      M(s, OBJECT, kind, MUST) M(s, U32, number, MUST)
#define AG_M_destroy_ok(M, s)
#define AG_M_reg_mr_args(M, s)                                                                                         \
    M(s, U32, pd, MUST) M(s, U64, length, MUST) M(s, U64, iova, MAY) M(s, ACCESS, access, MUST) M(s, LETTER, fill, MUST)
#define AG_M_reg_mr_ok(M, s)                                                                                           \
    M(s, U32, id, MUST) M(s, U64, va, MUST) M(s, U64, local, MUST) M(s, U32, lkey, MUST) M(s, U32, rkey, MUST)
#define AG_M_alloc_mw_args(M, s)     M(s, U8, type, MUST) M(s, U32, pd, MUST)
#define AG_M_alloc_mw_ok(M, s)       M(s, U32, rkey, MUST)
#define AG_M_arm_cq_args(M, s)       M(s, U32, cq, MUST) M(s, FLAG, solicited, MAY)
#define AG_M_arm_cq_ok(M, s)
#define AG_M_resize_cq_args(M, s)    M(s, U32, cq, MUST) M(s, U32, depth, MUST)
#define AG_M_resize_cq_ok(M, s)
#define AG_M_notified_args(M, s)     M(s, U32, cq, MUST)
#define AG_M_notified_ok(M, s)       M(s, U64, times, MUST)
#define AG_M_arm_srq_args(M, s)      M(s, U32, srq, MUST) M(s, U32, limit, MUST)
#define AG_M_arm_srq_ok(M, s)
#define AG_M_post_send_args(M, s)    M(s, U32, qpn, MUST) M(s, SEND, wr, MUST) M(s, DEST, dest, MAY)
#define AG_M_post_send_ok(M, s)
#define AG_M_post_recv_args(M, s)    M(s, U32, qpn, MAY) M(s, U32, srq, MAY) M(s, RECV, wr, MUST)
#define AG_M_post_recv_ok(M, s)
#define AG_M_poll_cq_args(M, s)      M(s, U32, cq, MUST)
#define AG_M_poll_cq_ok(M, s)        M(s, WC, wc, OR_NULL)
#define AG_M_poll_event_args(M, s)
#define AG_M_poll_event_ok(M, s)     M(s, ASYNC, event, OR_NULL)
#define AG_M_attach_args(M, s)       M(s, U32, qpn, MUST) M(s, GID, gid, MUST) M(s, U16, lid, MAY) M(s, FLAG, on, MUST)
#define AG_M_attach_ok(M, s)
#define AG_M_read_memory_args(M, s)  M(s, U64, at, MUST) M(s, U32, n, MUST)
#define AG_M_read_memory_ok(M, s)    M(s, BYTES, hex, MUST)
#define AG_M_write_memory_args(M, s) M(s, U64, at, MUST) M(s, BYTES, hex, MUST)
#define AG_M_write_memory_ok(M, s)
#define AG_M_page_args(M, s)         M(s, U64, at, MUST) M(s, FLAG, present, MUST)
#define AG_M_page_ok(M, s)
#define AG_M_prefetch_args(M, s)                                                                                       \
    M(s, U32, pd, MUST) M(s, U64, at, MUST) M(s, U32, len, MUST) M(s, U32, lkey, MUST) M(s, FLAG, write, MAY)          \
    M(s, FLAG, no_fault, MAY) M(s, FLAG, later, MAY)
#define AG_M_prefetch_ok(M, s)
#define AG_M_reregister_args(M, s)                                                                                     \
    M(s, U32, lkey, MUST) M(s, U32, pd, MAY) M(s, ACCESS, access, MAY) M(s, U64, length, MAY) M(s, LETTER, fill, MAY)
#define AG_M_reregister_ok(M, s)     AG_M_reg_mr_ok(M, s)
#define AG_M_set_port_args(M, s)     M(s, SETTING, key, MUST) M(s, U32, index, MAY) M(s, U64, value, MUST)
#define AG_M_set_port_ok(M, s)
#define AG_M_set_gid_args(M, s)      M(s, U32, index, MUST) M(s, GID, gid, MUST)
#define AG_M_set_gid_ok(M, s)
#define AG_M_choose_psn_args(M, s)
#define AG_M_choose_psn_ok(M, s)     M(s, U32, psn, MUST)
#define AG_M_counters_args(M, s)
#define AG_M_counters_ok(M, s)       M(s, COUNTERS, counters, MUST)
#define AG_M_log_args(M, s)          M(s, U64, since, MAY)
#define AG_M_log_ok(M, s)            M(s, TEXT, text, MAY) M(s, U64, at, MAY)
#define AG_M_cm_open_args(M, s)
#define AG_M_cm_open_ok(M, s)        M(s, U64, service, MAY)
#define AG_M_cm_call_args(M, s)                                                                                        \
    M(s, CM_VERB, call, MUST) M(s, U32, conn, MUST) M(s, BYTES, hex, MUST) M(s, U32, backlog, MAY)                     \
    M(s, FLAG, datagrams, MAY) M(s, FLAG, both, MAY)
#define AG_M_cm_call_ok(M, s)        M(s, U32, conn, MUST)
#define AG_M_cm_event_args(M, s)
#define AG_M_cm_event_ok(M, s)                                                                                         \
    M(s, CM_EVENT, kind, MUST) M(s, U32, conn, MAY) M(s, U16, reason, MAY) M(s, BYTES, hex, MAY)
#define AG_M_cm_attributes_args(M, s) M(s, U32, conn, MUST) M(s, STATE, state, MUST)
#define AG_M_cm_attributes_ok(M, s)  AG_M_query_qp_ok(M, s)
#define AG_M_advance_args(M, s)      M(s, U64, until, MUST)
#define AG_M_advance_ok(M, s)        M(s, U64, now, MUST) M(s, U32, frames, MUST)

/* Errors of the agent itself; any other word is an error of the device. */
#define AG_ERRORS(E)                                                                                                   \
    E(unsupported,   "the agent does not have this verb, or the device cannot do it")                                  \
    E(dead,          "the device is gone, or does not answer")                                                         \
    E(fault,         "a fault of the agent")                                                                           \
    E(line_too_long, "a line of more than 65536 bytes")                                                                \
    E(bad_json,      "no JSON object")                                                                                 \
    E(bad_request,   "an argument is missing, wrong or one too many")                                                  \
    E(bad_version,   "the agent does not speak this version")                                                          \
    E(bad_token,     "the token is missing or wrong")                                                                  \
    E(no_hello,      "hello comes first")
/* clang-format on */

/* ---- structures ---- */
enum ag_word_list {
    AG_W_STATE,
    AG_W_TYPE,
    AG_W_OP,
    AG_W_STATUS,
    AG_W_EVENT,
    AG_W_MIG,
    AG_W_LINK,
    AG_W_OBJECT,
    AG_W_SETTING,
    AG_W_CM_VERB,
    AG_W_CM_EVENT,
    AG_W_CLOCK,
    AG_W_ACCESS,
    AG_W_CAP,
    AG_W_COUNT
};
enum ag_form {
    AG_H_NUMBER,
    AG_H_FLAG,
    AG_H_TEXT,
    AG_H_LETTER,
    AG_H_MTU,
    AG_H_GID,
    AG_H_IPV4,
    AG_H_MAC,
    AG_H_BYTES,
    AG_H_COUNTERS,
    AG_H_WORD,
    AG_H_WORDS,
    AG_H_MEMBERS,
    AG_H_LIST
};
enum ag_kind {
#define AG_KIND_ID(kind, how, of) AG_K_##kind,
    AG_KINDS(AG_KIND_ID) AG_K_COUNT
};
enum ag_verb {
#define AG_VERB_ID(verb) AG_V_##verb,
    AG_VERBS(AG_VERB_ID) AG_V_COUNT,
    AG_V_no_such_verb = AG_V_COUNT /* a verb that a tester uses to check that unknown verbs are refused */
};
enum ag_error {
    AG_FINE,
#define AG_ERROR_ID(word, text) AG_E_##word,
    AG_ERRORS(AG_ERROR_ID) AG_E_COUNT /* an error word of the device */
};
enum ag_shape_id {
#define AG_SHAPE_ID(shape) AG_S_##shape,
#define AG_VERB_SHAPES(verb) AG_S_##verb##_args, AG_S_##verb##_ok,
    AG_LEAVES(AG_SHAPE_ID) AG_BRANCHES(AG_SHAPE_ID) AG_VERBS(AG_VERB_SHAPES) AG_S_COUNT
};

/* the C type of each kind of value */
#define AG_T_U8 uint8_t
#define AG_T_U16 uint16_t
#define AG_T_U32 uint32_t
#define AG_T_U64 uint64_t
#define AG_T_FLAG bool
#define AG_T_TEXT struct ag_text
#define AG_T_LETTER char
#define AG_T_MTU uint8_t
#define AG_T_GID struct ag_gid
#define AG_T_IPV4 uint32_t
#define AG_T_MAC uint64_t
#define AG_T_BYTES struct ag_bytes
#define AG_T_COUNTERS struct ag_counters
#define AG_T_STATE uint8_t
#define AG_T_TYPE uint8_t
#define AG_T_OP uint8_t
#define AG_T_STATUS uint8_t
#define AG_T_EVENT uint8_t
#define AG_T_MIG uint8_t
#define AG_T_LINK uint8_t
#define AG_T_OBJECT uint8_t
#define AG_T_SETTING uint8_t
#define AG_T_CLOCK uint8_t
#define AG_T_CM_VERB uint8_t
#define AG_T_CM_EVENT uint8_t
#define AG_T_ACCESS uint64_t
#define AG_T_LINKS uint64_t
#define AG_T_CAPS uint64_t
#define AG_T_LIMITS struct ag_limits
#define AG_T_ADDRESS struct ag_address
#define AG_T_DEST struct ag_dest
#define AG_T_SEND struct ag_send
#define AG_T_RECV struct ag_recv
#define AG_T_WC struct ag_wc
#define AG_T_ASYNC struct ag_event
#define AG_T_PORTS struct ag_ports
#define AG_T_SGES struct ag_sges

#define AG_MEMBER(shape, kind, name, need) AG_T_##kind name;
#define AG_MEMBER_ID(shape, kind, name, need) AG_I_##shape##_##name,
/* Defines struct ag_SHAPE, and for each member AG_I_SHAPE_MEMBER, the number of its bit in `given`. */
#define AG_STRUCT(shape)                                                                                               \
    struct ag_##shape {                                                                                                \
        uint64_t given;                                                                                                \
        AG_M_##shape(AG_MEMBER, shape)                                                                                 \
    };                                                                                                                 \
    enum { AG_M_##shape(AG_MEMBER_ID, shape) AG_N_##shape };                                                           \
    _Static_assert((int)AG_N_##shape < 64, "a bit each");

AG_LEAVES(AG_STRUCT)
struct ag_ports {
    uint64_t n;
    struct ag_address v[IBC_DEVICES];
};
struct ag_sges {
    uint64_t n;
    struct ag_sge v[IBA_MAX_SGE];
};
AG_BRANCHES(AG_STRUCT)
#define AG_VERB_STRUCTS(verb) AG_STRUCT(verb##_args) AG_STRUCT(verb##_ok)
AG_VERBS(AG_VERB_STRUCTS)

#define AG_BIT(shape, name) (UINT64_C(1) << AG_I_##shape##_##name)
#define AG_HAS(p, shape, name) (((p)->given & AG_BIT(shape, name)) != 0)
/* Sets an optional member. */
#define AG_SET(p, shape, name, value) ((p)->given |= AG_BIT(shape, name), (p)->name = (value))

struct ag_request {
    uint64_t id;
    enum ag_verb verb;
    uint32_t device; /* 0 or 1 */
    union {
#define AG_ARGS_OF(verb) struct ag_##verb##_args verb;
        AG_VERBS(AG_ARGS_OF)
    } u;
};
struct ag_reply {
    uint64_t id;
    bool has_id; /* false: the request had no id that could be read */
    enum ag_verb verb;
    enum ag_error error; /* AG_FINE: `u` is valid; otherwise word and text are */
    char word[80];       /* error word of the agent or the device */
    char text[AG_SENTENCE];
    union {
#define AG_OK_OF(verb) struct ag_##verb##_ok verb;
        AG_VERBS(AG_OK_OF)
    } u;
};

/* ---- lines ---- */
/* Writes a request without its line end. Returns the length; 0: it exceeds `cap`, which cannot happen with AG_LINE. */
size_t ag_write_request(const struct ag_request *r, char *line, size_t cap);
size_t ag_write_reply(const struct ag_reply *r, char *line, size_t cap);
/* Reads a request. Returns AG_FINE, or an error whose reply is in *no. Unknown members are refused. */
enum ag_error ag_read_request(const char *line, size_t len, struct ag_request *r, struct ag_reply *no);
/* Reads the reply to a request for `verb`. False: the line is no reply, and `text` has the reason. Unknown members
 * come from a newer agent, and are ignored. */
bool ag_read_reply(const char *line, size_t len, enum ag_verb verb, struct ag_reply *r, char *text, size_t cap);
/* Makes *r a refusal, with one of the agent's errors, or the device's (AG_E_COUNT and `word`). */
void ag_refuse(struct ag_reply *r, enum ag_error e, const char *word, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *ag_verb_name(enum ag_verb v);
const char *ag_error_word(enum ag_error e);

/* ---- the table, as data ---- */
enum ag_need { AG_MAY, AG_MUST, AG_OR_NULL };
struct ag_field {
    const char *name;
    uint8_t kind, need; /* enum ag_kind, enum ag_need */
    uint16_t size;      /* size in bytes at offset `at` */
    uint16_t at;
};
struct ag_shape {
    const struct ag_field *field;
    uint16_t n, size;
};
struct ag_word {
    const char *word;
    uint64_t n;
};
struct ag_words {
    const char *what; /* the word for one entry of the list */
    const struct ag_word *v;
    size_t n;
};
extern const struct ag_shape ag_shapes[AG_S_COUNT];
extern const struct ag_words ag_words[AG_W_COUNT];
extern const uint8_t ag_form[AG_K_COUNT], ag_of[AG_K_COUNT]; /* indexed by enum ag_kind */
static inline const struct ag_shape *ag_args_shape(enum ag_verb v)
{
    return &ag_shapes[AG_S_hello_args + 2 * (int)v];
}
static inline const struct ag_shape *ag_ok_shape(enum ag_verb v)
{
    return &ag_shapes[AG_S_hello_ok + 2 * (int)v];
}

/* ---- core's structures and these: convert.c ---- */
/* Converts an address. It is all zero where a link has no such address. */
struct ag_address ag_from_address(const struct ibc_address *a);
struct ibc_address ag_to_address(const struct ag_address *a);
/* Converts attributes to a request. `twin`: the other device's address, used if a->to_partner is set. */
void ag_from_modify(struct ag_modify_qp_args *to, uint32_t qpn, const struct ibc_qp_attr *a,
                    const struct ibc_address *partner);
/* room: storage for to->to and to->alt. */
void ag_to_modify(struct ibc_qp_attr *to, const struct ag_modify_qp_args *a, struct ibc_address room[2]);
void ag_from_query(struct ag_query_qp_ok *to, const struct iba_qp_attr *a);
void ag_to_query(struct iba_qp_attr *to, const struct ag_query_qp_ok *a);
/* Converts a work request. datagram: the QP is not connected (neither RC, UC nor XRC), so that its work requests
 * name a destination. */
void ag_from_send(struct ag_post_send_args *to, uint32_t qpn, const struct ibc_send *s, bool datagram);
/* room: storage for to->dest.to; to->dest.group points into *a. */
void ag_to_send(struct ibc_send *to, const struct ag_post_send_args *a, struct ibc_address *room);
struct ag_recv ag_from_recv(const struct iba_recv_wr *wr);
struct ibc_qp_spec ag_to_qp_spec(const struct ag_create_qp_args *a);
struct ibc_mr_spec ag_to_mr_spec(const struct ag_reg_mr_args *a);
struct ibc_reregister ag_to_reregister(const struct ag_reregister_args *a);
struct iba_recv_wr ag_to_recv(const struct ag_recv *r);
struct ag_wc ag_from_wc(const struct iba_wc *wc);
struct iba_wc ag_to_wc(const struct ag_wc *w);
struct ag_event ag_from_event(const struct iba_event *e);
struct iba_event ag_to_event(const struct ag_event *e);
#endif
