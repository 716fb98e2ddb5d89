/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines about the device's memory: which bytes the runner writes and reads, piece by piece, and how it names one that
 * is wrong. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "player.h"

enum { PIECE = 4096, ROOM = 3 * PIECE, UNTOUCHED = 0xee, REGION = 3, ARGS = 4 };
static const uint64_t base[IBC_DEVICES] = {0x100000, 0x200000};
static uint8_t memory[IBC_DEVICES][ROOM];
static char calls[400];
static unsigned fails_at; /* the call that fails; 0: none */
static unsigned n_call;
static struct ibc_object objects[REGION + 1];
static const struct ibc_scenario scenario;
static const struct ibc_play play = {.scenario = &scenario, .variation = "", .object = objects, .n_object = REGION + 1};

static enum ibc_rc called(const char *what, unsigned d, uint64_t at, size_t n)
{
    const size_t used = strlen(calls);

    cr_assert(d < IBC_DEVICES && at >= base[d] && at - base[d] + n <= ROOM, "%s %u %llx %zu", what, d,
              (unsigned long long)at, n);
    (void)snprintf(calls + used, sizeof calls - used, "%s %u+%llu:%zu\n", what, d, (unsigned long long)(at - base[d]),
                   n);
    return ++n_call == fails_at ? IBC_DEAD : IBC_OK;
}

static enum ibc_rc read_memory(struct ibc_target *t, unsigned d, uint64_t at, uint8_t *out, size_t n)
{
    const enum ibc_rc rc = called("read", d, at, n);

    (void)t;
    memcpy(out, &memory[d][at - base[d]], n);
    return rc;
}

static enum ibc_rc write_memory(struct ibc_target *t, unsigned d, uint64_t at, const uint8_t *in, size_t n)
{
    const enum ibc_rc rc = called("write", d, at, n);

    (void)t;
    memcpy(&memory[d][at - base[d]], in, n);
    return rc;
}

static void begin(void)
{
    player_begin();
    ops.read_memory = read_memory;
    ops.write_memory = write_memory;
    p->play = &play;
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        p->live[REGION].mr[d].local = base[d];
    p->live[REGION].length = ROOM;
    p->live[REGION].letter = 'r';
}

TestSuite(memory, .init = begin, .fini = player_end);

static void forget(void)
{
    memset(memory, UNTOUCHED, sizeof memory);
    memset(p->payload, 0x55, sizeof p->payload); /* of an earlier line */
    calls[0] = '\0';
    n_call = 0;
    p->verdict = IBC_IS_PASS;
    p->died = p->unwell = false;
    p->finding = (struct ibc_finding){.line = 0};
}

/* ---- lines ---- */

static struct ibc_arg args[ARGS];

/* A line about the memory at that offset of the region, of device 1 or 2. Its content is added to it. */
static struct ibc_step line(uint64_t at, unsigned dut)
{
    args[0] = (struct ibc_arg){
        .key = IBC_K_value, .n = 1, .v = {{.kind = IBC_V_REF, .object = REGION, .attr = IBC_A_va, .op = '+', .n = at}}};
    args[1] = (struct ibc_arg){.key = IBC_K_dut, .n = 1, .v = {NUMBER(dut)}};
    return (struct ibc_step){.arg = args, .n_arg = 2, .line = 9, .text = "the line"};
}

static struct ibc_step length(struct ibc_step s, uint64_t n)
{
    args[s.n_arg++] = (struct ibc_arg){.key = IBC_K_len, .n = 1, .v = {NUMBER(n)}};
    return s;
}

static struct ibc_step filled(struct ibc_step s, char letter, uint64_t off)
{
    args[s.n_arg++] =
        (struct ibc_arg){.key = IBC_K_fill, .n = 1, .v = {{.kind = IBC_V_PATTERN, .n = (uint64_t)letter, .hi = off}}};
    return s;
}

static struct ibc_step bytes(struct ibc_step s, const uint8_t *b, uint32_t n)
{
    args[s.n_arg++] =
        (struct ibc_arg){.key = IBC_K_hex, .n = 1, .v = {{.kind = IBC_V_BYTES, .bytes = b, .n_bytes = n}}};
    return s;
}

static struct ibc_step eight(struct ibc_step s, uint64_t n)
{
    args[s.n_arg++] = (struct ibc_arg){.key = IBC_K_u64, .n = 1, .v = {NUMBER(n)}};
    return s;
}

/* ---- writing ---- */

static const struct {
    uint64_t n;
    const char *calls;
} lengths[] = {
    {1, "0+7:1\n"},
    {4095, "0+7:4095\n"},
    {4096, "0+7:4096\n"},
    {4097, "0+7:4096\n0+4103:1\n"},
    {8191, "0+7:4096\n0+4103:4095\n"},
    {8192, "0+7:4096\n0+4103:4096\n"},
    {8193, "0+7:4096\n0+4103:4096\n0+8199:1\n"},
};

/* Whether exactly these calls of that verb came. */
static bool were(const char *verb, const char *want)
{
    const char *is = calls;

    while (*want && strncmp(is, verb, strlen(verb)) == 0) {
        const size_t n = strcspn(want, "\n") + 1;
        is += strlen(verb);
        if (strncmp(is, want, n) != 0)
            return false;
        is += n;
        want += n;
    }
    return !*want && !*is;
}

Test(memory, a_pattern_is_written)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const struct ibc_step s = filled(length(line(7, 1), lengths[i].n), 'w', 5);
        forget();
        cr_assert(run_step_write(p, &s));
        cr_expect(were("write ", lengths[i].calls), "%llu bytes: %s", (unsigned long long)lengths[i].n, calls);
        for (size_t k = 0; k < ROOM; k++)
            cr_assert_eq(memory[0][k], k >= 7 && k < 7 + lengths[i].n ? ibc_pattern('w', 5 + k - 7) : UNTOUCHED,
                         "%llu bytes: byte %zu", (unsigned long long)lengths[i].n, k);
        cr_expect_eq(memory[1][7], UNTOUCHED);
    }
}

Test(memory, bytes_are_written)
{
    static uint8_t b[8193];

    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (uint8_t)(i * 7 + i / 256);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const struct ibc_step s = bytes(line(7, 1), b, (uint32_t)lengths[i].n);
        forget();
        cr_assert(run_step_write(p, &s));
        cr_expect(were("write ", lengths[i].calls), "%llu bytes: %s", (unsigned long long)lengths[i].n, calls);
        cr_expect_eq(memcmp(memory[0] + 7, b, lengths[i].n), 0);
        cr_expect(memory[0][6] == UNTOUCHED && memory[0][7 + lengths[i].n] == UNTOUCHED);
    }
    const struct ibc_step fewer = length(bytes(line(0, 2), b, 5), 3);
    forget();
    cr_assert(run_step_write(p, &fewer));
    cr_expect_str_eq(calls, "write 1+0:3\n");
    cr_expect(memcmp(memory[1], b, 3) == 0 && memory[1][3] == UNTOUCHED);
}

/* Eight bytes in the order of the machine; those of another device stay. */
Test(memory, a_number_is_written)
{
    const struct ibc_step s = eight(line(16, 2), UINT64_C(0x1122334455667788));
    uint64_t is;

    forget();
    cr_assert(run_step_write(p, &s));
    cr_expect_str_eq(calls, "write 1+16:8\n");
    memcpy(&is, memory[1] + 16, sizeof is);
    cr_expect_eq(is, UINT64_C(0x1122334455667788));
    cr_expect(memory[1][15] == UNTOUCHED && memory[1][24] == UNTOUCHED && memory[0][16] == UNTOUCHED);
}

Test(memory, a_device_that_dies)
{
    const struct ibc_step s = filled(length(line(0, 1), 2 * PIECE + 1), 'w', 0);

    (void)snprintf(target.fault, sizeof target.fault, "it has gone");
    for (fails_at = 1; fails_at <= 3; fails_at++) {
        forget();
        cr_expect_not(run_step_write(p, &s));
        cr_expect_eq(n_call, fails_at, "it is asked no more");
        cr_expect_str_eq(p->finding.expected, "write its memory");
        cr_expect(strcmp(p->finding.got, "it has gone") == 0 && p->verdict == IBC_IS_FAIL && p->finding.line == 9);
        forget();
        for (size_t k = 0; k < ROOM; k++)
            memory[0][k] = ibc_pattern('w', k);
        cr_expect_not(run_step_memory(p, &s));
        cr_expect_eq(n_call, fails_at);
        cr_expect_str_eq(p->finding.expected, "show its memory");
    }
    fails_at = 1;
    static const uint8_t b[2];
    const struct ibc_step hex = bytes(line(0, 1), b, 2);
    forget();
    cr_expect_not(run_step_memory(p, &hex));
    const struct ibc_step u64 = eight(line(0, 1), 1);
    forget();
    cr_expect_not(run_step_memory(p, &u64));
    cr_expect_str_eq(p->finding.expected, "show its memory");
    fails_at = 0;
}

/* ---- comparing ---- */

Test(memory, each_wrong_byte_is_seen)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint64_t n = lengths[i].n;
        const uint64_t at[] = {0, 1, n / 2, PIECE - 1, PIECE, 2 * PIECE - 1, 2 * PIECE, n - 1, n};
        const struct ibc_step s = filled(length(line(7, 1), n), 'x', 3);
        forget();
        for (size_t k = 0; k < ROOM; k++)
            memory[0][k] = ibc_pattern('x', 3 + k - 7);
        cr_expect(run_step_memory(p, &s) && p->verdict == IBC_IS_PASS);
        cr_expect(were("read ", lengths[i].calls), "%llu bytes: %s", (unsigned long long)n, calls);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            char begins[80];
            const uint8_t want = ibc_pattern('x', 3 + at[k]);
            p->verdict = IBC_IS_PASS;
            memory[0][7 + at[k]] ^= 0x40;
            cr_expect_eq(run_step_memory(p, &s), at[k] >= n, "%llu bytes: byte %llu", (unsigned long long)n,
                         (unsigned long long)at[k]);
            (void)snprintf(begins, sizeof begins, "byte %llu of the memory 0x%02x", (unsigned long long)at[k],
                           want ^ 0x40);
            cr_expect(at[k] >= n || strncmp(p->finding.got, begins, strlen(begins)) == 0, "%s", p->finding.got);
            memory[0][7 + at[k]] ^= 0x40;
        }
    }
}

/* The bytes around the wrong one are shown, four before it and seven after it. */
Test(memory, a_wrong_byte_and_its_neighbours)
{
    static const struct {
        uint32_t n;
        unsigned wrong;
        const char *about; /* the wrong byte is in brackets */
    } rows[] = {
        {1, 0, ""},
        {2, 0, " ([] 01)"},
        {2, 1, " (00 [])"},
        {8, 0, " ([] 01 02 03 04 05 06 07)"},
        {9, 0, " ([] 01 02 03 04 05 06 07 ...)"},
        {16, 3, " (00 01 02 [] 04 05 06 07 08 09 0a ...)"},
        {16, 4, " (00 01 02 03 [] 05 06 07 08 09 0a 0b ...)"},
        {16, 5, " (... 01 02 03 04 [] 06 07 08 09 0a 0b 0c ...)"},
        {16, 7, " (... 03 04 05 06 [] 08 09 0a 0b 0c 0d 0e ...)"},
        {16, 8, " (... 04 05 06 07 [] 09 0a 0b 0c 0d 0e 0f)"},
        {16, 15, " (... 0b 0c 0d 0e [])"},
    };
    static const uint8_t b[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_step s = bytes(line(0, 1), b, rows[i].n);
        const int before = (int)(strcspn(rows[i].about, "[]") + (rows[i].about[0] != '\0'));
        const char *after = rows[i].about + before;
        char expected[RUN_TEXT], got[RUN_TEXT];
        forget();
        memcpy(memory[0], b, sizeof b);
        cr_expect(run_step_memory(p, &s));
        memory[0][rows[i].wrong] = 0xf7;
        cr_expect_not(run_step_memory(p, &s));
        for (unsigned k = 0; k < 2; k++) {
            char byte[3] = "";
            if (rows[i].n > 1)
                (void)snprintf(byte, sizeof byte, "%02x", k ? 0xf7 : rows[i].wrong);
            (void)snprintf(k ? got : expected, RUN_TEXT, "byte %u of the memory 0x%02x%.*s%s%s", rows[i].wrong,
                           k ? 0xf7 : rows[i].wrong, before, rows[i].about, byte, after);
        }
        cr_expect_str_eq(p->finding.expected, expected, "%s", p->finding.expected);
        cr_expect_str_eq(p->finding.got, got, "%s", p->finding.got);
    }
}

/* Without a content, a line is about the rest of its region, as that was filled at first. */
Test(memory, the_rest_of_a_region)
{
    const struct ibc_arg value = {.key = IBC_K_value, .n = 1, .v = {NUMBER(0x100000)}};
    const struct ibc_step no_region = {.arg = &value, .n_arg = 1, .text = "the line"};

    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        const struct ibc_step s = line(ROOM - 100, d + 1);
        forget();
        for (size_t k = 0; k < 100; k++)
            memory[d][ROOM - 100 + k] = ibc_pattern('r', ROOM - 100 + k);
        cr_expect(run_step_memory(p, &s), "%s", p->finding.got);
        cr_expect_str_eq(calls, d ? "read 1+12188:100\n" : "read 0+12188:100\n", "%s", calls);
        memory[d][ROOM - 1] ^= 1;
        cr_expect_not(run_step_memory(p, &s));
        const struct ibc_step most = length(s, 99);
        p->verdict = IBC_IS_PASS;
        cr_expect(run_step_memory(p, &most), "%s", p->finding.got);
    }
    forget();
    cr_expect_not(run_step_memory(p, &no_region));
    cr_expect(p->verdict == IBC_IS_ERROR && n_call == 0);
    cr_expect_str_eq(p->finding.got, "only a region's memory is known from the beginning");
}
