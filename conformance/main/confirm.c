/* SPDX-License-Identifier: BSD-2-Clause */
#include "confirm.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { ANY = INT_MAX };
/* clang-format off */
/* The least and the largest number of plays of each kind; the first row that matches decides. */
static const struct {
    struct { unsigned least, most; } n[PLAY_KINDS];
    unsigned plays; /* least number of plays of all kinds */
    enum confirm is;
} rows[] = {
    /* good      open      late      bad       down      proved    fault     plays */
    {{{0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {1, ANY}}, 0, CONFIRM_STANDS},
    {{{0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {1, ANY}, {0, ANY}}, 0, CONFIRM_STANDS},
    {{{0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {2, ANY}, {0, ANY}, {0, ANY}}, 0, CONFIRM_STANDS},
    {{{0, ANY}, {0, ANY}, {0, ANY}, {2, ANY}, {0, ANY}, {0, ANY}, {0, ANY}}, 0, CONFIRM_STANDS},
    /* the packet was late in each play */
    {{{0, ANY}, {0, ANY}, {5, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}}, 0, CONFIRM_STANDS},
    {{{1, ANY}, {0, ANY}, {0, 0},   {0, 0},   {0, 0},   {0, ANY}, {0, ANY}}, 0, CONFIRM_STANDS},
    /* the packet was in time in another play */
    {{{1, ANY}, {0, ANY}, {1, ANY}, {0, 0},   {0, 0},   {0, ANY}, {0, ANY}}, 0, CONFIRM_NOTED},
    {{{2, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, 0},   {0, ANY}, {0, ANY}}, 0, CONFIRM_NOTED},
    {{{2, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {1, ANY}, {0, ANY}, {0, ANY}}, 0, CONFIRM_OPEN},
    {{{0, 0},   {3, ANY}, {0, 0},   {0, 0},   {0, 0},   {0, ANY}, {0, ANY}}, 0, CONFIRM_STANDS},
    {{{0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}, {0, ANY}}, 5, CONFIRM_OPEN},
};
/* clang-format on */

enum confirm confirm(const struct plays *p)
{
    unsigned plays = 0;

    for (size_t k = 0; k < PLAY_KINDS; k++)
        plays += p->n[k];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool fits = plays >= rows[i].plays;
        for (size_t k = 0; k < PLAY_KINDS; k++)
            fits = fits && p->n[k] >= rows[i].n[k].least && p->n[k] <= rows[i].n[k].most;
        if (fits)
            return rows[i].is;
    }
    return CONFIRM_AGAIN;
}
