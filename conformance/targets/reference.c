/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference target: the engine in this process, on virtual time. Packets that the tester waits for come at once;
 * time passes only if a timer of a device must fire first. */
#include "reference.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- a clean device ---- */

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct ref_device *)ctx)->random);
}

static void on_event(void *ctx, const struct iba_event *e)
{
    struct ref_device *dev = ctx;

    if (dev->n_event < REF_EVENTS)
        dev->event[(dev->first_event + dev->n_event++) % REF_EVENTS] = *e;
}

static void forget_slots(struct ref_device *dev)
{
    for (uint32_t i = 0; i < dev->n_qp; i++)
        dev->qp[i].used = false, dev->qp[i].n_sq = dev->qp[i].n_rq = 0;
    for (uint32_t i = 0; i < dev->n_cq; i++)
        dev->cq[i].used = false;
    for (uint32_t i = 0; i < dev->n_srq; i++)
        dev->srq[i].used = false;
    dev->n_qp = dev->n_cq = dev->n_srq = dev->n_ah = dev->n_region = dev->n_of_pieces = 0;
    dev->first_event = dev->n_event = dev->epoch = 0;
    dev->rings_used = dev->memory_used = 0;
    dev->next_va = REF_FIRST_VA;
    dev->cm.open = false;
}

static void reset_device(struct reference *r, unsigned d, uint64_t seed)
{
    struct ref_device *dev = &r->d[d];
    const struct iba_ca_config cfg = {IBA_CA_TABLES(dev), .n_port = REF_PORTS, .random = entropy, .event = on_event,
                                      .ctx = dev};
    const struct iba_dcqcn_config rates = iba_dcqcn_defaults(REF_LINE_RATE);

    forget_slots(dev);
    iba_random_seed(&dev->random, seed * IBC_DEVICES + d);
    iba_ca_init(&dev->ca, &cfg);
    iba_dcqcn_init(&dev->dcqcn, &rates, dev->flow, REF_QPS);
    dev->dcqcn.change = r->change.does ? &r->change.change : NULL;
    dev->ca.limiter = &dev->dcqcn.limiter;
    ref_set_ports(r, d);
    if (r->change.decides)
        iba_ca_set_rules(&dev->ca, r->change.table, &r->change.rules.rules);
    if (r->change.does)
        iba_ca_change(&dev->ca, &r->change.change);
}

static enum ibc_rc reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    struct reference *r = reference_of(t);
    bool hold = true;

    if (link >= IBC_LINK_COUNT)
        return IBC_UNSUPPORTED;
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        hold &= ref_guards_hold(&r->d[d]);
    r->link = link;
    r->now = REF_START;
    r->frames = r->rounds = r->last = 0;
    r->change.emit.changed = 0;
    r->change.hear.seen = r->change.hear.field.changed = 0;
    t->refusal[0] = t->fault[0] = 0;
    ref_fabric_close(r);
    ref_set_addresses(r);
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        reset_device(r, d, seed);
    return hold ? IBC_OK : ref_fault(t, IBC_BROKEN, "the device wrote beside its regions before this reset");
}

/* ---- capabilities ---- */

static uint64_t capabilities(struct ibc_target *t)
{
    (void)t;
    /* libiba has all capabilities of devices; core/README.md lists other features that it lacks */
    return ((UINT64_C(1) << IBC_CAP_COUNT) - 1) & ~(UINT64_C(1) << IBC_CAP_sm);
}

static uint32_t links(struct ibc_target *t)
{
    (void)t;
    return (1u << IBC_LINK_COUNT) - 1;
}

/* ---- verbs without data of their own ---- */

static enum ibc_rc arm_cq(struct ibc_target *t, unsigned d, uint32_t cq, bool solicited_only)
{
    return ref_verb(t, iba_req_notify_cq(&device_of(t, d)->ca, cq, solicited_only));
}

static enum ibc_rc arm_srq(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t limit)
{
    return ref_verb(t, iba_arm_srq(&device_of(t, d)->ca, srq, limit));
}

static enum ibc_rc post_recv(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr)
{
    return ref_verb(t, iba_post_recv(&device_of(t, d)->ca, qpn, wr));
}

static enum ibc_rc post_srq_recv(struct ibc_target *t, unsigned d, uint32_t srq, const struct iba_recv_wr *wr)
{
    return ref_verb(t, iba_post_srq_recv(&device_of(t, d)->ca, srq, wr));
}

static enum ibc_rc add_tag(struct ibc_target *t, unsigned d, uint32_t srq, const struct ibc_tagged *g, uint32_t *handle)
{
    return ref_verb(t, iba_add_tag(&device_of(t, d)->ca, srq, &g->wr, g->tag, g->mask, g->handled, handle));
}

static enum ibc_rc remove_tag(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t handle, uint32_t handled)
{
    return ref_verb(t, iba_remove_tag(&device_of(t, d)->ca, srq, handle, handled));
}

static enum ibc_rc sync_tags(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t handled)
{
    return ref_verb(t, iba_sync_tags(&device_of(t, d)->ca, srq, handled));
}

static enum ibc_rc poll_cq(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    *n = iba_poll_cq(&device_of(t, d)->ca, cq, wc) > 0;
    return IBC_OK;
}

static enum ibc_rc poll_event(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n)
{
    struct ref_device *dev = device_of(t, d);

    *n = dev->n_event > 0;
    if (*n == 0)
        return IBC_OK;
    *e = dev->event[dev->first_event];
    dev->first_event = (dev->first_event + 1) % REF_EVENTS;
    dev->n_event--;
    return IBC_OK;
}

static enum ibc_rc choose_psn(struct ibc_target *t, unsigned d, uint32_t *psn)
{
    *psn = iba_random_psn(&device_of(t, d)->ca);
    return IBC_OK;
}

/* ---- the wire ---- */

static uint64_t now(struct ibc_target *t)
{
    return reference_of(t)->now;
}

static uint32_t any_qp(const struct ref_device *dev)
{
    for (uint32_t i = 0; i < REF_QPS; i++)
        if (dev->qps[i])
            return dev->qps[i]->qpn;
    return 0;
}

/* Returns the frame as the broken device takes it; NULL: the device drops it. `room` has space for a changed frame. */
static const uint8_t *heard(struct reference *r, struct ref_device *dev, const uint8_t *frame, size_t *len,
                            uint8_t room[IBC_FRAME + HEAR_MORE])
{
    struct iba_view v;
    bool knows;

    memcpy(room, frame, *len);
    if (iba_view_parse(&v, r->t.framing, room, *len, *len, NULL) == IBA_OK)
        iba_view_check(&v);
    knows = !iba_view_has_bth(&v) || iba_query_qp(&dev->ca, iba_bth_destqp(iba_view_bth(&v))) != NULL;
    return hear_change(&r->change.hear, r->t.framing, &v, room, len, knows, any_qp(dev)) ? room : NULL;
}

static enum ibc_rc inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    struct reference *r = reference_of(t);
    struct ref_device *dev = device_of(t, d);
    uint8_t room[IBC_FRAME + HEAR_MORE];
    struct iba_view v;

    if (ref_fabric_is_open(r))
        return ref_fabric_inject(r, d, frame, len);
    if (len > IBC_FRAME)
        return ref_fault(t, IBC_BROKEN, "a frame of %zu bytes, more than %d", len, (int)IBC_FRAME);
    if (r->change.hears)
        frame = heard(r, dev, frame, &len, room);
    if (!frame)
        return IBC_OK;
    (void)iba_view_parse(&v, t->framing, frame, len, len, NULL);
    iba_view_check(&v);
    const uint8_t port = ref_port_of_frame(dev, frame, len);
    if (dev->cm.open)
        iba_gsi_feed(&dev->cm.gsi, port, &v, r->now);
    else
        iba_ca_feed(&dev->ca, port, &v, r->now);
    return IBC_OK;
}

/* Takes one frame that device `d` sends now, from either port. *len is 0: there is none. */
static enum ibc_rc poll_device(struct reference *r, unsigned d, uint8_t *frame, size_t *len)
{
    uint8_t from;

    *len = 0;
    if (r->d[d].cm.open && iba_gsi_poll(&r->d[d].cm.gsi, &from, frame, IBC_FRAME, len, r->now) != IBA_OK)
        return ref_fault(&r->t, IBC_BROKEN, "a datagram of the device does not fit %d bytes", (int)IBC_FRAME);
    for (uint8_t port = 1; port <= REF_PORTS && *len == 0; port++)
        if (iba_ca_poll(&r->d[d].ca, port, frame, IBC_FRAME, len, r->now) != IBA_OK)
            return ref_fault(&r->t, IBC_BROKEN, "a frame of the device does not fit %d bytes", (int)IBC_FRAME);
    if (*len == 0)
        return IBC_OK;
    if (++r->frames > REF_MOST_FRAMES)
        return ref_fault(&r->t, IBC_DEAD, "the device does not stop sending");
    if (r->change.emits && !emit_change(&r->change.emit, r->t.framing, frame, *len))
        return poll_device(r, d, frame, len); /* ends: frames are bounded */
    return IBC_OK;
}

/* Advances time to the next timer of a device, but not beyond `until`. *more: a device may have a frame to send. */
static enum ibc_rc let_time_pass(struct reference *r, iba_time until, bool *more)
{
    iba_time next = IBA_NEVER;

    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        const iba_time t = iba_ca_deadline(&r->d[d].ca);
        const iba_time m = r->d[d].cm.open ? iba_cm_deadline(&r->d[d].cm.cm) : IBA_NEVER;
        next = t < next ? t : next;
        next = m < next ? m : next;
    }
    /* IBA_NEVER: no timer runs, even if `until` is IBA_NEVER too */
    *more = next <= until && next != IBA_NEVER;
    next = *more ? next : until;
    r->now = next > r->now ? next : r->now;
    if (!*more)
        return IBC_OK;
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        iba_ca_advance(&r->d[d].ca, r->now);
        if (r->d[d].cm.open)
            iba_cm_advance(&r->d[d].cm.cm, r->now);
    }
    if (++r->rounds > REF_MOST_ROUNDS)
        return ref_fault(&r->t, IBC_DEAD, "the device's timers do not stop");
    return IBC_OK;
}

/* Takes a frame from any device of the set `of` (1 << d), first from the device that did not send last. */
static enum ibc_rc collect_of(struct reference *r, unsigned of, uint64_t until, uint8_t *frame, size_t *len,
                              uint64_t *at, unsigned *from)
{
    bool more = true;
    enum ibc_rc rc = IBC_OK;

    *len = 0;
    while (rc == IBC_OK && more) {
        for (unsigned i = 1; i <= IBC_DEVICES && rc == IBC_OK && *len == 0; i++) {
            *from = (r->last + i) % IBC_DEVICES;
            if (of >> *from & 1)
                rc = poll_device(r, *from, frame, len);
        }
        if (rc != IBC_OK || *len > 0)
            break;
        rc = let_time_pass(r, until, &more);
    }
    *at = r->now;
    if (rc == IBC_OK && *len > 0)
        r->last = *from;
    return rc;
}

static enum ibc_rc collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                           uint64_t *at)
{
    unsigned from;

    return collect_of(reference_of(t), 1u << (d < IBC_DEVICES ? d : 0), until, frame, len, at, &from);
}

static enum ibc_rc collect_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                               uint64_t *at, unsigned *from)
{
    struct reference *r = reference_of(t);

    if (!ref_fabric_is_open(r))
        return collect_of(r, (1u << IBC_DEVICES) - 1, until, frame, len, at, from);
    const enum ibc_rc rc = ref_fabric_collect(r, until, frame, len, from);
    *at = r->now;
    return rc;
}

/* ---- from open to close ---- */

/* Returns zeroed memory between two inaccessible pages. Unused pages take no memory, even under a sanitizer. */
enum { FENCE = 64 * 1024 }; /* a multiple of any page */
static void *fenced(size_t n)
{
    uint8_t *p = mmap(NULL, n + 2 * (size_t)FENCE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    if (mprotect(p + FENCE, n, PROT_READ | PROT_WRITE) == 0)
        return p + FENCE;
    munmap(p, n + 2 * (size_t)FENCE);
    return NULL;
}

static void give_back(void *p, size_t n)
{
    if (p)
        munmap((uint8_t *)p - FENCE, n + 2 * (size_t)FENCE);
}

static void close_reference(struct ibc_target *t)
{
    struct reference *r = reference_of(t);

    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        give_back(r->d[d].rings, REF_RINGS);
        give_back(r->d[d].memory, REF_MEMORY);
    }
    free(r->fabric);
    free(r);
}

static const struct ibc_target_ops reference_ops = {
    .name = "reference",
    .help = "libiba in this process, on virtual time",
    .reset = reset,
    .capabilities = capabilities,
    .links = links,
    .create_pd = ref_create_pd,
    .create_cq = ref_create_cq,
    .create_srq = ref_create_srq,
    .create_tag_srq = ref_create_tag_srq,
    .add_tag = add_tag,
    .remove_tag = remove_tag,
    .sync_tags = sync_tags,
    .create_xrcd = ref_create_xrcd,
    .create_xrc_srq = ref_create_xrc_srq,
    .create_ah = ref_create_ah,
    .create_qp = ref_create_qp,
    .reg_mr = ref_reg_mr,
    .reregister = ref_reregister,
    .alloc_mw = ref_alloc_mw,
    .destroy = ref_destroy,
    .arm_cq = arm_cq,
    .resize_cq = ref_resize_cq,
    .notified = ref_notified,
    .arm_srq = arm_srq,
    .modify_qp = ref_modify_qp,
    .query_qp = ref_query_qp,
    .post_send = ref_post_send,
    .post_recv = post_recv,
    .post_srq_recv = post_srq_recv,
    .poll_cq = poll_cq,
    .poll_event = poll_event,
    .attach = ref_attach,
    .read_memory = ref_read_memory,
    .write_memory = ref_write_memory,
    .page = ref_page,
    .prefetch = ref_prefetch,
    .set_port = ref_set_port,
    .counters = ref_counters,
    .now = now,
    .inject = inject,
    .collect = collect,
    .collect_any = collect_any,
    .close = close_reference,
    .choose_psn = choose_psn,
    .set_gid = ref_set_gid,
    .cm_open = ref_cm_open,
    .cm_call = ref_cm_call,
    .cm_event = ref_cm_event,
    .cm_attributes = ref_cm_attributes,
    .fabric_open = ref_fabric_open,
    .fabric_plug = ref_fabric_plug,
};

struct reference *ref_open(void)
{
    struct reference *r = calloc(1, sizeof *r);
    bool good = r != NULL;

    if (!good)
        return NULL;
    r->t = (struct ibc_target){.ops = &reference_ops, .time_scale = 1, .virtual_time = true};
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        r->d[d].of = r;
        r->d[d].rings = fenced(REF_RINGS);
        r->d[d].memory = fenced(REF_MEMORY);
        good &= r->d[d].rings && r->d[d].memory;
    }
    if (!good) {
        close_reference(&r->t);
        return NULL;
    }

    return r;
}
