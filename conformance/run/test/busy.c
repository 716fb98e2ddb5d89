/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays the whole suite in real time on a busy machine. Whenever the runner reads the clock, time has passed: a
 * microsecond, or now and then two milliseconds, in which the device goes on and its frames wait to be read. The
 * device is the reference, so no scenario may fail, however late the tester is. busy.golden has a line for each
 * scenario:
 *
 * id, digest of the file, link, verdict, digest of the frames, the verbs, the times until which the runner waits, the
 * queues that it polls, and the finding
 *
 * A scenario that is new, or whose file has changed since, is not compared (test/golden.h says how to renew the file).
 * IBPROOF_VERBOSE=1 prints the findings. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "recorder.h"
#include "sim/iba_random.h"
#include "suite_rows.h"
#include "test/golden.h"

enum { LEAST_PERCENT = 80, QUEUED = 512, USUAL_NS = 1000, PAUSE_NS = 2000000, ONE_IN = 64 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/run/test/busy.golden"

static struct frame {
    uint8_t bytes[IBC_FRAME];
    size_t len;
    uint64_t at;
    unsigned from;
} queue[QUEUED]; /* come, and not read yet */
static unsigned first, last;
static struct iba_random pauses;
static uint64_t reads; /* digest of the times until which the runner waits, and of the queues that it polls */

/* Takes the device's next frame before that time into the queue. */
static bool one_more(struct ibc_target *t, uint64_t until, enum ibc_rc *rc)
{
    struct frame *f = &queue[last % QUEUED];

    *rc = whole->collect_any(t, until, f->bytes, &f->len, &f->at, &f->from);
    last += *rc == IBC_OK && f->len > 0;
    return *rc == IBC_OK && f->len > 0;
}

static uint64_t later(struct ibc_target *t)
{
    const uint64_t until = whole->now(t) + (iba_random_below(&pauses, ONE_IN) ? USUAL_NS : PAUSE_NS);
    enum ibc_rc rc;

    while (last - first < QUEUED && one_more(t, until, &rc)) /* ends: the queue is full at last */
        ;
    return whole->now(t);
}

static enum ibc_rc read_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len, uint64_t *at,
                            unsigned *from)
{
    enum ibc_rc rc = IBC_OK;

    reads = golden_number(reads, until);
    *len = 0;
    if (first == last && !one_more(t, until, &rc)) {
        *at = whole->now(t);
        return rc;
    }
    const struct frame *f = &queue[first++ % QUEUED];
    memcpy(frame, f->bytes, f->len);
    *len = f->len;
    *at = f->at;
    *from = f->from;
    return IBC_OK;
}

static enum ibc_rc read_one(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                            uint64_t *at)
{
    unsigned from;

    (void)d;
    return read_any(t, until, frame, len, at, &from);
}

static enum ibc_rc poll_cq(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    reads = golden_number(golden_number(reads, d), cq);
    return whole->poll_cq(t, d, cq, wc, n);
}

static enum ibc_rc poll_event(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n)
{
    reads = golden_number(reads, d);
    return whole->poll_event(t, d, e, n);
}

static enum ibc_rc reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    first = last;
    return whole->reset(t, link, seed);
}

/* In a subnet the tester's frames compete with each other, and a late tester gives the arbiter less to choose from. No
 * target has a subnet in real time. */
static bool is_for_real_time(const struct ibc_scenario *s)
{
    return s->role != IBC_ROLE_fabric;
}

static uint64_t claimed(struct ibc_target *t)
{
    return whole->capabilities(t) & ~(UINT64_C(1) << IBC_CAP_virtual_time);
}

static bool row_of(struct ibc_target *t, const struct ibc_scenario *s, char line[SUITE_ROW])
{
    const uint64_t file = golden_file(s->path);
    const uint32_t link = (uint32_t)(golden_text(GOLDEN_EMPTY, s->id) / 64 % IBC_LINK_COUNT);
    struct ibc_result r;

    if (!is_for_real_time(s))
        return false;
    reads = GOLDEN_EMPTY;
    iba_random_seed(&pauses, golden_text(GOLDEN_EMPTY, s->id));
    recorder_begin();
    ibc_run(s, t, &(struct ibc_options){.seed = 1, .link = link}, &r);
    cr_expect((!ibc_failed(r.verdict) && r.verdict != IBC_IS_ERROR) || r.finding.what == IBC_FOUND_LATE,
              "%s: %s, line %u: %s, not %s", s->id, ibc_verdict_names[r.verdict], r.finding.line, r.finding.got,
              r.finding.expected);
    if (getenv("IBPROOF_VERBOSE") && r.verdict != IBC_IS_PASS)
        printf("%s: %s %u: %s; got %s; %s\n", s->id, ibc_verdict_names[r.verdict], r.finding.line, r.finding.expected,
               r.finding.got, r.measured);
    uint64_t all = golden_text(golden_text(recorder_sum(), r.finding.got), r.finding.expected);
    all = golden_number(golden_number(golden_text(all, r.measured), r.finding.line), reads);
    (void)snprintf(line, SUITE_ROW, "%s %08x link %u %s %08x", s->id, golden_short(file), link,
                   ibc_verdict_names[r.verdict], golden_short(all));
    ibc_result_clear(&r);
    return true;
}

Test(busy, testers_fail_no_scenario)
{
    struct ibc_target *t = open_changed();
    t->virtual_time = false;
    recorder_attach();
    changed.now = later;
    changed.collect = read_one;
    changed.collect_any = read_any;
    changed.poll_cq = poll_cq;
    changed.poll_event = poll_event;
    changed.reset = reset;
    changed.capabilities = claimed;
    suite_rows(t, row_of, GOLDEN, LEAST_PERCENT);
    t->ops = whole;
    ibc_target_close(t);
}
