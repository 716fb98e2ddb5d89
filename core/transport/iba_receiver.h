/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the receivers: the checks and actions that RC, UC and UD share. Not for users of libiba.
 *
 * The checks are pure, and their names are predicates. `x->op` may be NULL only where a comment says so. */
#ifndef IBA_RECEIVER_H
#define IBA_RECEIVER_H
#include "transport/iba_engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of a table: R(name, when, then, sentence, clause). */
#define IBA_RULE_ROW(name_, when_, then_, sentence_, clause_)                                                          \
    {.name = #name_, .sentence = sentence_, .clause = clause_, .when = when_, .then = then_, .hit = HIT_##name_},
#define IBA_RULE_HIT(name_, ...) HIT_##name_,
#define IBA_RULE_FIRST(name_, when_, ...)                                                                              \
    if (when_(x))                                                                                                      \
        return &rows[HIT_##name_];
/* Declares the hit indices, the rows, their walk and the table `id` of the list. */
#define IBA_RULE_TABLE(LIST, id, title)                                                                                \
    enum { LIST(IBA_RULE_HIT) HIT_COUNT };                                                                             \
    _Static_assert((int)HIT_COUNT <= (int)IBA_MAX_RULES, "more rows than counters");                                   \
    static const struct iba_rule rows[] = {LIST(IBA_RULE_ROW)};                                                        \
    static const struct iba_rule *first_that_applies(const struct iba_rx *x)                                           \
    {                                                                                                                  \
        LIST(IBA_RULE_FIRST)                                                                                           \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    const struct iba_rules id = {.name = title, .row = rows, .n = HIT_COUNT, .first = first_that_applies};

enum { IBA_NO_MESSAGE = 0xff }; /* r.op: no message is unfinished */

/* The area before the payload of a delivered datagram: `bytes` long, with the network header in it (UU-21, UU-22). */
struct iba_grh_area {
    uint32_t bytes, at, n; /* the header has n bytes and begins at byte `at` */
    const uint8_t *header;
};

typedef bool iba_when(const struct iba_rx *x);
typedef void iba_then(struct iba_rx *x);

/* ---- the kind of packet (op may be NULL) ---- */
static inline bool iba_rx_reserved(const struct iba_rx *x)
{
    return !x->op;
}
static inline bool iba_rx_send(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_SEND;
}
static inline bool iba_rx_write(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_WRITE;
}
static inline bool iba_rx_begins(const struct iba_rx *x)
{
    return x->op && iba_opcode_begins(x->op);
}
static inline bool iba_rx_ends(const struct iba_rx *x)
{
    return x->op && iba_opcode_ends(x->op);
}
static inline bool iba_rx_imm(const struct iba_rx *x)
{
    return x->op && (x->op->hdrs & IBA_HDR_BIT(IBA_H_immdt));
}
static inline bool iba_rx_any(const struct iba_rx *x)
{
    (void)x;
    return true;
}
/* ---- checks of a packet ---- */
iba_when iba_rx_unfinished_before; /* First or Only inside of a message */
iba_when iba_rx_nothing_to_go_on;  /* Middle or Last outside of a message */
iba_when iba_rx_other_operation;   /* Middle or Last of another operation than the message's */
iba_when iba_rx_write_not_enabled; /* in the QP's access rights */
iba_when iba_rx_no_receive_wqe;    /* the packet needs a WQE, and there is none */
iba_when iba_rx_bad_payload;       /* length or pad is illegal for the opcode (C9-92) */
iba_when iba_rx_dma_too_long;      /* C9-94 */
iba_when iba_rx_write_beyond;      /* more data than RETH.DMALen said */
iba_when iba_rx_write_short;       /* less data than RETH.DMALen said, after the last packet */
iba_when iba_rx_send_too_long;     /* more data than the receive WQE has space for */
iba_when iba_rx_write_denied;      /* by R_Key, range or access right */
iba_when iba_rx_write_absent;      /* a page is not there yet */
iba_when iba_rx_receive_protected; /* by the L_Key, range or access right of the WQE */
iba_when iba_rx_receive_absent;
iba_when iba_rx_first_in_rtr; /* QS-20 */

static inline const uint8_t *iba_rx_data(const struct iba_rx *x)
{
    return x->v->wire + x->v->payload_at;
}
/* The extension header `h`, for example the RETH. The opcode must have it. */
static inline const uint8_t *iba_rx_hdr(const struct iba_rx *x, enum iba_hdr h)
{
    return iba_view_hdr(x->v, h);
}
/* The QP whose receives, access rights and protection domain count: the packet's, or of RD the one that DestQP names.
 */
static inline struct iba_qp *iba_rx_user(const struct iba_rx *x)
{
    return x->user ? x->user : x->qp;
}
/* The WQE that the packet would fill: the one in use, or the next. NULL: there is none. */
const struct iba_recv_wr *iba_rx_wqe(const struct iba_rx *x);
/* The access rights that the QP has. */
unsigned iba_rx_rights(const struct iba_rx *x);
/* The protection domain that receive WQEs are checked with: that of the SRQ or, without SRQ, of the QP (QS-42). */
uint32_t iba_rx_recv_pd(const struct iba_rx *x);
/* The protection domain that keys of remote accesses are checked with: that of the QP or, of an XRC target, of the SRQ
 * that the request names (QS-46). */
uint32_t iba_rx_pd(const struct iba_rx *x);
/* Checks that the packet's payload may be written after the data that is already in the WQE. *absent: a page is
 * missing. The rows ask this of SENDs only: a WRITE fills no receive (RR-53). */
enum iba_wc_status iba_rx_check_receive(const struct iba_rx *x, bool *absent);
/* Checks a remote access with the rights `need` to the range. An access to no bytes needs no key (C9-88). */
enum iba_mem_verdict iba_rx_reach(const struct iba_rx *x, uint32_t key, uint64_t va, uint64_t length, uint16_t need,
                                  struct iba_place *place);
/* Checks the WRITE of which this packet is part. With First and Only packets the check is on the whole WRITE (RR-42),
 * with the others on the packet's own bytes (QS-57). A WRITE of no bytes needs no check (C9-88). */
enum iba_mem_verdict iba_rx_write_reach(const struct iba_rx *x, struct iba_place *place);

/* ---- actions ---- */
iba_then iba_rx_drop;
iba_then iba_rx_establish; /* COMM_ESTABLISHED, once */
/* Takes the WQE that iba_rx_wqe() returned. */
void iba_rx_take_wqe(struct iba_rx *x);
/* Appends the payload of a SEND to the data in the WQE. */
void iba_rx_store_send(struct iba_rx *x);
/* Puts the payload of a WRITE into memory. */
void iba_rx_store_write(struct iba_rx *x);
/* Writes the payload to `place`. */
void iba_rx_put(struct iba_rx *x, const struct iba_place *place);
static inline uint16_t iba_rx_pkey_index(const struct iba_rx *x) /* as a completion reports it */
{
    return (uint16_t)(x->pkey_index < 0 ? 0 : x->pkey_index);
}
/* Completes the WQE in use with *wc. */
void iba_rx_report(struct iba_rx *x, struct iba_wc *wc);
/* The QP fails because of the packet. */
void iba_rx_fail_qp(struct iba_rx *x);
/* The fault is in the receive WQE, so the QP of an unreliable service fails (class A). */
void iba_rx_fail(struct iba_rx *x);
/* Completes the WQE in use with `status`. */
void iba_rx_complete(struct iba_rx *x, enum iba_wc_status status);

#ifdef __cplusplus
}
#endif

#endif
