/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to dissect/input: a thread that inflates a gzip file ahead of its reader, a few blocks at most. */
#ifndef IBPROOF_DISSECT_INPUT_AHEAD_H
#define IBPROOF_DISSECT_INPUT_AHEAD_H

#include "stream.h"

struct cap_ahead;

/* Functions of the stream that the thread calls. inflate: 0 at the end. */
struct cap_ahead_calls {
    size_t (*inflate)(struct cap_stream *s, uint8_t *to, size_t room);
    void (*close)(struct cap_stream *s);
};
/* Starts the thread, which takes over the file and what inflates it. NULL: out of memory or threads, and `s` is
 * unchanged. Owned: cap_ahead_close(). */
struct cap_ahead *cap_ahead_open(struct cap_stream *s, const struct cap_ahead_calls *calls);
/* Copies the next bytes; waits for at least one. 0 at the end; then `s` has the fault that ended the stream, if any. */
size_t cap_ahead_read(struct cap_ahead *a, struct cap_stream *s, uint8_t *to, size_t room);
/* Ends the thread. NULL is allowed. */
void cap_ahead_close(struct cap_ahead *a);

#endif
