/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to run/: one play (one variation, one service) against one target. Users include run.h only.
 *
 * A step is a function that returns true when the play goes on. A failure is recorded in the player, and the worst is
 * kept; the memory of a play is its arena's, and is released with the next play. */
#ifndef IBC_PLAY_H
#define IBC_PLAY_H
#include "run/run.h"
#include "wire/iba_view.h"

enum { /* implicit objects, by their index in the play */
       RUN_PD,
       RUN_M,
       RUN_L
};
enum {
    RUN_TEXT = 160,        /* of a finding */
    RUN_MAX_OPTIONAL = 32, /* pending '<?' and '<*' of a QP */
    RUN_MAX_NAMES = 32,    /* as= */
    RUN_MAX_WR = 8192,     /* work requests that a play may post */
    RUN_MAX_WC = 1024,     /* completions that no line has asked for yet */
    RUN_MAX_EVENTS = 256,  /* likewise */
    RUN_MAX_CM_EVENTS = 32,
    RUN_PKEYS = 64,
    RUN_MAX_PACKETS = 20000, /* that wait */
};
#define RUN_US UINT64_C(1000)
#define RUN_MS (1000 * RUN_US)
#define RUN_S (1000 * RUN_MS)
#define RUN_PATIENCE RUN_S         /* for expected packets and completions */
#define RUN_OPTIONAL (10 * RUN_MS) /* for optional packets */
#define RUN_NONE (50 * RUN_MS)     /* real time: an unexpected completion or event may come this late */
#define RUN_SILENCE (100 * RUN_MS) /* default of silence and pass */

/* ---- memory of a play: arena.c ---- */
struct run_chunk;
struct run_arena {
    struct run_chunk *first, *now;
};
/* `n` bytes, aligned to 16; NULL when the system has no more. */
void *run_alloc(struct run_arena *a, size_t n);
/* Releases the last `n` - `used` bytes of the last allocation. */
void run_trim(struct run_arena *a, void *p, size_t n, size_t used);
void run_arena_reset(struct run_arena *a); /* keeps the chunks */
void run_arena_free(struct run_arena *a);

/* ---- packets ---- */
struct run_packet {
    struct run_packet *next, *queued; /* in order of the wire; the next in its QP's queue */
    uint8_t *frame;
    uint32_t len, number;   /* number in the evidence, from 1 */
    uint32_t line;          /* of the step that sent it, or during which it came */
    uint64_t at, since;     /* when it was read, or sent; for a read one, when the wire was last found empty */
    struct run_live *owner; /* the QP it is queued at; NULL: sent by the tester, or for no QP */
    uint8_t device;
    bool sent;           /* by the tester */
    const char *comment; /* evidence; NULL: not judged */
    struct iba_view view;
};

/* The position of a message's bytes in their pattern. */
struct run_flow {
    char letter;
    uint64_t at;
};

/* ---- objects ---- */
struct run_live {
    const struct ibc_object *o;
    uint8_t kind, device;     /* device: of a QP; others exist on every device */
    bool made, cq_gone;       /* cq_gone: of a QP, not to be polled */
    uint8_t port;             /* of a wire: of its node; 0: the node's software */
    uint32_t id[IBC_DEVICES]; /* PD, CQ, SRQ number; window: R_Key; QP: QPN, in [0] */
    struct ibc_mr mr[IBC_DEVICES];
    uint32_t srqn;   /* of an SRQ of XRC: the number that requests name */
    bool xrc;        /* an SRQ of XRC, whose receives complete into `rcq` */
    uint64_t length; /* regions */
    char letter;     /* of the pattern that a region begins with */
    uint8_t gid[16]; /* groups */
    uint64_t mac;
    uint16_t lid;
    /* queue pairs */
    uint8_t type, state_wanted;
    uint32_t peer, epsn, psn, pmtu, qkey, pkey_index;
    uint32_t scq, rcq, recv, recv_bytes, sq, rq;
    struct run_live *partner;       /* role middle: the QP of the other device that is its peer */
    struct ibc_qp_attr attr;        /* the attributes of the qp line */
    uint32_t optional_mask;         /* optional attributes, set where the transition accepts them */
    uint32_t next_psn;              /* of requests to the device */
    struct run_flow tx[2], rx[2];   /* by enum iba_dir */
    struct run_packet *head, *tail; /* came, not judged */
    uint16_t optional[RUN_MAX_OPTIONAL];
    uint8_t n_optional;
    bool known;   /* id[1] of a connection manager is the device's communication ID */
    bool handled; /* `handle` is valid */
    struct run_packet *queued_head, *queued_tail;
    /* its unanswered requests: when the oldest came (0: there are none), how long the play had waited by then, and the
     * newest one's PSN */
    uint64_t asked_at, asked_waited;
    uint32_t asked_psn;
    /* connection managers: the tester's own numbers, the transaction, and the device's name for the connection in verbs
     */
    uint32_t service_qpn, device_qpn, handle;
    uint8_t ack_timeout; /* code, of the device's REQ; 0: it has sent none */
    uint64_t tid;
    /* wires of a subnet: id[0] is the number of the end */
    const struct run_live *node;
    uint64_t trap_tid; /* of the last trap that was expected */
};
/* Objects that send and receive packets. For a connection manager id[0] is 1, for QP1, and id[1] its communication ID;
 * peer is the tester's. */
static inline bool run_has_packets(const struct run_live *l)
{
    return l->kind == IBC_O_qp || l->kind == IBC_O_cm || l->kind == IBC_O_wire;
}

struct run_wr { /* what was posted */
    uint64_t id;
    uint16_t object, window; /* window: of BIND_MW */
    uint8_t op, n_sge;
    bool recv;
    struct iba_sge sge[IBA_MAX_SGE];
};
struct run_wc { /* received, not yet asked for */
    struct iba_wc wc;
    const struct run_wr *wr;
    struct run_live *qp;
};
struct run_event {
    struct iba_event event;
    uint8_t device;
};
struct run_pace {
    uint64_t n, took, longest; /* packets; ns from the first to the last one; the longest time between two of them */
};
struct run_name {
    const char *name;
    const struct run_packet *packet;
    struct run_pace pace; /* whose last packet it is; n is 0: a packet alone */
};

struct run_evidence;
struct run_player {
    struct ibc_target *t;
    const struct ibc_options *o;
    const struct ibc_play *play;
    enum ibc_link link;
    uint64_t caps, seed;
    unsigned n_device;       /* 2: the tester is in the middle */
    bool fabric;             /* a subnet is under test: packets come from its ends */
    const uint8_t *smp_base; /* the datagram that a `set` has read, while it writes; else NULL */
    bool informs;            /* the scenario is informational */
    bool unwell;             /* a health probe of this play has failed, or its device has died */
    bool died;               /* the device went away, or its system complained */
    bool proved;             /* the failure needs no second play: the device's system reported it */
    bool logged;             /* `measured` is a complaint of the device's system */
    bool unclean;            /* the play could not begin */
    bool lost;               /* the agent was: */
    uint32_t lost_line;
    char lost_what[RUN_TEXT], lost_why[RUN_TEXT];
    char late[RUN_TEXT]; /* how the tester or the agent was late; empty: in time */
    bool over;           /* an alternative ended the play */

    struct run_live live[IBC_MAX_OBJECTS + 1]; /* the last one: for the health probe */
    struct run_arena arena;
    struct run_packet *first, *last; /* all of the play */
    uint32_t n_packet;               /* of the scenario, all plays */
    uint32_t n_waiting;              /* came, not judged */
    uint64_t began_at;
    uint64_t last_at, last_since;        /* times of the last packet sent or judged */
    uint64_t empty_at;                   /* when the wire was last found empty */
    uint64_t sent_by;                    /* by then the last packet that was sent has left */
    uint64_t in_flight_since;            /* when the last packet was sent, if it may not have arrived yet; else 0 */
    const struct run_live *in_flight_to; /* the QP it is for, if it is a request; else NULL */
    uint32_t in_flight_psn;
    uint64_t flight_ns; /* 4 round trips of the slowest recent health probe; kept for all plays */
    uint64_t waited;    /* ns that the play waited because its script says so */
    bool keep_evidence;

    struct run_name name[RUN_MAX_NAMES];
    unsigned n_name, n_cm_event;
    struct run_wr *wr; /* RUN_MAX_WR */
    unsigned n_wr;
    unsigned binds; /* posted binds that have not completed */
    struct run_wc wc[RUN_MAX_WC];
    unsigned n_wc, n_event;
    struct run_event event[RUN_MAX_EVENTS];
    struct iba_cm_event cm_event[RUN_MAX_CM_EVENTS];
    uint16_t pkey[IBC_DEVICES][RUN_PKEYS];
    struct ibc_counter counter[IBC_MAX_COUNTERS]; /* at the beginning */
    unsigned n_counter;
    uint64_t recv_cursor[IBC_DEVICES]; /* offset in l after the last receive buffer */

    enum ibc_verdict verdict, counters;
    struct ibc_finding finding, counter_finding;
    char measured[RUN_TEXT];
    uint8_t payload[2 * IBC_FRAME]; /* scratch */
};

/* ---- verdicts: note.c. All return false: the play ends ---- */
/* The worst is kept; among equals the first. `k` may be NULL. */
bool run_note(struct run_player *p, enum ibc_verdict v, const struct ibc_step *s, const struct run_packet *k,
              const char *expected, const char *got);
bool run_note_as(struct run_player *p, enum ibc_found what, enum ibc_verdict v, const struct ibc_step *s,
                 const struct run_packet *k, const char *expected, const char *got);
bool run_fail(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, const char *expected,
              const char *got);
/* A fault of ours, or a fault of the scenario that the loader could not detect. */
bool run_error(struct run_player *p, const struct ibc_step *s, const char *what);
/* Records the result of a target's verb `what`: true when it succeeded. */
bool run_did(struct run_player *p, const struct ibc_step *s, enum ibc_rc rc, const char *what);
/* The same for lines that may have error=WORD. */
bool run_did_or(struct run_player *p, const struct ibc_step *s, enum ibc_rc rc, const char *what);
unsigned run_rank(enum ibc_verdict v); /* 0: has no rank */
/* The name that reports and evidence use for this scenario: FAIL may be DEVIATES. */
const char *run_verdict_name(const struct run_player *p, enum ibc_verdict v);

/* ---- alternatives: note.c ---- */
const struct ibc_step *run_alternative(const struct run_player *p, const struct ibc_step *s); /* NULL: no more */
/* An alternative matches: records its verdict and text. True: the play goes on. `expected` and `got` are the mismatch
 * of the first line. */
bool run_conclude(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, const char *expected,
                  const char *got);

/* ---- values: value.c ---- */
struct run_context {
    uint8_t device;    /* the device whose keys and addresses are meant */
    uint32_t psn_base; /* of relative PSNs */
    bool local;        /* addresses as in the device's own work requests */
};
uint64_t run_value(const struct run_player *p, const struct ibc_value *v, const struct run_context *c);
/* The number of the argument with that key, or `otherwise`. */
uint64_t run_number(const struct run_player *p, const struct ibc_step *s, enum ibc_key key, uint64_t otherwise,
                    const struct run_context *c);
const struct ibc_arg *run_arg(const struct ibc_step *s, enum ibc_key key);
bool run_has(const struct ibc_step *s, enum ibc_key key);
/* Whether `is` is one of the argument's alternatives. */
/* The first QP of that type in the file; NULL: there is none. */
const struct run_live *run_first_of(const struct run_player *p, enum iba_qp_type type);
bool run_fits(const struct run_player *p, const struct ibc_arg *a, uint64_t is, const struct run_context *c);
/* The object a value names; NULL when there is none. */
struct run_live *run_object_of(struct run_player *p, const struct ibc_value *v);
/* The L_Key for an address: of the region it names, else of l. */
uint32_t run_lkey_of(struct run_player *p, const struct ibc_value *at, unsigned device);
/* A value wider than 64 bits: for a group its GID. */
struct ibc_value run_wide(struct run_player *p, const struct ibc_value *v);
/* Of a step; NULL: it names none. */
struct run_live *run_live(struct run_player *p, const struct ibc_step *s);
/* The word of a value that the loader left as text; "" otherwise. */
const char *run_word(const struct ibc_value *v);
const struct ibc_address *run_party(const struct run_player *p, const struct ibc_value *v); /* NULL: the peer */
uint32_t run_psn_base(const struct run_live *q, uint8_t opcode, bool to_device);
/* The wire of a subnet with that end, or NULL. */
struct run_live *run_wire_of(struct run_player *p, unsigned end);
/* The QP of that number, or NULL. */
struct run_live *run_qp_of(struct run_player *p, uint32_t qpn, unsigned device);

/* ---- packets that have a name: name.c ---- */
void run_remember(struct run_player *p, const struct ibc_step *s, const struct run_packet *k);
void run_remember_pace(struct run_player *p, const struct ibc_step *s, const struct run_packet *k,
                       struct run_pace pace);
struct run_pace run_pace(const struct run_player *p, const char *name); /* n is 0: there is none, or it is a packet */
const struct run_packet *run_recall(const struct run_player *p, const char *name); /* NULL: none has that name */

/* ---- time: time.c ---- */
uint64_t run_now(const struct run_player *p);
/* Scales a time; only a live target needs this. */
uint64_t run_scaled(const struct run_player *p, uint64_t ns);

/* ---- objects: object.c, qp.c ---- */
bool run_make_objects(struct run_player *p);
bool run_make_qp(struct run_player *p, struct run_live *q, const struct ibc_step *s);
/* Takes a QP to `state`, one transition after another, with the required attributes. */
bool run_raise_qp(struct run_player *p, struct run_live *q, enum iba_qp_state state, const struct ibc_step *s);
bool run_raise_from(struct run_player *p, struct run_live *q, enum iba_qp_state from, enum iba_qp_state to,
                    const struct ibc_step *s);
/* Whether the attributes that the step names are these; if not, the first that differs. */
bool run_attributes_fit(struct run_player *p, const struct ibc_step *s, const struct iba_qp_attr *a,
                        char expected[RUN_TEXT], char got[RUN_TEXT]);
const struct iba_transition *run_transition(enum iba_qp_state from, enum iba_qp_state to);
/* `n` receives of `len` bytes; at: the first one's address. */
bool run_post_receives(struct run_player *p, struct run_live *q, unsigned n, uint32_t len, const struct ibc_step *s);

/* ---- the wire: wire.c ---- */
/* Lets time pass until the next frame, and queues it. *came: false if none came before `until`. */
bool run_collect(struct run_player *p, uint64_t until, bool *came, const struct ibc_step *s);
/* Queues every frame that leaves by then. */
bool run_collect_all(struct run_player *p, uint64_t until, const struct ibc_step *s);
/* Lets time pass until the packets that were sent have arrived (flight.c). */
bool run_let_arrive(struct run_player *p, const struct ibc_step *s);
/* Records a frame as sent and hands it to the device. */
bool run_inject(struct run_player *p, struct run_packet *k, const struct ibc_step *s);
struct run_packet *run_packet_new(struct run_player *p, unsigned device, bool sent);
void run_take(struct run_player *p, struct run_live *q); /* the first of its queue */

/* ---- packets: build.c, match.c, show.c ---- */
bool run_build(struct run_player *p, const struct ibc_step *s, struct run_packet *k);
struct run_difference {
    char expected[RUN_TEXT], got[RUN_TEXT];
    bool late; /* the packet matches except for its time: it came too late */
};
/* Whether the packet matches the step; if not, *d has the mismatch. */
bool run_matches(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, struct run_difference *d);
void run_show_packet(const struct run_packet *k, char *out, size_t n);
void run_show_field(uint8_t hdr, const struct iba_field *f, uint64_t v, char *out, size_t n);
void run_show_bytes(uint8_t hdr, const struct iba_field *f, const uint8_t *bytes, size_t len, char *out, size_t n);
void run_show_wanted(const struct run_player *p, const struct ibc_arg *a, uint8_t hdr, const struct iba_field *f,
                     const struct run_context *c, char *out, size_t n);
void run_show_expected(const struct ibc_step *s, char *out, size_t n);
/* Fields: field.c. The field that an argument names in a packet with these headers, or NULL. */
bool run_is_field(const struct ibc_arg *a);
const struct iba_field *run_field_in(const struct ibc_arg *a, uint64_t has, uint8_t *hdr);
/* Sets the position of the next packet's payload in its pattern. */
void run_flow_begin(struct run_flow *f, const struct iba_opcode *op, const struct ibc_arg *fill);
#define RUN_TRANSPORT (~(IBA_HDR_BIT(IBA_H_bth) - 1)) /* headers from the BTH on */
/* Whether packets of that QP type carry no BTH */
static inline bool run_is_raw(uint8_t type)
{
    return type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE;
}

/* ---- completions and events: complete.c ---- */
bool run_poll(struct run_player *p, const struct ibc_step *s);   /* all queues, all devices */
bool run_settle(struct run_player *p, const struct ibc_step *s); /* waits for binds, so that their windows have keys */
enum run_arrival { RUN_STOP, RUN_NOT, RUN_ARRIVED };
/* Lets time pass, in growing slices, until `there` is true or the time limit ends; polls completions or events before
 * each call. */
enum run_arrival run_await(struct run_player *p, const struct ibc_step *s, uint64_t patience, bool events,
                           bool (*there)(struct run_player *p, const struct ibc_step *s));

/* Whether an event belongs to that object; NULL matches every event. An event of the port belongs to no object. */
bool run_is_about(const struct run_live *l, const struct run_event *e);

/* Whether the device's memory from local address `at` is pattern `letter` from `off` on; else the play has failed. */
bool run_memory_is(struct run_player *p, const struct ibc_step *s, unsigned device, uint64_t at, uint64_t n,
                   char letter, uint64_t off);

/* ---- connection managers: cm.c, cm_message.c ---- */
enum ibc_rc run_make_cm(struct run_player *p, struct run_live *c, unsigned d);
/* The conversation that a datagram of the device belongs to; NULL: it is none of a connection manager, or the scenario
 * has no such object. */
struct run_live *run_cm_owner(struct run_player *p, const struct run_packet *k);
/* Writes the datagram of a line: the defaults of its message, then its fields. */
void run_cm_fill(struct run_player *p, const struct ibc_step *s, struct run_live *c, uint8_t mad[IBA_MAD_BYTES]);
void run_cm_sent(struct run_live *c, const uint8_t *mad); /* the tester has sent it */
/* Whether the datagram is the message of the line, with its fields. */
bool run_cm_matches(struct run_player *p, const struct ibc_step *s, const uint8_t *mad, struct run_difference *d);
/* A message for a connection of the play before, which the device ended when it was reset. */
bool run_cm_is_late(const struct run_player *p, const struct run_packet *k);
/* The tester's communication ID in the n-th conversation. */
uint32_t run_cm_peer(const struct run_player *p, uint32_t n);
bool run_cm_begins(const uint8_t *mad); /* its message begins a transaction */
/* Polls, and takes the first event that no line has waited for; NULL: there is none. */
struct run_live *run_cm_next_event(struct run_player *p, struct iba_cm_event *e);
/* The SIDR_REQ is the conversation's: by its request ID, or where the device's user does not see that, by the port in
 * the IP CM header. */
bool run_cm_asks_for(const struct run_player *p, const struct run_live *c, const uint8_t *data);
void run_cm_learn(struct run_live *c, const uint8_t *mad); /* the device has sent it, or reports it */

/* ---- the middle: middle.c ---- */
/* Forwards an expected packet, unless the line says otherwise. */
bool run_go_on(struct run_player *p, const struct ibc_step *s, struct run_live *q, struct run_packet *k);

/* ---- agents that are lost: contact.c ---- */
#define RUN_GONE "the device did not survive"
/* The finding says that the device is gone, too. */
void run_gone(struct run_player *p);
/* The verdict of a play during which the agent was lost. */
void run_see_contact(struct run_player *p);

/* ---- being late: late.c ---- */
/* A packet of the device's came to the peer of q. */
void run_late_asked(struct run_player *p, struct run_live *q, const struct run_packet *k);
/* A valid packet was sent to a QP of device `device`. */
void run_late_answered(struct run_player *p, const struct iba_view *v, unsigned device);
/* Checks whether a device has waited too long for us. */
void run_late_look(struct run_player *p);

/* ---- failures that prove nothing: inconclusive.c ---- */
/* The verdict of a failure while the tester was late. */
void run_late_conclude(struct run_player *p);
/* How many frames the tester's wire has lost so far. */
uint64_t run_lost_frames(const struct run_player *p);
/* If more frames than `before` were lost, neither a packet nor its absence proves anything. */
void run_losses_conclude(struct run_player *p, uint64_t before);

/* ---- packets in flight to the device: flight.c ---- */
/* A frame was given to the wire for device `device`. */
void run_flight_sent(struct run_player *p, const struct iba_view *v, unsigned device);
/* A packet came to the peer of q: if it answers the last request, that request has arrived. */
void run_flight_answered(struct run_player *p, const struct run_live *q, const struct iba_view *v);
/* The time from sending to an answer that the device gives at once, ns */
void run_flight_measure(struct run_player *p, uint64_t round_trip);

/* ---- after the last line ---- */
bool run_leftovers(struct run_player *p);
bool run_health(struct run_player *p, const struct ibc_step *s);
void run_play(struct run_player *p); /* sets the play's verdict and finding */

/* ---- evidence.c ---- */
struct run_evidence *run_evidence_open(const char *dir, const char *id, char **path);
void run_evidence_write(struct run_evidence *e, const struct run_player *p);
bool run_evidence_close(struct run_evidence *e);
void run_comment(struct run_player *p, struct run_packet *k, const struct ibc_step *s, const char *verdict,
                 const struct run_difference *d);

/* Steps, by kind */
#define RUN_STEP(w, text) bool run_step_##w(struct run_player *p, const struct ibc_step *s);
IBC_STEPS(RUN_STEP)
#endif
