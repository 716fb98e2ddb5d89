/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver without a fuzzing engine: replays files. It needs no clang, and with sanitizers it detects the same
 * faults. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "fuzz.h"
#include "time_limit.h"

uint64_t fuzz_trace, fuzz_steps;

enum { MOST_BYTES = 1 << 20, NS = 1000000000 };

struct inputs {
    uint8_t **data;
    size_t *len;
    char **name;
    size_t n;
};
struct settings {
    unsigned long repeat;
    double seconds;
    bool verbose;
};

static const char usage[] = "usage: ibfuzz_TARGET [--repeat N] [--speed SECONDS] [-v] FILE|FOLDER...\n"
                            "Replays inputs; ends by a signal when one shows a fault.\n"
                            "  --repeat N       each N times, and the trace must be the same each time\n"
                            "  --speed SECONDS  all in turn for so long; prints inputs a second\n"
                            "  -v               a line an input: the trace, the name\n"
                            "Example: ibfuzz_view --repeat 3 corpus/view\n";

static void *must(void *p)
{
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static bool add_file(struct inputs *in, const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *whole, *exact;
    size_t n;

    if (!f) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    whole = must(malloc(MOST_BYTES));
    n = fread(whole, 1, MOST_BYTES, f);
    fclose(f);
    exact = must(malloc(n ? n : 1)); /* a sanitizer detects a read beyond it */
    memcpy(exact, whole, n);
    free(whole);
    in->data = must(realloc(in->data, (in->n + 1) * sizeof *in->data));
    in->len = must(realloc(in->len, (in->n + 1) * sizeof *in->len));
    in->name = must(realloc(in->name, (in->n + 1) * sizeof *in->name));
    in->data[in->n] = exact;
    in->len[in->n] = n;
    in->name[in->n++] = must(strdup(path));
    return true;
}

static int seen(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* Adds a file, or the files of a folder in the order of their names. */
static bool add(struct inputs *in, const char *path)
{
    struct dirent **entry;
    struct stat st;
    bool good = true;
    int n;

    if (stat(path, &st) != 0 && strstr(path, "regress/"))
        return true; /* a target without faults so far has no folder */
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return add_file(in, path);
    n = scandir(path, &entry, seen, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
            good &= add_file(in, name);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return good && n >= 0;
}

static uint64_t once(const struct inputs *in, size_t i)
{
    fuzz_trace = FUZZ_TRACE_START;
    fuzz_limits_input();
    (void)fuzz_one(in->data[i], in->len[i]);
    return fuzz_trace;
}

static bool replay(const struct inputs *in, const struct settings *s)
{
    for (size_t i = 0; i < in->n; i++) {
        const uint64_t trace = once(in, i);
        if (s->verbose)
            printf("%016llx %s\n", (unsigned long long)trace, in->name[i]);
        fflush(stdout); /* if a signal ends the process, the last line names the input */
        for (unsigned long k = 1; k < s->repeat; k++)
            if (once(in, i) != trace) {
                printf("%s: another trace in round %lu\n", in->name[i], k + 1);
                return false;
            }
    }
    return true;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / (double)NS;
}

static void speed(const struct inputs *in, double seconds)
{
    const double start = now();
    unsigned long n = 0;
    double took = 0;

    while (in->n > 0 && took < seconds) {
        for (size_t i = 0; i < in->n; i++, n++)
            (void)once(in, i);
        took = now() - start;
    }
    printf("%s %.0f\n", fuzz_target.name, took > 0 ? (double)n / took : 0);
}

static void release(struct inputs *in)
{
    for (size_t i = 0; i < in->n; i++) {
        free(in->data[i]);
        free(in->name[i]);
    }
    free(in->data);
    free(in->len);
    free(in->name);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"repeat", required_argument, NULL, 'r'},
                                            {"speed", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct settings s = {.repeat = 1};
    struct inputs in = {.n = 0};
    bool good = true;
    int c;

    while ((c = getopt_long(argc, argv, "vh", options, NULL)) != -1)
        switch (c) {
        case 'r': s.repeat = strtoul(optarg, NULL, 10); break;
        case 's': s.seconds = strtod(optarg, NULL); break;
        case 'v': s.verbose = true; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    fuzz_limits_begin();
    for (int i = optind; i < argc; i++)
        good &= add(&in, argv[i]);
    if (good && in.n == 0) {
        fputs(usage, stderr);
        good = false;
    } else if (good && s.seconds > 0)
        speed(&in, s.seconds);
    else if (good && (good = replay(&in, &s)))
        printf("%s: %zu inputs\n", fuzz_target.name, in.n);
    release(&in);
    return good ? 0 : 1;
}
