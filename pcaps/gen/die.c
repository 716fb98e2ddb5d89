/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "gen.h"

void die(const struct job *job, const char *what, const char *line)
{
    fprintf(stderr, "ibpcaps-gen: %s: packet %u: %s: %s\n", job->capture->name, job->n_packet + 1, what, line);
    exit(1);
}
