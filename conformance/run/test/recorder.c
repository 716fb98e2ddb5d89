/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder.h"
#include "transport/iba_wr_ops.h"
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"
#include "test/golden.h"

enum { LOG = 1 << 16, MRS = 8 };
static char log_text[LOG];
static size_t used;
static uint64_t digest = GOLDEN_EMPTY;
static struct region {
    struct ibc_mr mr;
    char letter;
} regions[MRS];
static unsigned n_region;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    const size_t n = (size_t)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cr_assert_lt(n, sizeof text);
    digest = golden_digest(digest, text, n);
    if (used + n < LOG) {
        memcpy(log_text + used, text, n + 1);
        used += n;
    }
}

/* Adds the number of the device to the digest. The lines that goldens compare leave it out, since most tests have one
 * device. */
static void note_device(unsigned d)
{
    digest = golden_number(digest, d);
}

static void note_bytes(const uint8_t *bytes, size_t n)
{
    note(" %zu bytes %016" PRIx64 "\n", n, golden_digest(GOLDEN_EMPTY, bytes, n));
}

/* ---- objects ---- */

static enum ibc_rc reg_mr(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    const enum ibc_rc rc = whole->reg_mr(t, d, m, out);

    note_device(d);
    note("mr fill=%c length=%" PRIu64 " access=0x%x iova=%" PRIx64 " has_iova=%d\n", m->fill, m->length, m->access,
         m->iova, m->has_iova);
    if (rc == IBC_OK && n_region < MRS)
        regions[n_region++] = (struct region){*out, m->fill};
    return rc;
}

static enum ibc_rc reregister(struct ibc_target *t, unsigned d, const struct ibc_reregister *r, struct ibc_mr *out)
{
    const enum ibc_rc rc = whole->reregister(t, d, r, out);

    note_device(d);
    note("reregister pd=%d access=0x%x length=%" PRIu64 "\n", r->has_pd, r->has_access ? r->access : 0,
         r->has_range ? r->length : 0);
    if (rc == IBC_OK && n_region < MRS)
        regions[n_region++] = (struct region){*out, r->fill};
    return rc;
}

static enum ibc_rc alloc_mw(struct ibc_target *t, unsigned d, unsigned type, uint32_t pd, uint32_t *rkey)
{
    note_device(d);
    note("mw type=%u\n", type);
    return whole->alloc_mw(t, d, type, pd, rkey);
}

static enum ibc_rc create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq)
{
    note_device(d);
    note("cq depth=%u\n", depth);
    return whole->create_cq(t, d, depth, cq);
}

static enum ibc_rc create_srq(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit,
                              uint32_t *srq)
{
    note_device(d);
    note("srq depth=%u limit=%u\n", depth, limit);
    return whole->create_srq(t, d, pd, depth, limit, srq);
}

static enum ibc_rc create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *q, uint32_t *qpn)
{
    note_device(d);
    note("qp type=%u sq=%u rq=%u all=%d srq=%d one_cq=%d\n", q->type, q->sq, q->rq, q->sig_all, q->has_srq,
         q->scq == q->rcq);
    return whole->create_qp(t, d, q, qpn);
}

static enum ibc_rc destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id)
{
    note_device(d);
    note("destroy %s\n", ibc_object_names[kind]);
    return whole->destroy(t, d, kind, id);
}

static enum ibc_rc arm_cq(struct ibc_target *t, unsigned d, uint32_t cq, bool solicited_only)
{
    note_device(d);
    note("arm solicited=%d\n", solicited_only);
    return whole->arm_cq(t, d, cq, solicited_only);
}

static enum ibc_rc resize_cq(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth)
{
    note_device(d);
    note("resize depth=%u\n", depth);
    return whole->resize_cq(t, d, cq, depth);
}

static enum ibc_rc arm_srq(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t limit)
{
    note_device(d);
    note("limit=%u\n", limit);
    return whole->arm_srq(t, d, srq, limit);
}

static enum ibc_rc attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool on)
{
    note_device(d);
    note("attach=%d gid=%02x%02x..%02x lid=0x%x\n", on, gid[0], gid[1], gid[15], lid);
    return whole->attach(t, d, qpn, gid, lid, on);
}

/* ---- states ---- */

static enum ibc_rc modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    note_device(d);
    note("modify state=%u mask=0x%x cur_state=%u access=0x%x pkey=%u port=%u pmtu=%u timeout=%u retry=%u rnr_retry=%u ",
         a->a.state, a->mask, a->a.cur_state, a->a.access, a->a.pkey_index, a->a.port, a->a.path_mtu, a->a.timeout,
         a->a.retry, a->a.rnr_retry);
    note("min_rnr=%u rd=%u dest_rd=%u mig=%u sqd_notify=%d flow_control=%d qkey=0x%x qpn=0x%x epsn=0x%x psn=0x%x ",
         a->a.min_rnr, a->a.max_rd, a->a.max_dest_rd, a->a.path_mig, a->a.sqd_notify, a->a.flow_control, a->a.qkey,
         a->a.dest_qpn, a->a.rq_psn, a->a.sq_psn);
    note("hop=%u tclass=%u sl=%u flow=0x%x av_port=%u alt_port=%u tagged=%d vlan=%u sport=%u gid_index=%u path_bits=%u "
         "to=%s alt=%s\n",
         a->hop, a->tclass, a->sl, a->flow, a->av_port, a->alt_port, a->path.tagged, a->path.vlan, a->path.sport,
         a->path.gid_index, a->path.path_bits,
         !a->to                  ? "peer"
         : a->to == &t->stranger ? "stranger"
                                 : "other",
         !a->alt                  ? "peer"
         : a->alt == &t->stranger ? "stranger"
                                  : "other");
    return whole->modify_qp(t, d, qpn, a);
}

/* ---- work ---- */

/* Writes " m+16:64": the offset in the memory region, and the length. */
static void note_sge(const struct iba_sge *e)
{
    for (unsigned i = 0; i < n_region; i++)
        if (regions[i].mr.lkey == e->lkey) {
            note(" %c+%" PRIu64 ":%u", regions[i].letter, e->addr - regions[i].mr.local, e->length);
            return;
        }
    note(" key=0x%x:%u", e->lkey, e->length);
}

static enum ibc_rc post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s)
{
    const struct iba_send_wr *w = &s->wr;

    note_device(d);
    note("send op=%s flags=%s%s%s imm=0x%x", iba_wr_op_name((enum iba_wr_op)w->op),
         w->flags & IBA_WR_SIGNALED ? "signaled" : "", w->flags & IBA_WR_SOLICITED ? "+solicited" : "",
         w->flags & IBA_WR_FENCE ? "+fence" : "", w->imm_or_key);
    for (unsigned i = 0; i < w->n_sge; i++)
        note_sge(&w->sge[i]);
    if (s->dest.hop) /* a datagram */
        note(" qpn=0x%x qkey=0x%x port=%u to=%s", w->remote_qpn, w->remote_qkey, s->dest.port,
             s->dest.none                 ? "none"
             : s->dest.group              ? "group"
             : !s->dest.to                ? "peer"
             : s->dest.to == &t->stranger ? "stranger"
                                          : "other");
    else if (w->op == IBA_WR_BIND_MW)
        note(" bind length=%" PRIu64 " access=0x%x key=0x%x", w->bind.length, w->bind.access, w->bind.key_byte);
    else if (w->op == IBA_WR_FLUSH)
        note(" va=0x%" PRIx64 " rkey=0x%x placement=%u selectivity=%u", w->va, w->rkey, w->flush_placement,
             w->flush_selectivity);
    else
        note(" va=0x%" PRIx64 " rkey=0x%x swap=%" PRIu64 " operand=%" PRIu64, w->va, w->rkey, w->swap, w->compare_add);
    note("\n");
    return whole->post_send(t, d, qpn, s);
}

static void note_receive(const char *queue, const struct iba_recv_wr *wr)
{
    note("%s", queue);
    for (unsigned i = 0; i < wr->n_sge; i++)
        note_sge(&wr->sge[i]);
    note("\n");
}

static enum ibc_rc post_recv(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr)
{
    note_device(d);
    note_receive("recv", wr);
    return whole->post_recv(t, d, qpn, wr);
}

static enum ibc_rc post_srq_recv(struct ibc_target *t, unsigned d, uint32_t srq, const struct iba_recv_wr *wr)
{
    note_device(d);
    note_receive("shared", wr);
    return whole->post_srq_recv(t, d, srq, wr);
}

/* ---- memory and ports ---- */

static void note_place(uint64_t at)
{
    for (unsigned i = 0; i < n_region; i++)
        if (at - regions[i].mr.local < 65536)
            note(" %c+%" PRIu64, regions[i].letter, at - regions[i].mr.local);
}

static enum ibc_rc write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n)
{
    note_device(d);
    note("write");
    note_place(at);
    note(" n=%zu", n);
    for (size_t i = 0; i < n && i < 4; i++)
        note(" %02x", in[i]);
    note("\n");
    digest = golden_digest(digest, in, n);
    return whole->write_memory(t, d, at, in, n);
}

static enum ibc_rc page(struct ibc_target *t, unsigned d, uint64_t at, bool present)
{
    note_device(d);
    note("page");
    note_place(at);
    note(" present=%d\n", present);
    return whole->page(t, d, at, present);
}

static enum ibc_rc prefetch(struct ibc_target *t, unsigned d, const struct ibc_prefetch *p)
{
    note_device(d);
    note("prefetch");
    note_place(p->at);
    note(" n=%u pd=%u write=%d no_fault=%d later=%d\n", p->length, p->pd, p->write, p->no_fault, p->later);
    return whole->prefetch(t, d, p);
}

static enum ibc_rc set_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value)
{
    note_device(d);
    note("port %s[%u]=0x%" PRIx64 "\n", ibc_key_names[key], index, value);
    return whole->set_port(t, d, key, index, value);
}

static enum ibc_rc set_gid(struct ibc_target *t, unsigned d, uint32_t index, const uint8_t gid[16])
{
    note_device(d);
    note("gid[%u]", index);
    note_bytes(gid, 16);
    return whole->set_gid(t, d, index, gid);
}

static enum ibc_rc read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n)
{
    note_device(d);
    note("read");
    note_place(at);
    note(" n=%zu\n", n);
    return whole->read_memory(t, d, at, out, n);
}

/* ---- frames, datagrams, subnets ---- */

static enum ibc_rc inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    note_device(d);
    note("frame to %u", d);
    note_bytes(frame, len);
    return whole->inject(t, d, frame, len);
}

static enum ibc_rc cm_call(struct ibc_target *t, unsigned d, struct ibc_cm_call *c)
{
    note_device(d);
    note("cm verb=%u id=%u backlog=%u datagrams=%d both=%d", (unsigned)c->verb, c->id, c->backlog, c->datagrams,
         c->both);
    note_bytes(c->mad, sizeof c->mad);
    note_bytes(c->compare, c->compare_n);
    return whole->cm_call(t, d, c);
}

static enum ibc_rc fabric_open(struct ibc_target *t, const struct ibc_fabric *f)
{
    for (unsigned i = 0; i < f->n_node; i++) {
        const struct ibc_node_spec *n = &f->node[i];
        note("node type=%u ports=%u state=%u vls=%u lid=%u sm=%u lmc=%u protect=%u mkey=%" PRIx64
             " lease=%u buffer=%u refresh=%d unmapped=%d ipd=%u\n",
             n->type, n->ports, n->state, n->vls, n->lid, n->sm, n->lmc, n->protect, n->mkey, n->lease, n->buffer,
             n->refresh, n->unmapped, n->ipd);
    }
    for (unsigned i = 0; i < f->n_end; i++)
        note("end node=%u port=%u to=%u\n", f->end[i].node, f->end[i].port, f->end[i].to);
    for (unsigned i = 0; i < f->n_route; i++)
        note("route node=%u lid=%u port=%u\n", f->route[i].node, f->route[i].lid, f->route[i].port);
    return whole->fabric_open(t, f);
}

static enum ibc_rc fabric_plug(struct ibc_target *t, unsigned end, bool in)
{
    note("plug end=%u in=%d\n", end, in);
    return whole->fabric_plug(t, end, in);
}

/* ---- for tests ---- */

void recorder_begin(void)
{
    used = 0;
    log_text[0] = '\0';
    digest = GOLDEN_EMPTY;
    n_region = 0;
}

const char *recorder_calls(void)
{
    return log_text;
}

uint64_t recorder_sum(void)
{
    return digest;
}

void recorder_attach(void)
{
    changed.reg_mr = reg_mr;
    changed.reregister = reregister;
    changed.alloc_mw = alloc_mw;
    changed.create_cq = create_cq;
    changed.create_srq = create_srq;
    changed.create_qp = create_qp;
    changed.destroy = destroy;
    changed.arm_cq = arm_cq;
    changed.resize_cq = resize_cq;
    changed.arm_srq = arm_srq;
    changed.attach = attach;
    changed.modify_qp = modify_qp;
    changed.post_send = post_send;
    changed.post_recv = post_recv;
    changed.post_srq_recv = post_srq_recv;
    changed.write_memory = write_memory;
    changed.page = page;
    changed.prefetch = prefetch;
    changed.set_port = set_port;
    changed.set_gid = set_gid;
    changed.read_memory = read_memory;
    changed.inject = inject;
    changed.cm_call = cm_call;
    changed.fabric_open = fabric_open;
    changed.fabric_plug = fabric_plug;
}
