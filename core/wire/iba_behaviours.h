/* SPDX-License-Identifier: BSD-2-Clause */
/* For the files that hold lists of behaviours (iba_change.h): from an X-macro LIST(B) of B(name, kinds, sentence,
 * clause) to rows. `kinds` is DROP, SWAP, OTHER, or several with | between. Not for other files. */
#ifndef IBA_BEHAVIOURS_H
#define IBA_BEHAVIOURS_H
#include "wire/iba_change.h"

enum { DROP = 1 << IBA_CHANGE_DROP, SWAP = 1 << IBA_CHANGE_SWAP, OTHER = 1 << IBA_CHANGE_OTHER };

#define IBA_BEHAVIOUR_ROW(name_, kinds_, sentence_, clause_)                                                           \
    {.name = #name_, .sentence = sentence_, .clause = clause_, .kinds = (uint8_t)(kinds_)},
/* The rows and the list `id` of them. */
#define IBA_BEHAVIOURS(id, title, LIST)                                                                                \
    static const struct iba_behaviour id##_rows[] = {LIST(IBA_BEHAVIOUR_ROW)};                                         \
    const struct iba_behaviours id = {title, id##_rows, sizeof id##_rows / sizeof *id##_rows};
#endif
