/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/finding_text.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "observer/iba_finding_kinds.h"
#include "wire/iba_values.h"

struct text {
    char *to;
    size_t size, n;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    const int n = vsnprintf(t->to + t->n, t->size - t->n, format, ap);
    va_end(ap);
    if (n > 0)
        t->n = (size_t)n < t->size - t->n ? t->n + (size_t)n : t->size - 1;
}

static void add_wait(struct text *t, iba_time ns)
{
    if (ns < 1000000)
        add(t, "%.3g us", (double)ns / 1e3);
    else
        add(t, "%.4g ms", (double)ns / 1e6);
}

static bool add_path_parts(struct text *t, uint32_t changed, const char *between)
{
    const char *name;

    for (unsigned i = 0; (name = iba_path_part_name(i)) != NULL; i++)
        if (changed >> i & 1) {
            add(t, "%s%s", between, name);
            between = ", ";
        }
    return true;
}

static bool add_reason(struct text *t, uint32_t reason, const char *between)
{
    const char *const name = iba_value_name(IBA_VALUES_CM_REJECT, reason);

    add(t, "%sreason %" PRIu32 "%s%s", between, reason, name ? ": " : "", name ? name : "");
    return true;
}

/* Appends a finding's number with its unit; nothing if the number has no meaning for people. */
static bool add_count(struct text *t, const struct iba_finding *f, const char *between)
{
    static const struct {
        const char *field, *before, *behind;
    } unit[] = {{"gap", "", " missing"},
                {"length", "", " bytes"},
                {"msn", "MSN ", ""},
                {"rnr", "timer ", ""},
                {"end", "tries: ", ""},
                {"cnp", "", " us after the one before"},
                {"psn_of_read", "which takes ", ""}};
    static const char *const copy[] = {[IBA_COPY_UNKNOWN] = "the copy before may have arrived",
                                       [IBA_COPY_ARRIVED] = "the copy before had arrived",
                                       [IBA_COPY_LOST] = "the copy before was lost"};

    if (f->kind == IBA_FINDING_RETRY_PAYLOAD) {
        add(t, "%s%s", between, copy[f->count < sizeof copy / sizeof *copy ? f->count : IBA_COPY_UNKNOWN]);
        return true;
    }
    if (f->count != 0 && f->kind == IBA_FINDING_END_REFUSED)
        return add_reason(t, f->count, between);
    if (f->kind == IBA_FINDING_PATH_CHANGED)
        return add_path_parts(t, f->count, between);
    for (size_t i = 0; f->count != 0 && i < sizeof unit / sizeof *unit; i++)
        if (strcmp(iba_findings[f->kind].field, unit[i].field) == 0) {
            add(t, "%s%s%" PRIu32 "%s", between, unit[i].before, f->count, unit[i].behind);
            return true;
        }
    return false;
}

void finding_text(char *to, size_t size, const struct iba_finding *f, const char *elsewhere)
{
    struct text t = {to, size, 0};
    const char *between = " (";

    if (f->no_psn)
        add(&t, "the packet %s", iba_findings[f->kind].sentence);
    else
        add(&t, "PSN 0x%06" PRIx32 " %s", f->psn.v, iba_findings[f->kind].sentence);
    if (f->cause) {
        add(&t, "%s%s%sframe %" PRIu64, between, elsewhere ? elsewhere : "", elsewhere ? " " : "", f->cause);
        between = ", ";
    }
    if (add_count(&t, f, between))
        between = ", ";
    if (f->wait_ns) {
        add(&t, "%s", between);
        between = ", ";
        add_wait(&t, f->wait_ns);
    }
    if (*between == ',')
        add(&t, ")");
}
