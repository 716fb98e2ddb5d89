/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_values.h"
#include "iba_opcode.h"

#define IBA_VALUE_ROW(lo, hi, name) {lo, hi, name},
#define IBA_VALUE_ROWS(w) static const struct iba_value w##_rows[] = {IBA_##w##_VALUES(IBA_VALUE_ROW)};
IBA_VOCABULARIES(IBA_VALUE_ROWS)

static const struct {
    const struct iba_value *row;
    size_t n;
} vocabularies[IBA_VALUES_COUNT] = {
#define IBA_VOCABULARY_ROW(w) [IBA_VALUES_##w] = {w##_rows, sizeof w##_rows / sizeof *w##_rows},
    IBA_VOCABULARIES(IBA_VOCABULARY_ROW)};

const struct iba_value *iba_values(enum iba_vocabulary w, size_t *n)
{
    *n = vocabularies[w].n;
    return vocabularies[w].row;
}

const char *iba_value_name(enum iba_vocabulary w, uint64_t value)
{
    if (w == IBA_VALUES_OPCODE)
        return iba_opcode_title((uint8_t)value);
    for (size_t i = 0; i < vocabularies[w].n && vocabularies[w].row[i].lo <= value; i++)
        if (value <= vocabularies[w].row[i].hi)
            return vocabularies[w].row[i].name;
    return NULL;
}
