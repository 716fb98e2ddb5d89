/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the language that are not core's: steps, keys, roles, capabilities. Fields, opcodes, states,
 * statuses, events and errors come from core's tables. */
#ifndef IBC_WORDS_H
#define IBC_WORDS_H
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define IBC_ROLES(R) R(responder) R(requester) R(both) R(middle) R(verbs) R(fabric) R(sm)
#define IBC_CLASSES(C) C(mandatory) C(optional) C(recommended) C(conditional) C(informational) C(security)
/*   word            encapsulation of core it is */
#define IBC_LINKS(L)                                                                                                   \
    L(roce2_ipv4, "roce2-ipv4", ROCE2_V4)                                                                              \
    L(roce2_ipv6, "roce2-ipv6", ROCE2_V6)                                                                              \
    L(roce1,      "roce1",      ROCE1)                                                                                 \
    L(ib_local,   "ib-local",   IB_LOCAL)                                                                              \
    L(ib_global,  "ib-global",  IB_GLOBAL)
#define IBC_CAPABILITIES(C)                                                                                            \
    C(rc,            "reliable connections")                                                                           \
    C(uc,            "unreliable connections")                                                                         \
    C(ud,            "unreliable datagrams")                                                                           \
    C(raw,           "raw packets (InfiniBand)")                                                                       \
    C(management,    "QP0 and QP1 are the tester's to use")                                                            \
    C(write,         "RDMA WRITE")                                                                                     \
    C(read,          "RDMA READ")                                                                                      \
    C(atomic,        "CmpSwap and FetchAdd")                                                                           \
    C(flush,         "FLUSH (A19)")                                                                                    \
    C(persistent,    "regions that may be flushed into persistence (A19)")                                             \
    C(atomic_write,  "ATOMIC WRITE (A19)")                                                                             \
    C(send_inv,      "SEND with Invalidate")                                                                           \
    C(mw1,           "type 1 memory windows")                                                                          \
    C(mw2,           "type 2 memory windows")                                                                          \
    C(mw2a,          "type 2A memory windows: bound to a queue pair, whatever its protection domain")                  \
    C(fast_reg,      "regions that may be invalidated")                                                                \
    C(pieces,        "regions that consist of pieces of other regions (UMR)")                                           \
    C(reregister,    "regions that are registered again with other rights, or in another protection domain")            \
    C(reregister_range, "regions that are registered again with other memory")                                          \
    C(zero_based,    "zero-based regions")                                                                             \
    C(srq,           "shared receive queues")                                                                          \
    C(tags,          "shared receive queues that match tags")                                                          \
    C(multicast,     "multicast groups")                                                                               \
    C(odp,           "on-demand pages")                                                                                \
    C(prefetch,      "on-demand pages that software fetches before they are accessed")                                  \
    C(page_hook,     "pages can be taken away by the tester")                                                          \
    C(apm,           "automatic path migration")                                                                       \
    C(credits,       "end-to-end flow control")                                                                        \
    C(congestion,    "answers ECN or FECN marks")                                                                      \
    C(rate_control,  "slows down a flow after a congestion notification")                                              \
    C(pkey_table,    "a P_Key table that the tester may set")                                                          \
    C(limited_pkey,  "limited membership")                                                                             \
    C(lmc,           "several LIDs a port")                                                                            \
    C(two_ports,     "two ports")                                                                                      \
    C(counter_hook,  "counters can be set by the tester")                                                              \
    C(xrc,           "extended reliable connections, initiator")                                                       \
    C(xrc_tgt,       "extended reliable connections, target")                                                          \
    C(rd,            "reliable datagrams")                                                                              \
    C(two_devices,   "two devices with the tester between")                                                            \
    C(qp_states,     "all states of a QP can be asked for")                                                            \
    C(exact_depth,   "a QP asked for seven sends and receives takes seven and no more")                                \
    C(resize_cq,     "completion queues of another size")                                                              \
    C(inline_data,   "inline data of 32 bytes")                                                                         \
    C(notify,        "completion notification")                                                                        \
    C(counters,      "counters")                                                                                       \
    C(cm,            "a connection manager that the tester may use")                                                   \
    C(cm_fields,     "a connection manager whose user chooses each field of a message, and sees all that it does")          \
    C(cm_verbs,      "a connection manager whose user delays answers, loads alternate paths and chooses each field of a SIDR_REP")  \
    C(fabric,        "switches, adapters and links of a subnet whose other ends the tester has")                         \
    C(sm,            "a subnet manager that the tester starts, in a subnet that the tester simulates")                   \
    C(virtual_time,  "time that is exact and costs nothing: hours, and single microseconds")
/* Why a device under libibverbs does not claim them, when the device itself could do them */
#define IBC_UNCLAIMED(U)                                                                                               \
    U(management, "QP0 and QP1 are the kernel's: no verb gives them to a program")                                     \
    U(fast_reg, "libibverbs has no verb for them: only a kernel's users register so")                                  \
    U(pieces, "libibverbs has no verb for them: only extensions of one vendor have")                                   \
    U(rate_control, "no verb shows it; roce.rate.curve measures it on any device")                                        \
    U(pkey_table, "a subnet manager sets it; no verb does")                                                            \
    U(tags, "the agent has no verbs for them; libibverbs has, but only one vendor's adapters implement them")                                          \
    U(page_hook, "the kernel removes pages; no verb does")                                                               \
    U(counter_hook, "no verb sets counters")                                                                            \
    U(sm, "--target sm:COMMAND tests one")                                                                               \
    U(cm_fields, "librdmacm shows and sets private data, READ depths, retries; the kernel chooses all else")            \
    U(cm_verbs, "librdmacm has no call for MRA, LAP and SAP, and none that chooses the fields of SIDR_REP")
#define IBC_OBJECT_KINDS(K) K(pd) K(mr) K(mw) K(cq) K(xrcd) K(srq) K(group) K(handle) K(qp) K(cm) K(switch) K(adapter) K(router) K(wire) K(cable) K(manager) K(partition)
/* Attributes of an object with values known at run time: "m.rkey", "a.peer" */
#define IBC_ATTRS(A) A(va) A(lkey) A(rkey) A(length) A(qpn) A(peer) A(epsn) A(psn) A(id) A(tid) A(srqn) A(lid)

/* The qp types that a file may name */
#define IBC_SERVICES(S)                                                                                                \
    S(RC, "rc") S(UC, "uc") S(UD, "ud") S(RAW_IPV6, "raw-ipv6") S(RAW_ETHERTYPE, "raw-ethertype") S(SMI, "smi")        \
    S(GSI, "gsi") S(XRC_INI, "xrc-ini") S(XRC_TGT, "xrc-tgt") S(RD, "rd") S(EE, "ee")
/* The window types that a file may name: "2" is the device's own kind of type 2. The numbers are those of alloc_mw. */
#define IBC_WINDOWS(W) W("1", 1) W("2", 2) W("2a", 3)
/* Actions on a packet, role middle; destinations and sources of datagrams; what score measures */
#define IBC_THENS(T) T(forward) T(drop) T(twice) T(hold) T(corrupt)
/* ... and invalid destinations of a path: no address, ::1, a multicast group, on IPv6 an IPv4 address */
#define IBC_PARTIES(P) P(none) P(peer) P(stranger) P(nowhere) P(loopback) P(group) P(ipv4)
#define IBC_SCORES(S) S(rkeys) S(qpns) S(psns)

/* Lines of the head: word, at most one of it, required */
#define IBC_HEADS(H)                                                                                                   \
    H(title,   true,  true)                                                                                            \
    H(spec,    false, true)                                                                                            \
    H(class,   true,  false)                                                                                           \
    H(role,    true,  true)                                                                                            \
    H(service, false, false)                                                                                            \
    H(link,    false, false)                                                                                           \
    H(needs,   false, false)                                                                                           \
    H(vary,    false, false)                                                                                           \
    H(covers,  false, false)                                                                                           \
    H(note,    false, false)                                                                                           \
    H(see,     false, false)                                                                                           \
    H(hazard,  false, false)                                                                                           \
    H(drawn,   true,  false)

/*     kind           as the file has it */
#define IBC_STEPS(S)                                                                                                   \
    S(send,           ">")                                                                                             \
    S(expect,         "<")                                                                                             \
    S(silence,        "silence")                                                                                       \
    S(wait,           "wait")                                                                                          \
    S(post,           "post")                                                                                          \
    S(recv,           "recv")                                                                                          \
    S(modify,         "modify")                                                                                        \
    S(state,          "state")                                                                                         \
    S(completion,     "completion")                                                                                    \
    S(completions,    "completions")                                                                                   \
    S(event,          "event")                                                                                         \
    S(events,         "events")                                                                                        \
    S(destroy,        "destroy")                                                                                       \
    S(dereg,          "dereg")                                                                                         \
    S(reregister,     "reregister")                                                                                    \
    S(free,           "free")                                                                                          \
    S(arm,            "arm")                                                                                           \
    S(resize,         "resize")                                                                                        \
    S(notified,       "notified")                                                                                      \
    S(limit,          "limit")                                                                                         \
    S(tag,            "tag")                                                                                           \
    S(untag,          "untag")                                                                                         \
    S(sync,           "sync")                                                                                          \
    S(attach,         "attach")                                                                                        \
    S(detach,         "detach")                                                                                        \
    S(memory,         "memory")                                                                                        \
    S(write,          "write")                                                                                         \
    S(page,           "page")                                                                                          \
    S(prefetch,       "prefetch")                                                                                      \
    S(port,           "port")                                                                                          \
    S(counter,        "counter")                                                                                       \
    S(pass,           "pass")                                                                                          \
    S(release,        "release")                                                                                       \
    S(score,          "score")                                                                                         \
    S(pace,           "pace")                                                                                          \
    S(health,         "health")                                                                                        \
    S(call,           "call")                                                                                          \
    S(told,           "told")                                                                                          \
    S(gives,          "gives")                                                                                         \
    S(set,            "set")                                                                                           \
    S(get,            "get")                                                                                           \
    S(pull,           "pull")                                                                                          \
    S(plug,           "plug")                                                                                          \
    S(start,          "start")                                                                                         \
    S(stop,           "stop")                                                                                          \
    S(has,            "has")                                                                                           \
    S(gets,           "gets")                                                                                          \
    S(subnet,         "subnet")                                                                                        \
    S(object,         "object")   /* mr, mw, qp ... below the first step: created in the order of steps */

/* Keys of name=value words, and bare words (a flag: value 1; a positional value has a key of its own). A key has the
 * same meaning everywhere; the loader's table lists the keys of each step. */
#define IBC_KEYS(K)                                                                                                    \
    K(FIELD) /* a header field: arg.hdr, arg.field */                                                                  \
    /* packets */                                                                                                      \
    K(payload) K(fill) K(icrc) K(vcrc) K(cut) K(extra) K(insert) K(remove) K(poke) K(repair) K(pad_byte) K(from)       \
    K(to) K(via) K(times) K(after) K(within) K(as) K(same) K(then)                                                     \
    /* fields that several headers have, and the whole syndrome */                                                     \
    K(hop) K(tclass) K(flow) K(ecn) K(dscp) K(sgid) K(dgid)                                                            \
    /* objects */                                                                                                      \
    K(length) K(pd) K(access) K(iova) K(type) K(depth) K(limit) K(recv) K(recv_bytes) K(scq) K(rcq) K(srq) K(xrcd) K(cq) K(pmtu)     \
    K(epsn) K(psn) K(state) K(timeout) K(retry) K(rnr_retry) K(min_rnr) K(rd) K(dest_rd) K(pkey) K(qkey)               \
    K(flow_control) K(sig) K(sq) K(rq) K(sl) K(port) K(dut) K(peer) K(alt) K(mig) K(gid) K(piece) K(stride) K(rounds)  \
    /* verbs */                                                                                                        \
    K(len) K(at) K(lkey) K(sge) K(va) K(rkey) K(imm) K(inv) K(cmp) K(swap) K(add) K(placement) K(selectivity)          \
    K(signaled) K(solicited) K(fence) K(inline) K(id) K(dest) K(qpn) K(mw) K(mr) K(key) K(error) K(only) K(without)              \
    K(cur_state) K(sqd_notify) K(av) K(status) K(bytes) K(grh) K(srcqp) K(pkey_index) K(send) K(none) K(hex) K(u64)    \
    K(unchanged) K(absent) K(present) K(lmc) K(lid) K(mtu) K(congestion) K(sl2vl) K(n)                                 \
    /* address vectors, arrival and a second port */                                                                   \
    K(vlan) K(sport) K(gid_index) K(path_bits) K(slid) K(mapped) K(ethertype) K(srqn) K(pkey_violations)               \
    K(qkey_violations) K(av_port) K(alt_port) K(quiet) K(late) K(slower) K(faster) K(rdd) K(eecn)                                                          \
    /* prefetch of on-demand pages */                                                                                  \
    K(write) K(no_fault) K(later)                                                                                      \
    /* tag matching */                                                                                                 \
    K(tags) K(tag) K(mask) K(handled) K(app) K(match) K(data)                                                          \
    /* connection managers */                                                                                          \
    K(backlog) K(compare) K(datagrams) K(both) K(alt_lid)                                                     \
    /* nodes of a subnet */                                                                                            \
    K(ports) K(sm) K(mkey) K(protect) K(lease) K(route) K(vls) K(credits) K(refresh) K(unmapped) K(ipd) K(one) K(other)       \
    /* subnet managers, and the partitions that they have to make */                                               \
    K(priority) K(sweep) K(poll) K(full) K(limited)                                                                    \
    /* positional: the one value of silence, wait, state, event, notified, counter, memory, score, group, op */        \
    K(value) K(name) K(delta)
/* clang-format on */
enum { IBC_ACCESS_UNKNOWN = 1 << 15 }; /* a right that does not exist */
enum ibc_role {
#define IBC_ROLE_ID(w) IBC_ROLE_##w,
    IBC_ROLES(IBC_ROLE_ID) IBC_ROLE_COUNT
};
enum ibc_class {
#define IBC_CLASS_ID(w) IBC_CLASS_##w,
    IBC_CLASSES(IBC_CLASS_ID) IBC_CLASS_COUNT
};
enum ibc_link {
#define IBC_LINK_ID(id, w, encap) IBC_LINK_##id,
    IBC_LINKS(IBC_LINK_ID) IBC_LINK_COUNT
};
enum ibc_capability {
#define IBC_CAP_ID(w, words) IBC_CAP_##w,
    IBC_CAPABILITIES(IBC_CAP_ID) IBC_CAP_COUNT
};
enum ibc_object_kind {
#define IBC_OBJECT_ID(w) IBC_O_##w,
    IBC_OBJECT_KINDS(IBC_OBJECT_ID) IBC_O_COUNT
};
/* Properties of a whole subnet, for a line `subnet` */
#define IBC_CHECKS(C)                                                                                                  \
    C(lids, "each adapter port and switch has LIDs of its own, in a row that begins at a multiple of 2^LMC")           \
    C(active, "both ports of each cable are Active")                                                                   \
    C(routed, "a data packet from each adapter port to each LID of each other one arrives")
enum ibc_check {
#define IBC_CHECK_ID(w, words) IBC_CHECK_##w,
    IBC_CHECKS(IBC_CHECK_ID) IBC_CHECK_COUNT
};
/* Whether scenarios of that role are about a subnet. */
static inline bool ibc_role_has_subnet(uint8_t role)
{
    return role == IBC_ROLE_fabric || role == IBC_ROLE_sm;
}
/* Whether objects of that kind are nodes of a subnet. */
static inline bool ibc_is_node(uint8_t kind)
{
    return kind == IBC_O_switch || kind == IBC_O_adapter || kind == IBC_O_router;
}
enum ibc_attr {
#define IBC_ATTR_ID(w) IBC_A_##w,
    IBC_ATTRS(IBC_ATTR_ID) IBC_A_COUNT
};
enum ibc_then {
#define IBC_THEN_ID(w) IBC_THEN_##w,
    IBC_THENS(IBC_THEN_ID) IBC_THEN_COUNT
};
enum ibc_party {
#define IBC_PARTY_ID(w) IBC_PARTY_##w,
    IBC_PARTIES(IBC_PARTY_ID) IBC_PARTY_COUNT
};
enum ibc_score {
#define IBC_SCORE_ID(w) IBC_SCORE_##w,
    IBC_SCORES(IBC_SCORE_ID) IBC_SCORE_COUNT
};
enum ibc_head {
#define IBC_HEAD_ID(w, once, must) IBC_HEAD_##w,
    IBC_HEADS(IBC_HEAD_ID) IBC_HEAD_COUNT
};
enum ibc_step_kind {
#define IBC_STEP_ID(w, text) IBC_S_##w,
    IBC_STEPS(IBC_STEP_ID) IBC_S_COUNT
};
enum ibc_key {
#define IBC_KEY_ID(w) IBC_K_##w,
    IBC_KEYS(IBC_KEY_ID) IBC_K_COUNT
};
/* Names in the spelling of the files; the arrays have *_COUNT entries. */
extern const char *const ibc_role_names[], *const ibc_class_names[], *const ibc_link_names[];
extern const char *const ibc_capability_names[], *const ibc_capability_words[], *const ibc_object_names[];
extern const char *const ibc_capability_unclaimed[]; /* NULL: the device itself lacks the capability */
extern const char *const ibc_attr_names[], *const ibc_step_names[], *const ibc_key_names[], *const ibc_then_names[];
extern const char *const ibc_party_names[], *const ibc_score_names[], *const ibc_head_names[];
#endif
