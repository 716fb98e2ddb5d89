/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arbitrary bytes as the list of hosts of -z rails. Either each rail of each host has an address, and each
 * address belongs to one rail, or the reader reports one line of error. */
#include <stdio.h>
#include <stdlib.h>
#include "fuzz.h"
#include "stats/rails_list.h"

const struct fuzz_target fuzz_target = {"rails", FUZZ_BYTES, NULL};

static struct rails_list list;

static void check(void)
{
    bool has[RAILS_HOSTS][RAILS_MOST] = {0};

    FUZZ_CHECK(list.n_host > 0 && list.n_host <= RAILS_HOSTS && list.n_address <= RAILS_ADDRESSES);
    for (size_t i = 0; i < list.n_address; i++) {
        const struct rails_address *a = &list.address[i];
        FUZZ_CHECK(a->host < list.n_host && a->rail < list.host[a->host].n);
        FUZZ_CHECK(rails_list_find(&list, a->key.kind, a->key.addr) == a);
        has[a->host][a->rail] = true;
        fuzz_note_bytes(&a->key, sizeof a->key);
    }
    for (size_t h = 0; h < list.n_host; h++) {
        FUZZ_CHECK(list.host[h].n > 0 && list.host[h].n <= RAILS_MOST);
        FUZZ_CHECK(list.host[h].name[0] && memchr(list.host[h].name, 0, RAILS_NAME));
        for (unsigned r = 0; r < list.host[h].n; r++)
            FUZZ_CHECK(has[h][r]);
    }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    char err[256] = "";
    char *copy = malloc(n + 1); /* fmemopen() wants memory that is not constant, and at least one byte */

    fuzz_trace = FUZZ_TRACE_START;
    FUZZ_CHECK(copy);
    memcpy(copy, data, n);
    copy[n] = '\n';
    FILE *in = fmemopen(copy, n + 1, "r");
    FUZZ_CHECK(in);
    memset(&list, 0, sizeof list);
    const bool good = rails_list_read(&list, in, err, sizeof err);
    (void)fclose(in);
    free(copy);
    FUZZ_CHECK(good == (err[0] == '\0') && !strchr(err, '\n'));
    if (good)
        check();
    return 0;
}
