/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference target as a whole: what it offers, a reset, its time, the turn of each device, and devices that never
 * stop. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "ref_bed.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

static struct reference *r;

/* ---- memory that the system does not give ---- */

static unsigned maps, protects; /* the call that fails, from 1 on; 0: none */

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    errno = ENOMEM;
    if (maps > 0 && --maps == 0)
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

int mprotect(void *at, size_t n, int protection)
{
    errno = ENOMEM;
    if (protects > 0 && --protects == 0)
        return -1;
    return (int)syscall(SYS_mprotect, at, n, protection);
}

static void begin_reference(void)
{
    begin();
    r = reference_of(b->t);
}

TestSuite(reference, .init = begin_reference, .fini = end);

/* Replaces the target by a broken device with an RC queue pair. */
static void broken(const char *spec)
{
    end();
    begin_with(spec, IBC_LINK_roce2_ipv4);
    r = reference_of(b->t);
    b->lenient = true;
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
}

Test(reference, what_it_offers)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < IBC_CAP_COUNT; i++)
        all |= i == IBC_CAP_sm ? 0 : UINT64_C(1) << i;
    cr_expect_eq(o->capabilities(b->t), all);
    cr_expect_eq(o->links(b->t), 0x1f, "five links");
    cr_expect_str_eq(o->name, "reference");
    cr_expect(b->t->virtual_time && b->t->time_scale == 1);
    cr_expect_eq(o->now(b->t), 1000000000);
}

/* ---- open, reset, close ---- */

static unsigned mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned n = 0;

    cr_assert_not_null(f);
    for (int c; (c = getc(f)) != EOF;)
        n += c == '\n';
    (void)fclose(f);
    return n;
}

/* Each target has a few mappings, which it gives back. */
Test(reference, memory_is_given_back)
{
    enum { TIMES = 20 };
    char err[200];
    const unsigned before = mappings();

    for (unsigned i = 0; i < TIMES; i++) {
        static const struct ibc_fabric subnet = {
            .n_node = 1, .node = {{.type = IBA_NODE_CA, .ports = 1, .vls = 1}}, .n_end = 1, .end = {{0, 1, 0}}};
        struct ibc_target *t = ibc_target_open("reference", err, sizeof err);
        cr_assert_not_null(t, "%s", err);
        cr_assert_eq(t->ops->fabric_open(t, &subnet), IBC_OK, "%s", t->fault);
        ibc_target_close(t);
        cr_assert_null(ibc_target_open("mutant:nothing=drop", err, sizeof err));
        cr_assert_null(ibc_target_open("nothing", err, sizeof err));
    }
    ibc_target_close(NULL);
    cr_expect_lt(mappings(), before + TIMES, "%u, %u before", mappings(), before);
    const unsigned then = mappings();
    for (unsigned i = 0; i < 2 * 2 * IBC_DEVICES; i++) { /* each of the four pieces of memory */
        maps = i < 4 ? i + 1 : 0;
        protects = i < 4 ? 0 : i - 3;
        cr_expect_null(ibc_target_open("reference", err, sizeof err), "%u", i);
        cr_expect_str_eq(err, "reference: no memory", "%u", i);
        maps = protects = 0;
        cr_expect_leq(mappings(), then, "%u: %u, %u before", i, mappings(), then);
    }
}

/* A target that was opened is like one that was reset with the seed 0 on RoCE v2 over IPv4. */
Test(reference, opened_is_reset)
{
    char err[200];
    uint32_t number[3][4];
    const uint64_t seeds[] = {0, 0, 1};

    for (unsigned i = 0; i < 3; i++) {
        struct ibc_target *t = ibc_target_open("reference", err, sizeof err);
        cr_assert_not_null(t, "%s", err);
        cr_expect_eq(t->framing, IBA_LINK_ETHERNET);
        if (i > 0)
            cr_assert_eq(t->ops->reset(t, IBC_LINK_roce2_ipv4, seeds[i]), IBC_OK);
        cr_expect_eq(reference_of(t)->link, IBC_LINK_roce2_ipv4);
        for (unsigned k = 0; k < 4; k++)
            cr_assert_eq(t->ops->choose_psn(t, 0, &number[i][k]), IBC_OK);
        ibc_target_close(t);
    }
    cr_expect_arr_eq(number[0], number[1], sizeof number[0]);
    cr_expect_neq(memcmp(number[0], number[2], sizeof number[0]), 0);
}

/* Whether the kernel can read the byte: the test would end if it read a forbidden one itself. */
static bool is_readable(const uint8_t *at, int to)
{
    return write(to, at, 1) == 1;
}

Test(reference, memory_between_fences)
{
    int end_of[2];

    cr_assert_eq(pipe(end_of), 0);
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        const struct {
            const uint8_t *at;
            size_t n;
        } rows[] = {{r->d[d].rings, REF_RINGS}, {r->d[d].memory, REF_MEMORY}};
        for (size_t i = 0; i < 2; i++) {
            const uint8_t *p = rows[i].at, *past = p + rows[i].n;
            cr_expect(is_readable(p, end_of[1]) && is_readable(past - 1, end_of[1]));
            for (size_t k = 1; k <= 65536; k *= 16) {
                cr_expect_not(is_readable(p - k, end_of[1]), "%zu bytes before", k);
                cr_expect_not(is_readable(past + k - 1, end_of[1]), "%zu bytes after", k);
            }
        }
    }
    (void)close(end_of[0]);
    (void)close(end_of[1]);
}

/* Each seed gives each device other random numbers, and the same ones again. */
Test(reference, seeds)
{
    enum { SEEDS = 6 };
    uint32_t psn[SEEDS * IBC_DEVICES], again;

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        cr_assert_eq(o->reset(b->t, IBC_LINK_roce1, seed), IBC_OK);
        for (unsigned d = 0; d < IBC_DEVICES; d++)
            cr_assert_eq(o->choose_psn(b->t, d, &psn[seed * IBC_DEVICES + d]), IBC_OK);
    }
    for (unsigned i = 0; i < SEEDS * IBC_DEVICES; i++)
        for (unsigned k = 0; k < i; k++)
            cr_expect_neq(psn[i], psn[k], "%u and %u", i, k);
    cr_assert_eq(o->reset(b->t, IBC_LINK_ib_local, 3), IBC_OK);
    cr_assert(o->choose_psn(b->t, 1, &again) == IBC_OK && again == psn[7]);
}

/* A reset forgets all objects, events and settings. */
Test(reference, reset_forgets)
{
    struct ref_device *dev = &r->d[0];
    struct ibc_send s = {.wr = {.op = IBA_WR_SEND}, .dest = {.hop = 64}};
    const struct ibc_mr first = b->d[0].mr;
    struct iba_recipe x;
    struct iba_event e;
    uint32_t srq;
    unsigned n;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN);
    iba_bth_set_p_key(iba_recipe_part(&x, IBA_H_bth), 0x100);
    bed_inject(b, 0, &x);
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_UD), IBA_QPT_UD, 0);
    cr_assert_eq(o->create_srq(b->t, 0, b->d[0].pd, 4, 0, &srq), IBC_OK);
    (void)o->post_send(b->t, 0, b->d[0].qpn, &s);
    cr_assert_eq(o->set_port(b->t, 0, IBC_K_lmc, 0, 2), IBC_OK);
    cr_assert_eq(o->cm_open(b->t, 0), IBC_OK, "%s", b->t->refusal);
    cr_assert(dev->n_qp > 0 && dev->n_cq > 0 && dev->n_srq > 0 && dev->n_ah > 0 && dev->n_region > 0);
    cr_assert(dev->n_event > 0 && dev->epoch > 0 && dev->rings_used > 0 && dev->memory_used > 0 && dev->cm.open);
    (void)o->collect(b->t, 0, o->now(b->t) + BED_SECOND, b->frame, &b->len, &b->at);
    strcpy(b->t->refusal, "x");
    strcpy(b->t->fault, "x");
    r->rounds = 5;
    cr_assert_eq(o->reset(b->t, IBC_LINK_roce2_ipv6, 1), IBC_OK);
    cr_expect(dev->n_qp + dev->n_cq + dev->n_srq + dev->n_ah + dev->n_region + dev->n_of_pieces == 0);
    cr_expect(dev->first_event + dev->n_event + dev->epoch == 0 && !dev->cm.open);
    cr_expect(dev->rings_used == 0 && dev->memory_used == 0);
    cr_expect(b->t->refusal[0] == '\0' && b->t->fault[0] == '\0');
    cr_expect(r->frames == 0 && r->rounds == 0 && r->last == 0 && r->link == IBC_LINK_roce2_ipv6);
    cr_expect_eq(o->now(b->t), REF_START);
    cr_expect_eq(iba_ca_port(&dev->ca, 1)->lmc, 0);
    for (unsigned i = 0; i < REF_QPS; i++)
        cr_assert(!dev->qp[i].used && dev->qp[i].n_sq == 0 && dev->qp[i].n_rq == 0);
    cr_expect(!dev->cq[0].used && !dev->srq[0].used);
    cr_expect(o->poll_event(b->t, 0, &e, &n) == IBC_OK && n == 0);
    bed_reset(b, IBC_LINK_roce2_ipv4, 1);
    cr_expect_eq(b->d[0].mr.va, first.va, "addresses begin again");
    cr_expect_eq(o->reset(b->t, IBC_LINK_COUNT, 1), IBC_UNSUPPORTED);
}

/* ---- the wire ---- */

Test(reference, frames_are_bounded)
{
    static uint8_t frame[IBC_FRAME + 1];

    cr_expect_eq(o->inject(b->t, 0, frame, IBC_FRAME), IBC_OK);
    cr_expect_eq(o->inject(b->t, 0, frame, IBC_FRAME + 1), IBC_BROKEN);
    cr_expect_str_eq(b->t->fault, "a frame of 16385 bytes, more than 16384");
}

/* Each device has its turn, however much the other sends. */
Test(reference, devices_in_turn)
{
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        bed_connect(b, d, bed_qp(b, d, IBA_QPT_RC), IBA_QPT_RC, 0);
        cr_assert_eq(bed_post(b, d, IBA_WR_WRITE, d ? 6000 : 3000, 0x1000, 0x2000), IBC_OK);
    }
    for (unsigned i = 0; i < 10; i++) {
        const unsigned wanted = i < 6 ? 1 - i % 2 : 1; /* then the first has sent all three of its packets */
        cr_assert_eq(o->collect_any(b->t, o->now(b->t), b->frame, &b->len, &b->at, &b->from), IBC_OK);
        if (i == 9) {
            cr_expect_eq(b->len, 0);
            break;
        }
        cr_assert_gt(b->len, 0, "%u", i);
        cr_expect_eq(b->from, wanted, "frame %u by %u", i, b->from);
        cr_expect_eq(iba_eth_src(b->frame), b->t->device[wanted].mac);
    }
    for (unsigned d = 0; d < 3; d += 2) {
        cr_assert_eq(bed_post(b, 0, IBA_WR_WRITE, 8, 0x1000, 0x2000), IBC_OK);
        cr_expect_not(bed_take(b, 1), "the other device sends nothing");
        cr_expect(bed_take(b, d), "any other number is the first device");
    }
}

/* ---- time ---- */

/* A request without an answer is repeated after its timer: 4.096 us * 2^14, and as much again at most (RQ-19). */
Test(reference, time_passes_to_the_next_timer)
{
    const uint64_t tick = 4096 << 14, begun = o->now(b->t);

    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        const uint64_t from = o->now(b->t);
        bed_connect(b, d, bed_qp(b, d, IBA_QPT_RC), IBA_QPT_RC, 0);
        cr_assert_eq(bed_post(b, d, IBA_WR_WRITE, 8, 0x1000, 0x2000), IBC_OK);
        cr_assert(bed_take(b, d) && o->now(b->t) == from && b->at == from);
        cr_assert_eq(o->collect(b->t, d, from + tick - 1, b->frame, &b->len, &b->at), IBC_OK);
        cr_expect(b->len == 0 && o->now(b->t) == from + tick - 1 && b->at == from + tick - 1);
        cr_assert_eq(o->collect(b->t, d, from, b->frame, &b->len, &b->at), IBC_OK);
        cr_expect(b->len == 0 && o->now(b->t) == from + tick - 1, "time does not go back");
        cr_assert_eq(o->collect(b->t, d, UINT64_MAX, b->frame, &b->len, &b->at), IBC_OK);
        cr_expect(b->len > 0 && b->at == o->now(b->t) && b->at >= from + tick && b->at <= from + 4 * tick);
        const uint64_t due = iba_ca_deadline(&r->d[d].ca);
        cr_assert(due > b->at && due <= b->at + 4 * tick);
        cr_assert_eq(o->collect(b->t, d, due, b->frame, &b->len, &b->at), IBC_OK);
        cr_expect(b->len > 0 && b->at == due, "at the limit itself");
        cr_assert_eq(o->destroy(b->t, d, IBC_O_qp, b->d[d].qpn), IBC_OK);
    }
    cr_expect_gt(o->now(b->t), begun);
    cr_assert_eq(o->collect(b->t, 0, UINT64_MAX, b->frame, &b->len, &b->at), IBC_OK);
    cr_expect_eq(b->len, 0, "no timer runs");
}

/* Timers of one device run while the tester waits for the other. */
Test(reference, time_passes_for_both)
{
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        bed_reset(b, IBC_LINK_roce2_ipv4, 1);
        bed_connect(b, d, bed_qp(b, d, IBA_QPT_RC), IBA_QPT_RC, 0);
        cr_assert_eq(bed_post(b, d, IBA_WR_WRITE, 8, 0x1000, 0x2000), IBC_OK);
        cr_assert(bed_take(b, d));
        cr_assert_eq(o->collect(b->t, 1 - d, o->now(b->t) + BED_SECOND, b->frame, &b->len, &b->at), IBC_OK);
        cr_expect_eq(b->len, 0);
        cr_assert_eq(o->collect(b->t, d, o->now(b->t), b->frame, &b->len, &b->at), IBC_OK);
        cr_expect_gt(b->len, 0, "the request again");
    }
}

/* Each expiry of a timer counts as a round, and rounds are limited. */
Test(reference, a_device_whose_timers_never_stop_is_dead)
{
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    cr_assert_eq(bed_post(b, 0, IBA_WR_WRITE, 8, 0x1000, 0x2000), IBC_OK);
    cr_assert(bed_take(b, 0));
    r->rounds = REF_MOST_ROUNDS - 1;
    cr_assert_eq(o->collect(b->t, 0, o->now(b->t) + BED_SECOND, b->frame, &b->len, &b->at), IBC_OK);
    cr_assert_gt(b->len, 0);
    cr_assert_eq(o->collect(b->t, 0, o->now(b->t) + BED_SECOND, b->frame, &b->len, &b->at), IBC_DEAD);
    cr_expect_str_eq(b->t->fault, "the device's timers do not stop");
    cr_expect_eq(b->len, 0);
}

/* ---- devices that hear and send wrongly ---- */

/* Sends a WRITE with that TTL to that queue pair. Returns whether it is acknowledged. */
static bool acknowledged(uint8_t ttl, uint32_t qpn, uint32_t psn)
{
    struct iba_recipe x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, psn);

    iba_ipv4_set_ttl(iba_recipe_part(&x, IBA_H_ipv4), ttl);
    iba_bth_set_destqp(iba_recipe_part(&x, IBA_H_bth), qpn);
    iba_reth_set_dmalen(iba_recipe_part(&x, IBA_H_reth), 8);
    x.payload = (const uint8_t *)"12345678";
    x.payload_len = 8;
    bed_inject(b, 0, &x);
    return bed_take(b, 0);
}

Test(reference, a_device_that_drops)
{
    broken("mutant:hear.ip.ttl=!64");
    cr_expect(acknowledged(64, b->d[0].qpn, BED_EPSN));
    cr_expect_not(acknowledged(63, b->d[0].qpn, BED_EPSN + 1));
    cr_expect(acknowledged(64, b->d[0].qpn, BED_EPSN + 1));
}

Test(reference, a_device_that_takes_what_is_for_nobody)
{
    cr_expect_not(acknowledged(64, 0x123456, BED_EPSN));
    broken("mutant:hear.unknown_qp=1");
    cr_expect(acknowledged(64, b->d[0].qpn ^ 1, BED_EPSN));
    cr_expect(acknowledged(64, b->d[0].qpn, BED_EPSN + 1));
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_qp, b->d[0].qpn), IBC_OK);
    cr_expect_not(acknowledged(64, b->d[0].qpn, BED_EPSN + 2), "it has none");
}

/* Sends a WRITE whose ICRC is wrong, or not. Returns whether it is acknowledged. */
static bool write_acknowledged(bool wrong, uint32_t psn)
{
    struct iba_recipe x = bed_recipe(b, 0, IBA_RC_WRITE_ONLY, psn);

    x.icrc_mode = wrong ? IBA_CRC_BAD : x.icrc_mode;
    bed_inject(b, 0, &x);
    return bed_take(b, 0);
}

/* A broken device counts from each reset on. */
Test(reference, a_reset_begins_to_count_again)
{
    for (unsigned round = 0; round < 2; round++) {
        if (round == 0)
            broken("mutant:emit.ack/packet=-1");
        else
            bed_reset(b, IBC_LINK_roce2_ipv4, 1), bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
        cr_expect(write_acknowledged(false, BED_EPSN), "the first ACK is sent");
        cr_expect_not(write_acknowledged(false, BED_EPSN + 1), "and no other");
    }
    for (unsigned round = 0; round < 2; round++) {
        if (round == 0)
            broken("mutant:hear.faults=!2");
        else
            bed_reset(b, IBC_LINK_roce2_ipv4, 1), bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
        cr_expect_not(write_acknowledged(true, BED_EPSN));
        cr_expect(write_acknowledged(false, BED_EPSN), "one fault is no reason");
        cr_expect_not(write_acknowledged(true, BED_EPSN + 1));
        cr_expect_not(write_acknowledged(false, BED_EPSN + 1), "two are");
    }
}

/* Frames that the device withholds are skipped until one is sent. */
Test(reference, a_device_that_withholds)
{
    broken("mutant:emit.request_middle/packet=-0");
    cr_assert_eq(bed_post(b, 0, IBA_WR_WRITE, 5000, 0x1000, 0x2000), IBC_OK);
    cr_assert(bed_take(b, 0) && iba_bth_psn(iba_view_bth(&b->v)) == BED_PSN);
    cr_assert(bed_take(b, 0));
    cr_expect(iba_bth_psn(iba_view_bth(&b->v)) == BED_PSN + 4 &&
              iba_bth_opcode(iba_view_bth(&b->v)) == IBA_RC_WRITE_LAST);
}
