/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager (chapter 12; RDMA IP CM service, annex A11), without I/O, clock or allocation.
 *
 *     iba_cm_init(&cm, &cfg);                       memory, entropy, ports are the caller's
 *     iba_cm_listen(&cm, &listen, &number);         the passive end
 *     iba_cm_connect(&cm, &request, now, &id);      the active end
 *     for (;;) {
 *         a datagram arrived:  iba_cm_feed(&cm, &from, mad, now);
 *         time passed:         iba_cm_advance(&cm, now);        at or after iba_cm_deadline(&cm)
 *         after either, and after a verb:
 *                              while (iba_cm_poll(&cm, &out)) send(out.av, out.mad);
 *                              while (iba_cm_next_event(&cm, &e)) answer(e);
 *     }
 *
 * A datagram is the 256 bytes of a MAD. A datagram goes from QP1 to QP1 with the Q_Key 0x80010000 (MD-82).
 *
 * A connection is named by its local communication ID. A connection exists from the REQ to the end of TimeWait; after
 * that, verbs return IBA_CM_NO_CONNECTION. The caller makes the queue pairs, with the attributes that iba_cm_qp_attr()
 * gives.
 *
 * Tables of rows decide what follows from a message, a verb or a timer (iba_cm_rules.h). A wrong datagram makes none of
 * these calls fail: a row drops or rejects the datagram, and the CM counts the row. A verb that fails changes nothing.
 */
#ifndef IBA_CM_H
#define IBA_CM_H
#include "fabric/iba_port.h"
#include "mad/iba_mad.h"
#include "transport/iba_qp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- states (section 12.9; NONE: no connection; the five from ESTABLISHED on are sub-states of Established) ---- */
/* clang-format off */
#define IBA_CM_STATES(S)                                                                                               \
    S(NONE,          "no connection")                                                                                  \
    S(REQ_SENT,      "REQ Sent")                                                                                       \
    S(MRA_REQ_RCVD,  "REP Wait")                                                                                       \
    S(REQ_RCVD,      "REQ Rcvd")                                                                                       \
    S(MRA_REQ_SENT,  "MRA(REQ) Sent")                                                                                  \
    S(REP_SENT,      "REP Sent")                                                                                       \
    S(MRA_REP_RCVD,  "MRA(REP) Rcvd")                                                                                  \
    S(REP_RCVD,      "REP Rcvd")                                                                                       \
    S(MRA_REP_SENT,  "MRA(REP) Sent")                                                                                  \
    S(ESTABLISHED,   "Established")                                                                                    \
    S(LAP_SENT,      "LAP Sent")                                                                                       \
    S(MRA_LAP_RCVD,  "MRA(LAP) Rcvd")                                                                                  \
    S(LAP_RCVD,      "LAP Rcvd")                                                                                       \
    S(MRA_LAP_SENT,  "MRA(LAP) Sent")                                                                                  \
    S(DREQ_SENT,     "DREQ Sent")                                                                                      \
    S(DREQ_RCVD,     "DREQ Rcvd")                                                                                      \
    S(TIMEWAIT,      "TimeWait")                                                                                       \
    S(SIDR_REQ_SENT, "SIDR_REQ Sent")                                                                                  \
    S(SIDR_REQ_RCVD, "SIDR_REQ Rcvd")

/* Events. An event that a message causes has the datagram of that message. */
#define IBA_CM_EVENTS(E)                                                                                               \
    E(NONE,           "none")                                                                                          \
    E(REQ,            "somebody wants to connect")                                                                     \
    E(REP,            "the peer accepts")                                                                              \
    E(MRA,            "the peer needs more time")                                                                      \
    E(REJ,            "the peer rejects")                                                                              \
    E(ESTABLISHED,    "the connection is established")                                                                 \
    E(DREQ,           "the peer disconnects")                                                                          \
    E(DREP,           "the peer has disconnected as well")                                                             \
    E(STALE,          "the peer has reused a queue pair of the connection: it has forgotten it")                                                         \
    E(UNREACHABLE,    "no answer came to the REQ")                                                                     \
    E(UNCONFIRMED,    "no RTU came")                                                                                   \
    E(UNRELEASED,     "no answer came to the DREQ")                                                                    \
    E(UNLOADED,       "no answer came to the LAP")                                                                     \
    E(TIMEWAIT_EXIT,  "the queue pair may be used again")                                                              \
    E(LAP,            "the peer suggests to load an alternate path")                                                   \
    E(APR,            "the peer has answered a LAP")                                                                   \
    E(SAP,            "the peer suggests an alternate path")                                                           \
    E(SPR,            "the peer has answered a SAP")                                                                   \
    E(SIDR_REQ,       "somebody asks for the queue pair of a service")                                                 \
    E(SIDR_REP,       "the queue pair of the service, or why there is none")                                           \
    E(SIDR_UNANSWERED, "no answer came to the SIDR_REQ")

#define IBA_CM_ERRS(E)                                                                                                 \
    E(OK,               "ok")                                                                                          \
    E(NO_CONNECTION,    "no such connection")                                                                          \
    E(WRONG_STATE,      "not in this state")                                                                           \
    E(FULL,             "all connections, listeners or places for output are used")                                    \
    E(QP_BUSY,          "the queue pair belongs to a connection, or its TimeWait is not over")                         \
    E(PRIVATE_TOO_LONG, "the message has less space for private data")                                                 \
    E(SERVICE_BUSY,     "another listener has this service ID")                                                        \
    E(NO_SERVICE,       "no such listener")                                                                            \
    E(BAD_VALUE,        "a field of the message cannot have this value")
/* clang-format on */
enum iba_cm_state {
#define IBA_CM_STATE_ID(name, words) IBA_CMS_##name,
    IBA_CM_STATES(IBA_CM_STATE_ID) IBA_CMS_COUNT
};
enum iba_cm_event_kind {
#define IBA_CM_EVENT_ID(name, words) IBA_CME_##name,
    IBA_CM_EVENTS(IBA_CM_EVENT_ID) IBA_CME_COUNT
};
enum iba_cm_err {
#define IBA_CM_ERR_ID(name, words) IBA_CM_##name,
    IBA_CM_ERRS(IBA_CM_ERR_ID) IBA_CM_ERR_COUNT
};
const char *iba_cm_state_name(enum iba_cm_state s);      /* never NULL */
const char *iba_cm_event_name(enum iba_cm_event_kind k); /* "REJ" */
const char *iba_cm_err_name(enum iba_cm_err e);          /* never NULL */

enum { /* method and class version in the MAD header of every message (MD-54) */
       IBA_CM_SEND = 3,
       IBA_CM_VERSION = 2
};
enum { /* the message that an MRA or a REJ answers (MD-56) */
       IBA_CM_OF_REQ = 0,
       IBA_CM_OF_REP = 1,
       IBA_CM_OTHER = 2 /* MRA: a LAP; REJ: neither REQ nor REP */
};
enum { /* transport service of a REQ, and its extension (MD-61) */
       IBA_CM_RC = 0,
       IBA_CM_UC = 1,
       IBA_CM_RD = 2,
       IBA_CM_EXTENDED = 3,
       IBA_CM_DATAGRAM = 4, /* only inside the CM: an exchange of SIDR messages */
       IBA_CM_EXT_XRC = 1
};
/* Returns the queue pair that a REP names. An XRC target is in the field of the EE context (QS-49). */
static inline uint32_t iba_cm_rep_qp(const uint8_t *rep, unsigned service)
{
    return service == IBA_CM_EXTENDED ? iba_cm_rep_localeecn(rep) : iba_cm_rep_localqpn(rep);
}
enum { /* reasons of a REJ that the CM itself gives (MD-74) */
       IBA_CM_REJ_NO_RESOURCES = 3,
       IBA_CM_REJ_TIMEOUT = 4,
       IBA_CM_REJ_COMM_ID = 6,
       IBA_CM_REJ_SERVICE_ID = 8,
       IBA_CM_REJ_SERVICE_TYPE = 9,
       IBA_CM_REJ_STALE = 10,
       IBA_CM_REJ_GID = 12,
       IBA_CM_REJ_LID = 13,
       IBA_CM_REJ_SL = 14,
       IBA_CM_REJ_ALT_GID = 18,
       IBA_CM_REJ_ALT_LID = 19,
       IBA_CM_REJ_MTU = 26,
       IBA_CM_REJ_CONSUMER = 28,
       IBA_CM_REJ_VERSION = 31
};
enum { /* private data of the messages, bytes (MD-55..MD-60) */
       IBA_CM_REQ_BYTES = 92,
       IBA_CM_MRA_BYTES = 222,
       IBA_CM_REJ_BYTES = 148,
       IBA_CM_ARI_BYTES = 72,
       IBA_CM_REP_BYTES = 196,
       IBA_CM_RTU_BYTES = 224,
       IBA_CM_DREQ_BYTES = 220,
       IBA_CM_DREP_BYTES = 224,
       IBA_CM_LAP_BYTES = 168,
       IBA_CM_APR_BYTES = 148,
       IBA_CM_SIDR_REQ_BYTES = 216,
       IBA_CM_SIDR_REP_BYTES = 136
};
enum { IBA_CM_ALT_BYTES = 44 }; /* of the alternate path in a REQ (MD-55) */

/* ---- memory of the caller ---- */
struct iba_cm_private {
    const void *bytes;
    size_t n; /* 0: none */
};
struct iba_cm_datagram {
    struct iba_av av; /* the path to the receiver */
    uint16_t pkey;    /* P_Key of the BTH */
    uint8_t mad[IBA_MAD_BYTES];
};
/* A connection, or an exchange of SIDR messages. */
struct iba_cm_conn {
    uint32_t local_id; /* 0: free */
    uint32_t remote_id, generation;
    uint64_t remote_guid, tid, first_tid; /* tid, first_tid: IDs of the current transaction, the REQ's */
    uint64_t sap_tid; /* transaction ID of the last SAP; separate, since a LAP may wait for its APR at the same time */
    uint32_t local_qpn, remote_qpn;
    uint8_t state;     /* enum iba_cm_state */
    uint8_t service;   /* IBA_CM_RC, UC, EXTENDED or DATAGRAM */
    bool active, peer; /* active: this end sent the REQ; peer: it would also take a REQ from its peer (peer-to-peer) */
    bool known;        /* the peer has named its communication ID: remote_id, remote_guid */
    bool has_rep;      /* `rep` is valid */
    uint8_t tries;     /* number of retries that are left */
    uint8_t retries;   /* SIDR: MaxCMRetries; for other connections the REQ has it */
    uint8_t response;  /* code of the time in which the peer must answer */
    uint8_t service_time; /* code of the most recent MRA, sent or received */
    uint8_t answered;     /* status of the last APR that was sent */
    uint32_t listener;
    iba_time due;     /* time at which the timer runs out; IBA_NEVER: no timer runs */
    uint32_t heap_at; /* place in iba_cm.heap */
    uint32_t next[3]; /* next connection in a chain of iba_cm.bucket; one chain for each enum iba_cm_key */
    void *user;       /* set by the caller; the CM does not read it */
    struct iba_av av; /* the path of the datagrams to the peer */
    uint16_t pkey;
    uint8_t req[IBA_BYTES_cm_req]; /* the REQ without its private data, or the SIDR_REQ */
    uint8_t rep[36];               /* the REP without its private data */
    uint8_t lap[IBA_CM_ALT_BYTES]; /* the alternate path of a LAP that waits for its APR, in the form of a REQ */
    bool loaded;                   /* a LAP was accepted: `req` has its path as the alternate path */
    uint8_t sent[IBA_MAD_BYTES];   /* the message that is sent again when a timer runs out, or a duplicate comes */
};
enum iba_cm_key { IBA_CM_KEY_REMOTE_ID, IBA_CM_KEY_REMOTE_QP, IBA_CM_KEY_LOCAL_QP, IBA_CM_KEYS };

/* Which requests a listener gets. */
struct iba_cm_listen {
    uint64_t service_id, service_mask; /* a REQ's service ID must agree in the bits of the mask */
    /* The private data of the REQ must agree with `compare` in the bits of `compare_mask`, from byte compare_at on. */
    uint8_t compare_at, compare_n;
    uint8_t compare[IBA_CM_REQ_BYTES], compare_mask[IBA_CM_REQ_BYTES];
    bool datagrams;   /* the listener gets SIDR_REQs instead of REQs */
    uint32_t backlog; /* number of requests that may wait for the caller's answer; 0: n_conn */
    void *user;
};
struct iba_cm_listener {
    struct iba_cm_listen what;
    uint32_t waiting; /* requests that wait for the caller's answer */
    bool used;
};
struct iba_cm_event {
    uint32_t id; /* local communication ID */
    uint8_t kind;
    uint8_t state;              /* state of the connection after the event */
    uint16_t reason;            /* REJ: reason; APR, SIDR_REP: status; MRA: code of the service timeout */
    uint32_t listener;          /* REQ, SIDR_REQ: number of the listener */
    void *user;                 /* `user` of the connection or of the listener */
    struct iba_av av;           /* REQ, SIDR_REQ: the path back to the sender */
    uint8_t mad[IBA_MAD_BYTES]; /* the message; zero for an event without one */
};
/* Returns the private data of the event's message; NULL: the event has no message, or the message has no private data.
 */
const uint8_t *iba_cm_event_private(const struct iba_cm_event *e, size_t *n);
/* Gives where the private data of the message with that attribute begin in the MAD, and how many bytes they have.
 * False: there is no such message. */
bool iba_cm_private_place(uint16_t attribute, size_t *at, size_t *n);
/* The first byte after the MAD header, for the accessors of core/mad (iba_cm_req_serviceid() ...). */
static inline const uint8_t *iba_cm_event_data(const struct iba_cm_event *e)
{
    return e->mad + IBA_BYTES_madhdr;
}

#define IBA_CM_NO_LISTENER UINT32_MAX /* the value that stands for no listener */

struct iba_cm_rule;
struct iba_cm_rules;
struct iba_change;
struct iba_cm_deviations;
enum iba_cm_table { IBA_CM_TABLE_MESSAGES, IBA_CM_TABLE_TIMERS, IBA_CM_TABLE_VERBS, IBA_CM_TABLES };
enum { IBA_CM_MAX_RULES = 96, IBA_CM_RINGS_LEAST = 4 };

struct iba_cm_config { /* the arrays belong to the caller and must live as long as the CM */
    uint64_t ca_guid;
    const struct iba_port *port; /* ports of the adapter */
    uint8_t n_port;
    uint8_t target_ack_delay; /* code of the target ACK delay in REPs */
    struct iba_cm_conn *conn; /* n_conn entries; `heap` has n_conn entries, too */
    uint32_t *heap;
    uint32_t *bucket; /* IBA_CM_KEYS * n_conn */
    uint32_t n_conn;
    struct iba_cm_listener *listener;
    uint32_t n_listener;
    struct iba_cm_datagram *out; /* rings of at least IBA_CM_RINGS_LEAST entries each. While one is full, the CM drops
                                    messages that arrive */
    struct iba_cm_event *event;
    uint32_t n_out, n_event;
    uint64_t (*random)(void *ctx);                                                         /* entropy; never NULL */
    void (*trace)(void *ctx, const char *table, const struct iba_cm_rule *r, uint32_t id); /* each decision; or NULL */
    void *ctx;
};
struct iba_cm {
    struct iba_cm_config cfg;
    uint32_t operand, generation; /* for making communication IDs */
    uint64_t seed, tid;           /* seed: of the hash tables; tid: ID of the next transaction */
    uint32_t n_used, n_timer, free_at;
    uint32_t out_at, out_n, event_at, event_n;
    iba_time now;
    const struct iba_cm_rules *table[IBA_CM_TABLES];
    uint32_t hits[IBA_CM_TABLES][IBA_CM_MAX_RULES];
    uint64_t foreign, overrun, unexpected; /* dropped datagrams; foreign: no CM message; overrun: no room for an answer;
                                              unexpected: no row takes it */
    const struct iba_change *change;       /* the changed row of a broken CM (iba_change.h); NULL: unbroken */
    const struct iba_cm_deviations *deviate;
    bool broken; /* a table or a row of a list is changed */
};
void iba_cm_init(struct iba_cm *cm, const struct iba_cm_config *cfg); /* clears the arrays of the configuration */

/* ---- datagrams and time ---- */
struct iba_cm_source {
    struct iba_av av; /* the path back to the sender */
    uint16_t pkey;
    uint8_t port;
}; /* iba_cm_feed() takes a datagram that arrived from a source; a datagram that is no CM message is dropped */
void iba_cm_feed(struct iba_cm *cm, const struct iba_cm_source *from, const uint8_t mad[IBA_MAD_BYTES], iba_time now);
void iba_cm_advance(struct iba_cm *cm, iba_time now);              /* runs the timers up to now */
iba_time iba_cm_deadline(const struct iba_cm *cm);                 /* IBA_NEVER: no timer runs */
bool iba_cm_poll(struct iba_cm *cm, struct iba_cm_datagram *out);  /* false: no datagram to send */
bool iba_cm_next_event(struct iba_cm *cm, struct iba_cm_event *e); /* false: no event waits */

/* ---- verbs: listening ---- */
enum iba_cm_err iba_cm_listen(struct iba_cm *cm, const struct iba_cm_listen *l, uint32_t *number);
/* Ends listening. REQs that still wait for an answer are rejected with reason 28, SIDR_REQs refused with status 2. */
enum iba_cm_err iba_cm_unlisten(struct iba_cm *cm, uint32_t number, iba_time now);

/* ---- verbs: connecting ---- */
struct iba_cm_request {
    struct iba_cm_req req; /* the caller fills in all fields but localcommid and localcaguid, which the CM writes */
    struct iba_cm_private private_data;
    struct iba_av av; /* the path of the datagrams */
    bool peer;        /* peer-to-peer: the other end may be connecting to this service as well (MD-86) */
    void *user;
};
/* Sends a REQ. The event REP follows, which iba_cm_confirm() answers; or MRA, REJ, UNREACHABLE. */
enum iba_cm_err iba_cm_connect(struct iba_cm *cm, const struct iba_cm_request *r, iba_time now, uint32_t *id);
/* Answers an event REQ with a REP. The CM fills in the communication IDs, the CA GUID and the target ACK delay of the
 * REP; the rest comes from `rep`, and the private data from `p`. The CM limits responderres and initdepth to the values
 * that the REQ offers (MD-62). */
enum iba_cm_err iba_cm_accept(struct iba_cm *cm, uint32_t id, const struct iba_cm_rep *rep, struct iba_cm_private p,
                              iba_time now);
/* Answers an event REP with an RTU. The connection of the active end is established then. */
enum iba_cm_err iba_cm_confirm(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now);
/* Answers REQ or REP with a REJ. */
enum iba_cm_err iba_cm_reject(struct iba_cm *cm, uint32_t id, uint16_t reason, struct iba_cm_private ari,
                              struct iba_cm_private p, iba_time now);
/* Answers REQ, REP or LAP with an MRA: the caller needs up to 4.096 us * 2^code. */
enum iba_cm_err iba_cm_delay(struct iba_cm *cm, uint32_t id, uint8_t code, struct iba_cm_private p, iba_time now);
/* The caller reports that a packet arrived on the queue pair in RTR, so the RTU was lost or overtaken (MD-66). */
enum iba_cm_err iba_cm_established(struct iba_cm *cm, uint32_t id, iba_time now);
/* Sends a DREQ; after an event DREQ, a DREP. */
enum iba_cm_err iba_cm_disconnect(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now);
/* Ends the connection from any state. Sends the message that ends it for the peer, too: REJ, DREQ or DREP. */
enum iba_cm_err iba_cm_abandon(struct iba_cm *cm, uint32_t id, iba_time now);

/* ---- verbs: alternate paths (MD-79) ---- */
/* Sends a LAP. The CM fills in the communication IDs and the QPN; the rest comes from `lap`. */
enum iba_cm_err iba_cm_load(struct iba_cm *cm, uint32_t id, const struct iba_cm_lap *lap, struct iba_cm_private p,
                            iba_time now);
/* Answers an event LAP with an APR. */
enum iba_cm_err iba_cm_loaded(struct iba_cm *cm, uint32_t id, uint8_t status, struct iba_cm_private info,
                              struct iba_cm_private p, iba_time now);
/* iba_cm_suggest() sends a SAP, iba_cm_suggested() answers an event SAP with an SPR. The meaning of the bytes after the
 * communication IDs is not public, so the caller gives these bytes as `p`. */
enum iba_cm_err iba_cm_suggest(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now);
enum iba_cm_err iba_cm_suggested(struct iba_cm *cm, uint32_t id, struct iba_cm_private p, iba_time now);

/* ---- verbs: datagram services (section 12.11) ---- */
struct iba_cm_resolve {
    uint64_t service_id;
    uint16_t pkey;
    uint8_t response, retries; /* response: code of the time in which an answer must come; retries: MaxCMRetries */
    struct iba_cm_private private_data;
    struct iba_av av;
    void *user;
};
/* Sends a SIDR_REQ. The event SIDR_REP or SIDR_UNANSWERED follows. */
enum iba_cm_err iba_cm_resolve(struct iba_cm *cm, const struct iba_cm_resolve *r, iba_time now, uint32_t *id);
/* Answers an event SIDR_REQ. The CM fills in request ID, service ID and, without `info`, infolen; the rest comes from
 * `rep`. */
enum iba_cm_err iba_cm_resolved(struct iba_cm *cm, uint32_t id, const struct iba_cm_sidr_rep *rep,
                                struct iba_cm_private p, iba_time now);

/* ---- facts about a connection ---- */
const struct iba_cm_conn *iba_cm_find(const struct iba_cm *cm, uint32_t id); /* NULL: none */
/* Gives the attributes for the queue pair's transition to `state` (INIT, RTR or RTS; sections 12.10, 12.7), and in
 * *mask which attributes they are. Packets of the queue pair use the path of the datagrams. On InfiniBand the
 * transition to RTR sets the alternate path, if the REQ has one, and the transition to RTS arms migration (QS-78). Once
 * an APR has accepted a LAP (event APR with reason 0, or iba_cm_loaded() with status 0), `state` RTS gives the
 * attributes of a transition from RTS to RTS: the new alternate path, and migration armed again. False: the attributes
 * are not known in this state of the connection. */
bool iba_cm_qp_attr(const struct iba_cm *cm, uint32_t id, enum iba_qp_state state, struct iba_qp_attr *attr,
                    uint32_t *mask);
/* Asserts every invariant of an unbroken CM. */
void iba_cm_check(const struct iba_cm *cm);
/* Returns the time that a code of the CM stands for: 4.096 us * 2^code (MD-69). */
static inline iba_time iba_cm_time(unsigned code)
{
    return (iba_time)4096 << (code & 31);
}

#ifdef __cplusplus
}
#endif

#endif
