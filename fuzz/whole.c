/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs all of ibdissect on one or two files, with options, readers, judge and printers, as main() does. The output can
 * be parsed and has no control characters, the exit code is that of the manual, and a second run with other seeds of
 * hashes writes the same bytes. */
#include <assert.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include "command.h"
#include "input/capture.h"
#include "run.h"
#include "written.h"

const struct fuzz_target fuzz_target = {"whole", FUZZ_COMMAND, NULL};

enum { OUT, WRITTEN, PAGE, FILES };
enum { PATH = 32, MOST_INFLATED = 1 << 16, AGAIN = 8, MAPPED = 1 << 19, KEPT = 1 << 26 };

static struct place {
    int fd;
    char path[PATH];
} input[2], output[FILES];
static int standard_output;
static FILE *standard_error;

struct results {
    int rc;
    struct written file[FILES], err;
};

/* ---- before the first input ---- */

static void make(struct place *p)
{
    p->fd = memfd_create("whole", MFD_CLOEXEC);
    FUZZ_CHECK(p->fd >= 0);
    (void)snprintf(p->path, sizeof p->path, "/proc/self/fd/%d", p->fd);
}

static void begin(void)
{
    if (standard_error)
        return;
    /* Tables of fuzz builds are so small (field/bound.h) that writing zeros takes less time than system calls and page
     * faults. A sanitizer has an allocator of its own. */
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
    for (unsigned i = 0; i < 2; i++)
        make(&input[i]);
    for (unsigned i = 0; i < FILES; i++)
        make(&output[i]);
    standard_error = stderr;
    standard_output = dup(STDOUT_FILENO);
    FUZZ_CHECK(standard_output >= 0 && dup2(input[0].fd, STDIN_FILENO) >= 0);
}

/* assert() prints to stderr, which is a buffer while ibdissect runs: this one is linked instead of the library's. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
_Noreturn void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    stderr = standard_error;
    fprintf(stderr, "whole: %s:%u: %s: Assertion `%s' failed.\n", file, line, function, what);
    abort();
}
/* NOLINTEND(bugprone-reserved-identifier) */

static uint8_t random_byte;

/* Replaces the C library's function: an input takes the same path each time, and the second run of an input has
 * other hash seeds than the first. */
ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    (void)flags;
    memset(to, random_byte, n);
    return (ssize_t)n;
}

/* ---- the files ---- */

static void give(const struct place *p, const uint8_t *data, size_t n)
{
    FUZZ_CHECK(ftruncate(p->fd, 0) == 0 && pwrite(p->fd, data, n, 0) == (ssize_t)n);
}

static void give_compressed(const struct place *p, const uint8_t *data, size_t n)
{
    enum { GZIP = 16, MEMORY = 8 };
    static z_stream z;
    static bool ready;
    const uLong room = deflateBound(ready ? &z : NULL, n) + 64;
    uint8_t *to = malloc(room);

    FUZZ_CHECK(to && (ready ? deflateReset(&z)
                            : deflateInit2(&z, 1, Z_DEFLATED, GZIP + MAX_WBITS, MEMORY, Z_DEFAULT_STRATEGY)) == Z_OK);
    ready = true;
    z.next_in = data;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = (uInt)room;
    FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    give(p, to, room - z.avail_out);
    free(to);
}

/* Returns whether the file would inflate to so many bytes that reading them takes long: a thousand for each byte. */
static bool is_bomb(const uint8_t *data, size_t n)
{
    enum { GZIP = 16 };
    static uint8_t sink[MOST_INFLATED];
    static z_stream z;
    static bool ready;
    size_t total = 0;

    if (n < 2 || data[0] != 0x1f || data[1] != 0x8b)
        return false;
    FUZZ_CHECK((ready ? inflateReset(&z) : inflateInit2(&z, GZIP + MAX_WBITS)) == Z_OK);
    ready = true;
    z.next_in = data;
    z.avail_in = (uInt)n;
    for (int rc = Z_OK; z.avail_in > 0 && total < sizeof sink && (rc == Z_OK || rc == Z_STREAM_END);) {
        z.next_out = sink;
        z.avail_out = (uInt)(sizeof sink - total);
        if (rc == Z_STREAM_END && inflateReset(&z) != Z_OK)
            break;
        rc = inflate(&z, Z_NO_FLUSH);
        total += sizeof sink - total - z.avail_out;
    }
    return total >= sizeof sink;
}

/* Writes the input files. False: this input is not run. */
static bool give_inputs(const uint8_t *head, struct fuzz_in in, struct command_paths *at)
{
    const bool merge = (head[1] & COMMAND_MERGE) != 0;
    size_t first = merge ? fuzz_u16(&in) : in.n;
    const bool twice = merge && first == 0;

    first = first == 0 || first > in.n ? in.n : first;
    if (is_bomb(in.p, first) || is_bomb(in.p + first, in.n - first))
        return false;
    (head[1] & COMMAND_GZIP ? give_compressed : give)(&input[0], in.p, first);
    at->file[0] = head[1] & COMMAND_STDIN && !twice ? "-" : input[0].path;
    if (merge && !twice)
        give(&input[1], in.p + first, in.n - first);
    if (merge)
        at->file[1] = twice ? input[0].path : input[1].path;
    at->write = head[1] & COMMAND_WRITE ? output[WRITTEN].path : NULL;
    at->page = head[1] & COMMAND_PAGE && (head[COMMAND_OTHER] & COMMAND_PAGE_TOO) == COMMAND_PAGE_TOO
                   ? output[PAGE].path
                   : NULL;
    return true;
}

/* ---- one run ---- */

/* Calls ibdissect as main() does. */
static int call(struct command *c)
{
    static struct options opt;
    bool done;

    optind = 0;
    int rc = options_parse(&opt, c->n, (char **)(void *)c->word, &done);
    FUZZ_CHECK(!done);
    if (rc == EXIT_OK)
        rc = run(&opt);
    options_free(&opt);
    return rc;
}

static void play(struct command c, const bool uses[FILES], uint8_t seed, struct results *r)
{
    random_byte = seed;
    *r = (struct results){.rc = 0};
    FUZZ_CHECK(ftruncate(output[OUT].fd, 0) == 0 && lseek(output[OUT].fd, 0, SEEK_SET) == 0);
    FUZZ_CHECK(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    FUZZ_CHECK(dup2(output[OUT].fd, STDOUT_FILENO) >= 0);
    FILE *const buffer = open_memstream(&r->err.p, &r->err.n);
    FUZZ_CHECK(buffer);
    stderr = buffer;
    r->rc = call(&c);
    stderr = standard_error;
    FUZZ_CHECK(fclose(buffer) == 0 && dup2(standard_output, STDOUT_FILENO) >= 0);
    for (unsigned i = 0; i < FILES; i++)
        if (uses[i])
            r->file[i] = written_by(output[i].fd);
}

static void forget(struct results *r)
{
    for (unsigned i = 0; i < FILES; i++)
        free(r->file[i].p);
    free(r->err.p);
}

/* ---- what is written ---- */

/* Checks that each fault is one line, and that the exit code shows faults. */
static void check_faults(const struct results *r)
{
    static const char name[] = "ibdissect: ", notice[] = "ibdissect: --no-sandbox: ";
    const bool noticed = strncmp(r->err.p, notice, sizeof notice - 1) == 0;
    const size_t before = noticed ? strcspn(r->err.p, "\n") + 1 : 0;

    FUZZ_CHECK(r->rc == EXIT_OK || r->rc == EXIT_INPUT || r->rc == EXIT_FAIL_ON);
    FUZZ_CHECK((r->rc == EXIT_INPUT) == (r->err.n > before));
    written_text(r->err.p, r->err.n, false);
    for (const char *at = r->err.p, *end; at < r->err.p + r->err.n; at = end + 1) {
        end = strchr(at, '\n');
        FUZZ_CHECK(end && strncmp(at, name, sizeof name - 1) == 0);
    }
}

/* Checks the packets in the output, and returns where they end. Statistics follow. */
static const char *check_packets(const struct command *c, const char *p, const char *end, bool colors)
{
    static const char pdml[] = "</pdml>\n";
    const char *at = p;

    if (strcmp(c->form, "json") == 0)
        return at < end ? written_json_value(at, (size_t)(end - at)) + 1 : at;
    if (strcmp(c->form, "jsonl") == 0 || strcmp(c->form, "ek") == 0)
        while (at < end && *at == '{')
            at = strchr(at, '\n') + 1;
    else if (strcmp(c->form, "pdml") == 0 && at < end)
        at = strstr(at, pdml) + sizeof pdml - 1;
    else {
        written_text(p, (size_t)(end - p), colors);
        return end;
    }
    if (strcmp(c->form, "pdml") == 0 && at > p)
        written_xml(p, (size_t)(at - p));
    else
        written_json_lines(p, (size_t)(at - p));
    return at;
}

static void check_output(const struct command *c, const struct written *t, bool colors)
{
    const char *end = t->p + t->n, *at = t->p;

    FUZZ_CHECK(memchr(t->p, '\0', t->n) == NULL);
    if (!c->quiet)
        at = check_packets(c, at, end, colors);
    FUZZ_CHECK(c->stats || at == end);
    if (strncmp(c->form, "json", 4) == 0)
        written_json_lines(at, (size_t)(end - at));
    else
        written_text(at, (size_t)(end - at), colors);
}

/* A page has elements without end tags, and scripts, so an XML parser cannot check it. This looks for text that the
 * input may have added. */
static void check_page(const struct written *t)
{
    FUZZ_CHECK(memchr(t->p, '\0', t->n) == NULL && !strstr(t->p, "<x") && !strstr(t->p, "\"x="));
}

/* Checks that ibdissect's own reader can read the capture that it wrote. */
static void check_capture(void)
{
    char err[256];
    struct capture *c = cap_open(output[WRITTEN].path, err, sizeof err);
    enum cap_result got;
    struct cap_packet p;

    FUZZ_CHECK(c);
    while ((got = cap_next(c, &p)) == CAP_PACKET)
        fuzz_note(p.caplen);
    FUZZ_CHECK(got == CAP_END);
    cap_close(c);
}

static bool same(const struct written *a, const struct written *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
}

static void check_again(const struct command *c, const bool uses[FILES], const struct results *r)
{
    struct results again;

    play(*c, uses, 0xc3, &again);
    FUZZ_CHECK(again.rc == r->rc && same(&again.err, &r->err));
    for (unsigned i = 0; i < FILES; i++)
        FUZZ_CHECK(same(&again.file[i], &r->file[i]));
    forget(&again);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n};
    struct command_paths at = {.write = NULL};
    uint8_t head[FUZZ_HEAD];
    struct command c;
    struct results r;

    begin();
    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        head[i] = fuzz_u8(&in);
    if (!give_inputs(head, in, &at))
        return 0;
    const bool uses[FILES] = {[OUT] = true, [WRITTEN] = at.write, [PAGE] = at.page};
    command_of(&c, head, &at);
    play(c, uses, 0x5a, &r);
    check_faults(&r);
    check_output(&c, &r.file[OUT], (head[1] & COMMAND_COLOR) != 0);
    if (at.page)
        check_page(&r.file[PAGE]);
    if (at.write)
        check_capture();
    if (n % AGAIN == 0)
        check_again(&c, uses, &r);
    forget(&r);
    return 0;
}
