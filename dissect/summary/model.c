/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "summary/summary.h"
#include "track/addr.h"

#define KEY(id, key) key,
const char *const summary_count_keys[SUMMARY_COUNT] = {SUMMARY_COUNTS(KEY)};
const char *const summary_side_keys[SUMMARY_SIDE_COUNT] = {SUMMARY_SIDE_COUNTS(KEY)};
#undef KEY

struct summary *summary_open(void)
{
    return calloc(1, sizeof(struct summary));
}

bool summary_take_sample(struct summary *s, const struct sample *sample)
{
    const bool same =
        sample_is_one(sample) == sample_is_one(&s->sample) &&
        (!sample_is_one(sample) || (sample->one_in == s->sample.one_in && sample->seed == s->sample.seed));

    if (s->any_sample && !same)
        return false;
    s->sample = *sample;
    s->any_sample = true;
    return true;
}

void summary_clear(struct summary *s)
{
    for (unsigned i = 0; i < IBA_OPERATION_COUNT; i++)
        for (unsigned k = 0; k < TIMES_SIZES; k++)
            free(s->times[i][k].count);
    for (uint32_t i = 0; i < s->n_text; i++)
        free(s->text[i]);
    free(s->text);
    free(s->text_slot);
    free(s->capture);
    free(s->part);
    free(s->value);
    memset(s, 0, sizeof *s);
}

void summary_free(struct summary *s)
{
    if (s)
        summary_clear(s);
    free(s);
}

/* Ensures that one more item fits. False: out of memory; then s->failed is set. */
static bool room(struct summary *s, void **items, size_t n, size_t *have, size_t bytes)
{
    enum { LEAST = 64 };

    if (n < *have)
        return true;
    const size_t want = *have ? 2 * *have : (size_t)LEAST;
    void *more = realloc(*items, want * bytes);
    if (!more) {
        s->failed = true;
        return false;
    }
    *items = more;
    *have = want;
    return true;
}

/* ---- texts ---- */

static size_t slot_of(const struct summary *s, const char *text)
{
    size_t at = (size_t)stat_hash(text, strlen(text)) & (s->text_slots - 1);

    while (s->text_slot[at] && strcmp(s->text[s->text_slot[at] - 1], text) != 0)
        at = (at + 1) & (s->text_slots - 1);
    return at;
}

/* Makes the table larger, so that at least half of it stays free. */
static bool widen_texts(struct summary *s)
{
    enum { LEAST = 128 };

    if (2 * ((size_t)s->n_text + 1) <= s->text_slots)
        return true;
    const size_t slots = s->text_slots ? 2 * s->text_slots : (size_t)LEAST;
    uint32_t *wider = calloc(slots, sizeof *wider);
    if (!wider)
        return false;
    free(s->text_slot);
    s->text_slot = wider;
    s->text_slots = slots;
    for (uint32_t i = 0; i < s->n_text; i++)
        s->text_slot[slot_of(s, s->text[i])] = i + 1;
    return true;
}

uint32_t summary_text(struct summary *s, const char *text)
{
    size_t have = s->room_text;

    if (!widen_texts(s)) {
        s->failed = true;
        return 0;
    }
    const size_t at = slot_of(s, text);
    if (s->text_slot[at])
        return s->text_slot[at] - 1;
    if (!room(s, (void **)&s->text, s->n_text, &have, sizeof *s->text))
        return 0;
    s->room_text = (uint32_t)have;
    s->text[s->n_text] = strdup(text);
    if (!s->text[s->n_text]) {
        s->failed = true;
        return 0;
    }
    s->text_slot[at] = ++s->n_text;
    return s->n_text - 1;
}

void summary_add_capture(struct summary *s, const struct summary_capture *c)
{
    s->failed |= s->n_capture == SUMMARY_CAPTURES;
    if (!s->failed && room(s, (void **)&s->capture, s->n_capture, &s->room_capture, sizeof *s->capture))
        s->capture[s->n_capture++] = *c;
}

/* ---- buckets of time ---- */

/* The index of the bucket, or of the place where it must be inserted. */
static size_t bucket_at(const struct summary *s, uint64_t at)
{
    size_t lo = 0, hi = s->n_bucket;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (s->bucket[mid].at < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void add_counts(struct summary_bucket *to, const uint64_t count[SUMMARY_BUCKET_COUNTS])
{
    for (unsigned i = 0; i < SUMMARY_BUCKET_COUNTS; i++)
        to->count[i] = summary_sum(to->count[i], count[i]);
}

static void widen_buckets(struct summary *s)
{
    size_t n = 0;

    s->doublings++;
    for (size_t i = 0; i < s->n_bucket; i++) {
        const struct summary_bucket b = s->bucket[i];
        if (n > 0 && s->bucket[n - 1].at == b.at / 2)
            add_counts(&s->bucket[n - 1], b.count);
        else {
            s->bucket[n] = b;
            s->bucket[n++].at = b.at / 2;
        }
    }
    s->n_bucket = n;
    s->last_bucket = 0;
}

void summary_add_bucket(struct summary *s, unsigned doublings, uint64_t at, const uint64_t count[SUMMARY_BUCKET_COUNTS])
{
    while (s->doublings < doublings)
        widen_buckets(s);
    at = s->doublings - doublings < 64 ? at >> (s->doublings - doublings) : 0;
    size_t i = s->last_bucket;
    if (i >= s->n_bucket || s->bucket[i].at != at)
        i = bucket_at(s, at);
    if (i == s->n_bucket || s->bucket[i].at != at) {
        memmove(&s->bucket[i + 1], &s->bucket[i], (s->n_bucket - i) * sizeof s->bucket[0]);
        s->bucket[i] = (struct summary_bucket){.at = at};
        s->n_bucket++;
    }
    add_counts(&s->bucket[i], count);
    s->last_bucket = i;
    while (s->n_bucket > SUMMARY_BUCKETS)
        widen_buckets(s);
}

/* ---- findings and times ---- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static bool is_before(const struct summary *s, const struct summary_packet *a, const struct summary_packet *b)
{
    int order = compare(a->ns, b->ns);

    order = order ? order : strcmp(s->text[a->host], s->text[b->host]);
    order = order ? order : strcmp(s->text[a->file], s->text[b->file]);
    return order ? order < 0 : a->number < b->number;
}

void summary_add_first(struct summary *s, unsigned kind, const struct summary_packet *p)
{
    struct summary_finding *f = &s->finding[kind];
    unsigned at = f->n;

    if (s->failed)
        return;
    while (at > 0 && is_before(s, p, &f->first[at - 1]))
        at--;
    if (at == SUMMARY_FIRST)
        return;
    f->n += f->n < SUMMARY_FIRST;
    memmove(&f->first[at + 1], &f->first[at], (f->n - 1 - at) * sizeof *p);
    f->first[at] = *p;
}

uint64_t *summary_classes(struct summary *s, struct summary_times *t)
{
    if (!t->count)
        t->count = calloc(TIMES_CLASSES, sizeof *t->count);
    s->failed |= !t->count;
    return t->count;
}

/* ---- connections ---- */

void summary_add_part(struct summary *s, const struct summary_part *p, const struct summary_sides *sides)
{
    struct summary_part part = *p;

    part.values = s->n_value;
    part.n_value = 0;
    s->failed |= s->n_part == SUMMARY_PARTS;
    for (unsigned i = 0; i < 2 * SUMMARY_SIDE; i++) {
        const uint64_t value = sides->at[i / SUMMARY_SIDE][i % SUMMARY_SIDE];
        if (value == 0)
            continue;
        if (s->failed || !room(s, (void **)&s->value, s->n_value, &s->room_value, sizeof *s->value))
            return;
        s->value[s->n_value++] = (struct summary_value){i, value};
        part.n_value++;
    }
    if (!s->failed && room(s, (void **)&s->part, s->n_part, &s->room_part, sizeof *s->part))
        s->part[s->n_part++] = part;
}

void summary_sides_of(const struct summary *s, const struct summary_part *p, struct summary_sides *sides)
{
    memset(sides, 0, sizeof *sides);
    for (size_t i = p->values; i < p->values + p->n_value; i++)
        sides->at[s->value[i].place / SUMMARY_SIDE][s->value[i].place % SUMMARY_SIDE] = s->value[i].value;
}

void summary_set_end(struct summary_ends *e, unsigned which, const uint8_t addr[IBA_ADDR_MOST], bool known,
                     uint32_t qpn)
{
    uint8_t *to = e->key + 2 + which * SUMMARY_END;

    memcpy(to, addr, IBA_ADDR_MOST);
    to += IBA_ADDR_MOST;
    *to++ = known;
    *to++ = known ? (uint8_t)(qpn >> 16) : 0;
    *to++ = known ? (uint8_t)(qpn >> 8) : 0;
    *to = known ? (uint8_t)qpn : 0;
}

bool summary_ends_order(struct summary_ends *e)
{
    uint8_t one[SUMMARY_END], *a = e->key + 2, *b = a + SUMMARY_END;

    if (memcmp(a, b, SUMMARY_END) <= 0)
        return false;
    memcpy(one, a, sizeof one);
    memcpy(a, b, sizeof one);
    memcpy(b, one, sizeof one);
    return true;
}
