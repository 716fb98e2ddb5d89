/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "gen.h"

static void one_line(struct job *job, char *line)
{
    static const char interface[] = "interface ";
    char a[64], b[512];

    if (sscanf(line, "flow %63s %511s", a, b) == 2)
        flow_line(job, a, b);
    else if (sscanf(line, "mads %63s %511s", a, b) == 2)
        mads_line(job, a, b);
    else if (sscanf(line, "cm %63s", a) == 1)
        cm_line(job, a);
    else if (sscanf(line, "section %63s", a) == 1)
        write_section(job, strcmp(a, "big") == 0);
    else if (strncmp(line, interface, sizeof interface - 1) == 0)
        write_interface(job, line + sizeof interface - 1);
    else if (sscanf(line, "block %63s %511s", a, b) == 2)
        write_block(job, (uint32_t)strtoul(a, NULL, 16), b);
    else
        packet_line(job, line);
}

static void save(const struct job *job, const char *folder)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, job->capture->name);
    f = fopen(path, "wb");
    if (!f || fwrite(job->out.at, 1, job->out.n, f) != job->out.n || fclose(f) != 0) {
        fprintf(stderr, "ibpcaps-gen: %s: %s\n", path, strerror(errno));
        exit(1);
    }
}

static void all_lines(struct job *job, const char *lines)
{
    char line[LINE_BYTES];

    for (const char *at = lines, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        if ((size_t)(end - at) >= sizeof line)
            die(job, "line too long", "");
        memcpy(line, at, (size_t)(end - at));
        line[end - at] = '\0';
        one_line(job, line);
    }
}

static void make(const struct capture *c, const char *folder)
{
    struct job job = {.capture = c};

    write_begin(&job);
    all_lines(&job, c->lines);
    for (const char *const *more = c->more; more && *more; more++)
        all_lines(&job, *more);
    if (c->flags & GZIP)
        write_gzip(&job);
    save(&job, folder);
    free(job.out.at);
    printf("%s\n", c->name);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: ibpcaps-gen FOLDER: writes the captures there and prints their names\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < n_captures; i++)
        make(&captures[i], argv[1]);
    return 0;
}
