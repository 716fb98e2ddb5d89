/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer's internals: the packet that it looks at, and the functions of its files. Not for users of libiba.
 *
 * Functions that most packets pass are marked hot, the others cold. The linker places the hot ones side by side, so
 * that they fit into the processor's first-level cache. */
#ifndef IBA_OBS_PARTS_H
#define IBA_OBS_PARTS_H
#include "observer/iba_decision.h"
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
/* A run may lack this many PSNs, and is still taken for the same run. */
enum { IBA_OBS_MOST_LOST = 16 };
/* When this many packets follow each other directly, not all of them are late. */
enum { IBA_OBS_RUN = 3 };
/* The first requests of a capture may be retransmissions of requests from before the capture. This is the most of them.
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

/* A step of a hash. No stored or printed result depends on its values. Both halves of the product count: the lower half
 * alone would pass the highest bits of the word on unmixed, so that words could be chosen that collide with any seed.
 */
static inline uint64_t iba_obs_mix(uint64_t h, uint64_t word)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)(h ^ word) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
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
    iba_psn psn;
    uint32_t msn;
    uint64_t content;                 /* hash of the bytes that a retransmission repeats */
    const struct iba_obs_read *again; /* for a request: the earlier READ or ATOMIC at this PSN; NULL: there is none */
};

/* Details of a finding. `cause` may be NULL. */
struct iba_obs_detail {
    const struct iba_obs_mark *cause;
    const struct iba_decision *decision; /* the row that decided; NULL: no table decides this kind */
    uint32_t count;
    iba_time wait_ns;
    bool response; /* for an earlier packet than the current one: it is a response */
};
/* Reports `kind` of the current packet. `t` may be NULL. */
__attribute__((cold)) void iba_obs_report(struct iba_look *l, enum iba_finding_kind kind,
                                          const struct iba_obs_detail *t);
/* Reports `kind` of the packet `of`, an earlier one than the current. `f` counts the finding; NULL: no flow counts it.
 */
__attribute__((cold)) void iba_obs_report_of(struct iba_observer *s, struct iba_flow *f, enum iba_finding_kind kind,
                                             const struct iba_obs_mark *of, const struct iba_obs_detail *t,
                                             iba_psn psn);

/* A finding about the packet `of`. `t` may be NULL. */
struct iba_finding iba_obs_finding(const struct iba_flow *f, enum iba_finding_kind kind, const struct iba_obs_mark *of,
                                   const struct iba_obs_detail *t, iba_psn psn);
/* A finding about the current packet. `t` may be NULL. */
struct iba_finding iba_obs_finding_now(const struct iba_look *l, enum iba_finding_kind kind,
                                       const struct iba_obs_detail *t);
/* Reports a finding at once, and defers none. */
void iba_obs_emit(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *finding);

/* ---- damaged packets: iba_obs_damaged.c ---- */
/* Reports the damaged packet, unless the observer has seen it at another capture point. `hash` covers the bytes that
 * routers do not change. `l->flow` NULL: no flow has the packet's QP. */
void iba_obs_damaged(struct iba_look *l, uint64_t hash);
/* Reports a packet that is damaged before its BTH. */
void iba_obs_damaged_unknown(struct iba_observer *s, const struct iba_view *v);
/* True when the capture has all PSNs that `t`, a GAP or RESPONSE_GAP, jumps over, in damaged packets. */
bool iba_obs_damage_explains(const struct iba_observer *s, const struct iba_flow *f, const struct iba_finding *t);

/* ---- packets that overtake each other: iba_obs_reorder.c ---- */
/* Defers a gap or a late packet. False: the caller reports it now. */
bool iba_obs_puts_off(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *t);
/* Defers ANSWER_MISSING for a response that jumps over `missing` responses from PSN `from` on, the first of them to
 * `r`. */
bool iba_obs_puts_off_missing(struct iba_look *l, const struct iba_obs_read *r, iba_psn from, uint32_t missing);
/* Defers a GAP over `n` PSNs that may be no loss. It is dropped unless some of them come late, or, when they may have
 * been sent before the capture, when they are asked for. False: the caller reports it now. */
bool iba_obs_puts_off_skipped(struct iba_look *l, uint32_t n, enum iba_obs_excuse excuse);
/* True when the deferred jumps include one over this PSN: over a request, or with `answers` over a response. */
bool iba_obs_fills(struct iba_flow *f, bool answers, iba_psn psn);
/* Counts `n` more PSNs of requests from `psn` on as arrived, since a READ takes several PSNs. */
void iba_obs_order_fill(struct iba_flow *f, iba_psn psn, uint32_t n);
/* The peer asks for missing PSNs from `psn` on: for requests of the flow, or with `answers` for its responses. */
void iba_obs_order_asked(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn);
/* The request comes again, so missing PSNs after it may still come. */
void iba_obs_order_comes_again(struct iba_flow *f, iba_psn psn);
/* The receiver has taken all packets up to `psn`, in the order in which they came. */
void iba_obs_order_taken(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn);
/* Resolves all deferred findings, since no packet follows. */
void iba_obs_order_end(struct iba_observer *s, struct iba_flow *f);

/* ---- answers to what was not sent: iba_obs_unsent.c ---- */
/* The response answers a PSN that was not sent yet, or that the capture lacks. Its finding waits for the next request.
 */
void iba_obs_hold_unsent(struct iba_look *l, struct iba_obs_requests *q);
/* An earlier response may have answered a request that the capture lacks. The current request shows whether that
 * request was sent. */
__attribute__((hot)) void iba_obs_resolve_unsent(struct iba_look *l, struct iba_obs_requests *q);
/* Resolves the same responses when no request follows. */
__attribute__((hot)) void iba_obs_resolve_unsent_alone(struct iba_observer *s, struct iba_flow *f);

/* ---- directions: iba_obs_direction.c ---- */
/* False when the packet belongs to no direction. */
__attribute__((hot)) bool iba_obs_is_directed(const struct iba_view *v);
/* The addresses and DestQP of a packet that belongs to a direction. */
__attribute__((hot)) void iba_obs_key(struct iba_flow_key *k, const struct iba_view *v);
/* The packet goes between the addresses of the key, in its direction. */
__attribute__((hot)) bool iba_obs_is_between(const struct iba_flow_key *k, const struct iba_view *v);
/* Hashes of the packet's direction, with the configuration's seed. False when the packet belongs to no direction. */
__attribute__((hot)) bool iba_obs_identify(struct iba_direction *id, const struct iba_view *v, uint64_t seed);
/* The hashes of the packet's direction, computed at first use: the observer mostly finds the flow without them. */
__attribute__((hot)) const struct iba_direction *iba_obs_id(struct iba_look *l);
/* The hashes that the observer keeps of a direction: of its destination and QP; of its source. */
static inline uint64_t iba_obs_target_of(uint64_t to, uint32_t qpn)
{
    return iba_obs_mix(to, qpn);
}
static inline uint32_t iba_obs_source_of(uint64_t from)
{
    return (uint32_t)(from >> 32);
}

/* ---- the caller's memory: iba_obs_memory.c ---- */
/* Bytes of the memory that are in use. */
size_t iba_obs_bytes(const struct iba_observer *s);
/* Sets how many flows each list may have. */
void iba_obs_share(struct iba_observer *s);

/* ---- flows and pairs by index: iba_obs_peer.c ---- */
static inline struct iba_flow *iba_obs_flow_at(const struct iba_observer *s, uint32_t index_plus_1)
{
    return index_plus_1 == 0 ? NULL : &s->flow[index_plus_1 - 1];
}
static inline struct iba_known *iba_obs_known_at(const struct iba_observer *s, uint32_t index_plus_1)
{
    return index_plus_1 == 0 ? NULL : &s->known[index_plus_1 - 1];
}
/* The flow of a direction; NULL: the direction is not known, or at rest. */
static inline struct iba_flow *iba_obs_active(const struct iba_observer *s, uint32_t known)
{
    return known == 0 ? NULL : iba_obs_flow_at(s, s->known[known - 1].flow);
}
/* Sets the other direction of the pair; `known` may be at rest. */
void iba_obs_set_peer(const struct iba_observer *s, uint32_t known, uint32_t peer, bool guess);
void iba_obs_unpair(struct iba_observer *s, struct iba_flow *f);

/* ---- flows: iba_obs_flow.c ---- */
/* Fetches the entry of a direction into the cache. */
void iba_obs_prefetch(const struct iba_known *k);
/* The flow of the packet. A new direction gets a flow; for that the observer may have to forget the direction that was
 * unused longest. */
__attribute__((hot)) struct iba_flow *iba_obs_flow(struct iba_look *l);
/* The flow of the packet; NULL when its direction is not known. */
struct iba_flow *iba_obs_known(struct iba_look *l);
/* The flow of a known direction. A direction at rest is restored from its short form. Its addresses come from `v`, a
 * packet of the direction, or from `opposite`, the other direction, which stays awake; both may be NULL. */
__attribute__((hot)) struct iba_flow *iba_obs_activate(struct iba_observer *s, uint32_t known, const struct iba_view *v,
                                                       const struct iba_flow *opposite);
/* The other direction's flow, awake from here on; NULL when it is not known. */
struct iba_flow *iba_obs_activate_peer(struct iba_observer *s, struct iba_flow *f);
/* The flow of the direction `known`, if its packets go the opposite way to the current packet. Wakes it when it is at
 * rest. */
struct iba_flow *iba_obs_activate_opposite(struct iba_look *l, uint32_t known);
/* Clears the flow, since another connection uses its QP. */
void iba_obs_begin_again(struct iba_observer *s, struct iba_flow *f);

/* ---- pairs: iba_obs_pairing.c ---- */
/* The response to this request may come from a direction that is not known yet, so the request is recorded for it. */
__attribute__((hot)) void iba_obs_wait_for_peer(struct iba_look *l);
/* The pair is no longer a guess. */
void iba_obs_confirm_pair(struct iba_observer *s, struct iba_flow *f);
/* Prefetches the place where the observer will look up this request, of a packet that is fed soon. */
void iba_obs_expect_asked(const struct iba_observer *s, const struct iba_expected *e);
/* Looks for the flow whose requests this response answers. */
void iba_obs_pair(struct iba_look *l);
/* The response does not answer its pair. If it answers another direction, the two become a pair, and the flow starts as
 * a new connection. */
__attribute__((cold)) void iba_obs_pair_again(struct iba_look *l);
/* The response answers a request of its pair that has no answer yet. */
static inline bool iba_obs_is_wanted(const struct iba_obs_requests *q, iba_psn psn)
{
    return q->any && iba_psn_diff(psn, q->high) < 0 && (!q->answered || iba_psn_diff(psn, q->una) >= 0);
}
/* Since the last packet of this flow, a direction without a peer began between the same addresses, the opposite way. */
bool iba_obs_another_began(const struct iba_look *l);
/* A request comes again: looks for the direction that has refused it. */
void iba_obs_pair_by_refusal(struct iba_look *l);

/* ---- what is left of a direction at rest: iba_obs_compact.c ---- */
__attribute__((hot)) void iba_obs_keep(struct iba_known *k, const struct iba_flow *f);
/* Restores `f`, which the caller has cleared. */
__attribute__((hot)) void iba_obs_resume(struct iba_flow *f, const struct iba_known *k);
void iba_obs_rest_pmtu(struct iba_known *k, uint32_t pmtu, bool sure);
/* The direction needs a report at the end: its request got no answer, or a NAK has ended it. */
bool iba_obs_waits(const struct iba_observer *s, const struct iba_known *k);

/* ---- congestion: iba_obs_congestion.c ---- */
__attribute__((hot)) void iba_obs_congestion(struct iba_look *l);
/* Reports a congestion notification. */
void iba_obs_notified(struct iba_look *l);

/* ---- paths: iba_obs_path.c ---- */
__attribute__((hot)) void iba_obs_path(struct iba_look *l);

/* ---- credits: iba_obs_credit.c ---- */
/* An acknowledgement moves the limit of credits. */
void iba_obs_grant(const struct iba_look *l, struct iba_obs_requests *q);
/* Reports a request in order that had to wait for credits. */
void iba_obs_stall(struct iba_look *l, const struct iba_obs_requests *q);

/* ---- packets that come twice: iba_obs_copy.c ---- */
/* Decides whether the network copied a packet, since the same bytes came before. */
const struct iba_decision *iba_obs_copied(const struct iba_look *l, const struct iba_obs_recent *r);
/* A decision table has decided. Notifies the caller, if it wants that. */
static inline void iba_obs_decided(const struct iba_observer *s, const struct iba_decision *by)
{
    if (s->cfg.decided)
        s->cfg.decided(s->cfg.ctx, by);
}

/* ---- which request a packet answers: iba_obs_answer.c ---- */
/* Reports to the caller the request that the packet answers, and the requests that it is the first to answer. */
void iba_obs_link_answer(struct iba_look *l);

/* ---- the end: iba_obs_end.c ---- */
/* Reports why the direction ended. `over`: no more packets can come, since another connection has its QP. */
void iba_obs_report_end(struct iba_observer *s, struct iba_flow *f, bool over);

/* ---- the record of a direction: iba_obs_history.c; gaps and responses are declared below ---- */
/* The number of PSNs that the packet takes; 0: unknown, a READ while the path MTU is unknown. */
uint32_t iba_obs_psns(const struct iba_look *l);
/* The last READ's number of PSNs has become known. */
void iba_obs_close_read(struct iba_obs_requests *q, uint32_t n);
/* The READ or ATOMIC that waits for a response at this PSN, or NULL. */
static inline struct iba_obs_read *iba_obs_read_at(struct iba_obs_requests *q, iba_psn psn)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(psn, r->psn);
        if (r->used && d >= 0 && (uint32_t)d < (r->n ? r->n : iba_mtu_packets(r->length, IBA_MTU_LEAST_BYTES)))
            return r;
    }
    return NULL;
}
/* The request remembered at this PSN, or NULL. */
static inline struct iba_obs_sent *iba_obs_sent_at(struct iba_obs_requests *q, iba_psn psn)
{
    return iba_obs_has_request(q, psn) ? &q->sent[psn.v % IBA_OBS_SENT] : NULL;
}
/* A READ, an ATOMIC, or another request whose response carries data. Its responder answers it in any case. */
static inline bool iba_obs_fetches(const struct iba_look *l)
{
    return l->op->pay == IBA_PAY_NONE || l->op->pay == IBA_PAY_EIGHT;
}

/* ---- requests: iba_obs_request.c, iba_obs_message.c ---- */
__attribute__((hot)) void iba_obs_request(struct iba_look *l);
/* Processes a request of an unreliable connection. */
void iba_obs_unreliable(struct iba_look *l);
/* The packet has the PSN that the responder expects. Checks the sequence of opcodes and the lengths, and counts
 * messages. */
__attribute__((hot)) void iba_obs_message(struct iba_look *l, struct iba_obs_requests *q);
/* The path MTU has become known, or known more exactly. */
void iba_obs_learn_pmtu(struct iba_observer *s, struct iba_flow *f, uint32_t pmtu, bool sure);
/* Checks the lengths that depend only on the packet and the path MTU. */
__attribute__((hot)) void iba_obs_payload(struct iba_look *l);
/* The requester sent requests after a NAK that ends the connection, so it did not get that NAK. */
static inline bool iba_obs_outlives(const struct iba_obs_requests *q)
{
    return q->last.at > q->fatal.at + IBA_OBS_FLIGHT_NS;
}
/* The last request for an answer has none yet, and may still get one. */
static inline bool iba_obs_asks(const struct iba_obs_requests *q)
{
    return q->ask.any && (q->fatal.frame == 0 || iba_obs_outlives(q)) &&
           !(q->answered && iba_psn_diff(q->ask.psn, q->una) < 0);
}

/* ---- single packets that come again: iba_obs_selective.c ---- */
/* Time since the last request of this direction. */
static inline iba_time iba_obs_pause(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return l->s->now.at - q->last.at;
}
/* This connection uses selective repeat. */
static inline bool iba_obs_repeats_single(const struct iba_obs_requests *q)
{
    return q->kept >= IBA_OBS_KEPT;
}
/* After a retransmission the requester goes on with a new packet, and does not send again the packets from `from` on.
 * True when that is selective repeat; false when these retransmissions may be missing from the capture. */
bool iba_obs_skips(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from);
/* The capture may have begun with retransmissions of single packets, each after a pause. The sender had sent later PSNs
 * before the capture began. */
bool iba_obs_begins_apart(const struct iba_look *l, const struct iba_obs_requests *q);
/* Defers the finding about a jump over `n` PSNs from `next` on that may be no loss. False: the caller reports it. */
bool iba_obs_defers_jump(struct iba_look *l, struct iba_obs_requests *q, iba_psn next, uint32_t n);
/* The response may acknowledge packets that a NAK had refused and that were not sent again. `una`: one past the highest
 * PSN that was acknowledged before the response. */
void iba_obs_learn_kept(struct iba_look *l, struct iba_obs_requests *q, iba_psn una);

/* ---- requests that come again: iba_obs_reason.c ---- */
/* The response of `r` may have its effect now: it left long enough ago to reach the requester, and recently enough. */
bool iba_obs_is_recent(const struct iba_look *l, const struct iba_obs_reason *r);
/* A recent response asked for exactly this request. */
bool iba_obs_was_asked_for(const struct iba_look *l, struct iba_obs_requests *q);
/* An earlier response than the last asked for this request, and its wait is over. */
bool iba_obs_had_another_reason(const struct iba_look *l, const struct iba_obs_requests *q);
/* A NAK that asked for this request, and that cannot be the cause of the earlier packet with the same bytes; NULL:
 * none. */
struct iba_obs_reason *iba_obs_reason_not_served_by(const struct iba_look *l, struct iba_obs_requests *q,
                                                    const struct iba_obs_recent *before);
/* The response has not had its effect yet. */
void iba_obs_restore_reason(struct iba_obs_reason *r);
/* The reason for this request that the capture shows, or NULL. A NAK makes the requester go back to its PSN, no
 * further. */
struct iba_obs_reason *iba_obs_reason_for(const struct iba_look *l, struct iba_obs_requests *q);
/* The packet is a READ that asks for the rest of an earlier READ: it was sent again, it is not late. */
bool iba_obs_is_rest(const struct iba_look *l);
/* A NAK asks for exactly this request. The request comes sooner than any known round trip. */
bool iba_obs_sooner_than_known(const struct iba_look *l, const struct iba_obs_reason *r);
/* Corrects a decision: an earlier retransmission was taken for the effect of a NAK, and this packet fits the NAK
 * better. */
__attribute__((cold)) void iba_obs_undo_effect(const struct iba_look *l, struct iba_obs_requests *q);
/* The recent gap that this PSN belongs to; NULL: none. `holes` has IBA_OBS_GAPS entries. */
struct iba_obs_gap *iba_obs_gap_at(const struct iba_observer *s, struct iba_obs_gap *gap, iba_psn psn);
/* A late packet closes the gap at its PSN. */
void iba_obs_close_gap(const struct iba_observer *s, struct iba_obs_gap *gap, iba_psn psn);
/* Records a gap of `n` PSNs in the ring of IBA_OBS_GAPS entries. */
void iba_obs_open_gap(struct iba_obs_gap *gap, uint8_t *next, iba_time now, iba_psn psn, uint32_t n);
/* Decides whether a request is late: its PSN was jumped over, and its sender had neither reason nor time to send it
 * again. */
const struct iba_decision *iba_obs_lateness(const struct iba_look *l, struct iba_obs_requests *q);
/* The request may be late, or sent again. Only the next packet shows which. */
bool iba_obs_is_undecided(const struct iba_look *l, struct iba_obs_requests *q);
/* The packets from `from` to before `end` come again, so NAKs for them have had their effect. */
void iba_obs_use_up_reason(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from, iba_psn end);
/* The requester's timer sends this packet once more, and nothing was answered since. Reports too many retries. */
void iba_obs_count_retry(struct iba_look *l, struct iba_obs_requests *q);
/* The requester stopped in the middle of its retransmissions, and its timer is known to run out soon. So this packet
 * does not continue these retransmissions. */
bool iba_obs_stopped(const struct iba_look *l, const struct iba_obs_requests *q);
/* The requester goes back. Sets q->run: the reason, and in q->run.guess whether that is certain only after the next
 * packet. */
void iba_obs_start_run(const struct iba_look *l, struct iba_obs_requests *q);
/* Reports the pending request, if there is one. `went_back`: the requester went back to it; otherwise it was late. */
void iba_obs_settle(struct iba_observer *s, struct iba_flow *f, bool went_back);
/* The pending request was sent again, though no packet followed it at once. */
bool iba_obs_went_back_alone(const struct iba_observer *s, const struct iba_obs_requests *q);
/* Reports the pending request, and all else that waits for a packet, when no packet follows. */
__attribute__((hot)) void iba_obs_settle_alone(struct iba_observer *s, struct iba_flow *f);

/* The number that the caller gave the direction; it gives one now if there is none yet. */
static inline uint32_t iba_obs_number(struct iba_observer *s, const struct iba_flow *f)
{
    uint32_t *number = &s->known[f->known - 1].number;

    if (*number == 0 && s->cfg.begun)
        *number = s->cfg.begun(s->cfg.ctx, f);
    return *number;
}

/* ---- responses: iba_obs_response.c, iba_obs_read.c ---- */
__attribute__((hot)) void iba_obs_response(struct iba_look *l);
/* An acknowledgement that is older than the newest one: iba_obs_ack.c. */
void iba_obs_ack_again(struct iba_look *l, struct iba_obs_requests *q);
/* A response while the capture has none of its requests: iba_obs_alone.c. */
void iba_obs_response_alone(struct iba_look *l);
/* Decides whether a response with data is late; `r` may be NULL. */
const struct iba_decision *iba_obs_answer_lateness(const struct iba_look *l, const struct iba_obs_read *r);
/* Decides whether the pending response is late, or `l` continues its run. `l` NULL: no packet follows. */
__attribute__((hot)) void iba_obs_release(struct iba_observer *s, struct iba_flow *f, const struct iba_look *l);
/* Decides the pending response by itself, since another one is about to become pending. */
void iba_obs_release_alone(struct iba_observer *s, struct iba_flow *f);
/* The packet is the First of a READ, and may be late. Only the next packet shows that. `r` may be NULL. */
bool iba_obs_holds(const struct iba_look *l, const struct iba_obs_read *r);
/* The packet is not a First, and may be late. Its READ was sent again, and the new answer has not begun. */
bool iba_obs_begins_inside(const struct iba_look *l, const struct iba_obs_read *r);
/* The requester goes back. The pending response may be the reason. */
void iba_obs_release_by_request(struct iba_look *l);
/* The minimum time until a packet to the sender of this packet shows an effect here; 0: not known. */
static inline iba_time iba_obs_rtt(const struct iba_look *l)
{
    return l->flow->has_rtt ? l->flow->rtt_min_ns : 0;
}
/* Records that responses from `from` to before `end` are missing; some of them may have come before. `q` may be NULL.
 */
void iba_obs_miss(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from, iba_psn end);
/* This network reorders packets, as far as the capture shows. */
static inline bool iba_obs_reorders(const struct iba_observer *s)
{
    return s->reorders;
}
/* IPv4 identifications count packets, and show that this packet is not late. */
static inline bool iba_obs_has_newer_id(const struct iba_look *l)
{
    return l->has_ip_id && l->flow->ip_id[l->op->dir].trust >= 2;
}
/* All responses to the READ came, though not necessarily since its newest transmission. */
bool iba_obs_answer_came(const struct iba_look *l, const struct iba_obs_read *r);
/* This packet may be an effect of a packet that was seen at `at`. */
static inline bool iba_obs_had_time(const struct iba_look *l, iba_time at)
{
    return l->flow->has_rtt && l->s->now.at - at >= l->flow->rtt_min_ns;
}
/* The responder has all requests up to `end`, and the capture lacks some of them. The message count starts again. */
void iba_obs_go_on_at(struct iba_obs_requests *q, iba_psn end);
/* Processes a response with data: to a READ or ATOMIC. */
void iba_obs_read_response(struct iba_look *l, struct iba_obs_requests *q);
/* An earlier response among the remembered packets has the same PSN. */
bool iba_obs_answered_before(const struct iba_look *l);
/* `psn` is where the requester goes on, as far as the capture shows. */
bool iba_obs_goes_on(const struct iba_obs_requests *q, iba_psn psn);
/* Records that all requests up to `psn` are answered. */
void iba_obs_progress(struct iba_obs_requests *q, iba_psn psn);
/* The pending reason to go back is replaced or no longer needed. It is remembered, since its effect may still come. */
void iba_obs_replace_reason(struct iba_obs_requests *q);
/* The response with the previous PSN came recently, so this one continues it. A First between the two was late. */
bool iba_obs_continues(const struct iba_look *l);
/* Responses to later requests have come since `since`. */
bool iba_obs_overtaken(const struct iba_look *l, iba_time since);
/* The newest remembered response before this one; NULL: none. */
const struct iba_obs_recent *iba_obs_response_before(const struct iba_look *l);
/* `r` becomes the pending reason to go back; the previous one is remembered. */
void iba_obs_expect_for(struct iba_obs_requests *q, const struct iba_obs_reason *r);
/* Records that a response makes the requester go back to `psn`. */
void iba_obs_expect_retry(struct iba_look *l, struct iba_obs_requests *q, enum iba_obs_cause cause, iba_psn psn,
                          iba_time wait_ns);

static inline uint64_t iba_obs_mix_ends(uint64_t h, const uint8_t a[16], const uint8_t b[16])
{
    h = iba_obs_mix(iba_obs_mix(h, iba_bits_get(a, 0, 64)), iba_bits_get(a, 64, 64));
    return iba_obs_mix(iba_obs_mix(h, iba_bits_get(b, 0, 64)), iba_bits_get(b, 64, 64));
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
