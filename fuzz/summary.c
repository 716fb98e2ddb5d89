/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arbitrary bytes as a summary of ibdissect. The summary is written, read again and written as the same bytes, or
 * it is refused in one line. */
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "summary/summary.h"

const struct fuzz_target fuzz_target = {"summary", FUZZ_BYTES, NULL};

/* Reads a summary and returns it as text of *n bytes, which the caller frees; NULL: it was refused. */
static char *again(const char *text, size_t *n)
{
    static struct out o;
    struct summary *s = summary_open();
    char err[256] = "", *written = NULL;

    FUZZ_CHECK(s);
    const bool good = summary_read(s, text, *n, 0, err, sizeof err);
    FUZZ_CHECK(good == (err[0] == '\0') && !strchr(err, '\n'));
    if (good) {
        const int fd = memfd_create("summary", 0);
        out_init(&o, fd);
        FUZZ_CHECK(summary_write(s, &o, err, sizeof err) && out_flush(&o));
        *n = (size_t)lseek(fd, 0, SEEK_END);
        written = malloc(*n + 1);
        FUZZ_CHECK(written && pread(fd, written, *n, 0) == (ssize_t)*n);
        (void)close(fd);
    }
    summary_free(s);
    return written;
}

int fuzz_one(const uint8_t *data, size_t n)
{
    fuzz_trace = FUZZ_TRACE_START;
    char *first = again((const char *)data, &n);
    if (!first)
        return 0;
    size_t m = n;
    char *second = again(first, &m);
    FUZZ_CHECK(second && m == n && memcmp(first, second, n) == 0);
    fuzz_note_bytes(first, n);
    free(first);
    free(second);
    return 0;
}
