/* SPDX-License-Identifier: BSD-2-Clause */
/* For people: if $IBFUZZ_SCENARIO names a file, the exchange between QP 0, the reliable one, and its peer is written to
 * it as a scenario (docs/scenarios.md): packets that arrive and verbs of software as lines that a tester plays, packets
 * that leave as a comment on a line that accepts anything. Steps that no scenario can express are comments. */
#include <inttypes.h>
#include "transport/iba_wr_ops.h"
#include "world.h"

static FILE *out;
static uint32_t first_request, first_answer;
static bool took;

/* Each line is flushed at once, since the next step may end the process. */
#define LOG(...) ((void)fprintf(out, __VA_ARGS__), (void)fflush(out))

static bool is_logged(unsigned end)
{
    return out && end == 0;
}

void world_log_begin(const struct world *w)
{
    static const char *const links[] = {"roce2-ipv4", "roce2-ipv6", "roce1", "ib-local"};
    const char *name = getenv("IBFUZZ_SCENARIO");
    const struct iba_qp_attr *a = &w->end[0].qp[0].qp.attr;
    const bool global = w->kind == IBA_PORT_IB && a->av.grh;

    if (!name || (!out && !(out = fopen(name, "w"))))
        return;
    first_request = a->rq_psn;
    first_answer = a->sq_psn;
    took = false;
    LOG("title    what the fuzzer did, and the device is well afterwards\n"
        "spec     RR-03\nclass    informational\nrole     responder\nservice  rc\nlink     %s\n"
        "note     Found by fuzzing. The statement is the nearest one, not what is broken.\n\n",
        global ? "ib-global" : links[w->head[0] % 4]);
    LOG("qp a     pmtu=%u epsn=0x%06x psn=0x%06x timeout=%u retry=%u rnr_retry=%u min_rnr=%u rd=%u dest_rd=%u "
        "flow_control=%u\n\n",
        iba_mtu_bytes((enum iba_mtu)a->path_mtu), first_request, first_answer, a->timeout, a->retry, a->rnr_retry,
        a->min_rnr, a->max_rd, a->max_dest_rd, a->flow_control);
}

/* ---- packets ---- */

static void log_place(const struct world *w, uint64_t va, uint32_t key)
{
    const struct world_region *r = &w->end[0].region[0];

    LOG(" va=m+%" PRIu64, va >= r->va ? va - r->va : 0);
    if (key != r->rkey)
        LOG(" rkey=m.rkey^0x%x", key == (r->rkey ^ 1) ? 1 : 0x100);
}

static void log_extras(const struct world *w, const struct iba_view *v)
{
    const uint8_t *h;

    if (iba_view_has(v, IBA_H_reth)) {
        h = iba_view_hdr(v, IBA_H_reth);
        log_place(w, iba_reth_va(h), (uint32_t)iba_reth_r_key(h));
        LOG(" dmalen=%u", (unsigned)iba_reth_dmalen(h));
    }
    if (iba_view_has(v, IBA_H_atomiceth)) {
        h = iba_view_hdr(v, IBA_H_atomiceth);
        log_place(w, iba_atomiceth_va(h), (uint32_t)iba_atomiceth_r_key(h));
        LOG(" swap=0x%" PRIx64 " cmp=0x%" PRIx64, iba_atomiceth_swapdt(h), iba_atomiceth_cmpdt(h));
    }
    if (iba_view_has(v, IBA_H_aeth)) {
        h = iba_view_hdr(v, IBA_H_aeth);
        LOG(" syndrome=0x%02x msn=%u", h[0], (unsigned)iba_aeth_msn(h));
    }
    if (iba_view_has(v, IBA_H_feth)) {
        h = iba_view_hdr(v, IBA_H_feth);
        LOG(" placement=%u selectivity=%u", (unsigned)iba_feth_placement(h), (unsigned)iba_feth_selectivity(h));
    }
    if (iba_view_has(v, IBA_H_immdt))
        LOG(" imm=0x%x", (unsigned)iba_immdt_data(iba_view_hdr(v, IBA_H_immdt)));
}

/* Writes the PSN relative to the first PSN of its direction. */
static void log_psn(const uint8_t *bth, uint32_t first)
{
    const int32_t d = iba_psn_diff(iba_psn_of((uint32_t)iba_bth_psn(bth)), iba_psn_of(first));

    LOG(" psn=%c%" PRId32, d < 0 ? '-' : '+', d < 0 ? -d : d);
}

static bool can_log(const struct world *w, const struct iba_view *v, bool arrives)
{
    const struct world_qp *q = &w->end[0].qp[0];

    return v->err == IBA_OK && !v->truncated && iba_view_has_bth(v) && v->op && v->op->svc == IBA_RC &&
           iba_bth_destqp(iba_view_bth(v)) == (arrives ? q->qpn : q->qp.attr.dest_qpn);
}

void world_log_arrival(const struct world *w, unsigned end, const struct iba_view *v)
{
    if (!is_logged(end))
        return;
    if (!can_log(w, v, true)) {
        LOG("# %u bytes that are nothing for a\n", v->len);
        return;
    }
    const uint8_t *bth = iba_view_bth(v);
    took = false;
    LOG("> a %s", v->op->name);
    log_psn(bth, v->op->dir == IBA_RSP ? first_answer : first_request);
    LOG(" ackreq=%u payload=%u", (unsigned)iba_bth_a(bth), v->payload_len);
    if (iba_bth_p_key(bth) != 0xffff)
        LOG(" pkey=0x%04x", (unsigned)iba_bth_p_key(bth));
    if (!iba_bth_m(bth))
        LOG(" migreq=0");
    if (v->icrc == IBA_CHECK_BAD)
        LOG(" icrc=bad");
    log_extras(w, v);
    LOG("\n");
}

void world_log_departure(const struct world *w, unsigned end, const uint8_t *frame, size_t len)
{
    struct iba_view v;

    if (!is_logged(end))
        return;
    (void)iba_view_parse(&v, w->link, frame, len, len, NULL);
    iba_view_check(&v);
    if (!can_log(w, &v, false))
        return;
    if (!took)
        LOG("<* a ANY\n");
    took = true;
    LOG("#   %s", v.op->name);
    log_psn(iba_view_bth(&v), v.op->dir == IBA_RSP ? first_request : first_answer);
    log_extras(w, &v);
    LOG("\n");
}

/* ---- verbs and time ---- */

static uint64_t bytes_of(const struct iba_sge *sge, unsigned n)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < n && i < IBA_MAX_SGE; i++)
        bytes += sge[i].length;
    return bytes;
}

void world_log_recv(unsigned end, unsigned qp, const struct iba_recv_wr *wr)
{
    if (is_logged(end) && qp == 0)
        LOG("  a recv len=%" PRIu64 "\n", bytes_of(wr->sge, wr->n_sge));
}

void world_log_send(unsigned end, unsigned qp, const struct iba_send_wr *wr)
{
    if (is_logged(end) && qp == 0)
        LOG("# post %s len=%" PRIu64 "\n", iba_wr_op_name((enum iba_wr_op)wr->op), bytes_of(wr->sge, wr->n_sge));
}

void world_log_wait(iba_time ns)
{
    if (out && ns > 0)
        LOG("  wait %" PRIu64 "ns\n", (uint64_t)ns);
}
