/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct magic {
    uint8_t bytes[4];
    unsigned count, header; /* bytes of the magic, and of the shortest file header */
    bool (*begin)(struct capture *c);
} magics[] = {
    {{0xd4, 0xc3, 0xb2, 0xa1}, 4, 24, cap_pcap_begin}, /* us */
    {{0xa1, 0xb2, 0xc3, 0xd4}, 4, 24, cap_pcap_begin},
    {{0x4d, 0x3c, 0xb2, 0xa1}, 4, 24, cap_pcap_begin}, /* ns */
    {{0xa1, 0xb2, 0x3c, 0x4d}, 4, 24, cap_pcap_begin},
    {{0x34, 0xcd, 0xb2, 0xa1}, 4, 24, cap_pcap_begin}, /* us, long record headers */
    {{0xa1, 0xb2, 0xcd, 0x34}, 4, 24, cap_pcap_begin},
    {{0x0a, 0x0d, 0x0d, 0x0a}, 4, 28, cap_pcapng_begin},
    {{0x1f, 0x8b}, 2, 18, NULL}, /* gzip, opened before the other magics are looked for */
};

/* The row whose magic the stream starts with. A magic that is cut short counts when nothing follows it. */
static const struct magic *find_magic(struct cap_stream *s)
{
    size_t have = cap_stream_fill(s, sizeof magics->bytes);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        size_t n = have < magics[i].count ? have : magics[i].count;
        if (n > 0 && memcmp(s->at, magics[i].bytes, n) == 0)
            return &magics[i];
    }
    return NULL;
}

/* Programs that people compress captures with, each with the command that decompresses its files. */
static const struct {
    uint8_t bytes[6];
    unsigned count;
    const char *fault;
} packed[] = {
    {{0x28, 0xb5, 0x2f, 0xfd}, 4, "compressed by zstd: zstdcat FILE | ibdissect -"},
    {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, "compressed by xz: xzcat FILE | ibdissect -"},
    {{0x04, 0x22, 0x4d, 0x18}, 4, "compressed by lz4: lz4cat FILE | ibdissect -"},
    {{'B', 'Z', 'h'}, 3, "compressed by bzip2: bzcat FILE | ibdissect -"},
    {{'P', 'K', 3, 4}, 4, "a zip archive: unzip -p FILE | ibdissect -"},
};

static const char *no_capture(struct cap_stream *s)
{
    const size_t have = cap_stream_fill(s, sizeof packed->bytes);

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (have >= packed[i].count && memcmp(s->at, packed[i].bytes, packed[i].count) == 0)
            return packed[i].fault;
    return "not a capture file (no pcap, pcapng, ERF or gzip magic)";
}

static bool fail_begin(struct capture *c, const char *what)
{
    cap_fail_early(c, "%s", what);
    return false;
}

static bool begin_plain(struct capture *c)
{
    const struct magic *m = find_magic(&c->in);
    if (cap_stream_have(&c->in) == 0)
        return fail_begin(c, c->in.gunzip || c->in.fault[0] ? "nothing to read" : "empty file");
    if (m != NULL && m->begin != NULL) {
        size_t have = cap_stream_fill(&c->in, m->header);
        if (have >= m->header)
            return m->begin(c);
        cap_fail_header(c, have, m->header);
        return false;
    }
    if (cap_erf_plausible(&c->in))
        return cap_erf_begin(c);
    return fail_begin(c, no_capture(&c->in));
}

static bool begin(struct capture *c)
{
    const struct magic *m = find_magic(&c->in);
    if (m == NULL || m->begin != NULL)
        return begin_plain(c);
    if (cap_stream_have(&c->in) < m->count) {
        cap_fail_header(c, cap_stream_have(&c->in), m->header);
        return false;
    }
    return cap_stream_gunzip(&c->in) ? begin_plain(c) : fail_begin(c, "out of memory");
}

struct capture *cap_new(const char *name)
{
    struct capture *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->in.fd = -1;
    c->errlen = strlen(name) + 320; /* room for the longest line, and for libpcap's own errors (256) */
    c->name = strdup(name);
    c->error = calloc(1, c->errlen);
    if (c->name != NULL && c->error != NULL)
        return c;
    cap_close(c);
    return NULL;
}

struct capture *cap_open_fd(int fd, const char *name, char *err, size_t errlen)
{
    struct capture *c = cap_new(name);
    struct stat st;
    if (c == NULL || !cap_stream_open(&c->in, fd)) {
        snprintf(err, errlen, "%s: out of memory", name);
        close(fd);
        cap_close(c);
        return NULL;
    }
    bool directory = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    if (directory ? fail_begin(c, "is a directory") : begin(c))
        return c;
    if (c->in.stopped)
        snprintf(err, errlen, "%s: a signal came before its first packet", name);
    else
        snprintf(err, errlen, "%s", c->error);
    cap_close(c);
    return NULL;
}

struct capture *cap_open(const char *path, char *err, size_t errlen)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        return cap_open_fd(fd, name, err, errlen);
    snprintf(err, errlen, "%s: %s", name, strerror(errno));
    return NULL;
}

_Static_assert((int)CAP_PIECE_MORE == (int)CAP_STREAM_MAX, "a record fits");

enum cap_result cap_next(struct capture *c, struct cap_packet *p)
{
    const enum cap_result got = c->next(c, p);
    if (got == CAP_PACKET && p->len > CAP_MAX_LEN)
        p->len = CAP_MAX_LEN;
    return got;
}

bool cap_can_ahead(const struct capture *c)
{
    return c->live == NULL && cap_stream_can_ahead(&c->in);
}

void cap_ahead(struct capture *c)
{
    if (cap_can_ahead(c))
        cap_stream_ahead(&c->in);
}

bool cap_in_pieces(const struct capture *c)
{
    return c->live == NULL && c->in.gunzip == NULL && c->in.ahead == NULL && !c->in.waits;
}

ssize_t cap_read_at(const struct capture *c, uint8_t *to, size_t bytes, uint64_t offset)
{
    return cap_stream_read_at(&c->in, to, bytes, offset);
}

uint64_t cap_place(const struct capture *c)
{
    return cap_stream_offset(&c->in);
}

void cap_piece(struct capture *c, uint8_t *piece, size_t have, size_t size, uint64_t offset)
{
    cap_stream_piece(&c->in, piece, have, size, offset);
}

bool cap_ready(const struct capture *c)
{
    return c->ready != NULL && c->ready(c);
}

const char *cap_error(const struct capture *c)
{
    return c->error;
}

const char *cap_name(const struct capture *c)
{
    return c->name;
}

bool cap_is_live(const struct capture *c)
{
    return c->live != NULL;
}

void cap_progress(const struct capture *c, uint64_t *done, uint64_t *total)
{
    *done = c->in.file_done;
    *total = c->in.file_total;
}

uint64_t cap_dropped(const struct capture *c)
{
    struct pcap_stat st;
    if (c->live == NULL)
        return c->lost;
    return pcap_stats(c->live, &st) == 0 ? (uint64_t)st.ps_drop + st.ps_ifdrop : 0;
}

void cap_stop(struct capture *c)
{
    if (c->live != NULL)
        pcap_breakloop(c->live);
}

void cap_close(struct capture *c)
{
    if (c == NULL)
        return;
    if (c->live != NULL)
        pcap_close(c->live);
    cap_stream_close(&c->in);
    for (struct cap_kept *k = c->pcapng.kept, *before; k != NULL; k = before) {
        before = k->before;
        free(k);
    }
    free(c->pcapng.comment);
    free(c->pcapng.ifaces);
    free(c->name);
    free(c->error);
    free(c);
}
