/* SPDX-License-Identifier: BSD-2-Clause */
/* AFL++'s custom mutator: a library for AFL_CUSTOM_MUTATOR_LIBRARY. IBFUZZ_FORM in the environment names the form of
 * inputs: "packet", "records", "file" or "command". */
#include <string.h>
#include "mutator.h"
#include "records.h"

enum { MOST = 1 << 20 };

struct state {
    struct iba_random random;
    enum fuzz_form form;
    uint8_t out[MOST];
    size_t at[FUZZ_MOST_RECORDS + 1], count, next; /* borders of the records of the input that AFL++ trims */
    uint8_t whole[MOST], less[MOST];
    size_t n;
    int32_t steps; /* the number of steps reported to AFL++ */
};

void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *state);
size_t afl_custom_fuzz(void *state, uint8_t *data, size_t n, uint8_t **out, uint8_t *other, size_t n_other,
                       size_t most);
int32_t afl_custom_init_trim(void *state, uint8_t *data, size_t n);
size_t afl_custom_trim(void *state, uint8_t **out);
int32_t afl_custom_post_trim(void *state, uint8_t good);

void *afl_custom_init(void *afl, unsigned seed)
{
    static const char *const names[] = {"bytes", "packet", "records", "file", "command"}; /* as in fuzz_target's row */
    struct state *s = calloc(1, sizeof *s);
    const char *form = getenv("IBFUZZ_FORM");

    (void)afl;
    if (!s)
        return NULL;
    iba_random_seed(&s->random, seed);
    for (s->form = FUZZ_BYTES; form && s->form < FUZZ_COMMAND && strcmp(form, names[s->form]) != 0;)
        s->form++;
    return s;
}

void afl_custom_deinit(void *state)
{
    free(state);
}

size_t afl_custom_fuzz(void *state, uint8_t *data, size_t n, uint8_t **out, uint8_t *other, size_t n_other, size_t most)
{
    struct state *s = state;

    most = most < MOST ? most : MOST;
    n = n < most ? n : most;
    *out = s->out;
    if (other && iba_random_below(&s->random, 8) == 0)
        n = fuzz_splice(s->form, &s->random, data, n, other, n_other < MOST ? n_other : MOST, s->out, most);
    else
        memcpy(s->out, data, n);
    return fuzz_mutate(s->form, &s->random, s->out, n, most);
}

/* ---- trimming: one record after the other is left out ---- */

int32_t afl_custom_init_trim(void *state, uint8_t *data, size_t n)
{
    struct state *s = state;

    s->next = 0;
    s->count = 1;
    s->steps = 0;
    if (s->form != FUZZ_RECORDS || n > MOST)
        return 0;
    memcpy(s->whole, data, n);
    s->n = n;
    s->count = fuzz_borders(s->whole, n, s->at, sizeof s->at / sizeof *s->at);
    s->steps = (int32_t)s->count - 1;
    return s->steps;
}

size_t afl_custom_trim(void *state, uint8_t **out)
{
    struct state *s = state;
    const size_t from = s->at[s->next], to = s->at[s->next + 1];

    memcpy(s->less, s->whole, from);
    memcpy(s->less + from, s->whole + to, s->n - to);
    *out = s->less;
    return s->n - (to - from);
}

/* A record that could be left out is removed; the next one then has its index. */
int32_t afl_custom_post_trim(void *state, uint8_t good)
{
    struct state *s = state;

    if (good) {
        s->n -= s->at[s->next + 1] - s->at[s->next];
        memcpy(s->whole, s->less, s->n);
        s->count = fuzz_borders(s->whole, s->n, s->at, sizeof s->at / sizeof *s->at);
    } else
        s->next++;
    return s->next + 1 >= s->count ? s->steps : (int32_t)s->next;
}
