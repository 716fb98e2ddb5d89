/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends arbitrary lines to the agent, which serves the engine. Checks that each line gets a reply that can be parsed,
 * and that a request that was parsed stays the same when it is written and parsed again. */
#include <string.h>
#include "agent/server.h"
#include "fuzz.h"

const struct fuzz_target fuzz_target = {"agent", FUZZ_BYTES, "{\"id\":1,\"do\":\"hello\",\"version\":1}\n"};

enum { MOST_LINES = 24, MOST_LINE = 4096 };

static struct ag_request asked, again;
static struct ag_reply said;
static char line[AG_LINE], line_again[AG_LINE], reply[AG_LINE];

/* Parses the text as a request, and checks that it stays the same when it is written and parsed again. False: the text
 * is no request. */
static bool round_trip(const char *text, size_t n)
{
    memset(&asked, 0, sizeof asked);
    memset(&again, 0, sizeof again);
    if (ag_read_request(text, n, &asked, &said) != AG_FINE)
        return false;
    n = ag_write_request(&asked, line, sizeof line);
    FUZZ_CHECK(n > 0 && ag_read_request(line, n, &again, &said) == AG_FINE);
    /* Both structures were zeroed, so their padding is equal, too. */
    FUZZ_CHECK(memcmp(&asked, &again, sizeof asked) == 0); /* NOLINT(bugprone-suspicious-memory-comparison) */
    FUZZ_CHECK(ag_write_request(&again, line_again, sizeof line_again) == n && memcmp(line, line_again, n) == 0);
    return true;
}

/* A device may send anything, so this parses the lines as the tester parses replies. */
static void as_reply(const char *text, size_t n)
{
    char why[AG_SENTENCE];

    for (unsigned v = 0; v < AG_V_COUNT; v += 3)
        fuzz_note(ag_read_reply(text, n, (enum ag_verb)v, &said, why, sizeof why));
}

static void serve(struct ag_server *s, const char *text, size_t n)
{
    const size_t len = ag_serve(s, text, n, reply);

    FUZZ_CHECK(len < sizeof reply && memchr(reply, '\n', len) == NULL);
    fuzz_note_bytes(reply, len);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { KEPT = true };
#else
enum { KEPT = false };
#endif
#else
enum { KEPT = true };
#endif

/* Returns a new device. With a sanitizer that would be slow, so the old device is reset. The reset succeeds only if the
 * guards of the device are intact. */
static struct ibc_target *device(void)
{
    static struct ibc_target *t;
    char err[200];

    if (!t || !KEPT)
        t = ibc_target_open("reference", err, sizeof err);
    FUZZ_CHECK(t && t->ops->reset(t, IBC_LINK_roce2_ipv4, 1) == IBC_OK);
    return t;
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct ag_server s = {.name = "fuzzed"};
    const char *at = (const char *)data;

    for (unsigned i = 0; i < MOST_LINES && n > 0; i++) {
        const char *end = memchr(at, '\n', n);
        const size_t whole = end ? (size_t)(end - at) + 1 : n, len = end ? whole - 1 : n;
        if (round_trip(at, len < MOST_LINE ? len : MOST_LINE) && !s.target)
            s.target = device();
        if (i == 0)
            as_reply(at, len < MOST_LINE ? len : MOST_LINE);
        if (s.target)
            serve(&s, at, len < MOST_LINE ? len : MOST_LINE);
        at += whole;
        n -= whole;
    }
    if (!KEPT)
        ibc_target_close(s.target);
    return 0;
}
