/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities of a live device, its reset, and whether it is still reachable. */
#include "live.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "live_inside.h"

/* ---- capabilities ---- */

uint64_t live_capabilities(struct ibc_target *t)
{
    const struct live *l = live_of(t);
    const uint64_t two = UINT64_C(1) << IBC_CAP_two_devices;

    const uint64_t verbless = UINT64_C(1) << IBC_CAP_fabric | UINT64_C(1) << IBC_CAP_pieces |
                              UINT64_C(1) << IBC_CAP_rd |
                              UINT64_C(1) << IBC_CAP_tags; /* agents have no verb for these */

    return (l->hello.devices > 1 && l->o.wire[1] ? l->hello.capabilities : l->hello.capabilities & ~two) & ~verbless;
}

uint32_t live_links(struct ibc_target *t)
{
    const struct live *l = live_of(t);
    const uint32_t infiniband = 1u << IBC_LINK_ib_local | 1u << IBC_LINK_ib_global;
    uint32_t has = (uint32_t)l->hello.links & ((1u << IBC_LINK_COUNT) - 1);

    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (l->o.wire[d] && !l->o.wire[d]->ops->infiniband)
            has &= ~infiniband;
    return has;
}

/* ---- a clean device ---- */

static void take_addresses(struct live *l, enum ibc_link link, const struct ag_reset_ok *is)
{
    struct ibc_target *t = &l->t;

    t->framing = link == IBC_LINK_ib_local || link == IBC_LINK_ib_global ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    t->tester = ag_to_address(&is->tester);
    t->stranger = ag_to_address(&is->stranger);
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        t->device[d] = d < is->device.n ? ag_to_address(&is->device.v[d]) : (struct ibc_address){0};
        t->second[d] = AG_HAS(is, reset_ok, second) && d < is->second.n ? ag_to_address(&is->second.v[d])
                                                                        : (struct ibc_address){0};
    }
}

/* Greets the agent again after it was dead. A device that went down may be booting. A run waits only once for a
 * device that stays away, and not in every case. */
static bool is_back(struct live *l)
{
    const uint64_t until = ibc_wire_clock() + live_scaled(l, IBC_LIVE_RETURN);
    long nap = 50; /* ms */

    if (l->up)
        return true;
    while (!l->gone && !live_connect(l) && !l->t.hurried) {
        const struct timespec t = {.tv_sec = nap / 1000, .tv_nsec = nap % 1000 * 1000000};
        nanosleep(&t, NULL);
        nap = nap < 2000 ? nap * 2 : nap;
        l->gone = ibc_wire_clock() >= until;
    }
    if (l->up)
        l->t.virtual_time = l->hello.time;
    return l->up;
}

/* When the wire reports that nothing answers, asks the agent whether it still does. */
static void ask_if_there(struct live *l)
{
    (void)live_request(l, AG_V_no_such_verb, 0);
    (void)live_ask(l);
}

enum ibc_contact live_contact(struct ibc_target *t, char *text, size_t n)
{
    struct live *l = live_of(t);
    char why[sizeof t->fault];

    *text = '\0';
    memcpy(why, t->fault, sizeof why);
    ask_if_there(l);
    if (!is_back(l))
        return IBC_CONTACT_NONE;
    memcpy(t->fault, why, sizeof why);
    if (!l->boot[0] || !l->hello.boot.s[0])
        return IBC_CONTACT_UNKNOWN;
    if (!live_same_boot(l))
        return IBC_CONTACT_REBOOT;
    return t->ops->log(t, 0, text, n) == IBC_OK && *text ? IBC_CONTACT_LOG : IBC_CONTACT_SAME;
}

enum ibc_rc live_reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    const struct timespec settle = {.tv_nsec = (long)LIVE_SETTLE};
    struct live *l = live_of(t);
    struct ag_reset_args *a;
    enum ibc_rc rc;

    if (!(live_links(t) >> link & 1))
        return IBC_UNSUPPORTED;
    if (!is_back(l))
        return IBC_LOST;
    t->refusal[0] = t->fault[0] = 0;
    a = &live_request(l, AG_V_reset, 0)->u.reset;
    a->link = (uint8_t)link;
    AG_SET(a, reset_args, seed, seed);
    rc = live_ask(l);
    if (rc != IBC_OK)
        return rc;
    if (l->r.u.reset.device.n < l->hello.devices)
        return live_dead(l, "reset: it gives no address of each device");
    take_addresses(l, link, &l->r.u.reset);
    if (!live_accept(t, link, l->o.wire, l->o.pins, l->o.accepted ? l->o.accepted : &l->accepted, l->o.show))
        return IBC_BROKEN;
    l->link = link;
    l->now = l->r.u.reset.now;
    l->n_qp = l->last = 0;
    t->slowest = 0;
    t->slow_verb = NULL;
    memcpy(l->boot, l->hello.boot.s, sizeof l->boot);
    if (!live_hear(l))
        return IBC_BROKEN;
    if (!t->virtual_time)
        nanosleep(&settle, NULL);
    live_drain(l);
    return IBC_OK;
}

/* ---- close ---- */

void live_close(struct ibc_target *t)
{
    struct live *l = live_of(t);

    channel_close(&l->channel);
    free(l->agent);
    free(l->token);
    free(l);
}
