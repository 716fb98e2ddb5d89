/* SPDX-License-Identifier: BSD-2-Clause */
/* One end of a pair (sim/iba_pair.h), for the Python package. The package keeps the structure, calls no function after
 * it is freed, and passes only numbers that the functions gave. */
#include <string.h>
#include <sim/iba_pair.h>
#include <transport/iba_wr_ops.h>

/* Takes a QP from Reset to Ready to Send. */
static int engine_connect(struct iba_pair_end *e, uint32_t qpn, uint64_t mac, const uint8_t *gid, uint32_t peer,
                          uint32_t psn, uint32_t epsn, int pmtu, int timeout, int retry)
{
    const struct iba_pair_qp how = {(enum iba_mtu)iba_mtu_code((uint64_t)pmtu), (uint8_t)timeout, (uint8_t)retry};
    struct iba_pair_peer other = {.mac = mac, .qpn = peer, .psn = epsn};

    memcpy(other.gid, gid, sizeof other.gid);
    return iba_pair_end_connect(e, qpn, &how, &other, psn);
}

static int engine_send(struct iba_pair_end *e, uint32_t qpn, int op, uint64_t id, uint64_t at, uint32_t length,
                       uint64_t va, uint32_t rkey, uint64_t compare_add, uint64_t swap, uint32_t imm)
{
    struct iba_send_wr wr = {.wr_id = id,
                             .op = (uint8_t)op,
                             .flags = IBA_WR_SIGNALED,
                             .n_sge = 1,
                             .imm_or_key = imm,
                             .sge = {{at, length, e->lkey}}};

    wr.va = va;
    wr.rkey = rkey;
    if (op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD) {
        wr.compare_add = compare_add;
        wr.swap = swap;
    }
    return (int)iba_post_send(&e->ca, qpn, &wr);
}

static int engine_receive(struct iba_pair_end *e, uint32_t qpn, uint64_t id, uint64_t at, uint32_t length)
{
    const struct iba_recv_wr wr = {.wr_id = id, .n_sge = 1, .sge = {{at, length, e->lkey}}};

    return (int)iba_post_recv(&e->ca, qpn, &wr);
}

/* A frame that arrived; false: it is none that can be parsed. */
static bool engine_feed(struct iba_pair_end *e, const uint8_t *frame, size_t n, uint64_t now)
{
    struct iba_view v;

    if (iba_view_parse(&v, IBA_LINK_ETHERNET, frame, n, n, NULL) != IBA_OK)
        return false;
    iba_view_check(&v);
    iba_ca_feed(&e->ca, 1, &v, now);
    return true;
}

static void engine_advance(struct iba_pair_end *e, uint64_t now)
{
    iba_ca_advance(&e->ca, now);
}

/* Length of the next frame to send; 0: none. `frame` has EN_FRAME bytes. */
enum { EN_FRAME = IBA_TX_MOST };
static size_t engine_next(struct iba_pair_end *e, uint8_t *frame, uint64_t now)
{
    size_t n = 0;

    return iba_ca_poll(&e->ca, 1, frame, IBA_TX_MOST, &n, now) == IBA_OK ? n : 0;
}

static uint64_t engine_deadline(const struct iba_pair_end *e)
{
    return iba_ca_deadline(&e->ca);
}

static bool engine_poll(struct iba_pair_end *e, struct iba_wc *wc)
{
    return iba_poll_cq(&e->ca, e->cq, wc) > 0;
}

static const char *engine_error(int error)
{
    return iba_verb_strerror((enum iba_verb_err)error);
}

static const char *engine_status(int status)
{
    return iba_wc_status_name((enum iba_wc_status)status);
}
