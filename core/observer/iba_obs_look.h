/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet that the observer looks at, and the times and counts by which it decides. Each file of the observer has a
 * header with its functions. Not for users of libiba.
 *
 * Functions that run for most packets are marked hot, other functions cold. The linker places hot functions side by
 * side, so that they fit into the processor's first-level cache. */
#ifndef IBA_OBS_LOOK_H
#define IBA_OBS_LOOK_H
#include "observer/iba_obs_state.h"
#include "wire/iba_aeth.h"
#include "wire/iba_mtu.h"

/* Shorter than any round trip: a packet that left within this time cannot be the cause of the current one. */
#define IBA_OBS_LEAST_RTT_NS UINT64_C(1000)
/* Longer than a round trip of any fabric: all packets that were in flight have arrived by then. */
#define IBA_OBS_FLIGHT_NS UINT64_C(10000000)
/* Shorter than any ACK timer in use: a requester that sends again sooner has another reason. */
#define IBA_OBS_SOONEST_TIMEOUT_NS UINT64_C(1000000)
/* Longer than a round trip in one data centre. */
#define IBA_OBS_ROUND_NS UINT64_C(60000)
/* An end that continues a run of responses, or that goes back, sends the next packet within this time. */
#define IBA_OBS_AT_ONCE_NS UINT64_C(200000)
/* After this many steps forward, the observer assumes that IPv4 identifications count packets. */
enum { IBA_OBS_TRUST = 2 };
/* Packets with at most this many missing PSNs between them count as one run. */
enum { IBA_OBS_MOST_LOST = 16 };
/* The capture may lack this many packets at the beginning of a run. */
enum { IBA_OBS_MOST_BEGINNING = 3 };
/* Of this many packets with consecutive PSNs, at least one is not late. */
enum { IBA_OBS_RUN = 3 };
/* The first requests of a capture may be retransmissions of requests from before the capture. This is the highest
 * number of such retransmissions.
 */
enum { IBA_OBS_FEW = 3 };
/* This many packets that were sent after a lost one, were acknowledged, and were not sent again, show selective repeat.
 */
enum { IBA_OBS_KEPT = 3 };
/* Adds one to a count of consecutive packets; starts a new count when the packet does not continue the others. */
static inline uint8_t iba_obs_count(uint8_t n, bool goes_on)
{
    return goes_on ? (uint8_t)(n + (n < UINT8_MAX)) : 1;
}
struct iba_look { /* one packet with a BTH */
    struct iba_observer *s;
    const struct iba_view *v;
    struct iba_direction id; /* valid with has_id: iba_obs_id() */
    bool has_id;
    struct iba_flow *flow, *peer; /* peer NULL: not known */
    const uint8_t *bth;
    const struct iba_opcode *op; /* NULL: reserved */
    uint8_t opcode, syndrome;    /* syndrome, msn: valid when the packet has an AETH */
    uint16_t ip_id;
    bool has_ip_id, late; /* late: the packet has an older IPv4 identification than earlier packets */
    bool overtaken;       /* the packet is a request that is late, and was not sent again */
    iba_psn psn;
    uint32_t msn;
    uint64_t content;                 /* hash of the bytes that a retransmission repeats */
    const struct iba_obs_read *again; /* for a request: the earlier READ or ATOMIC at this PSN; NULL: there is none */
};
/* A READ, an ATOMIC, or another request whose response carries data. A responder always answers such a request. */
static inline bool iba_obs_fetches(const struct iba_look *l)
{
    return l->op->pay == IBA_PAY_NONE || l->op->pay == IBA_PAY_EIGHT;
}
/* The READ or ATOMIC was answered before this packet, so the packet is not a late first transmission. It might be a
 * late retransmission, but READs and ATOMICs are mostly sent again for a missing answer. */
static inline bool iba_obs_fetched_before(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return iba_obs_fetches(l) && iba_obs_is_answered(q, l->psn);
}
/* Returns the minimum time until a packet to this packet's sender has an effect at the capture point; 0: not known. */
static inline iba_time iba_obs_rtt(const struct iba_look *l)
{
    return l->flow->has_rtt ? l->flow->rtt_min_ns : 0;
}
/* IPv4 identifications count packets, and show that this packet is not late. */
static inline bool iba_obs_has_newer_id(const struct iba_look *l)
{
    return l->has_ip_id && l->flow->ip_id[l->op->dir].trust >= 2;
}
/* Enough time has passed since `at` for this packet to be the effect of a packet that was captured then. */
static inline bool iba_obs_had_time(const struct iba_look *l, iba_time at)
{
    return l->flow->has_rtt && l->s->now.at - at >= l->flow->rtt_min_ns;
}
static inline bool iba_obs_is_read(uint8_t opcode)
{
    return iba_opcode_operation(opcode) == IBA_OPERATION_READ;
}
static inline bool iba_obs_is_mtu(uint32_t n)
{
    return n >= 256 && n <= 4096 && (n & (n - 1)) == 0;
}
#endif
