/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutants that send a wrong field: only that field is wrong. */
#include "targets/emit.h"
#include <stdlib.h>
#include <string.h>
#include "tour.h"

enum { SEED = 5 };

static struct tour *tour_of(const char *spec, enum ibc_link link)
{
    char err[200] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);
    struct tour *r;

    cr_assert_not_null(t, "%s: %s", spec, err);
    r = tour_run(t, link, SEED);
    ibc_target_close(t);
    return r;
}

static struct tour *truth[IBC_LINK_COUNT];

static void open_truth(void)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        truth[l] = tour_of("reference", (enum ibc_link)l);
}

static void close_truth(void)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        tour_free(truth[l]);
}

TestSuite(emit, .init = open_truth, .fini = close_truth, .timeout = 250);

Test(emit, the_tour_meets_every_class_on_every_link)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        for (unsigned k = EMIT_any + 1; k < EMIT_CLASS_COUNT; k++)
            if (k != EMIT_cnp || l != IBC_LINK_roce1) /* without congestion notification */
                cr_assert(truth[l]->classes >> k & 1, "no %s on %s", emit_class_words[k], l == 0 ? "link 0" : "a link");
}

static void view_of(const struct tour *r, unsigned i, struct iba_view *v)
{
    (void)iba_view_parse(v, r->framing, r->frame[i], r->len[i], r->len[i], NULL);
    iba_view_check(v);
}

/* Marks the bytes that may differ: those of the field, and those of the CRCs and checksums that cover the field. */
static void allow(const struct iba_view *v, const struct ref_emit *e, uint8_t *mask, size_t len)
{
    memset(mask, 0, len);
    if (e->where == EMIT_P_payload)
        mask[v->payload_at] = 0xff;
    else if (e->field)
        for (unsigned b = 0; b < e->field->bits; b++)
            mask[v->at[e->where] + (e->field->at + b) / 8] |= (uint8_t)(0x80 >> (e->field->at + b) % 8);
    if (iba_view_has(v, IBA_H_ipv4))
        memset(mask + v->at[IBA_H_ipv4] + 10, 0xff, 2);
    if (e->where != EMIT_P_vcrc && v->icrc != IBA_CHECK_ABSENT)
        memset(mask + v->end - IBA_ICRC_BYTES, 0xff, IBA_ICRC_BYTES);
    if (v->vcrc != IBA_CHECK_ABSENT)
        memset(mask + v->end, 0xff, IBA_VCRC_BYTES);
}

/* Checks the CRCs of the changed frame, with the packet view of the original one. */
static void crcs_are_good(const struct iba_view *of, const struct ref_emit *e, const uint8_t *frame, const char *spec)
{
    struct iba_view v = *of;

    v.wire = frame;
    if (e->where != EMIT_P_icrc && of->icrc == IBA_CHECK_GOOD)
        cr_assert_eq(iba_view_icrc(&v), iba_le32(frame + v.end - IBA_ICRC_BYTES), "%s: the ICRC", spec);
    if (e->where != EMIT_P_vcrc && of->vcrc == IBA_CHECK_GOOD)
        cr_assert_eq(iba_vcrc(frame, v.end), iba_le16(frame + v.end), "%s: the VCRC", spec);
}

static unsigned compare(const struct tour *a, const struct tour *b, const struct ref_emit *e, const char *spec)
{
    uint8_t mask[IBC_FRAME];
    unsigned changes = 0;

    cr_assert_eq(a->n, b->n, "%s: %u frames, not %u", spec, b->n, a->n);
    for (unsigned i = 0; i < a->n; i++) {
        struct iba_view v;
        view_of(a, i, &v);
        cr_assert_eq(a->len[i], b->len[i]);
        if (memcmp(a->frame[i], b->frame[i], a->len[i]) == 0)
            continue;
        changes++;
        cr_assert(e->klass == EMIT_any || e->klass == emit_class_of(&v), "%s changes another class", spec);
        allow(&v, e, mask, a->len[i]);
        for (size_t k = 0; k < a->len[i]; k++)
            cr_assert_eq((a->frame[i][k] ^ b->frame[i][k]) & ~mask[k], 0, "%s changes byte %zu of a %s", spec, k,
                         v.op ? v.op->title : "packet");
        crcs_are_good(&v, e, b->frame[i], spec);
    }
    return changes;
}

Test(emit, only_the_field_and_what_covers_it_changes)
{
    for (size_t i = 0; i < ibc_mutant_count(); i++) {
        struct ibc_mutant m;
        struct ref_emit e;
        unsigned changes = 0;
        cr_assert(ibc_mutant_at(i, &m));
        const char *name = m.spec + strlen("mutant:emit."), *end = strrchr(m.spec, '=');
        if (strncmp(m.spec, "mutant:emit.", 12) != 0)
            continue;
        cr_assert(emit_parse(&e, name, (size_t)(end - name), end + 1), "%s", m.spec);
        if (e.where == EMIT_P_packet)
            continue;
        for (unsigned l = 0; l < IBC_LINK_COUNT; l++) {
            struct tour *r = tour_of(m.spec, (enum ibc_link)l);
            changes += compare(truth[l], r, &e, m.spec);
            tour_free(r);
        }
        cr_assert_gt(changes, 0, "%s changes nothing", m.spec);
    }
}

static unsigned of_class(const struct tour *r, unsigned klass)
{
    unsigned n = 0;

    for (unsigned i = 0; i < r->n; i++) {
        struct iba_view v;
        view_of(r, i, &v);
        n += emit_class_of(&v) == klass;
    }
    return n;
}

Test(emit, all_but_the_first_packets_are_withheld)
{
    static const struct {
        const char *spec;
        enum emit_class klass;
        unsigned most;
    } c[] = {{"mutant:emit.ack/packet=-1", EMIT_ack, 1},
             {"mutant:emit.ack/packet=-2", EMIT_ack, 2},
             {"mutant:emit.nak/packet=-0", EMIT_nak, 0}};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct tour *r = tour_of(c[i].spec, IBC_LINK_roce2_ipv4);
        const unsigned whole = of_class(truth[IBC_LINK_roce2_ipv4], c[i].klass);
        cr_assert_gt(whole, c[i].most, "%s", c[i].spec);
        cr_assert_eq(of_class(r, c[i].klass), c[i].most, "%s", c[i].spec);
        tour_free(r);
    }
}
