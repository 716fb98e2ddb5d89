/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of deviations_cm.h as data. */
#include "cm/deviations_cm.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_cm_behaviours, "CM", IBA_CM_BEHAVIOURS)

#define FIELD_ROW(name_, message, layout, field, sentence_, clause_)                                                   \
    {.name = #name_, .sentence = sentence_, .clause = clause_, .kinds = OTHER},
static const struct iba_behaviour field_rows[] = {IBA_CM_FIELDS(FIELD_ROW)};
const struct iba_behaviours iba_cm_field_behaviours = {"CM field", field_rows, sizeof field_rows / sizeof *field_rows};
