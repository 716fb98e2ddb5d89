/* SPDX-License-Identifier: BSD-2-Clause */
/* Posting: operations, their form, and states of the QP (QS-17..QS-25, QS-83, RQ-15). */
#include "transport/deviations_requester.h"
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"
#include "verbs.h"

/* The services and their operations, typed from catalogue 1.6 and section 5. */
static const struct {
    uint8_t type;
    const char *operations;
} services[] = {
    {IBA_QPT_RC, "send send_imm send_inv write write_imm read cmp_swap fetch_add flush atomic_write bind_mw local_inv"},
    {IBA_QPT_UC, "send send_imm write write_imm bind_mw local_inv"},
    {IBA_QPT_UD, "send send_imm"},
    {IBA_QPT_SMI, "send"},
    {IBA_QPT_GSI, "send"},
    {IBA_QPT_RAW_IPV6, "send"},
    {IBA_QPT_RAW_ETHERTYPE, "send"},
    {IBA_QPT_XRC_INI, "send send_imm send_inv write write_imm read cmp_swap fetch_add flush atomic_write"},
    {IBA_QPT_RD, "send send_imm write write_imm read cmp_swap fetch_add"},
};
static const struct {
    const char *word;
    uint8_t op, least, most; /* entries of the scatter/gather list */
    bool eight;
} forms[] = {
    {"send", IBA_WR_SEND, 0, 4, false},           {"send_imm", IBA_WR_SEND_IMM, 0, 4, false},
    {"send_inv", IBA_WR_SEND_INV, 0, 4, false},   {"write", IBA_WR_WRITE, 0, 4, false},
    {"write_imm", IBA_WR_WRITE_IMM, 0, 4, false}, {"read", IBA_WR_READ, 0, 4, false},
    {"cmp_swap", IBA_WR_CMP_SWAP, 1, 1, true},    {"fetch_add", IBA_WR_FETCH_ADD, 1, 1, true},
    {"flush", IBA_WR_FLUSH, 1, 1, false},         {"atomic_write", IBA_WR_ATOMIC_WRITE, 1, 4, true},
    {"bind_mw", IBA_WR_BIND_MW, 0, 0, false},     {"local_inv", IBA_WR_LOCAL_INV, 0, 0, false},
};
enum { N_FORMS = sizeof forms / sizeof *forms, N_SERVICES = sizeof services / sizeof *services };
_Static_assert((int)N_FORMS == (int)IBA_WR_RECV,
               "core/transport/test/post.c: an operation of iba_wr.h has no row in forms[]");
_Static_assert(IBA_MAX_SGE == 4, "the table above says so");

static bool offers(const char *list, const char *word)
{
    char copy[160];

    snprintf(copy, sizeof copy, "%s", list);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        if (strcmp(w, word) == 0)
            return true;
    return false;
}

/* A legal work request of the form. */
static struct iba_send_wr legal(const struct desk *d, unsigned form)
{
    struct iba_send_wr wr = desk_send(d, form);

    wr.op = forms[form].op;
    wr.n_sge = forms[form].least;
    wr.sge[0].length = 8;
    if (wr.op == IBA_WR_FLUSH)
        wr.flush_placement = 1;
    return wr;
}

Test(post, service_table)
{
    for (unsigned s = 0; s < N_SERVICES; s++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, (enum iba_qp_type)services[s].type, IBA_QPS_RTS);
        for (unsigned f = 0; f < N_FORMS; f++) {
            const struct iba_send_wr wr = legal(d, f);
            d->qp[0].s.count = 0;
            if (offers(services[s].operations, forms[f].word))
                OK(iba_post_send(&d->ca, qpn, &wr));
            else
                REFUSED(d, iba_post_send(&d->ca, qpn, &wr), OPCODE);
        }
        for (unsigned op = IBA_WR_RECV; op < 256; op++) {
            struct iba_send_wr wr = desk_send(d, op);
            wr.op = (uint8_t)op;
            REFUSED(d, iba_post_send(&d->ca, qpn, &wr), OPCODE);
        }
    }
}

Test(post, entries_of_the_list)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);

    for (unsigned f = 0; f < N_FORMS; f++)
        for (unsigned n = 0; n < 256; n++) {
            struct iba_send_wr wr = legal(d, f);
            wr.n_sge = (uint8_t)n;
            d->qp[0].s.count = 0;
            if (n >= forms[f].least && n <= forms[f].most)
                OK(iba_post_send(&d->ca, qpn, &wr));
            else
                REFUSED(d, iba_post_send(&d->ca, qpn, &wr), SGE);
        }
}

/* WF-67: 2^31 bytes and no more; ATOMICs have eight. */
Test(post, length)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);

    for (unsigned f = 0; f < N_FORMS; f++) {
        struct iba_send_wr wr = legal(d, f);
        const uint32_t most = forms[f].eight ? 8 : 1u << 31;
        if (forms[f].most == 0)
            continue;
        wr.n_sge = 1;
        d->qp[0].s.count = 0;
        wr.sge[0].length = most;
        OK(iba_post_send(&d->ca, qpn, &wr));
        wr.sge[0].length = most + 1;
        REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
        wr.sge[0].length = forms[f].eight ? 7 : UINT32_MAX;
        REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
        if (forms[f].most == 1)
            continue;
        wr.n_sge = 4; /* the sum does not overflow */
        for (unsigned i = 0; i < 4; i++)
            wr.sge[i].length = 1u << 30;
        REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
    }
}

/* QS-84: SENDs and WRITEs, of as many bytes as the list has space for, of one address or more. */
Test(post, inline_data)
{
    static const uint8_t data[IBA_MAX_INLINE + 1] = {1, 2, 3};
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);

    for (unsigned f = 0; f < N_FORMS; f++) {
        struct iba_send_wr wr = legal(d, f);
        const bool has_data = strncmp(forms[f].word, "send", 4) == 0 || strncmp(forms[f].word, "write", 5) == 0;
        wr.flags |= IBA_WR_INLINE;
        wr.sge[0].addr = (uintptr_t)data;
        d->qp[0].s.count = 0;
        if (!has_data) {
            REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
            continue;
        }
        OK(iba_post_send(&d->ca, qpn, &wr));
        wr.n_sge = 2;
        for (unsigned first = 0; first <= IBA_MAX_INLINE; first += IBA_MAX_INLINE / 2) {
            wr.sge[0].length = first;
            wr.sge[1].addr = (uintptr_t)data;
            wr.sge[1].length = IBA_MAX_INLINE - first;
            d->qp[0].s.count = 0;
            OK(iba_post_send(&d->ca, qpn, &wr));
            wr.sge[1].length++;
            REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
        }
    }
}

/* UU-16: a datagram is one packet of the port's MTU. */
Test(post, length_of_datagrams)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_RTS);
    struct iba_send_wr wr = desk_send(d, 1);

    wr.n_sge = 2;
    wr.sge[0].length = 2000;
    wr.sge[1].length = 48;
    OK(iba_post_send(&d->ca, qpn, &wr));
    wr.sge[1].length = 49;
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
}

Test(post, flush_asks_for_something)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);

    for (unsigned placement = 0; placement < 8; placement++)
        for (unsigned selectivity = 0; selectivity < 4; selectivity++) {
            struct iba_send_wr wr = desk_send(d, 1);
            wr.op = IBA_WR_FLUSH;
            wr.n_sge = 1;
            wr.flush_placement = (uint8_t)placement;
            wr.flush_selectivity = (uint8_t)selectivity;
            d->qp[0].s.count = 0;
            if (placement >= 1 && placement <= 3 && selectivity <= 1)
                OK(iba_post_send(&d->ca, qpn, &wr));
            else
                REFUSED(d, iba_post_send(&d->ca, qpn, &wr), ATTR_VALUE);
        }
}

Test(post, destination_of_datagrams)
{
    static const uint8_t types[] = {IBA_QPT_UD, IBA_QPT_SMI, IBA_QPT_GSI, IBA_QPT_RAW_IPV6, IBA_QPT_RAW_ETHERTYPE};

    for (unsigned t = 0; t < sizeof types; t++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, (enum iba_qp_type)types[t], IBA_QPS_RTS);
        struct iba_send_wr wr = desk_send(d, 1);

        wr.remote_qpn = 0xffffff;
        OK(iba_post_send(&d->ca, qpn, &wr));
        wr.remote_qpn = 0x1000000;
        REFUSED(d, iba_post_send(&d->ca, qpn, &wr), ATTR_VALUE);
        wr.ah = N_AH;
        REFUSED(d, iba_post_send(&d->ca, qpn, &wr), NO_AH);
        wr.ah = d->ah0 + 1;
        REFUSED(d, iba_post_send(&d->ca, qpn, &wr), NO_AH);
    }
}

/* UU-33: a reliable datagram names the QP at the other end. Its address has the place of the fourth entry, so the list
 * and inline data are shorter. */
Test(post, reliable_datagrams)
{
    static const uint8_t data[IBA_MAX_INLINE];
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RD, IBA_QPS_RTS);
    struct iba_send_wr wr = {.op = IBA_WR_SEND, .ah = IBA_NONE, .remote_qpn = UINT32_MAX};

    wr.n_sge = 3;
    wr.rd.remote_qpn = 0xffffff;
    OK(iba_post_send(&d->ca, qpn, &wr));
    wr.rd.remote_qpn = 0x1000000;
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), ATTR_VALUE);
    wr.rd.remote_qpn = 5;
    wr.n_sge = 4;
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), SGE);
    wr.n_sge = 1;
    wr.flags = IBA_WR_INLINE;
    wr.sge[0] = (struct iba_sge){.addr = (uintptr_t)data, .length = 3 * 16};
    OK(iba_post_send(&d->ca, qpn, &wr));
    wr.sge[0].length++;
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
}

/* A work request with several faults is refused for the first one: the QP and its state, the operation, its form, then
 * where it goes. */
Test(post, first_fault_counts)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 2, IBA_QPT_UD);
    const uint32_t target = desk_qp(d, 0, IBA_QPT_XRC_TGT), rc = desk_qp(d, 1, IBA_QPT_RC);
    struct iba_send_wr wr = {.op = IBA_WR_RECV, .n_sge = 5, .ah = IBA_NONE, .remote_qpn = UINT32_MAX};
    uint32_t ud;

    init.n_sq = 0;
    init.sq = NULL;
    OK(iba_create_qp(&d->ca, &d->qp[2], &init, &ud));
    REFUSED(d, iba_post_send(&d->ca, target, &wr), TYPE);
    REFUSED(d, iba_post_send(&d->ca, rc, &wr), STATE);
    desk_drive(d, rc, IBA_QPS_RTS);
    desk_drive(d, ud, IBA_QPS_RTS);
    REFUSED(d, iba_post_send(&d->ca, rc, &wr), OPCODE);
    wr.op = IBA_WR_CMP_SWAP;
    REFUSED(d, iba_post_send(&d->ca, rc, &wr), SGE);
    REFUSED(d, iba_post_send(&d->ca, ud, &wr), OPCODE);
    wr.n_sge = 1, wr.flags = IBA_WR_INLINE;
    REFUSED(d, iba_post_send(&d->ca, rc, &wr), LENGTH);
    wr.op = IBA_WR_SEND;
    wr.sge[0].length = 65;
    REFUSED(d, iba_post_send(&d->ca, ud, &wr), NO_AH);
    wr.ah = d->ah0;
    REFUSED(d, iba_post_send(&d->ca, ud, &wr), LENGTH);
    wr.sge[0].length = 0;
    REFUSED(d, iba_post_send(&d->ca, ud, &wr), ATTR_VALUE);
    wr.remote_qpn = 5;
    REFUSED(d, iba_post_send(&d->ca, ud, &wr), FULL);
}

/* A connection has a fixed destination, so the destination in the work request is ignored. */
Test(post, destination_of_connections)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
    struct iba_send_wr wr = desk_send(d, 1);

    wr.ah = IBA_NONE;
    wr.remote_qpn = UINT32_MAX;
    OK(iba_post_send(&d->ca, qpn, &wr));
}

Test(post, send_by_state)
{
    static const uint8_t types[] = {IBA_QPT_RC,  IBA_QPT_UC,      IBA_QPT_UD, IBA_QPT_SMI,
                                    IBA_QPT_GSI, IBA_QPT_XRC_INI, IBA_QPT_RD, IBA_QPT_RAW_IPV6};

    for (unsigned t = 0; t < sizeof types; t++)
        for (uint8_t s = 0; s < IBA_QPS_COUNT; s++) {
            struct desk *d = desk_open();
            const uint32_t qpn = desk_qp_in(d, 0, (enum iba_qp_type)types[t], (enum iba_qp_state)s);
            const struct iba_send_wr wr = desk_send(d, 5);

            if (s == IBA_QPS_RESET || s == IBA_QPS_INIT || s == IBA_QPS_RTR) {
                REFUSED(d, iba_post_send(&d->ca, qpn, &wr), STATE);
                continue;
            }
            OK(iba_post_send(&d->ca, qpn, &wr));
            if (s == IBA_QPS_SQE || s == IBA_QPS_ERR)
                completes(d, d->send_cq, 5, IBA_WC_FLUSHED);
            else
                cr_assert_eq(d->qp[0].s.count, 1);
            nothing_completes(d, d->send_cq);
        }
}

/* QS-25: in Error the status is always Flushed, even for requests that could never be sent: no port, no initiator
 * depth. */
Test(post, nothing_but_flushed)
{
    struct desk *d = desk_open();
    const uint32_t rc = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_ERR), ud = desk_qp_in(d, 1, IBA_QPT_UD, IBA_QPS_ERR);

    for (unsigned f = 0; f < N_FORMS; f++) {
        const struct iba_send_wr wr = legal(d, f);
        OK(iba_post_send(&d->ca, rc, &wr));
        completes(d, d->send_cq, f, IBA_WC_FLUSHED);
    }
    struct iba_send_wr wr = desk_send(d, 7);
    wr.n_sge = 1;
    wr.sge[0].length = 2048;
    OK(iba_post_send(&d->ca, ud, &wr));
    completes(d, d->send_cq, 7, IBA_WC_FLUSHED);
    iba_ca_check(&d->ca);
}

Test(post, recv_by_state)
{
    static const uint8_t types[] = {
        IBA_QPT_RC, IBA_QPT_UC, IBA_QPT_UD, IBA_QPT_SMI, IBA_QPT_GSI, IBA_QPT_RAW_IPV6, IBA_QPT_RAW_ETHERTYPE,
        IBA_QPT_RD};

    for (unsigned t = 0; t < sizeof types; t++)
        for (uint8_t s = 0; s < IBA_QPS_COUNT; s++) {
            struct desk *d = desk_open();
            const uint32_t qpn = desk_qp_in(d, 0, (enum iba_qp_type)types[t], (enum iba_qp_state)s);
            struct iba_recv_wr wr = desk_recv(5);

            if (s == IBA_QPS_RESET) {
                REFUSED(d, iba_post_recv(&d->ca, qpn, &wr), STATE);
                continue;
            }
            OK(iba_post_recv(&d->ca, qpn, &wr));
            if (s == IBA_QPS_ERR)
                completes(d, d->recv_cq, 5, IBA_WC_FLUSHED);
            else
                cr_assert_eq(d->qp[0].rq.count, 1);
            nothing_completes(d, d->recv_cq);
            wr.n_sge = IBA_MAX_SGE + 1;
            REFUSED(d, iba_post_recv(&d->ca, qpn, &wr), SGE);
        }
}

/* QS-83: a full queue refuses a post, and keeps its work requests. */
Test(post, until_full)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
    struct iba_send_wr wr;

    for (unsigned i = 0; i < N_WR; i++) {
        wr = desk_send(d, i);
        OK(iba_post_send(&d->ca, qpn, &wr));
    }
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), FULL);
    OK(desk_step(d, qpn, IBA_QPS_ERR, 0));
    for (unsigned i = 0; i < N_WR; i++)
        completes(d, d->send_cq, i, IBA_WC_FLUSHED);
    nothing_completes(d, d->send_cq);
}

/* QPs without a queue, because of their type, an SRQ, or a queue of length 0. */
Test(post, without_a_queue)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 4, IBA_QPT_UC);
    const struct iba_send_wr s = desk_send(d, 1);
    const struct iba_recv_wr r = desk_recv(1);
    uint32_t srq, qpn[5];

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    qpn[0] = desk_qp_in(d, 0, IBA_QPT_XRC_INI, IBA_QPS_RTS);
    REFUSED(d, iba_post_recv(&d->ca, qpn[0], &r), TYPE);
    qpn[1] = desk_qp_in(d, 1, IBA_QPT_XRC_TGT, IBA_QPS_RTS);
    REFUSED(d, iba_post_recv(&d->ca, qpn[1], &r), TYPE);
    REFUSED(d, iba_post_send(&d->ca, qpn[1], &s), TYPE);
    qpn[2] = desk_qp_with_srq(d, 2, IBA_QPT_RC, srq);
    REFUSED(d, iba_post_recv(&d->ca, qpn[2], &r), TYPE);
    init.n_sq = init.n_rq = 0;
    init.sq = NULL, init.rq = NULL;
    OK(iba_create_qp(&d->ca, &d->qp[4], &init, &qpn[4]));
    desk_drive(d, qpn[4], IBA_QPS_RTS);
    REFUSED(d, iba_post_recv(&d->ca, qpn[4], &r), FULL);
    REFUSED(d, iba_post_send(&d->ca, qpn[4], &s), FULL);
    REFUSED(d, iba_post_recv(&d->ca, 0x777777, &r), NO_QP);
    REFUSED(d, iba_post_send(&d->ca, 0x777777, &s), NO_QP);
    iba_ca_check(&d->ca);
}

/* The opcodes of each operation's packets, as numbers of catalogue 1.6 (WF-64). An operation that one packet always
 * suffices for has its opcode in every position; a local operation is never sent, and counts as the shortest SEND. */
Test(post, opcodes_of_the_forms)
{
    static const uint8_t book[IBA_WR_RECV][4] = {
        /* First, Middle, Last, Only */
        [IBA_WR_SEND] = {0x00, 0x01, 0x02, 0x04},      [IBA_WR_SEND_IMM] = {0x00, 0x01, 0x03, 0x05},
        [IBA_WR_SEND_INV] = {0x00, 0x01, 0x16, 0x17},  [IBA_WR_WRITE] = {0x06, 0x07, 0x08, 0x0a},
        [IBA_WR_WRITE_IMM] = {0x06, 0x07, 0x09, 0x0b}, [IBA_WR_READ] = {0x0c, 0x0c, 0x0c, 0x0c},
        [IBA_WR_CMP_SWAP] = {0x13, 0x13, 0x13, 0x13},  [IBA_WR_FETCH_ADD] = {0x14, 0x14, 0x14, 0x14},
        [IBA_WR_FLUSH] = {0x1c, 0x1c, 0x1c, 0x1c},     [IBA_WR_ATOMIC_WRITE] = {0x1d, 0x1d, 0x1d, 0x1d},
        [IBA_WR_BIND_MW] = {0x04, 0x04, 0x04, 0x04},   [IBA_WR_LOCAL_INV] = {0x04, 0x04, 0x04, 0x04},
    };

    for (unsigned op = 0; op < IBA_WR_RECV; op++) {
        const struct iba_send_form *f = &iba_send_forms[op];
        const bool atomic = op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD;
        const bool placed = op == IBA_WR_FLUSH || op == IBA_WR_ATOMIC_WRITE, local = op >= IBA_WR_BIND_MW;
        const unsigned traits = (op <= IBA_WR_WRITE_IMM || op == IBA_WR_ATOMIC_WRITE ? IBA_FORM_PAYLOAD : 0u) |
                                (op <= IBA_WR_SEND_INV || op == IBA_WR_WRITE_IMM ? IBA_FORM_RECEIVED : 0u) |
                                (op == IBA_WR_READ || atomic ? IBA_FORM_ANSWERED : 0u) |
                                (op == IBA_WR_READ || atomic || placed ? IBA_FORM_RESOURCE : 0u) |
                                (atomic || placed ? IBA_FORM_ONE_PSN : 0u) |
                                (atomic || op == IBA_WR_ATOMIC_WRITE ? IBA_FORM_EIGHT : 0u) |
                                (local ? IBA_FORM_LOCAL : 0u);
        cr_expect(f->opcode[IBA_FIRST] == book[op][0] && f->opcode[IBA_MIDDLE] == book[op][1] &&
                      f->opcode[IBA_LAST] == book[op][2] && f->opcode[IBA_ONLY] == book[op][3],
                  "operation %u", op);
        cr_expect_eq(f->traits, traits, "operation %u: %x, not %x", op, f->traits, traits);
    }
}

/* UU-16: the shortest MTU, too, bounds a datagram. */
Test(post, length_of_short_datagrams)
{
    struct desk *d = desk_open();
    struct iba_send_wr wr = desk_send(d, 1);
    uint32_t qpn;

    d->ca.port[0].mtu = IBA_MTU_256;
    qpn = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_RTS);
    wr.n_sge = 1;
    wr.sge[0].length = 256;
    OK(iba_post_send(&d->ca, qpn, &wr));
    wr.sge[0].length = 257;
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), LENGTH);
}

/* A device without the check of the list's length (a broken one) takes no longer list either, and reads none. */
Test(post, a_list_that_is_too_long)
{
    const struct iba_change any_list = {.list = &iba_posting_behaviours, .row = IBA_ROW_posting_sge_count};
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
    struct iba_send_wr wr = desk_send(d, 1);

    iba_ca_change(&d->ca, &any_list);
    for (unsigned i = 0; i < IBA_MAX_SGE; i++)
        wr.sge[i].length = UINT32_MAX;
    wr.n_sge = IBA_MAX_SGE + 1;
    REFUSED(d, iba_post_send(&d->ca, qpn, &wr), SGE);
}
