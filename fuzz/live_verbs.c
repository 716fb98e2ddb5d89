/* SPDX-License-Identifier: BSD-2-Clause */
/* A hostile agent's replies to each verb. Checks that the verbs return only values within their bounds, and that they
 * say in a message why a reply is refused. A line is a letter, which selects the verb, and the reply to it. */
#include <sys/socket.h>
#include <unistd.h>
#include "fuzz.h"
#include "targets/live_inside.h"

const struct fuzz_target fuzz_target = {"live_verbs", FUZZ_BYTES, NULL};

enum { MOST_LINES = 24, MOST_REPLY = 16384, BYTES = 64 };

static struct live live;

/* Checks that a text ends inside of its array, and is one line. */
#define CHECK_TEXT(text) FUZZ_CHECK(memchr((text), '\0', sizeof(text)))

enum { PREFETCH = 10, REREGISTER, NOTIFIED };

static enum ibc_rc objects(struct ibc_target *t, unsigned which, unsigned d)
{
    uint32_t id = 0;
    struct ibc_mr mr = {0};
    uint64_t times = 0;

    switch (which) {
    case 0: return t->ops->create_pd(t, d, &id);
    case 1: return t->ops->create_cq(t, d, 4, &id);
    case 2: return t->ops->create_srq(t, d, 1, 4, 1, &id);
    case 3: return t->ops->create_ah(t, d, 1, &t->tester, &id);
    case 4: return t->ops->create_qp(t, d, &(struct ibc_qp_spec){.type = IBA_QPT_UD, .sq = 4, .rq = 4}, &id);
    case 5: return t->ops->reg_mr(t, d, &(struct ibc_mr_spec){.pd = 1, .length = BYTES}, &mr);
    case 6: return t->ops->alloc_mw(t, d, 1, 1, &id);
    case 7: return t->ops->destroy(t, d, IBC_O_qp, 3);
    case 8: return t->ops->arm_cq(t, d, 1, false);
    case 9: return t->ops->resize_cq(t, d, 1, 8);
    case PREFETCH: return t->ops->prefetch(t, d, &(struct ibc_prefetch){.at = 0x1000, .length = BYTES});
    case REREGISTER: return t->ops->reregister(t, d, &(struct ibc_reregister){.lkey = 3, .has_pd = true}, &mr);
    default: return t->ops->notified(t, d, 1, &times);
    }
}

static enum ibc_rc memory(struct ibc_target *t, unsigned which, unsigned d)
{
    uint8_t *exact = malloc(BYTES); /* a sanitizer detects a write beyond the end */
    enum ibc_rc rc;

    FUZZ_CHECK(exact);
    memset(exact, 0, BYTES);
    rc = which ? t->ops->read_memory(t, d, 0x1000, exact, BYTES) : t->ops->write_memory(t, d, 0x1000, exact, BYTES);
    fuzz_note_bytes(exact, BYTES);
    free(exact);
    return rc;
}

static enum ibc_rc results(struct ibc_target *t, unsigned which, unsigned d)
{
    struct iba_wc wc = {0};
    struct iba_event event = {0};
    struct iba_qp_attr attr = {0};
    unsigned n = 0;
    enum ibc_rc rc;

    switch (which) {
    case 0: rc = t->ops->poll_cq(t, d, 1, &wc, &n); break;
    case 1: rc = t->ops->poll_event(t, d, &event, &n); break;
    default: return t->ops->query_qp(t, d, 3, &attr);
    }
    FUZZ_CHECK(n <= 1 && (n == 0 || rc == IBC_OK));
    return rc;
}

static enum ibc_rc counters(struct ibc_target *t, unsigned d)
{
    struct ibc_counter counter[IBC_MAX_COUNTERS];
    const unsigned n = t->ops->counters(t, d, counter);

    FUZZ_CHECK(n <= IBC_MAX_COUNTERS && live.n_counter <= LIVE_COUNTERS);
    for (unsigned i = 0; i < n; i++)
        fuzz_note_bytes(counter[i].name, strlen(counter[i].name));
    return IBC_OK;
}

static enum ibc_rc complaint(struct ibc_target *t, unsigned d)
{
    char text[40] = "";
    const enum ibc_rc rc = t->ops->log(t, d, text, sizeof text);

    CHECK_TEXT(text);
    fuzz_note_bytes(text, strlen(text));
    return rc;
}

static enum ibc_rc port(struct ibc_target *t, unsigned which, unsigned d)
{
    static const uint8_t gid[16] = {0xfe, 0x80, [15] = 9};
    uint32_t psn = 0;

    switch (which) {
    case 0: return t->ops->set_port(t, d, IBC_K_lid, 0, 7);
    case 1: return t->ops->set_gid(t, d, 0, gid);
    case 2: return t->ops->choose_psn(t, d, &psn);
    case 3: return t->ops->page(t, d, 0x1000, true);
    case 4: return t->ops->attach(t, d, 3, gid, 0xc001, true);
    case 5: return t->ops->arm_srq(t, d, 1, 1);
    default: return t->ops->reset(t, IBC_LINK_roce2_ipv4, 1);
    }
}

static enum ibc_rc work(struct ibc_target *t, unsigned which, unsigned d)
{
    const struct iba_recv_wr receive = {.wr_id = 1};
    const struct ibc_send send = {.wr = {.wr_id = 1}};
    const struct ibc_qp_attr attr = {.mask = 0};

    switch (which) {
    case 0: return t->ops->post_send(t, d, 3, &send);
    case 1: return t->ops->post_recv(t, d, 3, &receive);
    case 2: return t->ops->post_srq_recv(t, d, 1, &receive);
    default: return t->ops->modify_qp(t, d, 3, &attr);
    }
}

/* Calls the verb that the letter selects. */
static enum ibc_rc call(struct ibc_target *t, unsigned which)
{
    const unsigned d = which >> 5 & 1;
    uint8_t frame[IBC_FRAME];
    uint64_t at;
    size_t len;

    which &= 31;
    if (which < 10)
        return objects(t, which, d);
    if (which < 12)
        return memory(t, which - 10, d);
    if (which < 15)
        return results(t, which - 12, d);
    if (which < 22)
        return port(t, which - 15, d);
    if (which < 26)
        return work(t, which - 22, d);
    switch (which) {
    case 26: return counters(t, d);
    case 27: return objects(t, PREFETCH, d);
    case 28: return complaint(t, d);
    case 29: return objects(t, NOTIFIED, d);
    case 30: return objects(t, REREGISTER, d);
    default: return t->ops->collect(t, 0, 1000, frame, &len, &at);
    }
}

/* Prepares an agent that has answered hello, and has sent nothing else. */
static void begin(void)
{
    live = (struct live){.t = {.ops = &live_ops, .virtual_time = true},
                         .o = {.time_scale = 1e-12}, /* timeouts end at once */
                         .channel = {.fd = -1},
                         .hello = {.devices = 1, .links = 1u << IBC_LINK_roce2_ipv4}};
}

static void one(const char *line, size_t n)
{
    int end[2];

    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
    live.channel.fd = end[0];
    live.channel.have = live.channel.given = 0;
    live.up = true;
    live.gone = true; /* so no function waits for the agent */
    live.id = 0;      /* so the first request has the number 1 */
    live.t.refusal[0] = live.t.fault[0] = '\0';
    n = n < MOST_REPLY ? n : MOST_REPLY;
    FUZZ_CHECK(write(end[1], line + 1, n - 1) == (ssize_t)n - 1 && write(end[1], "\n", 1) == 1);
    const enum ibc_rc rc = call(&live.t, (unsigned)(uint8_t)*line);
    CHECK_TEXT(live.t.refusal);
    CHECK_TEXT(live.t.fault);
    FUZZ_CHECK(rc <= IBC_LOST && (live.up || live.t.fault[0]));
    fuzz_note(rc);
    fuzz_note_bytes(live.t.fault, strlen(live.t.fault));
    channel_close(&live.channel);
    close(end[1]);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    const char *at = (const char *)data;

    begin();
    for (unsigned i = 0; i < MOST_LINES && n > 0; i++) {
        const char *end = memchr(at, '\n', n);
        const size_t len = end ? (size_t)(end - at) : n;
        if (len > 0)
            one(at, len);
        at += len + (end != NULL);
        n -= len + (end != NULL);
    }
    return 0;
}
