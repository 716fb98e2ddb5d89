/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "system/signals.h"

struct cap_gunzip {
    z_stream z;
    uint8_t *raw; /* CAP_STREAM_LOOK bytes of the file */
    bool between; /* a member has ended: its end may be the file's */
    bool pending; /* the last output was full: there may be more of the input that was taken */
};

static void end_early(struct cap_stream *s, const char *what, const char *detail)
{
    s->eof = true;
    snprintf(s->fault, sizeof s->fault, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
}

/* 0 at the end of the file and on a read error, which is noted. */
static size_t read_file(struct cap_stream *s, uint8_t *to, size_t room)
{
    ssize_t n;
    if (s->waits && !signals_await(s->fd)) {
        s->stopped = true;
        return 0;
    }
    do
        n = read(s->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        end_early(s, "read error", strerror(errno));
    if (n <= 0)
        return 0;
    s->file_done += (size_t)n;
    return (size_t)n;
}

bool cap_stream_open(struct cap_stream *s, int fd)
{
    struct stat st;
    *s = (struct cap_stream){.fd = -1, .size = CAP_STREAM_LOOK, .want = CAP_STREAM_WINDOW};
    s->window = malloc(s->size);
    if (s->window == NULL)
        return false;
    s->at = s->end = s->window;
    s->fd = fd;
    s->waits = fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
    if (!s->waits)
        s->file_total = (uint64_t)st.st_size;
    return true;
}

void cap_stream_close(struct cap_stream *s)
{
    if (s->gunzip != NULL) {
        inflateEnd(&s->gunzip->z);
        free(s->gunzip->raw);
        free(s->gunzip);
    }
    if (s->mapped)
        (void)munmap(s->window, s->mapped);
    else
        free(s->window);
    if (s->fd >= 0)
        close(s->fd);
}

bool cap_stream_gunzip(struct cap_stream *s)
{
    uint8_t *window = malloc(CAP_STREAM_INFLATED);
    struct cap_gunzip *g = calloc(1, sizeof *g);
    /* 16: a gzip header and trailer, checked by zlib */
    if (window == NULL || g == NULL || inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
        free(window);
        free(g);
        return false;
    }
    assert(s->size == CAP_STREAM_LOOK);
    g->raw = s->window;
    g->z.next_in = s->at;
    g->z.avail_in = (uInt)cap_stream_have(s);
    s->window = s->at = s->end = window;
    s->size = s->want = CAP_STREAM_INFLATED;
    s->eof = false;
    s->base = 0;
    s->gunzip = g;
    return true;
}

bool cap_stream_map(struct cap_stream *s)
{
    const size_t have = cap_stream_have(s);
    const off_t read_to = s->waits || s->gunzip || s->mapped ? -1 : lseek(s->fd, 0, SEEK_CUR);
    struct stat st;

    if (read_to < (off_t)have || fstat(s->fd, &st) != 0 || st.st_size < read_to)
        return false;
    const size_t at = (size_t)read_to - have;
    uint8_t *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, s->fd, 0);
    if (map == MAP_FAILED)
        return false;
    (void)madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL);
    s->base = cap_stream_offset(s) - at;
    free(s->window);
    s->window = map;
    s->at = map + at;
    s->end = map + st.st_size;
    s->size = s->want = s->mapped = (size_t)st.st_size;
    s->eof = true;
    return true;
}

/* Gets input for zlib, or ends the stream with a message. */
static bool gunzip_input(struct cap_stream *s)
{
    struct cap_gunzip *g = s->gunzip;
    if (g->z.avail_in > 0)
        return true;
    g->z.next_in = g->raw;
    g->z.avail_in = (uInt)read_file(s, g->raw, CAP_STREAM_LOOK);
    if (g->z.avail_in > 0)
        return true;
    s->eof = true;
    if (!g->between && !s->stopped && s->fault[0] == '\0')
        end_early(s, "the gzip stream is cut", NULL);
    return false;
}

/* After a member: another one, or zeros as tape blocks pad with. False when there is no member to continue with yet. */
static bool gunzip_member(struct cap_stream *s)
{
    struct cap_gunzip *g = s->gunzip;
    while (g->z.avail_in > 0 && *g->z.next_in == 0) {
        g->z.next_in++;
        g->z.avail_in--;
    }
    if (g->z.avail_in == 0)
        return false;
    if (*g->z.next_in != 0x1f) {
        end_early(s, "bytes that are not gzip follow the gzip stream", NULL);
        return false;
    }
    inflateReset(&g->z);
    g->between = false;
    return true;
}

/* Whether there is something to inflate: a member that goes on, or a new one. */
static bool gunzip_ready(struct cap_stream *s)
{
    struct cap_gunzip *g = s->gunzip;
    while (g->between)
        if (!gunzip_input(s) || (!gunzip_member(s) && s->eof))
            return false;
    return g->pending || gunzip_input(s);
}

/* At least one byte into room, or the end. */
static size_t read_gunzip(struct cap_stream *s, uint8_t *to, size_t room)
{
    struct cap_gunzip *g = s->gunzip;
    g->z.next_out = to;
    g->z.avail_out = (uInt)room;
    while (g->z.avail_out == room && !s->eof && gunzip_ready(s)) {
        const int r = inflate(&g->z, Z_NO_FLUSH);
        g->between = r == Z_STREAM_END;
        g->pending = r == Z_OK && g->z.avail_out == 0;
        if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
            end_early(s, "bad gzip data", g->z.msg ? g->z.msg : zError(r));
    }
    return room - g->z.avail_out;
}

static bool resize(struct cap_stream *s, size_t size)
{
    size_t have = cap_stream_have(s);
    uint8_t *window = realloc(s->window, size);
    if (window == NULL)
        return false;
    s->window = s->at = window;
    s->end = window + have;
    s->size = size;
    return true;
}

/* Moves the unread bytes to the front, so that n of them fit. */
static bool make_room(struct cap_stream *s, size_t n)
{
    size_t have = cap_stream_have(s);
    bool was_full = s->end == s->window + s->size;
    if (s->at != s->window) {
        s->base += (uint64_t)(s->at - s->window);
        memmove(s->window, s->at, have);
        s->at = s->window;
        s->end = s->window + have;
    }
    if (n > s->size)
        return resize(s, n > s->want ? CAP_STREAM_MAX : s->want);
    if (was_full && s->size < s->want)
        resize(s, s->want); /* only speed is lost when it fails */
    return true;
}

size_t cap_stream_fill(struct cap_stream *s, size_t n)
{
    assert(n <= CAP_STREAM_MAX);
    while (cap_stream_have(s) < n && !s->eof) {
        if (!make_room(s, n)) {
            end_early(s, "out of memory", NULL);
            break;
        }
        size_t room = s->size - cap_stream_have(s);
        size_t got = s->gunzip ? read_gunzip(s, s->end, room) : read_file(s, s->end, room);
        s->end += got;
        if (got == 0)
            s->eof = true;
    }
    return cap_stream_have(s);
}

uint64_t cap_stream_skip(struct cap_stream *s, uint64_t n)
{
    uint64_t left = n;
    while (left > 0 && cap_stream_fill(s, 1) > 0) {
        size_t have = cap_stream_have(s);
        size_t step = left < have ? (size_t)left : have;
        s->at += step;
        left -= step;
    }
    return n - left;
}
