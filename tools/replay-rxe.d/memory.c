/* SPDX-License-Identifier: BSD-2-Clause */
/* The content of the responder's memory, as far as the capture shows it. */
#include <stdlib.h>
#include <string.h>
#include "replay.h"
#include "wire/iba_mtu.h"
#include "wire/iba_opcode_rows.h"

enum { ATOMIC_BYTES = 8, MOST = 1 << 28 };

/* The range of memory that a request accesses. */
struct reach {
    uint64_t va, length;
    uint32_t rkey;
    bool read, atomic;
};

static bool reach_of(const struct packet *p, struct reach *r)
{
    const uint8_t *reth = packet_hdr(p, IBA_H_reth), *atomic = packet_hdr(p, IBA_H_atomiceth);

    if (!packet_good(p) || (!reth && !atomic))
        return false;
    if (atomic)
        *r = (struct reach){iba_atomiceth_va(atomic), ATOMIC_BYTES, iba_atomiceth_r_key(atomic), true, true};
    else
        *r = (struct reach){iba_reth_va(reth), iba_reth_dmalen(reth), iba_reth_r_key(reth),
                            packet_opcode(p) == IBA_RC_READ_REQUEST, false};
    return r->length > 0;
}

/* Whether the capture's responder refused the request for its key or its range. */
static bool refused(const struct capture_file *c, const struct flow *f, const struct packet *p)
{
    for (size_t i = 0; i < f->n_response; i++) {
        const struct packet *a = flow_response(c, f, i);
        if (packet_is_nak(a, IBA_NAK_REMOTE_ACCESS) && iba_psn_eq(packet_psn(a), packet_psn(p)))
            return true;
    }
    return false;
}

static void add_region(struct memory *m, const struct reach *r)
{
    for (size_t i = 0; i < m->n_region; i++) {
        struct region *g = &m->region[i];
        if (g->rkey != r->rkey)
            continue;
        g->first = r->va < g->first ? r->va : g->first;
        g->end = r->va + r->length > g->end ? r->va + r->length : g->end;
        return;
    }
    m->region = grow(m->region, m->n_region, sizeof *m->region);
    m->region[m->n_region++] = (struct region){.rkey = r->rkey, .first = r->va, .end = r->va + r->length};
}

static struct block *block_of(const struct memory *m, uint64_t va)
{
    for (size_t i = 0; i < m->n_block; i++)
        if (va >= m->block[i].first && va < m->block[i].end)
            return &m->block[i];
    return NULL;
}

/* Regions that overlap share one block of bytes, whatever their keys are. */
static void add_block(struct memory *m, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < m->n_block;) {
        const struct block b = m->block[i];
        if (b.end < first || b.first > end) {
            i++;
            continue;
        }
        first = b.first < first ? b.first : first;
        end = b.end > end ? b.end : end;
        m->block[i] = m->block[--m->n_block];
        i = 0;
    }
    m->block = grow(m->block, m->n_block, sizeof *m->block);
    m->block[m->n_block++] = (struct block){.first = first, .end = end};
}

void memory_find(const struct capture_file *c, const struct flow *f, struct memory *m)
{
    struct reach r;

    *m = (struct memory){0};
    for (size_t i = 0; i < f->n_request; i++)
        if (reach_of(flow_request(c, f, i), &r) && !refused(c, f, flow_request(c, f, i)))
            add_region(m, &r);
    for (size_t i = 0; i < m->n_region; i++)
        add_block(m, m->region[i].first, m->region[i].end);
    for (size_t i = 0; i < m->n_block; i++) {
        struct block *b = &m->block[i];
        if (b->end - b->first > MOST)
            die("regions are too far apart to be kept", c->name);
        b->bytes = calloc(b->end - b->first, 1);
        b->known = calloc(b->end - b->first, 1);
        if (!b->bytes || !b->known)
            die("out of memory", "");
    }
    for (size_t i = 0; i < m->n_region; i++)
        m->region[i].block = block_of(m, m->region[i].first);
}

void memory_free(struct memory *m)
{
    for (size_t i = 0; i < m->n_block; i++) {
        free(m->block[i].bytes);
        free(m->block[i].known);
    }
    free(m->block);
    free(m->region);
}

const struct region *memory_region(const struct memory *m, uint32_t rkey)
{
    for (size_t i = 0; i < m->n_region; i++)
        if (m->region[i].rkey == rkey)
            return &m->region[i];
    return NULL;
}

static void show(struct memory *m, uint64_t va, const uint8_t *bytes, size_t n, bool all)
{
    struct block *b = block_of(m, va);

    if (!b || b->end - va < n)
        return;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)(va - b->first) + i;
        if (!all && b->known[at])
            continue;
        b->bytes[at] = bytes[i];
        b->known[at] = 1;
    }
}

/* The memory content that the capture's responses to request i show; responses before `until` belong to request i. */
static void from_responses(const struct capture_file *c, const struct flow *f, struct memory *m, size_t i, uint32_t mtu,
                           bool all)
{
    const struct packet *p = flow_request(c, f, i);
    struct reach r;

    if (!reach_of(p, &r) || !r.read)
        return;
    const int32_t n = r.atomic ? 1 : (int32_t)iba_mtu_packets(r.length, mtu);
    uint64_t seen = 0; /* bit k: response k was seen; a later one answers a retransmission */
    for (size_t k = 0; k < f->n_response; k++) {
        const struct packet *a = flow_response(c, f, k);
        const int32_t d = iba_psn_diff(packet_psn(a), packet_psn(p));
        const uint8_t *value = packet_hdr(a, IBA_H_atomicacketh);
        if (a->number < p->number || d < 0 || d >= n || (d < 64 && seen >> d & 1))
            continue;
        if (r.atomic && value) {
            const uint64_t old = iba_atomicacketh_origremdt(value); /* the engine's memory is in the host's order */
            show(m, r.va, (const uint8_t *)&old, sizeof old, all);
        } else if (!r.atomic && a->view.payload_len > 0) {
            show(m, r.va + (uint64_t)d * mtu, a->view.wire + a->view.payload_at, a->view.payload_len, all);
        } else {
            continue;
        }
        seen |= d < 64 ? UINT64_C(1) << d : 0;
    }
}

void memory_before(const struct capture_file *c, const struct flow *f, struct memory *m, size_t i, uint32_t mtu)
{
    from_responses(c, f, m, i, mtu, false);
}

/* A WRITE's bytes are known from its First or Only on, all DMALen of them: its later packets write the rest. */
void memory_after(const struct capture_file *c, const struct flow *f, struct memory *m, size_t i, uint32_t mtu)
{
    const struct packet *p = flow_request(c, f, i);
    struct reach r;

    if (!reach_of(p, &r))
        return;
    if (r.read && !r.atomic) {
        from_responses(c, f, m, i, mtu, true);
        return;
    }
    struct block *b = block_of(m, r.va);
    if (!r.read && b && b->end - r.va >= r.length)
        memset(b->known + (r.va - b->first), 1, r.length);
}
