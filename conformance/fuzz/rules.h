/* SPDX-License-Identifier: BSD-2-Clause */
/* How rows of rules are written. */
#ifndef IBC_FUZZ_RULES_H
#define IBC_FUZZ_RULES_H
#include "grammar.h"

/* clang-format off */
#define ANY(name, text)          {name, 0, FUZZ_ANY, text}
#define IF(name, cap, text)      {name, FUZZ_CAP(cap), FUZZ_ANY, text}
#define ON(name, links, text)    {name, 0, FUZZ_##links, text}
/* clang-format on */
#endif
