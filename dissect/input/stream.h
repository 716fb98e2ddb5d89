/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to dissect/input: a file as a window of bytes that moves forward, decompressed if necessary. Readers use the
 * bytes in place; bytes that they still need are moved to the front of the window before more is read. */
#ifndef IBPROOF_DISSECT_INPUT_STREAM_H
#define IBPROOF_DISSECT_INPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    CAP_STREAM_LOOK = 32 * 1024,       /* first read: enough for small files */
    CAP_STREAM_PACKED = 128 * 1024,    /* bytes of one read of a gzip file */
    CAP_STREAM_WINDOW = 256 * 1024,    /* bytes of one read of a plain file */
    CAP_STREAM_INFLATED = 128 * 1024,  /* bytes that gzip inflates at once */
    CAP_STREAM_MAX = (256 + 68) * 1024 /* the most cap_stream_fill() can be asked for: one packet, one long comment */
};

struct cap_gunzip;
struct cap_ahead;

struct cap_stream {
    uint8_t *at;  /* next unread byte */
    uint8_t *end; /* the end of the bytes in the window */
    uint8_t *window;
    size_t size;
    size_t want;   /* size that the window may have once a read has filled it */
    uint64_t base; /* stream offset of the window's first byte */
    int fd;        /* owned */
    bool lent;     /* the window is memory of the caller: a piece of the file */
    bool waits;    /* no regular file: reading may take forever */
    bool stopped;  /* a signal ended the stream (system/signals.h) */
    bool eof;      /* nothing more comes: the file has ended, or a fault has ended the stream */
    uint64_t file_done, file_total;
    struct cap_gunzip *gunzip; /* NULL: plain, or another thread inflates */
    struct cap_ahead *ahead;   /* the thread that inflates (ahead.h); NULL: none */
    char fault[96];            /* why the stream ended early; "" at a true end */
};

/* Opens the stream. False when out of memory; then the caller still owns fd. */
bool cap_stream_open(struct cap_stream *s, int fd);
void cap_stream_close(struct cap_stream *s);

/* From here on all unread bytes are gzip. False when out of memory. */
bool cap_stream_gunzip(struct cap_stream *s);

/* Whether much of a gzip file is still to be read, so that a thread of its own pays. */
bool cap_stream_can_ahead(const struct cap_stream *s);
/* Lets a thread of its own inflate the rest. Without memory or threads nothing changes. */
void cap_stream_ahead(struct cap_stream *s);

/* Tries to have n bytes at s->at (n <= CAP_STREAM_MAX) and returns how many there are: fewer only at the end of the
 * stream. Reads no more than needed, so a packet from a pipe is returned as soon as it is complete. Pointers into the
 * window become invalid. */
size_t cap_stream_fill(struct cap_stream *s, size_t n);

/* Plain files: see cap_read_at() and cap_piece(). */
ssize_t cap_stream_read_at(const struct cap_stream *s, uint8_t *to, size_t n, uint64_t offset);
void cap_stream_piece(struct cap_stream *s, uint8_t *piece, size_t have, size_t size, uint64_t offset);

/* Skips up to n bytes and returns how many there were. Pointers into the window become invalid. */
uint64_t cap_stream_skip(struct cap_stream *s, uint64_t n);

static inline size_t cap_stream_have(const struct cap_stream *s)
{
    return (size_t)(s->end - s->at);
}

static inline uint64_t cap_stream_offset(const struct cap_stream *s)
{
    return s->base + (uint64_t)(s->at - s->window);
}

#endif
