/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"
#include "summaries.h"

char command_out[COMMAND_OUT], command_err[COMMAND_TEXT], command_folder[256];
size_t command_out_bytes;
int command_from = -1, command_to = -1, command_to_err = -1;

void command_begin(void)
{
    const char *tmp = getenv("TMPDIR");

    (void)snprintf(command_folder, sizeof command_folder, "%s/command.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(command_folder));
    cr_assert_eq(chdir(IBPROOF_SOURCE_DIR "/pcaps"), 0);
    setenv("TZ", "UTC", 1);
}

void command_end(void)
{
    char line[1024];

    (void)snprintf(line, sizeof line, "chmod -R u+w '%s' && rm -rf '%s'", command_folder, command_folder);
    cr_assert_eq(system(line), 0);
}

int command_words(char *text, char *words[COMMAND_WORDS])
{
    int n = 1;

    static char program[] = "ibdissect";

    words[0] = program;
    for (char *rest, *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        cr_assert_lt(n, COMMAND_WORDS - 1);
        words[n++] = word;
    }
    words[n] = NULL;
    return n;
}

/* As main(), which is no part of the library. */
static int play(int argc, char **argv)
{
    static struct options opt;
    bool done;

    (void)signal(SIGPIPE, SIG_IGN);
    optind = 0;
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return summaries_merge(argc - 1, argv + 1);
    int rc = options_parse(&opt, argc, argv, &done);
    if (rc == EXIT_OK && !done)
        rc = run(&opt);
    options_free(&opt);
    return rc;
}

static unsigned descriptors(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 64; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* The allocator keeps small pieces that were freed, and counts them as used; under sanitizers it counts nothing. */
static int play_again(int argc, char **argv)
{
    enum { TURNS = 4, WARM = 2, SMALL = 1 << 13 };
    size_t memory[TURNS];
    unsigned open[TURNS];

    for (unsigned i = 0; i < TURNS; i++) {
        char *words[COMMAND_WORDS]; /* getopt_long() changes their order */
        memcpy(words, argv, ((size_t)argc + 1) * sizeof *argv);
        (void)play(argc, words);
        const struct mallinfo2 all = mallinfo2();
        memory[i] = all.uordblks + all.hblkhd;
        open[i] = descriptors();
    }
    return memory[TURNS - 1] < memory[WARM - 1] + SMALL && open[TURNS - 1] == open[WARM - 1] ? 0 : 1;
}

static size_t take(int fd, char *to, size_t room)
{
    const ssize_t n = pread(fd, to, room - 1, 0);

    cr_assert(n >= 0 && close(fd) == 0);
    to[n] = '\0';
    return (size_t)n;
}

static int out, err;

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static int start(int (*how)(int, char **), const char *format, va_list ap)
{
    static char text[COMMAND_TEXT], *words[COMMAND_WORDS];
    int none = memfd_create("none", 0);

    out = memfd_create("out", 0);
    err = memfd_create("err", 0);
    (void)vsnprintf(text, sizeof text, format, ap);
    const int n = command_words(text, words);
    const pid_t child = fork();
    cr_assert(child >= 0 && out >= 0 && err >= 0 && none >= 0);
    if (child == 0) {
        if (dup2(command_from < 0 ? none : command_from, STDIN_FILENO) < 0 ||
            dup2(command_to < 0 ? out : command_to, STDOUT_FILENO) < 0 ||
            dup2(command_to_err < 0 ? err : command_to_err, STDERR_FILENO) < 0)
            _exit(99);
        for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
            (void)close(fd);
        _exit(how(n, words));
    }
    close_one(&none);
    close_one(&command_from);
    close_one(&command_to);
    close_one(&command_to_err);
    return child;
}

int command_start(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    const int child = start(play, format, ap);
    va_end(ap);
    return child;
}

bool command_prints(const char *text)
{
    enum { TURN_US = 1000, TURNS = 10000 };
    char *found = NULL;

    for (unsigned i = 0; i < TURNS && !found; i++) {
        const ssize_t n = pread(out, command_out, sizeof command_out - 1, 0);
        cr_assert(n >= 0);
        command_out[n] = '\0';
        found = strstr(command_out, text);
        if (!found)
            (void)usleep(TURN_US);
    }
    return found != NULL;
}

int command_wait(int process)
{
    int status;

    cr_assert_eq(waitpid(process, &status, 0), process);
    command_out_bytes = take(out, command_out, sizeof command_out);
    (void)take(err, command_err, sizeof command_err);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int command(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    const int child = start(play, format, ap);
    va_end(ap);
    return command_wait(child);
}

int command_again(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    const int child = start(play_again, format, ap);
    va_end(ap);
    return command_wait(child);
}

bool command_has_file(const char *name)
{
    return access(command_in(name), F_OK) == 0;
}

size_t command_lines(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

void command_expect(int code, size_t lines, const char *says, int got, const char *what)
{
    cr_expect_eq(got, code, "%s: %d", what, got);
    cr_expect_eq(command_lines(command_out), lines, "%s: %zu lines", what, command_lines(command_out));
    cr_expect_str_eq(command_err, says, "%s: %s", what, command_err);
}

const char *command_in(const char *name)
{
    static char path[8][512];
    static unsigned next;
    char *to = path[next++ % 8];

    (void)snprintf(to, sizeof path[0], "%s/%s", command_folder, name);
    return to;
}

static void put32(uint8_t *to, uint32_t v)
{
    memcpy(to, &v, sizeof v);
}

void command_capture(const char *name, uint32_t link, const uint32_t *us, unsigned n)
{
    enum { FRAME = 62, SECOND = 1000000 };
    const size_t bytes = 24 + (size_t)n * (16 + FRAME);
    uint8_t *const file = calloc(1, bytes), *at = file + 24;

    cr_assert(file);
    put32(file, 0xa1b2c3d4);
    put32(file + 4, 2 | 4 << 16);
    put32(file + 16, 65535);
    put32(file + 20, link);
    for (unsigned i = 0; i < n; i++, at += 16 + FRAME) {
        put32(at, 1700000000 + (us ? us[i] / SECOND : 0));
        put32(at + 4, us ? us[i] % SECOND : i);
        put32(at + 8, FRAME);
        put32(at + 12, FRAME);
    }
    command_put(name, file, bytes);
    free(file);
}

const char *command_file(const char *name, size_t *bytes)
{
    return command_all(command_in(name), bytes);
}

const char *command_all(const char *name, size_t *bytes)
{
    static char is[COMMAND_OUT];
    FILE *f = fopen(name, "r");

    cr_assert(f, "%s", name);
    const size_t n = fread(is, 1, sizeof is - 1, f);
    (void)fclose(f);
    is[n] = '\0';
    if (bytes)
        *bytes = n;
    return is;
}

void command_put(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(command_in(name), "w");

    cr_assert(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}
