/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/distance.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static bool word_ends(char c)
{
    return c == ',' || c == '\0';
}

unsigned name_distance(const char *a, const char *b, bool words)
{
    unsigned row[DISTANCE_BYTES + 1], least = UINT32_MAX;
    const size_t nb = strlen(b) < DISTANCE_BYTES ? strlen(b) : DISTANCE_BYTES;

    for (unsigned j = 0; j <= nb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= DISTANCE_BYTES && a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= nb; j++) {
            const unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < row[j] ? change : row[j];
            if (words && word_ends(a[i]) && word_ends(b[j]) && row[j] < least)
                least = row[j];
        }
    }
    return words ? least : row[nb];
}
