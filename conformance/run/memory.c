/* SPDX-License-Identifier: BSD-2-Clause */
/* The device's memory, pages, ports and counters. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/play.h"

enum { PIECE = 4096 };

/* ---- memory ---- */
static unsigned device_of(const struct ibc_step *s)
{
    return (unsigned)(ibc_arg_n(s->arg, s->n_arg, IBC_K_dut, 1) - 1) % IBC_DEVICES;
}

struct place {
    unsigned device;
    uint64_t at, n, off;           /* local address; number of bytes; offset in the region */
    const struct run_live *region; /* NULL: the line names an address without a region */
};

/* Finds the memory that a step names. Its length is that of the content; without content it extends to the end of
 * the region. */
static struct place place_of(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_arg *v = run_arg(s, IBC_K_value), *hex = run_arg(s, IBC_K_hex);
    struct place w = {.device = device_of(s)};
    const struct run_context c = {.device = (uint8_t)w.device, .local = true};

    w.at = run_value(p, &v->v[0], &c);
    w.region = v->v[0].kind == IBC_V_REF ? run_object_of(p, &v->v[0]) : NULL;
    if (w.region)
        w.off = w.at - w.region->mr[w.device].local;
    w.n = hex ? hex->v[0].n_bytes : run_has(s, IBC_K_u64) ? 8 : w.region ? w.region->length - w.off : 0;
    w.n = run_number(p, s, IBC_K_len, w.n, NULL);
    return w;
}

/* Writes byte i of n and its neighbours, such as " (02 03 [05] 07 ...)". */
static void show_about(char *out, size_t room, const uint8_t *bytes, size_t n, size_t i)
{
    enum { BEFORE = 4, BEHIND = 8 };
    const size_t from = i > BEFORE ? i - BEFORE : 0, end = n - i > BEHIND ? i + BEHIND : n;
    size_t used = (size_t)snprintf(out, room, " (%s", from > 0 ? "... " : "");

    for (size_t k = from; k < end && used < room; k++)
        used +=
            (size_t)snprintf(out + used, room - used, k == i ? "%s[%02x]" : "%s%02x", k > from ? " " : "", bytes[k]);
    if (used < room)
        snprintf(out + used, room - used, "%s)", end < n ? " ..." : "");
}

/* Whether byte i of these n differs from the expected one; `at` is the offset of the first byte in the whole
 * content. */
static bool differs(struct run_player *p, const struct ibc_step *s, uint64_t at, const uint8_t *want, const uint8_t *is,
                    size_t n, size_t i)
{
    char expected[RUN_TEXT], got[RUN_TEXT], about[80];

    show_about(about, sizeof about, want, n, i);
    snprintf(expected, sizeof expected, "byte %" PRIu64 " of the memory 0x%02x%s", at, want[i], n > 1 ? about : "");
    show_about(about, sizeof about, is, n, i);
    snprintf(got, sizeof got, "byte %" PRIu64 " of the memory 0x%02x%s", at, is[i], n > 1 ? about : "");
    return run_fail(p, s, NULL, expected, got);
}

bool run_memory_is(struct run_player *p, const struct ibc_step *s, unsigned device, uint64_t at, uint64_t n,
                   char letter, uint64_t off)
{
    for (uint64_t done = 0; done < n; done += PIECE) {
        const size_t piece = n - done < PIECE ? (size_t)(n - done) : PIECE;
        if (!run_did(p, s, p->t->ops->read_memory(p->t, device, at + done, p->payload, piece), "show its memory"))
            return false;
        const uint8_t *row = ibc_pattern_row(letter, off + done, piece);
        if (row && memcmp(row, p->payload, piece) == 0)
            continue;
        uint8_t want[PIECE];
        for (size_t i = 0; i < piece; i++)
            want[i] = ibc_pattern(letter, off + done + i);
        for (size_t i = 0; i < piece; i++)
            if (p->payload[i] != want[i])
                return differs(p, s, done + i, want, p->payload, piece, i);
    }
    return true;
}

static bool number_is(struct run_player *p, const struct ibc_step *s, const struct place *w, const struct ibc_arg *a)
{
    static const struct run_context none;
    uint64_t is;
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (!run_did(p, s, p->t->ops->read_memory(p->t, w->device, w->at, p->payload, sizeof is), "show its memory"))
        return false;
    memcpy(&is, p->payload, sizeof is);
    if (run_fits(p, a, is, &none))
        return true;
    snprintf(expected, sizeof expected, "memory 0x%" PRIx64, run_value(p, &a->v[0], &none));
    snprintf(got, sizeof got, "memory 0x%" PRIx64, is);
    return run_fail(p, s, NULL, expected, got);
}

static bool bytes_are(struct run_player *p, const struct ibc_step *s, const struct place *w, const struct ibc_value *v)
{
    const size_t n = v->n_bytes < sizeof p->payload ? v->n_bytes : sizeof p->payload;

    if (!run_did(p, s, p->t->ops->read_memory(p->t, w->device, w->at, p->payload, n), "show its memory"))
        return false;
    for (size_t i = 0; i < n; i++)
        if (p->payload[i] != v->bytes[i])
            return differs(p, s, i, v->bytes, p->payload, n, i);
    return true;
}

bool run_step_memory(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_arg *hex = run_arg(s, IBC_K_hex), *u64 = run_arg(s, IBC_K_u64), *fill = run_arg(s, IBC_K_fill);
    const struct place w = place_of(p, s);

    if (hex)
        return bytes_are(p, s, &w, &hex->v[0]);
    if (u64)
        return number_is(p, s, &w, u64);
    if (fill)
        return run_memory_is(p, s, w.device, w.at, w.n, (char)fill->v[0].n, fill->v[0].hi);
    if (!w.region)
        return run_error(p, s, "only a region's memory is known from the beginning");
    return run_memory_is(p, s, w.device, w.at, w.n, w.region->letter, w.off);
}

bool run_step_write(struct run_player *p, const struct ibc_step *s)
{
    const struct ibc_arg *hex = run_arg(s, IBC_K_hex), *u64 = run_arg(s, IBC_K_u64), *fill = run_arg(s, IBC_K_fill);
    const struct place w = place_of(p, s);

    for (uint64_t done = 0; done < w.n; done += PIECE) {
        const size_t piece = w.n - done < PIECE ? (size_t)(w.n - done) : PIECE;
        if (hex && hex->v[0].n_bytes >= done + piece)
            memcpy(p->payload, hex->v[0].bytes + done, piece);
        else if (u64)
            memcpy(p->payload, &u64->v[0].n, sizeof u64->v[0].n);
        for (size_t i = 0; fill && i < piece; i++)
            p->payload[i] = ibc_pattern((char)fill->v[0].n, fill->v[0].hi + done + i);
        if (!run_did(p, s, p->t->ops->write_memory(p->t, w.device, w.at + done, p->payload, piece), "write its memory"))
            return false;
    }
    return true;
}

bool run_step_page(struct run_player *p, const struct ibc_step *s)
{
    const struct place w = place_of(p, s);
    return run_did(p, s, p->t->ops->page(p->t, w.device, w.at, run_has(s, IBC_K_present)), "take pages away");
}

bool run_step_prefetch(struct run_player *p, const struct ibc_step *s)
{
    const struct place w = place_of(p, s);
    const struct run_context c = {.device = (uint8_t)w.device, .local = true};
    const struct ibc_prefetch a = {
        .at = w.at,
        .length = (uint32_t)w.n,
        .lkey = (uint32_t)run_number(p, s, IBC_K_lkey, w.region ? w.region->mr[w.device].lkey : 0, &c),
        .pd = run_domain_of(p, run_arg(s, IBC_K_pd))->id[w.device],
        .write = run_has(s, IBC_K_write),
        .no_fault = run_has(s, IBC_K_no_fault),
        .later = run_has(s, IBC_K_later),
    };

    return run_did_or(p, s, p->t->ops->prefetch(p->t, w.device, &a), "prefetch the pages");
}

/* ---- ports ---- */
static enum ibc_rc set_port(struct run_player *p, unsigned d, const struct ibc_arg *a)
{
    const struct ibc_target_ops *ops = p->t->ops;

    if (a->key != IBC_K_gid)
        return ops->set_port(p->t, d, (enum ibc_key)a->key, a->at, a->v[0].n);
    if (!ops->set_gid)
        return IBC_UNSUPPORTED;
    return ops->set_gid(p->t, d, a->at, a->v[0].kind == IBC_V_REF ? run_object_of(p, &a->v[0])->gid : a->v[0].bytes);
}

bool run_step_port(struct run_player *p, const struct ibc_step *s)
{
    const unsigned d = device_of(s);

    for (unsigned i = 0; i < s->n_arg; i++) {
        const struct ibc_arg *a = &s->arg[i];
        const uint64_t n = a->v[0].n;
        if (a->key == IBC_K_dut)
            continue;
        if (!run_did(p, s, set_port(p, d, a), "set its port"))
            return false;
        if (a->key == IBC_K_pkey && a->at < RUN_PKEYS)
            p->pkey[d][a->at] = (uint16_t)n;
    }
    return true;
}

/* ---- counters ---- */
static const struct ibc_counter *counter_named(const struct ibc_counter *c, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(c[i].name, name) == 0)
            return &c[i];
    return NULL;
}

/* Counters have a verdict of their own: a wrong counter fails no scenario. */
static void note_counter(struct run_player *p, const struct ibc_step *s, const char *expected, const char *got)
{
    struct ibc_finding *f = &p->counter_finding;

    if (p->counters == IBC_IS_FAIL)
        return;
    p->counters = IBC_IS_FAIL;
    f->line = s->line;
    snprintf(f->variation, sizeof f->variation, "%s", p->play->variation);
    snprintf(f->expected, sizeof f->expected, "%s", expected);
    snprintf(f->got, sizeof f->got, "%s", got);
}

bool run_step_counter(struct run_player *p, const struct ibc_step *s)
{
    static const struct run_context none;
    const struct ibc_arg *name = run_arg(s, IBC_K_name), *delta = run_arg(s, IBC_K_delta);
    struct ibc_counter now[IBC_MAX_COUNTERS];
    const unsigned n = p->t->ops->counters(p->t, 0, now);
    const struct ibc_counter *is = counter_named(now, n, run_word(&name->v[0]));
    const struct ibc_counter *was = counter_named(p->counter, p->n_counter, run_word(&name->v[0]));
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (!is || !was)
        return true;
    if (run_fits(p, delta, is->value - was->value, &none)) {
        if (p->counters == IBC_IS_NOT_APPLICABLE)
            p->counters = IBC_IS_PASS;
        return true;
    }
    snprintf(expected, sizeof expected, "%s +%" PRIu64, is->name, delta->v[0].n);
    snprintf(got, sizeof got, "%s +%" PRIu64, is->name, is->value - was->value);
    note_counter(p, s, expected, got);
    return true;
}
