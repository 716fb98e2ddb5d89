/* SPDX-License-Identifier: BSD-2-Clause */
/* ibreplay CAPTURE: see replay.h. The last line is a summary; exit code 0 also if there are differences, 2 when the
 * capture cannot be read. */
#include <inttypes.h>
#include <stdio.h>
#include "replay.h"

int main(int argc, char **argv)
{
    struct capture_file c;
    struct flows fs;
    uint64_t responses = 0, requests = 0;

    if (argc != 2)
        die("usage", "ibreplay CAPTURE");
    capture_load(&c, argv[1]);
    flows_find(&c, &fs);
    for (size_t i = 0; i < fs.n; i++) {
        struct side s;
        side_play(&c, &fs.flow[i], &s);
        responses += match_flow(&c, &fs.flow[i], &s);
        requests += fs.flow[i].n_request;
        side_free(&s);
    }
    printf("{\"capture\":\"%s\",\"what\":\"total\",\"flows\":%zu,\"requests\":%" PRIu64 ",\"responses\":%" PRIu64
           ",\"alone\":%" PRIu64 "}\n",
           c.name, fs.n, requests, responses, fs.alone);
    flows_free(&fs);
    capture_free(&c);
    return 0;
}
