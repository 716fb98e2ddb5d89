/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of behaviours, and the broken devices that they give. A broken device has one row of one list changed. The rule
 * tables (iba_rule.h) have the behaviour that is decided packet by packet. The lists of this header have all other
 * behaviour: when a packet may be sent, timers, which verbs are refused, which values a packet gets. A list is an
 * X-macro B(name, kinds, sentence, clause). The files deviations_* have what a device does that lacks a row, or does
 * something else instead. An unbroken device has no change, and pays for one test of a pointer. */
#ifndef IBA_CHANGE_H
#define IBA_CHANGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iba_change_kind { /* how a row is changed; the kinds that a row can have are a set of 1 << these */
                       IBA_CHANGE_DROP,  /* the device lacks the row */
                       IBA_CHANGE_SWAP,  /* the row comes after its successor; in a table of numbers the two rows are
                                            exchanged */
                       IBA_CHANGE_OTHER, /* the row does something else */
};
struct iba_behaviour {
    const char *name, *sentence,
        *clause;   /* sentence: continues "a device ..."; clause: catalogue ids with commas between */
    uint8_t kinds; /* set of 1 << enum iba_change_kind: the changes that make a different device */
};
struct iba_behaviours {
    const char *name; /* "requester", "queue pair states", ... */
    const struct iba_behaviour *row;
    uint16_t n;
};
struct iba_change { /* the changed row of a broken device */
    const struct iba_behaviours *list;
    uint16_t row;
    uint8_t kind; /* enum iba_change_kind */
};

/* Most devices are unbroken, so this is the fast path: one test for NULL. */
static inline bool iba_is_unbroken(const struct iba_change *c)
{
    return __builtin_expect(!c, 1);
}
/* Returns whether the device has the row; false only in a broken device that lacks it. */
static inline bool iba_keeps(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    return iba_is_unbroken(c) || c->list != list || c->row != row || c->kind != IBA_CHANGE_DROP;
}
/* Returns whether the device does something else than the row. */
static inline bool iba_deviates(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    return !iba_is_unbroken(c) && c->list == list && c->row == row && c->kind == IBA_CHANGE_OTHER;
}
/* Returns the row that acts in place of `row` in a table: another one if the device has `row` swapped. */
static inline unsigned iba_row_for(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    if (iba_is_unbroken(c) || c->list != list || c->kind != IBA_CHANGE_SWAP)
        return row;
    return row == c->row ? row + 1u : row == c->row + 1u ? c->row : row;
}
/* Returns the row of `list` that is changed, by a kind that the row can have; -1: no row of `list` is. */
static inline int iba_changed_row(const struct iba_change *c, const struct iba_behaviours *list)
{
    return c && c->list == list && c->row < list->n && (list->row[c->row].kinds >> c->kind & 1) ? c->row : -1;
}

/* iba_keeps() for any structure with a member `change`: an adapter, a port, a memory. `list` and `row` are names. */
#define IBA_KEEPS(x, list, row) iba_keeps((x)->change, &iba_##list##_behaviours, IBA_ROW_##list##_##row)
#define IBA_DEVIATES(x, list, row) iba_deviates((x)->change, &iba_##list##_behaviours, IBA_ROW_##list##_##row)
/* iba_changed_row() for a structure with a member `change`. `list` is a name. */
#define IBA_CHANGED_ROW(x, list) iba_changed_row((x)->change, &iba_##list##_behaviours)
/* A row of a table of refusals: if `is` holds, the function that has the row returns `result`. */
#define IBA_REFUSE(x, list, row, is, result)                                                                           \
    if ((is) && IBA_KEEPS(x, list, row))                                                                               \
        return result;
#endif
