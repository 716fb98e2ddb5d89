/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the observer: one packet under observation, and the parts that look at it. Not for users of libiba.
 *
 * Functions that most packets pass are marked hot, the others cold: the linker lays the hot ones side by side, or the
 * processor's first cache would not hold them. */
#ifndef IBA_OBS_PARTS_H
#define IBA_OBS_PARTS_H
#include "observer/iba_decision.h"
#include "observer/iba_obs_state.h"
#include "wire/iba_aeth.h"
#include "wire/iba_mtu.h"

/* Less than any way to the other end and back: what left since cannot be why this came. */
#define IBA_OBS_LEAST_RTT_NS UINT64_C(1000)
/* Longer than a round trip of any fabric: packets that were on their way have arrived by then. */
#define IBA_OBS_FLIGHT_NS UINT64_C(10000000)
/* Less than any ACK timer in use: who comes back sooner has another reason. */
#define IBA_OBS_SOONEST_TIMEOUT_NS UINT64_C(1000000)
/* Longer than a round trip in one data centre. */
#define IBA_OBS_ROUND_NS UINT64_C(60000)
/* An end that continues a run of responses, or that goes back, sends the next packet sooner. */
#define IBA_OBS_AT_ONCE_NS UINT64_C(200000)
/* Steps of IPv4 identifications that make them count packets, for all the observer knows. */
enum { IBA_OBS_TRUST = 2 };
/* PSNs that a run may lack where it is still taken for that run. */
enum { IBA_OBS_MOST_LOST = 16 };
/* So many packets directly one after the other are not all late. */
enum { IBA_OBS_RUN = 3 };
/* The first requests of a capture may be retransmissions of what was sent before it began: so many at most. */
enum { IBA_OBS_FEW = 3 };
/* So many packets after a lost one that were acknowledged, and not sent again, show selective repeat. */
enum { IBA_OBS_KEPT = 3 };
/* How many, with one more: a new count where that does not go on with the others. */
static inline uint8_t iba_obs_count(uint8_t n, bool goes_on)
{
    return goes_on ? (uint8_t)(n + (n < UINT8_MAX)) : 1;
}

/* A step of a hash; nobody relies on its values. */
static inline uint64_t iba_obs_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}
struct iba_look { /* one packet with a BTH */
    struct iba_observer *s;
    const struct iba_view *v;
    struct iba_direction id; /* valid with has_id: iba_obs_id() */
    bool has_id;
    struct iba_flow *flow, *peer; /* peer NULL: not known */
    const uint8_t *bth;
    const struct iba_opcode *op; /* NULL: reserved */
    uint8_t opcode, syndrome;    /* syndrome, msn: where there is an AETH */
    uint16_t ip_id;
    bool has_ip_id, late; /* late: its IPv4 identification is older than that of packets before it */
    iba_psn psn;
    uint32_t msn;
    uint64_t content;                 /* hash of what a retransmission repeats */
    const struct iba_obs_read *again; /* a request: the READ or ATOMIC that was sent before at this PSN, or NULL */
};

/* Reports `kind` of the current packet. `f` is whose account it goes on; NULL: nobody's. `cause` may be NULL. */
struct iba_tell {
    const struct iba_obs_mark *cause;
    const struct iba_decision *decision; /* the row that spoke; NULL: no table decides this */
    uint32_t count;
    iba_time wait_ns;
    bool response; /* of a packet before the current: it is a response */
};
__attribute__((cold)) void iba_obs_tell(struct iba_look *l, enum iba_finding_kind kind, const struct iba_tell *t);
/* The same of another packet than the current: what only the end shows. */
__attribute__((cold)) void iba_obs_tell_of(struct iba_observer *s, struct iba_flow *f, enum iba_finding_kind kind,
                                           const struct iba_obs_mark *of, const struct iba_tell *t, iba_psn psn);

/* A finding about the packet `of`. `t` may be NULL. */
struct iba_finding iba_obs_finding(const struct iba_flow *f, enum iba_finding_kind kind, const struct iba_obs_mark *of,
                                   const struct iba_tell *t, iba_psn psn);
/* A finding about the current packet. `t` may be NULL. */
struct iba_finding iba_obs_finding_now(const struct iba_look *l, enum iba_finding_kind kind, const struct iba_tell *t);
/* Reports any finding; nothing is put off. */
void iba_obs_report(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *finding);

/* ---- damaged packets: iba_obs_damaged.c ---- */
/* Reports it, unless another capture point has the same packet, by the hash of what routers do not change.
 * `l->flow` NULL: no flow has its QP. */
void iba_obs_damaged(struct iba_look *l, uint64_t hash);
/* The same of a packet that is damaged before its BTH. */
void iba_obs_damaged_unknown(struct iba_observer *s, const struct iba_view *v);
/* The capture has all PSNs that `t`, a GAP or RESPONSE_GAP, jumps over, in packets that are damaged. */
bool iba_obs_damage_explains(const struct iba_observer *s, const struct iba_flow *f, const struct iba_finding *t);

/* ---- packets that overtake each other: iba_obs_reorder.c ---- */
/* False: it is to be told now. */
bool iba_obs_puts_off(struct iba_observer *s, struct iba_flow *f, const struct iba_finding *t);
/* The same of a response that passes over `missing` answers from `from` on, the first of them to `r`. */
bool iba_obs_puts_off_missing(struct iba_look *l, const struct iba_obs_read *r, iba_psn from, uint32_t missing);
/* A request of that PSN was jumped over, or with `answers` a response, and that is put off. */
bool iba_obs_fills(struct iba_flow *f, bool answers, iba_psn psn);
/* So were `n` PSNs more of requests from `psn` on: a READ takes several. */
void iba_obs_order_fill(struct iba_flow *f, iba_psn psn, uint32_t n);
/* The peer asks for missing PSNs from `psn` on: of the requests of the flow, or of its responses. */
void iba_obs_order_asked(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn);
/* The request comes again: PSNs missing after it may still come. */
void iba_obs_order_comes_again(struct iba_flow *f, iba_psn psn);
/* All up to `psn` was taken, as it came. */
void iba_obs_order_taken(struct iba_observer *s, struct iba_flow *f, bool answers, iba_psn psn);
/* Nothing comes any more. */
void iba_obs_order_end(struct iba_observer *s, struct iba_flow *f);

/* ---- answers to what was not sent: iba_obs_unsent.c ---- */
/* The response answers what was not sent yet, or not seen. */
void iba_obs_hold_unsent(struct iba_look *l, struct iba_obs_requests *q);
/* A response may have answered a request that was not seen: the current request shows whether it was sent. */
__attribute__((hot)) void iba_obs_resolve_unsent(struct iba_look *l, struct iba_obs_requests *q);
/* The same when nothing comes any more. */
__attribute__((hot)) void iba_obs_resolve_unsent_alone(struct iba_observer *s, struct iba_flow *f);

/* ---- directions: iba_obs_direction.c ---- */
/* False when the packet is of none. */
__attribute__((hot)) bool iba_obs_is_directed(const struct iba_view *v);
/* Of a packet that is of one, as what follows. */
__attribute__((hot)) void iba_obs_key(struct iba_flow_key *k, const struct iba_view *v);
/* It goes from and to the addresses of the key. */
__attribute__((hot)) bool iba_obs_is_between(const struct iba_flow_key *k, const struct iba_view *v);
/* False when the packet is of none. */
__attribute__((hot)) bool iba_obs_identify(struct iba_direction *id, const struct iba_view *v);
/* The same when it is wanted: mostly the flow is found without. */
__attribute__((hot)) const struct iba_direction *iba_obs_id(struct iba_look *l);
/* Of what direction.to and the QP are, and of direction.from: what is kept of them. */
static inline uint32_t iba_obs_target_of(uint64_t to, uint32_t qpn)
{
    return (uint32_t)(iba_obs_mix(to, qpn) >> 32);
}
static inline uint32_t iba_obs_source_of(uint64_t from)
{
    return (uint32_t)(from >> 32);
}

/* ---- the caller's memory: iba_obs_memory.c ---- */
/* How many flows each list may have. */
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
static inline struct iba_flow *iba_obs_awake(const struct iba_observer *s, uint32_t known)
{
    return known == 0 ? NULL : iba_obs_flow_at(s, s->known[known - 1].flow);
}
/* Sets the other direction of the pair; this one may be at rest. */
void iba_obs_set_peer(const struct iba_observer *s, uint32_t known, uint32_t peer, bool guess);
void iba_obs_unpair(struct iba_observer *s, struct iba_flow *f);

/* ---- flows: iba_obs_flow.c ---- */
/* Fetches what is remembered of a direction into the cache. */
void iba_obs_prefetch(const struct iba_known *k);
/* The flow of the packet, made when there is none: then what was unused longest may be forgotten. */
__attribute__((hot)) struct iba_flow *iba_obs_flow(struct iba_look *l);
/* The same without making one; NULL when there is none. */
struct iba_flow *iba_obs_known(struct iba_look *l);
/* The flow of a direction that is known; made of what is left if it is at rest. Whose it is shows `v`, a packet of it,
 * or `opposite`, the other direction, which stays awake; both may be NULL. */
__attribute__((hot)) struct iba_flow *iba_obs_wake(struct iba_observer *s, uint32_t known, const struct iba_view *v,
                                                   const struct iba_flow *opposite);
/* The other direction's flow, awake from here on; NULL when it is not known. */
struct iba_flow *iba_obs_wake_peer(struct iba_observer *s, struct iba_flow *f);
/* The flow of that direction if its packets go the opposite way to this one; woken when it rests. */
struct iba_flow *iba_obs_wake_opposite(struct iba_look *l, uint32_t known);
/* Forgets what the flow was: another connection uses its QP. */
void iba_obs_begin_anew(struct iba_observer *s, struct iba_flow *f);

/* ---- pairs: iba_obs_pairing.c ---- */
/* The request may be answered by a flow that is not known yet. */
__attribute__((hot)) void iba_obs_wait_for_peer(struct iba_look *l);
/* The pair is no guess any more. */
void iba_obs_confirm_pair(struct iba_observer *s, struct iba_flow *f);
/* Where that will be looked up for a packet that is fed soon is fetched. */
void iba_obs_expect_asked(const struct iba_observer *s, const struct iba_expected *e);
/* Looks for the flow whose requests this response answers. */
void iba_obs_pair(struct iba_look *l);
/* Of a response that its pair has no use for, in case another has; it is as if its flow began. */
__attribute__((cold)) void iba_obs_pair_anew(struct iba_look *l);
/* It answers what its pair has asked, and has had no answer to. */
static inline bool iba_obs_is_wanted(const struct iba_obs_requests *q, iba_psn psn)
{
    return q->any && iba_psn_diff(psn, q->high) < 0 && (!q->answered || iba_psn_diff(psn, q->una) >= 0);
}
/* Since the last packet of this flow one began that goes the opposite way, and that has no partner. */
bool iba_obs_another_began(const struct iba_look *l);
/* Of a request that comes again: for one that has refused it. */
void iba_obs_pair_by_refusal(struct iba_look *l);

/* ---- what is left of a direction at rest: iba_obs_compact.c ---- */
__attribute__((hot)) void iba_obs_keep(struct iba_known *k, const struct iba_flow *f);
/* `f` is cleared. */
__attribute__((hot)) void iba_obs_resume(struct iba_flow *f, const struct iba_known *k);
void iba_obs_rest_pmtu(struct iba_known *k, uint32_t pmtu, bool sure);
/* Its end is worth telling: it asked for an answer and was left alone, or a NAK has ended it. */
bool iba_obs_waits(const struct iba_observer *s, const struct iba_known *k);

/* ---- congestion: iba_obs_congestion.c ---- */
__attribute__((hot)) void iba_obs_congestion(struct iba_look *l);
/* The packet is a notification. */
void iba_obs_notified(struct iba_look *l);

/* ---- paths: iba_obs_path.c ---- */
__attribute__((hot)) void iba_obs_path(struct iba_look *l);

/* ---- credits: iba_obs_credit.c ---- */
/* An acknowledgement says how far the requester may go. */
void iba_obs_grant(const struct iba_look *l, struct iba_obs_requests *q);
/* A request that comes in its turn: did it have to wait for that? */
void iba_obs_stall(struct iba_look *l, const struct iba_obs_requests *q);

/* ---- packets that come twice: iba_obs_copy.c ---- */
/* Whether the network copied it: the same bytes came before. */
const struct iba_decision *iba_obs_copied(const struct iba_look *l, const struct iba_obs_recent *r);
/* A table has decided: for who wants to know. */
static inline void iba_obs_decided(const struct iba_observer *s, const struct iba_decision *by)
{
    if (s->cfg.decided)
        s->cfg.decided(s->cfg.ctx, by);
}

/* ---- which request a packet answers: iba_obs_answer.c ---- */
/* Hands the caller the request that the packet answers, and the requests that it is the first to answer. */
void iba_obs_link_answer(struct iba_look *l);

/* ---- the end: iba_obs_end.c ---- */
/* Why nothing more came of this direction; `over`: nothing can come, another connection has its QP. */
void iba_obs_tell_end(struct iba_observer *s, struct iba_flow *f, bool over);

/* ---- what was sent and answered: iba_obs_history.c; gaps and responses stand below ---- */
/* PSNs the packet takes; 0: unknown, a READ before the path MTU is. */
uint32_t iba_obs_psns(const struct iba_look *l);
/* The last READ's number of PSNs becomes known. */
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
/* A READ, an ATOMIC, or another request whose answer brings something: its responder answers it in any case. */
static inline bool iba_obs_fetches(const struct iba_look *l)
{
    return l->op->pay == IBA_PAY_NONE || l->op->pay == IBA_PAY_EIGHT;
}

/* ---- requests: iba_obs_request.c, iba_obs_message.c ---- */
__attribute__((hot)) void iba_obs_request(struct iba_look *l);
/* A request of an unreliable connection. */
void iba_obs_unreliable(struct iba_look *l);
/* The packet is the next the responder waits for: sequence of opcodes, lengths, messages. */
__attribute__((hot)) void iba_obs_message(struct iba_look *l, struct iba_obs_requests *q);
/* The path MTU becomes known, or known better. */
void iba_obs_learn_pmtu(struct iba_observer *s, struct iba_flow *f, uint32_t pmtu, bool sure);
/* Lengths that need nothing but the packet and the path MTU. */
__attribute__((hot)) void iba_obs_payload(struct iba_look *l);
/* It came back after a NAK that ends the connection: that NAK was lost on its way to the requester. */
static inline bool iba_obs_outlives(const struct iba_obs_requests *q)
{
    return q->last.at > q->fatal.at + IBA_OBS_FLIGHT_NS;
}
/* The answer that was asked for last has not come, and may. */
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
/* Behind a retransmission the requester goes on with a new packet, and does not send again what it had sent from `from`
 * on. True when that is selective repeat; false when those may as well be missing from the capture. */
bool iba_obs_skips(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from);
/* Of a response that may acknowledge packets which a NAK had refused and which were not sent again; `una`: behind the
 * highest PSN that was acknowledged before it. */
void iba_obs_learn_kept(struct iba_look *l, struct iba_obs_requests *q, iba_psn una);

/* ---- requests that come again: iba_obs_reason.c ---- */
/* It left so long ago that it may have had its effect, and not longer ago than that takes. */
bool iba_obs_is_recent(const struct iba_look *l, const struct iba_obs_reason *r);
/* A response asked for just this request, not long ago. */
bool iba_obs_was_asked_for(const struct iba_look *l, struct iba_obs_requests *q);
/* So did one before the last, and what that said of waiting is kept. */
bool iba_obs_had_another_reason(const struct iba_look *l, const struct iba_obs_requests *q);
/* A NAK that asked for this request, and of which the same bytes before cannot be the effect; NULL: none. */
struct iba_obs_reason *iba_obs_reason_not_served_by(const struct iba_look *l, struct iba_obs_requests *q,
                                                    const struct iba_obs_recent *before);
/* Its effect is still to come. */
void iba_obs_restore_reason(struct iba_obs_reason *r);
/* The reason for this request that the capture shows, or NULL. A NAK makes the requester go back to its PSN, no
 * further. */
struct iba_obs_reason *iba_obs_reason_for(const struct iba_look *l, struct iba_obs_requests *q);
/* A READ that asks for the rest of an earlier READ: sent again, not late. */
bool iba_obs_is_rest(const struct iba_look *l);
/* A NAK asks for exactly this request, which comes sooner than packets to its sender are known to have an effect. */
bool iba_obs_sooner_than_known(const struct iba_look *l, const struct iba_obs_reason *r);
/* Undo: an earlier retransmission was taken for the effect of a NAK, and this packet fits the NAK better. */
__attribute__((cold)) void iba_obs_undo_effect(const struct iba_look *l, struct iba_obs_requests *q);
/* PSNs that were jumped over, this one among them, not long ago; NULL: none. Of IBA_OBS_GAPS. */
struct iba_obs_gap *iba_obs_gap_at(const struct iba_observer *s, struct iba_obs_gap *holes, iba_psn psn);
/* A late packet fills the gap. */
void iba_obs_close_gap(const struct iba_observer *s, struct iba_obs_gap *holes, iba_psn psn);
/* Of IBA_OBS_GAPS, `next` takes one more. */
void iba_obs_open_gap(struct iba_obs_gap *holes, uint8_t *next, iba_time now, iba_psn psn, uint32_t n);
/* Whether it is late: its PSN was jumped over, and its sender had neither reason nor time to send it again. */
const struct iba_decision *iba_obs_lateness(const struct iba_look *l, struct iba_obs_requests *q);
/* It may be late or sent again, and only what comes next will show. */
bool iba_obs_doubts(const struct iba_look *l, struct iba_obs_requests *q);
/* The packets between `from` and `end` come again: NAKs for any of them have had their effect. */
void iba_obs_use_up_reason(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from, iba_psn end);
/* Its timer makes it send this once more, and nothing was answered: too often? */
void iba_obs_count_retry(struct iba_look *l, struct iba_obs_requests *q);
/* Of a requester whose timer is known to run out soon: it does not go on with what it sends again, though it stopped
 * before the end. */
bool iba_obs_stopped(const struct iba_look *l, const struct iba_obs_requests *q);
/* The requester goes back: why stands in q->run, and whether it did in q->run.guess. */
void iba_obs_start_run(const struct iba_look *l, struct iba_obs_requests *q);
/* Reports the pending request, if there is one: the requester went back to it, or it was late. */
void iba_obs_settle(struct iba_observer *s, struct iba_flow *f, bool went_back);
/* The pending request came again, though no packet followed it at once. */
bool iba_obs_went_back_alone(const struct iba_observer *s, const struct iba_obs_requests *q);
/* The same when no packet follows. */
__attribute__((hot)) void iba_obs_settle_alone(struct iba_observer *s, struct iba_flow *f);

/* ---- responses: iba_obs_response.c, iba_obs_read.c ---- */
__attribute__((hot)) void iba_obs_response(struct iba_look *l);
/* A response with data that was overtaken; `r` may be NULL. */
const struct iba_decision *iba_obs_answer_lateness(const struct iba_look *l, const struct iba_obs_read *r);
/* Whether what is held is late, or its run goes on with this packet; NULL: nothing comes any more. */
__attribute__((hot)) void iba_obs_release(struct iba_observer *s, struct iba_flow *f, const struct iba_look *l);
/* Another is to be held: what is stands alone. */
void iba_obs_release_alone(struct iba_observer *s, struct iba_flow *f);
/* The First of a READ that may be late, and only what comes next will show; `r` may be NULL. */
bool iba_obs_holds(const struct iba_look *l, const struct iba_obs_read *r);
/* So may another than the First, where the READ was sent again and its answer has not begun. */
bool iba_obs_begins_amid(const struct iba_look *l, const struct iba_obs_read *r);
/* The requester goes back: what is held may be the reason. */
void iba_obs_release_by_request(struct iba_look *l);
/* How soon, at least, what goes to the sender of this packet has an effect here; 0: not known. */
static inline iba_time iba_obs_rtt(const struct iba_look *l)
{
    return l->flow->has_rtt ? l->flow->rtt_min_ns : 0;
}
/* Answers from `from` on, before `end`, are missing; some of them may have come before. `q` may be NULL. */
void iba_obs_miss(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from, iba_psn end);
/* This network, as far as seen. */
static inline bool iba_obs_reorders(const struct iba_observer *s)
{
    return s->reorders;
}
/* Identifications count packets, and do not call this one late. */
static inline bool iba_obs_id_says_no(const struct iba_look *l)
{
    return l->has_ip_id && l->flow->ip_id[l->op->dir].trust >= 2;
}
/* All of its answer came, if not since it was sent last. */
bool iba_obs_answer_came(const struct iba_look *l, const struct iba_obs_read *r);
/* This packet may be the effect of a packet that was seen at `at`. */
static inline bool iba_obs_had_time(const struct iba_look *l, iba_time at)
{
    return l->flow->has_rtt && l->s->now.at - at >= l->flow->rtt_min_ns;
}
/* Requests up to `end` came, some of them out of the capture's sight: messages begin to be counted anew. */
void iba_obs_go_on_at(struct iba_obs_requests *q, iba_psn end);
/* A response with data: READ or ATOMIC. */
void iba_obs_read_response(struct iba_look *l, struct iba_obs_requests *q);
/* A response with the PSN of this one came before it, not long ago. */
bool iba_obs_answered_before(const struct iba_look *l);
/* Where the requester goes on, as far as the capture shows. */
bool iba_obs_goes_on(const struct iba_obs_requests *q, iba_psn psn);
/* Everything up to `psn` is answered. */
void iba_obs_progress(struct iba_obs_requests *q, iba_psn psn);
/* Its reason to go back is done with, or another takes its place; the effect may be on its way. */
void iba_obs_replace_reason(struct iba_obs_requests *q);
/* The response with the PSN before came a moment ago, so this one goes on with it; a First in between was late. */
bool iba_obs_continues(const struct iba_look *l);
/* Responses to later requests have come since. */
bool iba_obs_overtaken(const struct iba_look *l, iba_time since);
/* The newest response before this one, of those that are remembered; NULL: none. */
const struct iba_obs_recent *iba_obs_response_before(const struct iba_look *l);
/* `r` takes the place of the reason that was to have its effect. */
void iba_obs_expect_for(struct iba_obs_requests *q, const struct iba_obs_reason *r);
/* The requester learns that it has to go back to `psn`. */
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
