/* SPDX-License-Identifier: BSD-2-Clause */
/* A broken device is a device with one thing changed. The behaviour that the architecture requires of a device stands
 * in lists: the rule tables (iba_rule.h), and for what is not decided packet by packet (what may be sent when, timers,
 * what a verb refuses, what a packet is given) the lists of behaviours that this header serves. A list is an X-macro
 * B(name, kinds, sentence, clause); the files named deviations_* say what a device does that leaves a row out, or does
 * it otherwise. An unbroken device has no change and pays for a pointer that is NULL. */
#ifndef IBA_CHANGE_H
#define IBA_CHANGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iba_change_kind {                  /* of a row; a row's kinds are a set of 1 << these */
                       IBA_CHANGE_DROP, /* the row is not there */
                       IBA_CHANGE_SWAP, /* it comes after its successor; in a table of numbers: the two are exchanged */
                       IBA_CHANGE_OTHER, /* it does something else; `with` says which, where there is a choice */
};
struct iba_behaviour {
    const char *name, *sentence, *clause; /* "a device ...": what it does; clause: catalogue ids, comma between */
    uint8_t kinds;                        /* 1 << enum iba_change_kind, those that make a different device */
};
struct iba_behaviours {
    const char *name; /* "requester", "queue pair states", ... */
    const struct iba_behaviour *row;
    uint16_t n;
};
struct iba_change { /* one row of one list */
    const struct iba_behaviours *list;
    uint16_t row, with;
    uint8_t kind; /* enum iba_change_kind */
};

/* Fast path: most devices are unchanged, and need one test for NULL. */
static inline bool iba_is_unbroken(const struct iba_change *c)
{
    return __builtin_expect(!c, 1);
}
/* The row is kept: false only in a device that has it left out. */
static inline bool iba_keeps(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    return iba_is_unbroken(c) || c->list != list || c->row != row || c->kind != IBA_CHANGE_DROP;
}
/* The row is done otherwise. */
static inline bool iba_deviates(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    return !iba_is_unbroken(c) && c->list == list && c->row == row && c->kind == IBA_CHANGE_OTHER;
}
/* The row that answers for `row` of a table of numbers. */
static inline unsigned iba_row_for(const struct iba_change *c, const struct iba_behaviours *list, unsigned row)
{
    if (iba_is_unbroken(c) || c->list != list || c->kind != IBA_CHANGE_SWAP)
        return row;
    return row == c->row ? row + 1u : row == c->row + 1u ? c->row : row;
}
/* The row of `list` that is changed, in a way in which it can be changed; -1: none of it. */
static inline int iba_changed_row(const struct iba_change *c, const struct iba_behaviours *list)
{
    return c && c->list == list && c->row < list->n && (list->row[c->row].kinds >> c->kind & 1) ? c->row : -1;
}

/* The same for whatever has the change of its device: an adapter, its ports, its memory. LIST and ROW are names. */
#define IBA_KEEPS(x, list, row) iba_keeps((x)->change, &iba_##list##_behaviours, IBA_ROW_##list##_##row)
#define IBA_DEVIATES(x, list, row) iba_deviates((x)->change, &iba_##list##_behaviours, IBA_ROW_##list##_##row)
/* The row of LIST that it has changed; -1: none of that. */
#define IBA_CHANGED_ROW(x, list) iba_changed_row((x)->change, &iba_##list##_behaviours)
/* A row of a table of refusals: where IS holds, what the row is in refuses with `result`. */
#define IBA_REFUSE(x, list, row, is, result)                                                                           \
    if ((is) && IBA_KEEPS(x, list, row))                                                                               \
        return result;
#endif
