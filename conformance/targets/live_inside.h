/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the live target. */
#ifndef IBC_LIVE_INSIDE_H
#define IBC_LIVE_INSIDE_H
#include "agent/protocol.h"
#include "live.h"
#include "live_channel.h"

enum {
    LIVE_QPS = 1024, /* QPs whose type is remembered from one reset to the next */
    LIVE_COUNTERS = 256,
    LIVE_MOST_MISSED = 20, /* after so many lost frames in a row the device counts as one that sends none */
    /* frames that are not RoCE and are read from one wire before the other wire is polled */
    LIVE_CHATTER = 100,
};
#define LIVE_AGENT "agent: "               /* the beginning of a sentence of live_dead() */
#define LIVE_DEADLINE UINT64_C(5000000000) /* time limit for a reply in ns, multiplied by the scale */
#define LIVE_SETTLE UINT64_C(2000000)      /* ns after which frames of the previous case have arrived */
#define LIVE_LATE UINT64_C(250000000)      /* ns after which a frame has arrived that the agent reports as sent */

struct live_qp {
    uint32_t qpn;
    uint8_t device, type;
};
struct live {
    struct ibc_target t;
    struct ibc_live o;
    struct live_accepted accepted; /* used if the run shares none */
    char *agent, *token;           /* owned */
    struct channel channel;
    bool up;            /* the agent was greeted, and has answered since */
    bool no_log;        /* the agent reported that it has no log */
    bool gone;          /* the target waited for the agent, which did not come back */
    enum ibc_link link; /* link since the last reset */
    uint64_t id, now;   /* now: virtual time */
    struct ag_hello_ok hello;
    /* identifies the start of the device's system that was tested last; empty: not reported */
    char boot[AG_TEXT];
    uint64_t log_at;        /* the position up to which its log was read */
    uint64_t missed;        /* frames that the agent reported and that did not arrive */
    unsigned missing, last; /* number of missed frames in a row; number of the device that sent last */
    struct live_qp qp[LIVE_QPS];
    uint32_t n_qp, n_counter;
    char counter[LIVE_COUNTERS][48]; /* names of counters */
    struct ag_request q;             /* request of the current call */
    struct ag_reply r;
    char line[AG_LINE + 1];
};
static inline struct live *live_of(struct ibc_target *t)
{
    return (struct live *)t; /* its first member */
}

/* ---- live_call.c ---- */
uint64_t live_scaled(const struct live *l, uint64_t ns);
/* Begins a new request in l->q for device `d`. */
struct ag_request *live_request(struct live *l, enum ag_verb verb, unsigned d);
/* Sends the request in l->q, and receives the reply into l->r. */
enum ibc_rc live_ask(struct live *l);
/* Opens the channel, greets, and calls the verb that cannot exist. */
bool live_connect(struct live *l);
/* Whether the system has not restarted since l->boot was recorded. */
bool live_same_boot(const struct live *l);
/* Marks the agent as dead until the next reset. The sentence goes to l->t.fault. */
enum ibc_rc live_dead(struct live *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- live_wire.c ---- */
void live_drain(struct live *l);
bool live_hear(struct live *l);
uint64_t live_now(struct ibc_target *t);
enum ibc_rc live_inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len);
enum ibc_rc live_collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                         uint64_t *at);
enum ibc_rc live_collect_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len, uint64_t *at,
                             unsigned *from);
uint64_t live_lost(struct ibc_target *t);

/* ---- live_verbs.c: the table of all verbs ---- */
extern const struct ibc_target_ops live_ops;

/* ---- live.c ---- */
enum ibc_rc live_reset(struct ibc_target *t, enum ibc_link link, uint64_t seed);
uint64_t live_capabilities(struct ibc_target *t);
uint32_t live_links(struct ibc_target *t);
void live_close(struct ibc_target *t);
enum ibc_contact live_contact(struct ibc_target *t, char *text, size_t n);
/* live_cm.c */
enum ibc_rc live_cm_open(struct ibc_target *t, unsigned d);
enum ibc_rc live_cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *c);
enum ibc_rc live_cm_event(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n);
enum ibc_rc live_cm_attributes(struct ibc_target *t, unsigned d, uint32_t id, enum iba_qp_state state,
                               struct iba_qp_attr *a);
#endif
