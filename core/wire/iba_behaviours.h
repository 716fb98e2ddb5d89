/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns an X-macro LIST(B) of B(name, kinds, sentence, clause) into the rows of a list of behaviours (iba_change.h).
 * `kinds` is DROP, SWAP, OTHER, or several of them with | between. Only files that define such lists include this. */
#ifndef IBA_BEHAVIOURS_H
#define IBA_BEHAVIOURS_H
#include "wire/iba_change.h"

enum { DROP = 1 << IBA_CHANGE_DROP, SWAP = 1 << IBA_CHANGE_SWAP, OTHER = 1 << IBA_CHANGE_OTHER };

#define IBA_BEHAVIOUR_ROW(name_, kinds_, sentence_, clause_)                                                           \
    {.name = #name_, .sentence = sentence_, .clause = clause_, .kinds = (uint8_t)(kinds_)},
/* Defines the rows, and the list `id` that has them. */
#define IBA_BEHAVIOURS(id, title, LIST)                                                                                \
    static const struct iba_behaviour id##_rows[] = {LIST(IBA_BEHAVIOUR_ROW)};                                         \
    const struct iba_behaviours id = {title, id##_rows, sizeof id##_rows / sizeof *id##_rows};
#endif
