/* SPDX-License-Identifier: BSD-2-Clause */
/* Known deviations of devices, by the names of their waivers, as far as sequences meet them often. */
#include "known.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
const struct fuzz_known fuzz_known[] = {
    /* waiver                                     not sent                         not compared       where it shows: input, expected, got */
    {"migration-bit-zero",                         NULL,                            FUZZ_FREE_migreq,  NULL, NULL, NULL},
    {"hop-limit-of-the-route",                     NULL,                            FUZZ_FREE_hop,     NULL, NULL, NULL},
    {"flow-label-zero",                            NULL,                            FUZZ_FREE_flow,    NULL, NULL, NULL},
    {"congestion-mark-sent",                       NULL,                            FUZZ_FREE_ecn,     NULL, NULL, NULL},
    {"no-established-event",                       NULL,                            FUZZ_FREE_events,  NULL, NULL, NULL},
    {"qp-limits-unchecked",                        NULL,                            FUZZ_FREE_refused, NULL, NULL, NULL},
    {"current-state-believed",                     NULL,                            FUZZ_FREE_refused, NULL, NULL, NULL},
    {"overlong-message-is-taken",                  NULL,                            FUZZ_FREE_refused, NULL, NULL, NULL},
    {"error-raises-no-solicited-notification",     NULL,                            FUZZ_FREE_notified, NULL, NULL, NULL},
    {"write-of-no-length-with-payload-panics",     "> * WRITE_* dmalen=0*",         0,                 NULL, NULL, NULL},
    {"short-datagram-panics",                      "> * udp.length=8*",             0,                 NULL, NULL, NULL},
    {"atomic-repeats-a-read",                      NULL,                            0,                 "> a READ_REQUEST*", NULL, "ATOMIC_ACKNOWLEDGE*"},
    {"refused-send-is-kept",                       NULL,                            0,                 "*post*", "no completion", "*Work Request Flushed Error"},
    {"controlled-qkey-sent",                       NULL,                            0,                 NULL, "deth.q_key*", "deth.q_key 0x[89a-f]???????"},
    {"nak-code-4-is-an-operation-error",           NULL,                            0,                 NULL, "*Remote Invalid RD Request", "*Remote Operation Error"},
    {"wrong-answer-completes-as-success",          NULL,                            0,                 NULL, "completion.status Bad Response Error", "completion.status Success"},
    {"bad-receive-key-is-operation-error",         NULL,                            0,                 NULL, "completion.status Local Protection Error", "completion.status Local QP Operation Error"},
    {"second-invalidate-kills-the-host",           "* LOCAL_INV *",                 0,                 NULL, NULL, NULL},
    {"second-invalidate-kills-the-host",           "> * SEND_*_INV*",               0,                 NULL, NULL, NULL},
    {"=reset-to-error",                            NULL,                            0,                 "*modify state=err*", "Error", "refused:*"},
    {"=which-of-two-faults",                       NULL,                            0,                 "*FETCH_ADD*", "*NAK Invalid Request*", "*NAK Remote Access Error*"},
    {"=which-of-two-faults",                       NULL,                            0,                 "*CMP_SWAP*", "*NAK Invalid Request*", "*NAK Remote Access Error*"},
    {"wrong-answer-completes-as-success",          NULL,                            0,                 "> a *_RESP_*", "no complaint in the log*", "*rxe_comp.c*"},
    {"plain-ack-completes-read",                   NULL,                            0,                 "*ACKNOWLEDGE*syndrome=ack*", "RC_READ_REQUEST*|RC_CMP_SWAP*|RC_FETCH_ADD*", "nothing for*"},
    {"ack-of-what-was-never-sent",                 NULL,                            0,                 "*ACKNOWLEDGE*syndrome=ack*", "no completion", "a completion of *, Success"},
    {"long-send-is-a-local-fault",                 NULL,                            0,                 NULL, "*NAK Invalid Request*", "*NAK Remote Operational Error*"},
    {"datagram-too-long-is-an-error",              NULL,                            0,                 "> a SEND_ONLY*&payload=[0-9][0-9][0-9]*", "state Ready to *", "state Error"},
    {"uc-message-lost-behind-a-broken-one",        NULL,                            0,                 "> a *_[FML][IA][RDS]*", "a completion RECV status=success*", "no completion"},
    {"receive-in-error-not-flushed",               NULL,                            0,                 "  ? recv *", "*recv status=flushed*", "no completion"},
    {"nak-behind-rnr",                             NULL,                            0,                 NULL, "*RNR NAK*", "*NAK PSN Sequence Error*"},
    {"nak-behind-rnr",                             NULL,                            0,                 NULL, "no more packets", "*NAK PSN Sequence Error*"},
    {"lengths-unchecked",                          NULL,                            0,                 "*SEND_*&payload=*[-+][0-9]*", NULL, "aeth.*|bth.psn *|completion.*|a completion of a receive, *"},
    {"lengths-unchecked",                          NULL,                            0,                 "*dmalen=0x*", "*NAK Invalid Request*", "*NAK Remote Access Error*"},
    {"reserved-syndrome-fails-request",            NULL,                            0,                 "*syndrome=nak:[5-9]*", NULL, "nothing for*|a completion of *|completion.*|state Error"},
    {"reserved-syndrome-fails-request",            NULL,                            0,                 "*syndrome=nak:[123][0-9]*", NULL, "nothing for*|a completion of *|completion.*|state Error"},
    {"reserved-syndrome-fails-request",            NULL,                            0,                 "*syndrome=0x40*", NULL, "nothing for*|a completion of *|completion.*|state Error"},
    {"implied-nak-once",                           NULL,                            0,                 "*syndrome=nak:0*", NULL, "nothing for*"},
    {"drain-never-ends",                           NULL,                            0,                 "*modify state=sqd*", NULL, "nothing for*"},
    {"request-with-payload-is-answered",           NULL,                            0,                 "> * READ_REQUEST*&payload=[1-9]*", "RC_ACKNOWLEDGE*", "READ_RESP_ONLY*"},
    {"error-of-a-message-is-unsolicited",          NULL,                            0,                 "*arm solicited*", "? notifications", "? notifications"},
    {"destroy-waits-for-its-window",               "*destroy*",                     0,                 NULL, NULL, NULL},
};
/* clang-format on */
const size_t fuzz_known_count = sizeof fuzz_known / sizeof *fuzz_known;
_Static_assert(sizeof fuzz_known / sizeof *fuzz_known <= 64, "a set of them is 64 bits");

uint32_t fuzz_known_free(uint64_t known)
{
    uint32_t is_free = 0;

    for (size_t i = 0; i < fuzz_known_count; i++)
        if (known >> i & 1)
            is_free |= fuzz_known[i].is_free;
    return is_free;
}

bool fuzz_known_avoids(uint64_t known, const char *input)
{
    for (size_t i = 0; i < fuzz_known_count; i++)
        if ((known >> i & 1) && fuzz_known[i].avoid && fnmatch(fuzz_known[i].avoid, input, 0) == 0)
            return true;
    return false;
}

enum { GLOB = 128 };

/* Whether the text matches a glob, or one of several with '|' between them. */
static bool is_like(const char *globs, const char *text)
{
    char one[GLOB];

    for (const char *s = globs; s; s = strchr(s, '|') ? strchr(s, '|') + 1 : NULL) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(s, "|"), s);
        if (fnmatch(one, text, 0) == 0)
            return true;
    }
    return globs == NULL;
}

/* Whether the line matches the glob, and a word of the line matches the glob after '&'. */
static bool is_input(const char *glob, const char *line)
{
    const size_t n = strcspn(glob, "&");
    char one[FUZZ_LINE];

    snprintf(one, sizeof one, "%.*s", (int)n, glob);
    if (fnmatch(one, line, 0) != 0)
        return false;
    for (const char *w = line; glob[n] && *w; w += strcspn(w, " "), w += strspn(w, " ")) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(w, " "), w);
        if (fnmatch(glob + n + 1, one, 0) == 0)
            return true;
    }
    return glob[n] == '\0';
}

static bool sends(const struct fuzz_case *c, const char *glob)
{
    for (unsigned i = 0; i < c->n; i++)
        if (is_input(glob, c->input[i]))
            return true;
    return false;
}

const char *fuzz_known_as(uint64_t known, const struct fuzz_case *c, const char *expected, const char *got)
{
    for (size_t i = 0; i < fuzz_known_count; i++) {
        const struct fuzz_known *k = &fuzz_known[i];
        if ((known >> i & 1) && (k->input || k->expected || k->got) && is_like(k->expected, expected) &&
            is_like(k->got, got) && (!k->input || sends(c, k->input)))
            return k->waiver;
    }
    return NULL;
}
