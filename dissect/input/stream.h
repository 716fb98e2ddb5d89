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
    CAP_STREAM_LOOK = 32 * 1024,       /* first read: enough for small files, and for gzip's input ever after */
    CAP_STREAM_WINDOW = 256 * 1024,    /* plain files read this much at once */
    CAP_STREAM_INFLATED = 128 * 1024,  /* gzip inflates this much at once */
    CAP_STREAM_MAX = (256 + 68) * 1024 /* the most cap_stream_fill() can be asked for: one packet, one long comment */
};

struct cap_gunzip;

struct cap_stream {
    uint8_t *at;  /* next unread byte */
    uint8_t *end; /* of the bytes in the window */
    uint8_t *window;
    size_t size;
    size_t want;   /* size the window may grow to once a read has filled it */
    uint64_t base; /* stream offset of the window's first byte */
    int fd;        /* owned */
    bool lent;     /* the window is somebody else's: a piece of the file */
    bool waits;    /* no regular file: reading may take forever */
    bool stopped;  /* a signal ended it (system/signals.h) */
    bool eof;      /* nothing more will come, because of the end or of fault */
    uint64_t file_done, file_total;
    struct cap_gunzip *gunzip; /* NULL: plain */
    char fault[96];            /* why the stream ended early; "" at a true end */
};

/* False when out of memory; fd stays the caller's then. */
bool cap_stream_open(struct cap_stream *s, int fd);
void cap_stream_close(struct cap_stream *s);

/* Everything unread is gzip from here on. False when out of memory. */
bool cap_stream_gunzip(struct cap_stream *s);

/*
 * Tries to have n bytes at s->at (n <= CAP_STREAM_MAX) and says how many there are: fewer only at the end of the
 * stream. Reads no more than needed, so a pipe shows each packet when it comes. Pointers into the window die.
 */
size_t cap_stream_fill(struct cap_stream *s, size_t n);

/* Plain files: see cap_read_at() and cap_piece(). */
ssize_t cap_stream_read_at(const struct cap_stream *s, uint8_t *to, size_t n, uint64_t offset);
void cap_stream_piece(struct cap_stream *s, uint8_t *piece, size_t have, size_t size, uint64_t offset);

/* Drops up to n bytes and says how many there were. Pointers into the window die. */
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
