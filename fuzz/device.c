/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a scenario against a hostile device: the engine, whose frames are changed, dropped or sent twice before the
 * runner matches them. Checks that a play ends with a verdict, and that the sentences of the result are complete.
 *
 * An input is DEVICE_HEAD bytes, of which the frames take one in turn, and then the text of a scenario. */
#include "device.h"
#include <string.h>
#include "fuzz.h"
#include "run/run.h"
#include "sim/iba_mutate.h"

const struct fuzz_target fuzz_target = {"device", FUZZ_BYTES, NULL};

enum { MOST_TEXT = 4096, MOST_PLAYS = 4, REPAIR = 900000 };

static struct {
    const struct ibc_target_ops *ops; /* the functions of the engine */
    const uint8_t *act;               /* one byte for each frame */
    unsigned next;
    struct iba_random random;
    uint8_t again[IBC_FRAME]; /* the frame to send a second time */
    size_t again_bytes;
} device;

static uint8_t next_act(void)
{
    return device.act[device.next++ % DEVICE_HEAD];
}

/* Changes one frame as the byte `how` says. False: the frame is dropped. */
static bool act(struct ibc_target *t, uint8_t how, uint8_t *frame, size_t *len)
{
    switch (how & DEVICE_ACTS) {
    case DEVICE_CHANGE:
        *len = iba_mutate(&device.random, t->framing, frame, *len, IBC_FRAME, REPAIR, NULL);
        return true;
    case DEVICE_DROP: return false;
    case DEVICE_TWICE:
        memcpy(device.again, frame, *len);
        device.again_bytes = *len;
        return true;
    default: return true;
    }
}

static bool repeated(uint8_t *frame, size_t *len)
{
    if (device.again_bytes == 0)
        return false;
    memcpy(frame, device.again, device.again_bytes);
    *len = device.again_bytes;
    device.again_bytes = 0;
    return true;
}

static enum ibc_rc collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                           uint64_t *at)
{
    enum ibc_rc rc;

    if (repeated(frame, len)) {
        *at = t->ops->now(t);
        return IBC_OK;
    }
    do
        rc = device.ops->collect(t, d, until, frame, len, at);
    while (rc == IBC_OK && *len > 0 && !act(t, next_act(), frame, len));
    return rc;
}

static enum ibc_rc collect_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                               uint64_t *at, unsigned *from)
{
    enum ibc_rc rc;

    if (repeated(frame, len)) {
        *at = t->ops->now(t);
        *from = 0;
        return IBC_OK;
    }
    do
        rc = device.ops->collect_any(t, until, frame, len, at, from);
    while (rc == IBC_OK && *len > 0 && !act(t, next_act(), frame, len));
    return rc;
}

static struct ibc_target *open_device(void)
{
    static struct ibc_target_ops hostile;
    char err[200];
    struct ibc_target *t = ibc_target_open("reference", err, sizeof err);

    FUZZ_CHECK(t);
    device.ops = t->ops;
    hostile = *t->ops;
    hostile.collect = collect;
    hostile.collect_any = hostile.collect_any ? collect_any : NULL;
    t->ops = &hostile;
    return t;
}

#define CHECK_TEXT(text) FUZZ_CHECK(memchr((text), '\0', sizeof(text)) && !strchr((text), '\n'))

static void check_result(const struct ibc_result *r)
{
    FUZZ_CHECK(r->verdict < IBC_IS_COUNT && r->passed <= r->variations);
    CHECK_TEXT(r->finding.variation);
    CHECK_TEXT(r->finding.expected);
    CHECK_TEXT(r->finding.got);
    CHECK_TEXT(r->finding.sentence);
    CHECK_TEXT(r->measured);
    if (ibc_failed(r->verdict))
        FUZZ_CHECK(r->finding.sentence[0] || r->finding.expected[0] || r->finding.got[0]);
    fuzz_note((uint64_t)r->verdict << 32 | r->variations);
    fuzz_note_bytes(r->finding.got, strlen(r->finding.got));
}

int fuzz_one(const uint8_t *data, size_t n)
{
    char err[500] = "";

    if (n <= DEVICE_HEAD)
        return 0;
    const size_t text = n - DEVICE_HEAD < MOST_TEXT ? n - DEVICE_HEAD : MOST_TEXT;
    struct ibc_scenario *s = ibc_load_text((const char *)data + DEVICE_HEAD, text, "f.ibt", "f", err, sizeof err);
    if (s && s->n_variation <= MOST_PLAYS) {
        struct ibc_target *t = open_device();
        const struct ibc_options o = {.seed = 1, .link = data[0] >> 4 < IBC_LINK_COUNT ? data[0] >> 4 : 0};
        struct ibc_result r;
        device.act = data;
        device.next = 0;
        device.again_bytes = 0;
        iba_random_seed(&device.random, data[1]);
        ibc_run(s, t, &o, &r);
        check_result(&r);
        ibc_result_clear(&r);
        t->ops = device.ops;
        ibc_target_close(t);
    }
    ibc_free(s);
    return 0;
}
