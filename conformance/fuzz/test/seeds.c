/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequences that seeds make, and what the model predicts of some of them. A report of `ibconform fuzz` names a
 * sequence by its seed alone, so a seed makes the same sequence whatever compiler built the program, and until the
 * grammar is changed on purpose: then copy the rows that the test prints. The predictions are in seeds.golden, see
 * test/golden.h. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "bed.h"
#include "test/golden.h"

enum { DEVICES = 3, KINDS = 23 };

/* A device that can do all; one on a single link that can do nothing optional; a real one whose known deviations are
 * avoided. */
static const struct {
    struct fuzz_may may;
    uint64_t seeds;
} devices[DEVICES] = {
    {{UINT64_MAX, FUZZ_ANY, 0}, 600},
    {{0, FUZZ_V6, 0}, 150},
    {{~(FUZZ_CAP(virtual_time) | FUZZ_CAP(congestion) | FUZZ_CAP(cm_fields)), FUZZ_ROCE2, UINT64_MAX}, 250}};

static uint64_t add(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash * 31;
}

/* Of each kind: a hash of all its sequences for each device, 0 if the device has none. */
static const struct {
    const char *kind;
    uint64_t hash[DEVICES];
} rows[] = {
    /* clang-format off */
    {"RC responder", {UINT64_C(0x949dad442fc746f5), UINT64_C(0xfe92d19ba0ae4336), UINT64_C(0x9b16962596a94616)}},
    {"RC responder with all it has", {UINT64_C(0x8b0088a08af8d3e7), UINT64_C(0xf364a1d3b53dc872), UINT64_C(0x611807f442eacc79)}},
    {"RC requester", {UINT64_C(0xb8964d8f3310680b), UINT64_C(0x7cc69b4aaaca0a), UINT64_C(0x6dfe32d9f9445ba1)}},
    {"RC requester and its timers", {UINT64_C(0xd01e6642f2aba93d), 0, 0}},
    {"UC receiver", {UINT64_C(0x6cfb1a7df5d8c7c3), 0, UINT64_C(0xd2dbac7e8ba1fbaf)}},
    {"UC sender", {UINT64_C(0xb8b577bfb726ef04), 0, UINT64_C(0x7bb75665c004d3f1)}},
    {"UD receiver", {UINT64_C(0x1a83483d7b506f55), 0, UINT64_C(0xf1217cb3f05a629f)}},
    {"UD sender", {UINT64_C(0x57d2dbed66261b80), 0, UINT64_C(0x3fbc2e97208b6f11)}},
    {"QP1", {UINT64_C(0xe9008f8d1df58309), 0, UINT64_C(0x6fb2a14081e96c84)}},
    {"QP0", {UINT64_C(0xec2ee6deeffccc23), 0, 0}},
    {"raw packets", {UINT64_C(0xff2f8608f93751a3), 0, 0}},
    {"keys and windows", {UINT64_C(0x830f7646ada5a761), UINT64_C(0xea3f5bb8e66d14ac), UINT64_C(0xc90be2aedb5aa6c4)}},
    {"states", {UINT64_C(0x6f254b10e5c188c2), 0, UINT64_C(0xccc511f5b9a0d4dd)}},
    {"objects and queues", {UINT64_C(0x883bdec48e481cf), 0, UINT64_C(0x30c01fb3fcd98413)}},
    {"path migration", {UINT64_C(0x4f434f48f2b037ea), 0, UINT64_C(0x5b2d7c94d05c5b1c)}},
    {"credits", {UINT64_C(0xbce1e0932e882f26), 0, UINT64_C(0x5d49aca7ee29c6b0)}},
    {"XRC initiator", {UINT64_C(0x27f10b38892a101a), 0, UINT64_C(0x2955be64fb2d4e9d)}},
    {"XRC target", {UINT64_C(0xfa6964ba9930f04d), 0, UINT64_C(0xa0dea7fd78bda490)}},
    {"attributes", {UINT64_C(0xa46a88f298ea3c6c), 0, UINT64_C(0xa9e30798008febf1)}},
    {"connections, passive end", {UINT64_C(0x7855291f9fab66b3), 0, UINT64_C(0x321a6769d3396d0d)}},
    {"connections, active end", {UINT64_C(0xccf495961a04f080), 0, UINT64_C(0xc5f1d3b15866eb5c)}},
    {"datagram services", {UINT64_C(0x5d1815219731d8e1), 0, UINT64_C(0x922e4416869a5a1c)}},
    {"paths and entries", {UINT64_C(0xfdf81d11eb56a81), 0, UINT64_C(0xe2e1cdde2ff50fe7)}},
    /* clang-format on */
};

static void make(size_t device, uint64_t hash[KINDS])
{
    static struct fuzz_case c;

    for (uint64_t seed = 0; seed < devices[device].seeds; seed++) {
        size_t kind = 0;
        fuzz_make(&c, &devices[device].may, seed);
        while (kind + 1 < fuzz_kind_count && strcmp(fuzz_kinds[kind].name, c.kind) != 0)
            kind++;
        hash[kind] = add(hash[kind], c.head);
        for (unsigned i = 0; i < c.n; i++)
            hash[kind] = add(hash[kind], c.input[i]);
    }
}

Test(seeds, make_the_same_sequences_as_ever)
{
    uint64_t hash[DEVICES][KINDS] = {0};

    cr_assert_eq(fuzz_kind_count, KINDS);
    for (size_t d = 0; d < DEVICES; d++)
        make(d, hash[d]);
    for (size_t k = 0; k < KINDS; k++) {
        cr_expect_str_eq(rows[k].kind, fuzz_kinds[k].name);
        cr_expect(hash[0][k] == rows[k].hash[0] && hash[1][k] == rows[k].hash[1] && hash[2][k] == rows[k].hash[2],
                  "{\"%s\", {UINT64_C(0x%" PRIx64 "), UINT64_C(0x%" PRIx64 "), UINT64_C(0x%" PRIx64 ")}},",
                  fuzz_kinds[k].name, hash[0][k], hash[1][k], hash[2][k]);
    }
}

/* ---- predictions ---- */

/* Compares a line with the golden's, with the short forms of what most packets have in common. */
static void add_line(struct golden *g, const char *from, size_t n)
{
    const char *end = from + n;
    char line[GOLDEN_LINE];
    size_t used = 0;

    while (from < end) {
        const char *name = NULL;
        for (size_t i = 0; i < sizeof shorts / sizeof *shorts && !name; i++)
            if (strncmp(from, shorts[i].text, strlen(shorts[i].text)) == 0) {
                name = shorts[i].name;
                from += strlen(shorts[i].text);
            }
        cr_assert_lt(used + 16, sizeof line);
        if (name)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s", name);
        else
            line[used++] = *from++;
    }
    snprintf(line + used, sizeof line - used, "\n");
    golden_line(g, line);
}

/* Compares what the model predicts of the device's sequence. */
static void predict(struct golden *g, struct ibc_target *model, size_t device, uint64_t seed)
{
    static struct fuzz_case c;
    static char text[FUZZ_TEXT];
    char err[256] = "", line[64];

    fuzz_make(&c, &devices[device].may, seed);
    struct ibc_scenario *s = fuzz_predict(&c, model, text, err);
    snprintf(line, sizeof line, "== device %zu", device);
    add_line(g, line, strlen(line));
    for (const char *at = s ? text : err; *at; at += strcspn(at, "\n"), at += *at == '\n')
        add_line(g, at, strcspn(at, "\n"));
    ibc_free(s);
}

/* Sequences in which each kind of packet, completion and event comes, and each field of a packet on each link; 327 has
 * no prediction, since another seed gives another result. */
Test(seeds, have_the_same_predictions_as_ever)
{
    static const uint64_t all_can[] = {14,   76,   109,  170,  238,  327,  344,  365,  387,  542,
                                       558,  591,  595,  602,  617,  803,  807,  830,  878,  903,
                                       935,  1021, 1074, 1125, 1149, 1186, 1282, 1313, 1314, 1349,
                                       1374, 1416, 1498, 1583, 1603, 1613, 1742, 1754, 1914, 1951},
                          real[] = {2152, 2163, 2251, 2252, 2352, 2623};
    struct ibc_target *model = target("reference");
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/conformance/fuzz/test/seeds.golden");

    for (size_t i = 0; i < sizeof all_can / sizeof *all_can; i++)
        predict(&g, model, 0, all_can[i]);
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        predict(&g, model, 2, real[i]);
    golden_close(&g);
    ibc_target_close(model);
}
