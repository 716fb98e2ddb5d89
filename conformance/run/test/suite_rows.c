/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <string.h>
#include "suite_rows.h"
#include "test/golden.h"

/* Returns the length of "id digest ", with which a row begins. */
static size_t head_of(const char *line)
{
    const size_t id = strcspn(line, " ") + 1;

    return id + strcspn(line + id, " ") + 1;
}

void suite_rows(struct ibc_target *t, suite_row *row, const char *path, unsigned least_percent)
{
    char err[512] = "", line[SUITE_ROW];
    struct ibc_suite suite;
    struct golden_rows golden = golden_rows_open(path);

    cr_assert(ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    for (size_t i = 0; i < suite.n; i++)
        if (row(t, suite.s[i], line))
            golden_row(&golden, line, head_of(line));
    golden_rows_close(&golden, least_percent);
    ibc_suite_free(&suite);
}
