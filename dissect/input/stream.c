/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <assert.h>
#include <errno.h>
#include <isa-l.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "ahead.h"
#include "reader.h"
#include "system/signals.h"

enum { TRAILER = 8, TRAILER_LENGTH = 4 }; /* RFC 1952, 2.3.1: CRC-32 and length of a member */

struct cap_gunzip {
    z_stream z;
    uint8_t *raw; /* CAP_STREAM_PACKED bytes of the file */
    bool between; /* a member has ended, so the file may end here */
    bool pending; /* the last output filled the room, so more may follow from the input that zlib has */
    /* To check a member's trailer. zlib checks the header only, since its CRC-32 takes an eighth of the time of
     * inflating, and libisal's takes a tenth of that. */
    bool in_header;
    uint32_t crc, length;   /* of the bytes so far */
    uint8_t taken[TRAILER]; /* the last bytes that zlib has taken; at the end of the member they are its trailer */
};

static void end_early(struct cap_stream *s, const char *what, const char *detail)
{
    s->eof = true;
    snprintf(s->fault, sizeof s->fault, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
}

/* Reads from the file. 0 at the end of the file, and after a read error, which is noted. */
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
    cap_ahead_close(s->ahead);
    if (s->gunzip != NULL) {
        inflateEnd(&s->gunzip->z);
        free(s->gunzip->raw);
        free(s->gunzip);
    }
    if (!s->lent)
        free(s->window);
    if (s->fd >= 0)
        close(s->fd);
}

bool cap_stream_gunzip(struct cap_stream *s)
{
    uint8_t *window = malloc(CAP_STREAM_INFLATED), *raw = malloc(CAP_STREAM_PACKED);
    struct cap_gunzip *g = calloc(1, sizeof *g);
    /* 16: a gzip header and trailer, checked by zlib */
    if (window == NULL || raw == NULL || g == NULL || inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
        free(window);
        free(raw);
        free(g);
        return false;
    }
    assert(s->size == CAP_STREAM_LOOK);
    memcpy(raw, s->at, cap_stream_have(s));
    g->raw = g->z.next_in = raw;
    g->z.avail_in = (uInt)cap_stream_have(s);
    g->in_header = true;
    free(s->window);
    s->window = s->at = s->end = window;
    s->size = s->want = CAP_STREAM_INFLATED;
    s->eof = false;
    s->base = 0;
    s->gunzip = g;
    return true;
}

ssize_t cap_stream_read_at(const struct cap_stream *s, uint8_t *to, size_t n, uint64_t offset)
{
    size_t have = 0;

    while (have < n) {
        const ssize_t got = pread(s->fd, to + have, n - have, (off_t)(offset + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && have == 0 ? -1 : (ssize_t)have;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

void cap_stream_piece(struct cap_stream *s, uint8_t *piece, size_t have, size_t size, uint64_t offset)
{
    const uint64_t place = cap_stream_offset(s), passed = place - offset;

    assert(place >= offset && size >= have);
    if (!s->lent)
        free(s->window);
    s->lent = true;
    s->eof = false; /* the end of an earlier piece no longer counts */
    s->window = s->at = s->end = piece;
    s->base = place;
    s->size = size;
    if (passed < have) {
        s->at += passed;
        s->end += have;
        s->base = offset;
    }
    s->file_done = s->base + (uint64_t)(s->end - s->window);
}

/* Reads more of the piece. The window stays where it is, since earlier packets are in it. */
static size_t fill_piece(struct cap_stream *s, size_t n)
{
    const size_t have = cap_stream_have(s);

    if ((size_t)(s->window + s->size - s->at) < n) {
        end_early(s, "records that are no packets are too long to read in pieces", NULL);
        return have;
    }
    const ssize_t got = cap_stream_read_at(s, s->end, n - have, s->base + (uint64_t)(s->end - s->window));
    if (got < 0)
        end_early(s, "read error", strerror(errno));
    else
        s->end += got;
    s->eof = s->eof || cap_stream_have(s) < n;
    return cap_stream_have(s);
}

/* Skips bytes without reading those that are in no piece. */
static uint64_t skip_piece(struct cap_stream *s, uint64_t n)
{
    struct stat st;
    const size_t have = cap_stream_have(s);

    if (n <= have || fstat(s->fd, &st) != 0) {
        s->at += n <= have ? n : have;
        return n <= have ? n : have;
    }
    const uint64_t place = cap_stream_offset(s), total = (uint64_t)st.st_size;
    const uint64_t left = total > place ? total - place : 0, step = n < left ? n : left;
    s->size -= (size_t)(s->end - s->window); /* earlier packets stay */
    s->window = s->at = s->end;
    s->base = place + step;
    return step;
}

/* Gets input for zlib, or ends the stream with a message. */
static bool gunzip_input(struct cap_stream *s)
{
    struct cap_gunzip *g = s->gunzip;
    if (g->z.avail_in > 0)
        return true;
    g->z.next_in = g->raw;
    g->z.avail_in = (uInt)read_file(s, g->raw, CAP_STREAM_PACKED);
    if (g->z.avail_in > 0)
        return true;
    s->eof = true;
    if (!g->between && !s->stopped && s->fault[0] == '\0')
        end_early(s, "the gzip stream is cut", NULL);
    return false;
}

/* Continues after a member: another member follows, or zeros with which tape blocks are padded. False when no member is
 * there yet. */
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
    inflateValidate(&g->z, 1);
    g->in_header = true;
    g->crc = g->length = 0;
    g->between = false;
    return true;
}

/* Whether there is something to inflate: the rest of a member, or a new one. */
static bool gunzip_ready(struct cap_stream *s)
{
    struct cap_gunzip *g = s->gunzip;
    while (g->between)
        if (!gunzip_input(s) || (!gunzip_member(s) && s->eof))
            return false;
    return g->pending || gunzip_input(s);
}

/* Calls zlib, which stops after the header of a member, and notes its input and output for the check of the trailer. */
static int gunzip_step(struct cap_gunzip *g)
{
    enum { AFTER_HEADER = 128 }; /* zlib.h */
    const uint8_t *const from = g->z.next_in, *const to = g->z.next_out;
    const int r = inflate(&g->z, g->in_header ? Z_BLOCK : Z_NO_FLUSH);
    const size_t taken = (size_t)(g->z.next_in - from), n = taken < TRAILER ? taken : TRAILER;

    if (g->in_header && r == Z_OK && (g->z.data_type & AFTER_HEADER) != 0) {
        g->in_header = false;
        inflateValidate(&g->z, 0);
    }
    g->crc = crc32_gzip_refl(g->crc, to, (uint64_t)(g->z.next_out - to));
    g->length += (uint32_t)(g->z.next_out - to);
    memmove(g->taken, g->taken + n, TRAILER - n);
    memcpy(g->taken + TRAILER - n, g->z.next_in - n, n);
    return r;
}

/* The fault of this step, in zlib's words. NULL: none. */
static const char *gunzip_fault(const struct cap_gunzip *g, int r)
{
    if (r == Z_STREAM_END && cap_get32(g->taken, false) != g->crc)
        return "incorrect data check";
    if (r == Z_STREAM_END && cap_get32(g->taken + TRAILER_LENGTH, false) != g->length)
        return "incorrect length check";
    if (r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR)
        return NULL;
    return g->z.msg ? g->z.msg : zError(r);
}

/* Inflates at least one byte into the room; 0 at the end. */
static size_t inflate_some(struct cap_stream *s, uint8_t *to, size_t room)
{
    struct cap_gunzip *g = s->gunzip;
    g->z.next_out = to;
    g->z.avail_out = (uInt)room;
    while (g->z.avail_out == room && !s->eof && gunzip_ready(s)) {
        const int r = gunzip_step(g);
        const char *const fault = gunzip_fault(g, r);
        g->between = r == Z_STREAM_END;
        g->pending = r == Z_OK && g->z.avail_out == 0;
        if (fault)
            end_early(s, "bad gzip data", fault);
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

/* Moves the unread bytes to the front of the window, so that n of them fit. */
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
        resize(s, s->want); /* a failure costs only speed */
    return true;
}

bool cap_stream_can_ahead(const struct cap_stream *s)
{
    return s->gunzip != NULL && !s->waits && !s->eof && s->file_done < s->file_total;
}

void cap_stream_ahead(struct cap_stream *s)
{
    if (cap_stream_can_ahead(s))
        s->ahead = cap_ahead_open(s, &(struct cap_ahead_calls){inflate_some, cap_stream_close});
}

static size_t read_more(struct cap_stream *s, uint8_t *to, size_t room)
{
    if (s->ahead)
        return cap_ahead_read(s->ahead, s, to, room);
    return s->gunzip ? inflate_some(s, to, room) : read_file(s, to, room);
}

size_t cap_stream_fill(struct cap_stream *s, size_t n)
{
    assert(n <= CAP_STREAM_MAX);
    if (s->lent && cap_stream_have(s) < n && !s->eof)
        return fill_piece(s, n);
    while (cap_stream_have(s) < n && !s->eof) {
        if (!make_room(s, n)) {
            end_early(s, "out of memory", NULL);
            break;
        }
        size_t room = s->size - cap_stream_have(s);
        size_t got = read_more(s, s->end, room);
        s->end += got;
        if (got == 0)
            s->eof = true;
    }
    return cap_stream_have(s);
}

uint64_t cap_stream_skip(struct cap_stream *s, uint64_t n)
{
    uint64_t left = n;
    if (s->lent)
        return skip_piece(s, n);
    while (left > 0 && cap_stream_fill(s, 1) > 0) {
        size_t have = cap_stream_have(s);
        size_t step = left < have ? (size_t)left : have;
        s->at += step;
        left -= step;
    }
    return n - left;
}
