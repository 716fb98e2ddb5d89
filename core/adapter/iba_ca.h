/* SPDX-License-Identifier: BSD-2-Clause */
/* libiba's engine: a channel adapter in software, without I/O, clock or allocation.
 *
 *     iba_ca_init(&ca, &cfg);                       memory, entropy, callbacks are the caller's
 *     iba_port_init(iba_ca_port(&ca, 1), ...);      addresses, P_Keys
 *     iba_pd_create(&ca.mem, &pd); iba_mr_register(&ca.mem, ...);
 *     iba_create_cq(...); iba_create_qp(...); iba_modify_qp(...) to RTS; iba_post_recv(...); iba_post_send(...);
 *     for (;;) {
 *         a frame arrived:   iba_view_parse(&v, ...); iba_view_check(&v); iba_ca_feed(&ca, port, &v, now);
 *         time passed:       iba_ca_advance(&ca, now);          at or after iba_ca_deadline(&ca)
 *         after either:      while (iba_ca_poll(&ca, port, buf, cap, &len, now) == IBA_OK && len) send(buf, len);
 *         completions:       iba_poll_cq(&ca, cq, &wc)
 *     }
 *
 * A malformed or unwanted packet is no error of these calls: a rule drops it, and the rule's counter rises. A verb
 * reports a caller's mistake as an enum iba_verb_err; other functions assert. No assert depends on the bytes of a
 * packet. */
#ifndef IBA_CA_H
#define IBA_CA_H
#include "transport/iba_engine.h"
#include "transport/iba_verbs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct iba_ca_config { /* the caller owns the arrays; iba_ca_init() clears them; they must live as long as the adapter
                        */
    uint8_t n_port;
    struct iba_qp **qp;
    struct iba_cq **cq;
    struct iba_srq **srq;
    struct iba_ah *ah;
    struct iba_mcast *mcast;
    struct iba_mkey *key;
    uint32_t *pd;
    uint32_t n_qp, n_cq, n_srq, n_ah, n_mcast, n_key, n_pd;
    uint64_t (*random)(void *ctx); /* entropy; never NULL */
    void (*event)(void *ctx, const struct iba_event *e);
    void (*trace)(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn);
    void *ctx;
};
/* Initializers for the tables of a configuration, from a structure with arrays qps, cqs, srqs, ahs, mcasts, keys, pds:
 *     struct iba_ca_config cfg = {IBA_CA_TABLES(my_structure), .n_port = 1, .random = my_entropy}; */
#define IBA_CA_ENTRIES(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define IBA_CA_TABLES(e)                                                                                               \
    .qp = (e)->qps, .cq = (e)->cqs, .srq = (e)->srqs, .ah = (e)->ahs, .mcast = (e)->mcasts, .key = (e)->keys,          \
    .pd = (e)->pds, .n_qp = IBA_CA_ENTRIES((e)->qps), .n_cq = IBA_CA_ENTRIES((e)->cqs),                                \
    .n_srq = IBA_CA_ENTRIES((e)->srqs), .n_ah = IBA_CA_ENTRIES((e)->ahs), .n_mcast = IBA_CA_ENTRIES((e)->mcasts),      \
    .n_key = IBA_CA_ENTRIES((e)->keys), .n_pd = IBA_CA_ENTRIES((e)->pds)
void iba_ca_init(struct iba_ca *ca, const struct iba_ca_config *cfg); /* *cfg is copied; its arrays are not */
struct iba_port *iba_ca_port(struct iba_ca *ca,
                             uint8_t number); /* `number` from 1; set up the port by iba_port_init() */
/* Replaces one rule table, for a broken device; NULL restores the unchanged one. Rows keep their `hit` indices. */
void iba_ca_set_rules(struct iba_ca *ca, enum iba_rule_table t, const struct iba_rules *rules);
/* Makes the adapter a broken device that deviates in one behaviour (iba_change.h); NULL: an unbroken one. `c` must live
 * as long as the adapter uses it. Call this before objects are made, since it does not change them afterwards. */
void iba_ca_change(struct iba_ca *ca, const struct iba_change *c);

/* ---- packets and time ---- */
/* A packet has arrived at `port`. Call iba_view_check() before: a rule drops packets with bad CRCs (WF-78). */
void iba_ca_feed(struct iba_ca *ca, uint8_t port, const struct iba_view *v, iba_time now);
/* Runs the timers up to `now`. */
void iba_ca_advance(struct iba_ca *ca, iba_time now);
/* Writes the next packet that `port` sends; *len 0: there is none. Returns IBA_NO_ROOM if cap < IBA_TX_MOST. */
enum iba_err iba_ca_poll(struct iba_ca *ca, uint8_t port, uint8_t *buf, size_t cap, size_t *len, iba_time now);
/* Returns the time at which iba_ca_advance() next has work to do; IBA_NEVER: no timer runs. */
iba_time iba_ca_deadline(const struct iba_ca *ca);
/* Asserts every invariant of every object. A broken device (iba_ca_change) is not checked. */
void iba_ca_check(const struct iba_ca *ca);
/* iba_ca_check() without the memory table. */
void iba_ca_check_queues(const struct iba_ca *ca);

#ifdef __cplusplus
}
#endif

#endif
