/* SPDX-License-Identifier: BSD-2-Clause */
/* The statements of a page: how many of each area and class scenarios of the run check, and which. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common.h"
#include "made.h"

static char page[4 << 20];

static void begin(void)
{
    char path[512], err[512];
    const char *tmp = getenv("TMPDIR");

    snprintf(path, sizeof path, "%s/coverage.XXXXXX", tmp ? tmp : P_tmpdir);
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    cr_assert(ibc_report_html(path, made_report(NULL), err, sizeof err), "%s", err);
    FILE *f = fopen(path, "r");
    cr_assert(f && fread(page, 1, sizeof page, f) < sizeof page && fclose(f) == 0 && unlink(path) == 0);
}

TestSuite(coverage, .init = begin);

/* Scenarios of the report that were played cite these two, UU-18 is cited by some that were played, too. */
static bool is_cited(const struct ibc_statement *s)
{
    return strcmp(s->id, "RR-03") == 0 || strcmp(s->id, "RR-04") == 0 || strcmp(s->id, "UU-18") == 0;
}

struct sum {
    unsigned open, cited;
};

static struct sum sum_of(const char *area, int klass)
{
    struct sum n = {0};

    for (size_t i = 0; i < ibc_statement_count; i++) {
        const struct ibc_statement *s = &ibc_statements[i];
        if (s->status != IBC_ST_OPEN || (area && strcmp(s->area, area) != 0) || (klass >= 0 && s->klass != klass))
            continue;
        n.open++;
        n.cited += is_cited(s);
    }
    return n;
}

static unsigned shut_in(const char *area)
{
    unsigned n = 0;

    for (size_t i = 0; i < ibc_statement_count; i++)
        n += ibc_statements[i].status != IBC_ST_OPEN && (!area || strcmp(ibc_statements[i].area, area) == 0);
    return n;
}

static size_t cell(char *to, size_t n, struct sum s)
{
    if (s.open == 0)
        return (size_t)snprintf(to, n, "<td></td>");
    return (size_t)snprintf(to, n, "<td><b>%u</b> of %u</td>", s.cited, s.open);
}

static void row(const char *area, const char *name, const char *title)
{
    char text[2048], shut[16] = "";
    size_t n = (size_t)snprintf(text, sizeof text, "<tr><th scope=\"row\">%s <span class=\"aside\">%s</span></th>",
                                name, title);

    for (int k = 0; k < IBC_CLASS_COUNT; k++)
        if (sum_of(NULL, k).open)
            n += cell(text + n, sizeof text - n, sum_of(area, k));
    n += cell(text + n, sizeof text - n, sum_of(area, -1));
    if (shut_in(area))
        snprintf(shut, sizeof shut, "%u", shut_in(area));
    snprintf(text + n, sizeof text - n, "<td>%s</td></tr>\n", shut);
    cr_expect(strstr(page, text), "%s", text);
}

Test(coverage, each_area)
{
#define ROW(name, title) row(#name, #name, title);
    IBC_AREAS(ROW)
    row(NULL, "all", "");
}

/* The head of the table has a column for each class that has statements a scenario can show. */
Test(coverage, columns)
{
    char text[1024];
    size_t n = 0;

    for (unsigned k = 0; k < IBC_CLASS_COUNT; k++)
        if (sum_of(NULL, (int)k).open)
            n += (size_t)snprintf(text + n, sizeof text - n, "<th>%s</th>", rep_class_names[k]);
    cr_assert_gt(n, 0);
    snprintf(text + n, sizeof text - n, "<th scope=\"col\">all</th><th scope=\"col\">without one for a reason</th>");
    cr_expect(strstr(page, text), "%s", text);
}

/* Each statement stands there once, in the list of its area, with what shows it or why nothing does. */
Test(coverage, each_statement)
{
    const char *last = strstr(page, "<details class=\"list\">");

    for (size_t i = 0; i < ibc_statement_count; i++) {
        const struct ibc_statement *s = &ibc_statements[i];
        char text[256];
        snprintf(text, sizeof text, "<tr%s><th>%s</th><td>", is_cited(s) ? "" : " class=\"blank\"", s->id);
        const char *at = strstr(page, text), *stop = at ? strstr(at, "</tr>") : NULL;
        cr_assert(at && stop && at > last, "%s", text);
        const size_t n = (size_t)(stop - at);
        snprintf(text, sizeof text, "<td>%s</td>", rep_class_names[s->klass]);
        cr_expect(memmem(at, n, text, strlen(text)), "%s: %s", s->id, text);
        cr_expect_eq(memmem(at, n, "source not certain", 18) == NULL, s->certain, "%s", s->id);
        snprintf(text, sizeof text, "<td>%s", ibc_statement_status_names[s->status]);
        if (s->status != IBC_ST_OPEN)
            cr_expect(memmem(at, n, text, strlen(text)) && memmem(at, n, ": ", 2), "%s: %s", s->id, text);
        else
            cr_expect_eq(memmem(at, n, "<td>no scenario of this run</td>", 32) == NULL, is_cited(s), "%s", s->id);
        if (*s->reference)
            cr_expect(memmem(at, n, s->reference, strlen(s->reference)), "%s", s->id);
    }
    const char *rr03 = strstr(page, "<tr><th>RR-03</th>"), *stop = strstr(rr03, "</tr>");
    static const char link[] = "<a class=\"bad\" href=\"#rc.responder.d-fail\">rc.responder.d-fail FAIL</a> ";
    cr_expect(memmem(rr03, (size_t)(stop - rr03), link, sizeof link - 1));
}

/* The head of an area's list has the same numbers as the table. */
Test(coverage, lists)
{
    char text[256];

#define LIST(name, title)                                                                                              \
    snprintf(text, sizeof text, "<summary><b>%s</b> %s: %u of %u</summary>", #name, title, sum_of(#name, -1).cited,    \
             sum_of(#name, -1).open);                                                                                  \
    cr_expect(strstr(page, text), "%s", text);
    IBC_AREAS(LIST)
    size_t lists = 0, areas = 0;
#define AREA(name, title) areas++;
    IBC_AREAS(AREA)
    for (const char *at = page; (at = strstr(at, "<details class=\"list\">")) != NULL; at++)
        lists++;
    cr_expect_eq(lists, areas, "%zu lists", lists);
}
