/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arbitrary bytes as a topology file of ibfabric. Either each cable has two ends, or the reader reports one line
 * of error. */
#include "fuzz.h"
#include "topology.h"

const struct fuzz_target fuzz_target = {"topology", FUZZ_BYTES, NULL};

static void check(const struct topology *t)
{
    FUZZ_CHECK(t->n > 0);
    for (size_t i = 0; i < t->n; i++) {
        const struct topology_node *a = &t->node[i];
        FUZZ_CHECK(a->ports > 0 && a->ports < 255 && strlen(a->description) < sizeof a->description);
        fuzz_note_bytes(a->description, strlen(a->description));
        fuzz_note(a->guid);
        for (unsigned p = 1; p <= a->ports; p++) {
            if (a->end[p].node < 0)
                continue;
            FUZZ_CHECK((size_t)a->end[p].node < t->n && a->end[p].port > 0);
            const struct topology_node *b = &t->node[a->end[p].node];
            FUZZ_CHECK(a->end[p].port <= b->ports && b->end[a->end[p].port].node == (int32_t)i &&
                       b->end[a->end[p].port].port == p);
        }
    }
}

/* The reader's standard input is the memory of the input: a file, even one in memory, takes many times as long. */
int fuzz_one(const uint8_t *data, size_t n)
{
    static uint8_t text[1 << 16];
    char err[TOPOLOGY_ERROR] = "";
    FILE *const before = stdin;
    struct topology *t;

    fuzz_trace = FUZZ_TRACE_START;
    n = n < sizeof text ? n : sizeof text;
    memcpy(text, data, n);
    stdin = fmemopen(text, n, "r");
    FUZZ_CHECK(stdin);
    t = topology_read("-", err);
    (void)fclose(stdin);
    stdin = before;
    FUZZ_CHECK((t == NULL) == (err[0] != '\0') && !strchr(err, '\n'));
    if (t)
        check(t);
    topology_free(t);
    return 0;
}
