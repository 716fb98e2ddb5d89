/* SPDX-License-Identifier: BSD-2-Clause */
/* Two broken adapters with one deviation each: whatever they send to each other, memory outside of their regions stays
 * unchanged. The first record selects the deviations; each of the others is a step of one adapter. */
#include "world.h"

const struct fuzz_target fuzz_target = {"changed", FUZZ_RECORDS, NULL};

enum { MOST_STEPS = 200 };

static struct iba_change change;
static struct iba_changed_rules rules;

static struct world_device changed_rule(enum iba_rule_table t, uint16_t row, uint8_t kind, uint8_t with)
{
    const uint16_t others = iba_rules_actions(t, row);

    if (!iba_rules_change(&rules, t, row, (enum iba_change_kind)(kind % (IBA_CHANGE_OTHER + 1)),
                          (uint16_t)(others ? with % others : 0)))
        return (struct world_device){.change = NULL};
    return (struct world_device){.rules = &rules.rules, .table = t};
}

/* Reads the number of a row from the input, counted over all tables and lists. A number beyond the last row means an
 * unbroken device. */
static struct world_device device(struct fuzz_in *in)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);
    uint16_t which = fuzz_u16(in);
    const uint8_t kind = fuzz_u8(in), with = fuzz_u8(in);

    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++, which = (uint16_t)(which - IBA_MAX_RULES))
        if (which < IBA_MAX_RULES)
            return changed_rule((enum iba_rule_table)t, which, kind, with);
    for (size_t i = 0; i < n; which = (uint16_t)(which - lists[i]->n), i++) {
        if (which >= lists[i]->n)
            continue;
        change = (struct iba_change){.list = lists[i], .row = which, .kind = kind % (IBA_CHANGE_OTHER + 1)};
        if (lists[i]->row[which].kinds >> change.kind & 1)
            return (struct world_device){.change = &change};
        break;
    }
    return (struct world_device){.change = NULL};
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n}, settings = in, body;
    struct world_device d = {.change = NULL};
    uint8_t kind;

    in.p += n < FUZZ_HEAD ? n : FUZZ_HEAD;
    in.n -= n < FUZZ_HEAD ? n : FUZZ_HEAD;
    if (fuzz_record(&in, &kind, &body))
        d = device(&body);
    struct world *w = world_open_as(&settings, 2, &d);
    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++, fuzz_steps++) {
        world_step(w, kind / WORLD_KINDS & 1, kind, &body);
        world_check(w);
    }
    world_close(w);
    return 0;
}
