/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of ibagent: what each sets, and the sentence for each that is wrong. */
#include "agent/options.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char said[4096];

/* Reads the words of a line as ibagent does; `said` is what it prints. */
static int reads(const char *line, struct options *o, bool *done)
{
    static char words[300];
    static char *argv[20];
    char *rest = words, *word;
    const int to = memfd_create("said", MFD_CLOEXEC), out = dup(1), err = dup(2);
    int argc = 0, code;
    ssize_t n;

    (void)snprintf(words, sizeof words, "ibagent %s", line);
    while ((word = strsep(&rest, " ")) != NULL)
        if (*word)
            argv[argc++] = word;
    argv[argc] = NULL;
    *o = (struct options){0};
    *done = false;
    optind = 0;
    (void)fflush(NULL);
    cr_assert(dup2(to, 1) == 1 && dup2(to, 2) == 2);
    code = read_options(o, argc, argv, done);
    (void)fflush(NULL);
    cr_assert(dup2(out, 1) == 1 && dup2(err, 2) == 2);
    n = pread(to, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = 0;
    (void)close(to);
    (void)close(out);
    (void)close(err);
    return code;
}

Test(options, wrong_ones)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"word", "ibagent: word: takes no arguments, only options; see ibagent --help\n"},
        {"--engine --device x",
         "ibagent: --engine is a device of its own: no --device, --port, --tester, --stranger\n"},
        {"--engine --port 1", "ibagent: --engine is a device of its own: no --device, --port, --tester, --stranger\n"},
        {"--engine --tester lid=1",
         "ibagent: --engine is a device of its own: no --device, --port, --tester, --stranger\n"},
        {"--engine --stranger lid=1",
         "ibagent: --engine is a device of its own: no --device, --port, --tester, --stranger\n"},
        {"--real-time", "ibagent: --real-time: a real device has no other; this is for --engine\n"},
        {"--wire x", "ibagent: --wire x: a real device has its own; this is for --engine\n"},
        {"--no-sandbox", "ibagent: --no-sandbox: a real device has none; this is for --engine\n"},
        {"--token-file f", "ibagent: --token-file f: wants --listen tcp:...\n"},
        {"--token-file f --listen unix:x", "ibagent: --token-file f: wants --listen tcp:...\n"},
        {"--engine --wire a --wire b --wire c", "ibagent: --wire c: more than 2 of them\n"},
        {"--port 0", "ibagent: --port 0: want a number, 1 to 255\n"},
        {"--port 256", "ibagent: --port 256: want a number, 1 to 255\n"},
        {"--port 1x", "ibagent: --port 1x: want a number, 1 to 255\n"},
        {"--port -1", "ibagent: --port -1: want a number, 1 to 255\n"},
        {"--port +1", "ibagent: --port +1: want a number, 1 to 255\n"},
        {"--port=", "ibagent: --port : want a number, 1 to 255\n"},
    };
    struct options o;
    bool done;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(reads(rows[i].line, &o, &done), 2, "%s", rows[i].line);
        cr_assert_str_eq(said, rows[i].says);
        cr_assert_not(done);
    }
    cr_assert_eq(reads("--frob", &o, &done), 2);
    cr_assert(strncmp(said, "ibagent: ", 9) == 0 && strstr(said, "--frob") && strstr(said, "; see ibagent --help\n"),
              "%s", said);
    cr_assert_eq(reads("--device", &o, &done), 2);
    cr_assert(strstr(said, "--device") && strstr(said, "; see ibagent --help\n"), "%s", said);
}

Test(options, what_they_set)
{
    struct options o;
    bool done;

    cr_assert_eq(reads("", &o, &done), 0);
    cr_assert(!o.engine && !o.device && o.port == 0 && !o.listen && o.n_wire == 0 && !done);
    cr_assert_eq(
        reads("--device rxe0 --port 255 --tester lid=7 --stranger lid=8 --listen tcp:1 --token-file f", &o, &done), 0);
    cr_assert_str_eq(said, "");
    cr_assert(strcmp(o.device, "rxe0") == 0 && o.port == 255 && strcmp(o.tester, "lid=7") == 0);
    cr_assert(strcmp(o.stranger, "lid=8") == 0 && strcmp(o.listen, "tcp:1") == 0 && strcmp(o.token_file, "f") == 0);
    cr_assert(!o.engine && !o.real_time && !o.no_sandbox);
    cr_assert_eq(reads("--port 1", &o, &done), 0);
    cr_assert_eq(o.port, 1);
    cr_assert_eq(reads("--engine --real-time --no-sandbox --wire a --wire b", &o, &done), 0);
    cr_assert(strcmp(o.engine, "reference") == 0 && o.real_time && o.no_sandbox && o.n_wire == 2);
    cr_assert(strcmp(o.wire[0], "a") == 0 && strcmp(o.wire[1], "b") == 0);
    cr_assert_eq(reads("--engine=mutant:x", &o, &done), 0);
    cr_assert_str_eq(o.engine, "mutant:x");
}

Test(options, help_and_version)
{
    static const char *const ways[] = {"--help", "-h", "--engine --help"};
    static const char *const lines[] = {
        "usage: ibagent [--device NAME] [--port N] [--listen WHERE]\n",
        "Executes verbs on the device under test for ibconform: one request a line, one reply a line.\n",
        "\n  --real-time         the engine's time follows the clock\n",
        "\n  --port N            of the device; left out: 1\n",
        "\nExit: 0 the client has left, or a signal came; 2 wrong usage; 4 the device or the channel cannot"};
    struct options o;
    bool done;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cr_assert(reads(ways[i], &o, &done) == 0 && done);
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
            cr_assert(strstr(said, lines[k]), "%s", said);
    }
    cr_assert(reads("--version", &o, &done) == 0 && done);
    cr_assert(strncmp(said, "ibagent ", 8) == 0 && strstr(said, "\nsandbox (--engine): "), "%s", said);
    cr_assert_null(strstr(said, "usage"));
}
