/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a capture's time that is read: --from and --to. */
#ifndef DISSECT_WINDOW_H
#define DISSECT_WINDOW_H
#include <stdbool.h>
#include <stdint.h>

struct window_edge {
    bool set;
    bool after_first; /* ns count from the first packet of the captures, otherwise from 1970 */
    uint64_t ns;
};
struct window { /* all 0: the whole time */
    struct window_edge from, to;
};

/* Reads "2026-11-25", "2026-11-25T23:00:01.5" (local time; UTC with a Z at the end; a blank may replace the T),
 * "1764111600.5" (seconds since 1970) or "+10.5" (seconds after the first packet). False: the text is none of these. */
bool window_edge_parse(struct window_edge *e, const char *text);
/* Whether no time can be in the window, as far as that is known without a packet. */
bool window_is_empty(const struct window *w);
/* `from` is part of the window, `to` is not: windows that follow each other share no packet. */
bool window_has(const struct window *w, uint64_t first_ns, uint64_t ns);
#endif
