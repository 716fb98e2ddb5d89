/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to run/: one play (one variation, one service) against one target. Callers outside run/ include run.h
 * only. A step is a function that returns true when the play continues. A failure is recorded in the player, and
 * the worst is kept. The memory of a play belongs to its arena, and is released by the next play. */
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
    RUN_TEXT = 160,        /* bytes of a finding's text */
    RUN_MAX_OPTIONAL = 32, /* pending '<?' and '<*' lines of a QP */
    RUN_MAX_NAMES = 32,    /* names that as= gives */
    RUN_MAX_WR = 8192,     /* work requests that a play may post */
    RUN_MAX_WC = 1024,     /* completions that are kept until a line asks for them */
    RUN_MAX_EVENTS = 256,  /* events, likewise */
    RUN_MAX_CM_EVENTS = 32,
    RUN_PKEYS = 64,
    RUN_MAX_PACKETS = 20000, /* packets that have come and are not judged */
};
#define RUN_US UINT64_C(1000)
#define RUN_MS (1000 * RUN_US)
#define RUN_S (1000 * RUN_MS)
#define RUN_PATIENCE RUN_S         /* time limit for expected packets and completions */
#define RUN_OPTIONAL (10 * RUN_MS) /* time limit for optional packets */
#define RUN_NONE (50 * RUN_MS)     /* real time: an unexpected completion or event may come this late */
#define RUN_SILENCE (100 * RUN_MS) /* default duration of the steps silence and pass */

/* ---- memory of a play: arena.c ---- */
struct run_chunk;
struct run_arena {
    struct run_chunk *first, *now;
};
/* Allocates `n` bytes, aligned to 16; NULL: the system has no more memory. */
void *run_alloc(struct run_arena *a, size_t n);
/* Releases the last `n` - `used` bytes of the last allocation. */
void run_trim(struct run_arena *a, void *p, size_t n, size_t used);
void run_arena_reset(struct run_arena *a); /* keeps the chunks */
void run_arena_free(struct run_arena *a);

/* ---- packets ---- */
struct run_packet {
    struct run_packet *next, *queued; /* next packet in the order of the wire; next packet in the queue of its QP */
    uint8_t *frame;
    uint32_t len, number; /* number in the evidence, from 1 */
    uint32_t line;        /* line of the step that sent the packet, or during which it came */
    uint64_t at, since; /* when it was read or sent; of a received packet: when the wire was last found empty before */
    struct run_live *owner; /* the QP it is queued at; NULL: sent by the tester, or for no QP */
    uint8_t device;
    bool sent;           /* sent by the tester */
    const char *comment; /* comment in the evidence; NULL: not judged */
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
    uint8_t kind, device;     /* device: of a QP; objects of other kinds exist on every device */
    bool made, cq_gone;       /* cq_gone: the completion queue of this QP no longer exists, and is not polled */
    uint8_t port;             /* of a wire: port of its node; 0: the node's software */
    uint32_t id[IBC_DEVICES]; /* number of the PD, CQ or SRQ; window: R_Key; QP: QPN, in [0] */
    struct ibc_mr mr[IBC_DEVICES];
    uint32_t srqn;   /* of an XRC SRQ: the number that requests name */
    bool own_cq;     /* an SRQ of XRC or with tags: its receives complete into `rcq` */
    bool xrc;        /* an XRC SRQ */
    uint64_t length; /* regions */
    char letter;     /* letter of the pattern that a region is filled with at first */
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
    uint32_t next_psn;              /* PSN of the next request to the device */
    struct run_flow tx[2], rx[2];   /* indexed by enum iba_dir */
    struct run_packet *head, *tail; /* come, and not judged yet */
    uint16_t optional[RUN_MAX_OPTIONAL];
    uint8_t n_optional;
    bool known;   /* id[1] of a connection manager is the device's communication ID */
    bool handled; /* `handle` is valid */
    struct run_packet *queued_head, *queued_tail;
    /* the device's unanswered requests: when the oldest came (0: there are none), how long the play had waited by
     * then, and the newest one's PSN */
    uint64_t asked_at, asked_waited;
    uint32_t asked_psn;
    /* connection managers: the QPNs of the tester and the device, the transaction, and the device's handle of the
     * connection in verbs */
    uint32_t service_qpn, device_qpn, handle;
    uint8_t ack_timeout; /* code in the device's REQ; 0: the device has sent no REQ */
    uint64_t tid;
    /* wires of a subnet: id[0] is the number of the end */
    const struct run_live *node;
    uint64_t trap_tid;                   /* transaction ID of the last trap that was expected */
    const struct run_packet *asked_last; /* the last packet that was sent from this end; NULL: none */
};
/* Whether the object sends and receives packets. For a connection manager id[0] is 1, for QP1, id[1] is the
 * device's communication ID, and peer is the tester's. */
static inline bool run_has_packets(const struct run_live *l)
{
    return l->kind == IBC_O_qp || l->kind == IBC_O_cm || l->kind == IBC_O_wire;
}

struct run_wr { /* a posted work request */
    uint64_t id;
    uint16_t object, window; /* window: the one that a BIND_MW binds */
    uint8_t op, n_sge;
    bool recv, tagged;
    uint32_t handle; /* of a tagged receive, by which it is removed */
    struct iba_sge sge[IBA_MAX_SGE];
};
struct run_wc { /* a completion that was polled, and that no line has asked for yet */
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
    struct run_pace pace; /* the pace whose last packet this is; n is 0: the name is that of a single packet */
};

struct run_evidence;
struct run_player {
    struct ibc_target *t;
    const struct ibc_options *o;
    const struct ibc_play *play;
    enum ibc_link link;
    uint64_t caps, seed;
    unsigned n_device;       /* 2: the tester is in the middle */
    bool fabric;             /* the scenario is about a subnet: packets come from the ends of its wires */
    bool managed;            /* the device under test is the subnet's manager */
    const uint8_t *smp_base; /* the datagram that a `set` step has read and now changes; otherwise NULL */
    bool informs;            /* the scenario is informational */
    bool unwell;             /* a health probe of this play has failed, or its device has died */
    bool died;               /* the device went away, or its system complained */
    bool proved;             /* the failure needs no second play: the device's system reported it */
    bool logged;             /* `measured` is a complaint of the device's system */
    bool unclean;            /* the play could not begin */
    bool lost;               /* the agent was lost; why: */
    uint32_t lost_line;
    char lost_what[RUN_TEXT], lost_why[RUN_TEXT];
    char late[RUN_TEXT]; /* how the tester or the agent was late; empty: in time */
    bool over;           /* an alternative ended the play */

    struct run_live live[IBC_MAX_OBJECTS + 1]; /* the last one: for the health probe */
    struct run_arena arena;
    struct run_packet *first, *last; /* all packets of the play */
    uint32_t n_packet;               /* packets of the scenario in all plays */
    uint32_t n_waiting;              /* come, and not judged yet */
    uint64_t began_at;
    uint64_t last_at, last_since;        /* times of the last packet sent or judged */
    uint64_t empty_at;                   /* when the wire was last found empty */
    uint64_t sent_by;                    /* time by which the last packet that was sent has left */
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
    unsigned binds; /* number of posted binds that have not completed */
    struct run_wc wc[RUN_MAX_WC];
    unsigned n_wc, n_event;
    struct run_event event[RUN_MAX_EVENTS];
    struct iba_cm_event cm_event[RUN_MAX_CM_EVENTS];
    uint16_t pkey[IBC_DEVICES][RUN_PKEYS];
    struct ibc_counter counter[IBC_MAX_COUNTERS]; /* counters at the beginning of the play */
    unsigned n_counter;
    uint64_t recv_cursor[IBC_DEVICES]; /* offset in l after the last receive buffer */

    enum ibc_verdict verdict, counters;
    struct ibc_finding finding, counter_finding;
    char measured[RUN_TEXT];
    uint8_t payload[2 * IBC_FRAME]; /* working memory for one payload */
};

/* ---- verdicts: note.c. All return false: the play ends ---- */
/* Records a verdict. The worst is kept; of equally bad ones the first. `k` may be NULL. */
bool run_note(struct run_player *p, enum ibc_verdict v, const struct ibc_step *s, const struct run_packet *k,
              const char *expected, const char *got);
bool run_note_as(struct run_player *p, enum ibc_found what, enum ibc_verdict v, const struct ibc_step *s,
                 const struct run_packet *k, const char *expected, const char *got);
bool run_fail(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, const char *expected,
              const char *got);
/* Like run_fail(), after a wait in vain. A slow last poll excuses nothing: it gave the device more time, and made no
 * answer of the tester late. */
bool run_fail_after_wait(struct run_player *p, const struct ibc_step *s, const char *expected, const char *got);
/* Records a fault of the harness, or a fault of the scenario that the loader could not detect. */
bool run_error(struct run_player *p, const struct ibc_step *s, const char *what);
/* Records the result of the target's verb `what`. True: the verb succeeded. */
bool run_did(struct run_player *p, const struct ibc_step *s, enum ibc_rc rc, const char *what);
/* Records the result of a verb whose line may have error=WORD. */
bool run_did_or(struct run_player *p, const struct ibc_step *s, enum ibc_rc rc, const char *what);
unsigned run_rank(enum ibc_verdict v); /* 0: the verdict has no rank */
/* The verdict's name in reports and evidence: for this scenario FAIL may be DEVIATES. */
const char *run_verdict_name(const struct run_player *p, enum ibc_verdict v);

/* ---- alternatives: note.c ---- */
/* Returns the next alternative of the step; NULL: there is none. */
const struct ibc_step *run_alternative(const struct run_player *p, const struct ibc_step *s);
/* An alternative matches: records its verdict and text. True: the play goes on. `expected` and `got` are the mismatch
 * of the first line. */
bool run_conclude(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, const char *expected,
                  const char *got);

/* ---- values: value.c ---- */
struct run_context {
    uint8_t device;    /* the device whose keys and addresses are meant */
    uint32_t psn_base; /* the PSN to which relative PSNs are added */
    bool local;        /* addresses are those of the device's own work requests */
};
uint64_t run_value(const struct run_player *p, const struct ibc_value *v, const struct run_context *c);
/* Returns the number of the argument with that key; without such an argument, `otherwise`. */
uint64_t run_number(const struct run_player *p, const struct ibc_step *s, enum ibc_key key, uint64_t otherwise,
                    const struct run_context *c);
const struct ibc_arg *run_arg(const struct ibc_step *s, enum ibc_key key);
bool run_has(const struct ibc_step *s, enum ibc_key key);
/* Returns the first QP of that type in the scenario; NULL: there is none. */
const struct run_live *run_first_of(const struct run_player *p, enum iba_qp_type type);
/* Whether `is` is one of the argument's alternatives. */
bool run_fits(const struct run_player *p, const struct ibc_arg *a, uint64_t is, const struct run_context *c);
/* Returns the object that a value names; NULL: it names none. */
struct run_live *run_object_of(struct run_player *p, const struct ibc_value *v);
/* Returns the object that the argument names; NULL: the implicit protection domain. */
const struct run_live *run_domain_of(struct run_player *p, const struct ibc_arg *a);
/* The set of rights that a list of words names. */
uint32_t run_access(const struct ibc_arg *a);
/* Returns the L_Key for an address: that of the region which the address names, otherwise that of l. */
uint32_t run_lkey_of(struct run_player *p, const struct ibc_value *at, unsigned device);
/* Returns a value wider than 64 bits: for a group its GID. */
struct ibc_value run_wide(struct run_player *p, const struct ibc_value *v);
/* Returns the object of a step; NULL: the step names none. */
struct run_live *run_live(struct run_player *p, const struct ibc_step *s);
/* Returns the word of a value that the loader left as text; otherwise "". */
const char *run_word(const struct ibc_value *v);
/* Returns the address that a value names; NULL: the value means the peer. */
const struct ibc_address *run_party(const struct run_player *p, const struct ibc_value *v);
uint32_t run_psn_base(const struct run_live *q, uint8_t opcode, bool to_device);
/* Returns the wire that is connected to that end of the subnet; NULL: there is none. */
struct run_live *run_wire_of(struct run_player *p, unsigned end);
/* Returns the device's QP with that number; NULL: there is none. */
struct run_live *run_qp_of(struct run_player *p, uint32_t qpn, unsigned device);

/* ---- packets that have a name: name.c ---- */
void run_remember(struct run_player *p, const struct ibc_step *s, const struct run_packet *k);
void run_remember_pace(struct run_player *p, const struct ibc_step *s, const struct run_packet *k,
                       struct run_pace pace);
struct run_pace run_pace(const struct run_player *p, const char *name);            /* n is 0: no pace has that name */
const struct run_packet *run_recall(const struct run_player *p, const char *name); /* NULL: none has that name */

/* ---- time: time.c ---- */
uint64_t run_now(const struct run_player *p);
/* Multiplies a time by the scale of the run; only a live target has one. */
uint64_t run_scaled(const struct run_player *p, uint64_t ns);

/* ---- objects: object.c, qp.c ---- */
bool run_make_objects(struct run_player *p);
bool run_make_qp(struct run_player *p, struct run_live *q, const struct ibc_step *s);
/* Takes a QP to `state`, one transition after another, with the required attributes. */
bool run_raise_qp(struct run_player *p, struct run_live *q, enum iba_qp_state state, const struct ibc_step *s);
bool run_raise_from(struct run_player *p, struct run_live *q, enum iba_qp_state from, enum iba_qp_state to,
                    const struct ibc_step *s);
/* Whether the attributes have the values that the step names; if not, the first that differs is reported. */
bool run_attributes_fit(struct run_player *p, const struct ibc_step *s, const struct iba_qp_attr *a,
                        char expected[RUN_TEXT], char got[RUN_TEXT]);
const struct iba_transition *run_transition(enum iba_qp_state from, enum iba_qp_state to);
/* Posts `n` receives of `len` bytes. The step's at= is the address of the first one. */
bool run_post_receives(struct run_player *p, struct run_live *q, unsigned n, uint32_t len, const struct ibc_step *s);

/* ---- the wire: wire.c ---- */
/* Lets time pass until the next frame, and queues it. *came: false if none came before `until`. */
bool run_collect(struct run_player *p, uint64_t until, bool *came, const struct ibc_step *s);
/* Queues every frame that leaves before the time `until`. */
bool run_collect_all(struct run_player *p, uint64_t until, const struct ibc_step *s);
/* Lets time pass until the packets that were sent have arrived (flight.c). */
bool run_let_arrive(struct run_player *p, const struct ibc_step *s);
/* Records a frame as sent and hands it to the device. */
bool run_inject(struct run_player *p, struct run_packet *k, const struct ibc_step *s);
struct run_packet *run_packet_new(struct run_player *p, unsigned device, bool sent);
void run_take(struct run_player *p, struct run_live *q); /* removes the first packet from q's queue */

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
/* Fields (field.c): whether an argument is a field, and which field it is in a packet with these headers; NULL:
 * they have none. */
bool run_is_field(const struct ibc_arg *a);
const struct iba_field *run_field_in(const struct ibc_arg *a, uint64_t has, uint8_t *hdr);
/* Sets the position of the next packet's payload in the pattern of its message. */
void run_flow_begin(struct run_flow *f, const struct iba_opcode *op, const struct ibc_arg *fill);
#define RUN_TRANSPORT (~(IBA_HDR_BIT(IBA_H_bth) - 1)) /* headers from the BTH on */
/* Whether packets of that QP type carry no BTH */
static inline bool run_is_raw(uint8_t type)
{
    return type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE;
}

/* ---- completions and events: complete.c ---- */
bool run_poll(struct run_player *p, const struct ibc_step *s);   /* polls all queues of all devices */
bool run_settle(struct run_player *p, const struct ibc_step *s); /* waits for binds, so that their windows have keys */
enum run_arrival { RUN_STOP, RUN_NOT, RUN_ARRIVED };
/* Lets time pass in growing intervals until `there` is true or the time limit ends. Polls completions or events
 * before each call of `there`. */
enum run_arrival run_await(struct run_player *p, const struct ibc_step *s, uint64_t patience, bool events,
                           bool (*there)(struct run_player *p, const struct ibc_step *s));

/* Whether an event belongs to that object; NULL matches every event. An event of the port belongs to no object. */
bool run_is_about(const struct run_live *l, const struct run_event *e);

/* Whether the device's memory from local address `at` on has pattern `letter` from byte `off` on; if not, the play
 * has failed. */
bool run_memory_is(struct run_player *p, const struct ibc_step *s, unsigned device, uint64_t at, uint64_t n,
                   char letter, uint64_t off);

/* ---- connection managers: cm.c, cm_message.c ---- */
enum ibc_rc run_make_cm(struct run_player *p, struct run_live *c, unsigned d);
/* Returns the conversation that a datagram of the device belongs to. NULL: it is no datagram of a connection
 * manager, or the scenario has no such object. */
struct run_live *run_cm_owner(struct run_player *p, const struct run_packet *k);
/* Writes the datagram of a line: the defaults of its message, then its fields. */
void run_cm_fill(struct run_player *p, const struct ibc_step *s, struct run_live *c, uint8_t mad[IBA_MAD_BYTES]);
void run_cm_sent(struct run_live *c, const uint8_t *mad); /* the tester has sent this message */
/* Whether the datagram is the message of the line, with its fields. */
bool run_cm_matches(struct run_player *p, const struct ibc_step *s, const uint8_t *mad, struct run_difference *d);
/* Whether the message belongs to a connection of the previous play, which ended with the reset of the device. */
bool run_cm_is_late(const struct run_player *p, const struct run_packet *k);
/* Returns the tester's communication ID in the n-th conversation. */
uint32_t run_cm_peer(const struct run_player *p, uint32_t n);
bool run_cm_begins(const uint8_t *mad); /* whether the message begins a transaction */
/* Polls events, and removes the first one that no line has waited for. NULL: there is none. */
struct run_live *run_cm_next_event(struct run_player *p, struct iba_cm_event *e);
/* Whether the SIDR_REQ belongs to the conversation: the request ID decides, or, where the device's user does not
 * see that ID, the port in the IP CM header. */
bool run_cm_asks_for(const struct run_player *p, const struct run_live *c, const uint8_t *data);
void run_cm_learn(struct run_live *c, const uint8_t *mad); /* the device has sent this message, or reports it */

/* ---- the middle: middle.c ---- */
/* Forwards an expected packet, or changes, drops or delays it if the line requests that. */
bool run_go_on(struct run_player *p, const struct ibc_step *s, struct run_live *q, struct run_packet *k);

/* ---- agents that are lost: contact.c ---- */
#define RUN_GONE "the device did not survive"
/* Adds RUN_GONE to the text of the finding. */
void run_gone(struct run_player *p);
/* The verdict of a play during which the agent was lost. */
void run_see_contact(struct run_player *p);

/* ---- being late: late.c ---- */
/* Notes a request of the device that came to the peer of q. */
void run_late_asked(struct run_player *p, struct run_live *q, const struct run_packet *k);
/* Notes a valid packet that was sent to a QP of device `device`. */
void run_late_answered(struct run_player *p, const struct iba_view *v, unsigned device);
/* Checks whether a device has waited too long for the tester. */
void run_late_look(struct run_player *p);

/* ---- failures that prove nothing: inconclusive.c ---- */
/* Gives the verdict of a failure while the tester was late. */
void run_late_conclude(struct run_player *p);
/* Returns how many frames the tester's wire has lost so far. */
uint64_t run_lost_frames(const struct run_player *p);
/* If more frames than `before` were lost, neither a packet nor its absence proves anything. */
void run_losses_conclude(struct run_player *p, uint64_t before);

/* ---- packets in flight to the device: flight.c ---- */
/* Notes a frame that was given to the wire for device `device`. */
void run_flight_sent(struct run_player *p, const struct iba_view *v, unsigned device);
/* Notes a packet that came to the peer of q: if it answers the last request, that request has arrived. */
void run_flight_answered(struct run_player *p, const struct run_live *q, const struct iba_view *v);
/* Notes a round trip in ns: the time from sending a request to an answer that the device gives at once. */
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

/* One function for each kind of step. */
#define RUN_STEP(w, text) bool run_step_##w(struct run_player *p, const struct ibc_step *s);
IBC_STEPS(RUN_STEP)
#endif
