/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the field that is meant by a name that no field has. */
#include <stdio.h>
#include <string.h>
#include "field/distance.h"
#include "field/field.h"
#include "field/foreign.h"

/* A longer part of a name before its first dot is taken for unlike all others. */
enum { HEAD_BYTES = 96 };

/* The most wrong letters in a slip. A name of which more than a third is wrong is another name. */
static unsigned slips(size_t letters)
{
    return letters < 3 ? 1 : (unsigned)(letters / 3);
}

/* Whether the parts of the names before the first dot differ by a slip at most: tcp.port is not udp.port. */
static bool same_head(const char *a, const char *b)
{
    const size_t na = strcspn(a, "."), nb = strcspn(b, ".");
    char x[HEAD_BYTES], y[HEAD_BYTES];

    if (na >= sizeof x || nb >= sizeof y)
        return false;
    (void)snprintf(x, sizeof x, "%.*s", (int)na, a);
    (void)snprintf(y, sizeof y, "%.*s", (int)nb, b);
    return name_distance(x, y, false) <= slips(na);
}

/* The edit distance of the names if it is less than `least`, else any value that is not. The distance is at least the
 * difference of the lengths, so names of very different lengths are not compared. */
static unsigned nearer(const char *name, const char *known, unsigned least)
{
    const size_t a = strlen(name), b = strlen(known);

    if ((a > b ? a - b : b - a) >= least || !same_head(name, known))
        return least;
    return name_distance(name, known, false);
}

/* Whether `known` begins with the name, and the name lacks only the end of the last word, of which it has two letters
 * at least: "frame.tim" of "frame.time_ns". */
static bool cut_short(const char *name, const char *known)
{
    const size_t len = strlen(name);
    const char *word = strrchr(name, '.');

    return word && strlen(word + 1) >= 2 && strncmp(known, name, len) == 0 && known[len] && !strchr(known + len, '.');
}

/* The shortest field whose name ends with this one after a dot, or from which this one is cut short: "psn" finds
 * "infiniband.bth.psn", "frame.tim" finds "frame.time_ns". */
static const char *field_with_part(const char *name)
{
    size_t n, len = strlen(name);
    const struct field *f = field_all(&n);
    const char *best = NULL;

    for (size_t i = 0; len > 0 && i < n; i++) {
        const size_t of = strlen(f[i].name);
        const bool ends = of > len && f[i].name[of - len - 1] == '.' && strcmp(f[i].name + of - len, name) == 0;
        if ((ends || cut_short(name, f[i].name)) && (!best || of < strlen(best)))
            best = f[i].name;
    }
    return best;
}

/* The field whose name is nearest, of ours and of tshark's that something of ours replaces. */
static const char *field_like(const char *name)
{
    enum { PREFIX = sizeof FIELD_PREFIX - 1 };
    size_t n;
    const struct field *f = field_all(&n);
    const char *best = NULL, *foreign;
    unsigned least = slips(strlen(name)) + 1;

    for (size_t i = 0; i < n && least > 0; i++) {
        const bool ours = strncmp(f[i].name, FIELD_PREFIX, PREFIX) == 0;
        unsigned d = nearer(name, f[i].name, least);
        const unsigned bare = ours ? nearer(name, f[i].name + PREFIX, least) : d;
        d = bare < d ? bare : d;
        if (d < least) {
            least = d;
            best = f[i].name;
        }
    }
    for (size_t i = 0; (foreign = foreign_name(i)) && least > 0; i++) {
        const unsigned d = strchr(foreign, '.') ? nearer(name, foreign, least) : least; /* else no name of a field */
        if (d < least) {
            least = d;
            best = foreign;
        }
    }
    return best;
}

void field_unknown(char *out, size_t room, const char *name)
{
    const char *instead = foreign_instead(name), *near = field_with_part(name);

    if (instead) {
        (void)snprintf(out, room, "no field \"%s\"; %s", name, instead);
        return;
    }
    if (!near)
        near = field_like(name);
    if (near && (instead = foreign_instead(near)) != NULL) {
        (void)snprintf(out, room, "no field \"%s\"; nearest is tshark's \"%s\": %s", name, near, instead);
        return;
    }
    (void)snprintf(out, room, "no field \"%s\"; %s%s%s", name, near ? "nearest is \"" : "",
                   near ? near : "-G fields lists all", near ? "\"" : "");
}
