/* SPDX-License-Identifier: BSD-2-Clause */
/* A CM at its limits: the last free slot, one listener, full rings, one byte of information. */
#include <criterion/criterion.h>
#include <string.h>
#include "cm/iba_cm_input.h"
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

static uint32_t connect_to(uint32_t qpn)
{
    const struct iba_cm_request r = lab_request(&h.lab, 0, qpn);
    uint32_t id;

    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_OK, "queue pair %u", qpn);
    hand_take(&h);
    return id;
}

/* Wherever the only free slot is, it is found. */
Test(limits, the_only_free_slot_is_found)
{
    for (unsigned n = 0; n < LAB_CONNS; n++) {
        const struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, 99));
        uint32_t ids[LAB_CONNS], id;
        for (unsigned i = 0; i < LAB_CONNS; i++)
            ids[i] = connect_to(i + 1);
        cr_expect_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_FULL);
        cr_assert_eq(iba_cm_abandon(CM, ids[n], NOW), IBA_CM_OK);
        hand_take(&h);
        cr_expect_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_OK, "slot %u", n);
        hand_take(&h);
        hand_close(&h);
    }
}

/* Listeners are unused at first, whatever their memory contains: each of them can begin. */
Test(limits, listeners_begin_unused)
{
    struct iba_cm_listener *l;
    struct iba_cm_config cfg;
    uint32_t number;

    for (unsigned n = 1; n <= LAB_LISTENERS; n++) {
        hand_open(&h, IBA_PORT_IB);
        l = CM->cfg.listener;
        memset(l, 0xff, LAB_LISTENERS * sizeof *l);
        cfg = CM->cfg;
        cfg.n_listener = n;
        iba_cm_init(CM, &cfg);
        for (unsigned i = 0; i <= n; i++)
            cr_expect_eq(iba_cm_listen(CM, &(struct iba_cm_listen){.service_id = 5 + i, .service_mask = 0xff}, &number),
                         i < n ? IBA_CM_OK : IBA_CM_FULL, "%u of %u", i, n);
        hand_close(&h);
    }
}

/* So are connections. */
Test(limits, connections_begin_unused)
{
    struct iba_cm_config cfg;

    hand_open(&h, IBA_PORT_IB);
    cfg = CM->cfg;
    memset(cfg.conn, 0xff, cfg.n_conn * sizeof *cfg.conn);
    iba_cm_init(CM, &cfg);
    for (unsigned i = 0; i < LAB_CONNS; i++)
        (void)connect_to(i + 1);
    cr_expect_eq(CM->n_used, LAB_CONNS);
    hand_close(&h);
}

/* A CM can end a listener only if it can refuse all requests that wait for that listener. */
Test(limits, no_listener_ends_while_the_ring_is_full)
{
    const uint32_t n_out = (hand_open(&h, IBA_PORT_IB), CM->cfg.n_out);
    uint8_t mad[IBA_MAD_BYTES];

    hand_req(&h, mad);
    hand_feed(&h, mad);
    CM->cfg.n_out = 0;
    cr_expect_eq(iba_cm_unlisten(CM, h.e.listener, NOW), IBA_CM_FULL);
    cr_expect_eq(hand_state(&h), IBA_CMS_REQ_RCVD);
    CM->cfg.n_out = n_out;
    cr_expect_eq(iba_cm_unlisten(CM, h.e.listener, NOW), IBA_CM_OK);
    cr_expect_eq(hand_state(&h), IBA_CMS_NONE);
    hand_close(&h);
}

/* If a timer expires while a ring is full, its message or event waits for room; nothing is lost. */
Test(limits, timers_wait_for_space)
{
    uint32_t n_out;

    hand_open(&h, IBA_PORT_IB);
    hand_active(&h, IBA_CMS_REQ_SENT);
    NOW = iba_cm_deadline(CM);
    n_out = CM->cfg.n_out;
    CM->cfg.n_out = 0;
    iba_cm_advance(CM, NOW);
    cr_expect_eq(iba_cm_deadline(CM), NOW);
    CM->cfg.n_out = n_out;
    iba_cm_advance(CM, NOW);
    cr_expect_eq(hand_take(&h), IBA_CM_ID_REQ);
    hand_close(&h);
}

/* Timers start, stop and start again. The earliest of those that run is found, and no timer of the heap ends before the
 * one above it. */
Test(limits, the_earliest_timer)
{
    uint64_t dice = 1;

    hand_open(&h, IBA_PORT_IB);
    for (unsigned i = 0; i < 20000; i++) {
        const unsigned stops = i < 5000 ? 2 : 8; /* one of so many */
        bool ordered = true;
        iba_time first = IBA_NEVER;
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407;
        iba_cm_set_timer(CM, &CM->cfg.conn[dice >> 60],
                         (dice >> 56) % stops == 0 ? IBA_NEVER : 1 + (dice >> 40 & 0xff));
        for (unsigned k = 0; k < LAB_CONNS; k++)
            first = CM->cfg.conn[k].due < first ? CM->cfg.conn[k].due : first;
        cr_assert_eq(iba_cm_deadline(CM), first, "step %u", i);
        for (uint32_t k = 1; k < CM->n_timer; k++)
            ordered &= CM->cfg.conn[CM->cfg.heap[(k - 1) / 2]].due <= CM->cfg.conn[CM->cfg.heap[k]].due;
        cr_assert(ordered, "step %u", i);
    }
    hand_close(&h);
}

/* MD-79: an APR carries its user's information, from one byte to as many bytes as its field has. */
Test(limits, information_of_an_apr)
{
    uint8_t bytes[IBA_CM_ARI_BYTES + 1];

    memset(bytes, 0x5a, sizeof bytes);
    for (size_t n = 0; n <= IBA_CM_ARI_BYTES + 1; n++) {
        const bool fits = n <= IBA_CM_ARI_BYTES;
        hand_open(&h, IBA_PORT_IB);
        hand_passive(&h, IBA_CMS_LAP_RCVD);
        cr_expect_eq(iba_cm_loaded(CM, h.id, 3, (struct iba_cm_private){bytes, n}, LAB_NOTHING, NOW),
                     fits ? IBA_CM_OK : IBA_CM_PRIVATE_TOO_LONG);
        cr_expect_eq(hand_take(&h), fits ? IBA_CM_ID_APR : 0);
        if (fits) {
            const uint8_t *info = iba_cm_apr_info(HAND_DATA(&h));
            cr_expect_eq(iba_cm_apr_infolen(HAND_DATA(&h)), n);
            cr_expect_eq(memcmp(info, bytes, n), 0);
            for (size_t i = n; i < IBA_CM_ARI_BYTES; i++)
                cr_expect_eq(info[i], 0);
        }
        hand_close(&h);
    }
}
