/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of a fuzz target, and functions that all of them use.
 *
 * A target is one file with one entry, fuzz_one(), and one row, fuzz_target. Three drivers call it: libFuzzer's,
 * AFL++'s and a plain one that replays files and needs no clang. A target keeps no state from one input to the next:
 * the same input gives the same trace. A fault ends the process: an assert, a sanitizer, or FUZZ_CHECK. */
#ifndef FUZZ_H
#define FUZZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fuzz_form {
    FUZZ_BYTES,   /* any bytes: a text, a file */
    FUZZ_PACKET,  /* two bytes (link, options), then one packet */
    FUZZ_RECORDS, /* FUZZ_HEAD bytes, the first of them the link, then records: records.h */
    FUZZ_FILE,    /* a capture */
    FUZZ_COMMAND, /* FUZZ_HEAD bytes of settings, then a capture or two: command.h */
};
struct fuzz_target {
    const char *name;
    enum fuzz_form form;
    const char
        *first; /* an input that makes the target allocate all that it keeps, such as tables of names; NULL: none */
};
extern const struct fuzz_target fuzz_target;
/* Runs one input; `n` may be 0. Returns 0, as libFuzzer requires. */
int fuzz_one(const uint8_t *data, size_t n);

/* Like assert(), but checks in every build. */
#define FUZZ_CHECK(what)                                                                                               \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Returns whether this run records which rows are hit, for `tools/fuzz coverage` (core/test/recorder.h). */
bool fuzz_recording(void);

/* Steps of all inputs so far: packets, requests and other events that a target gave to a state machine. */
extern uint64_t fuzz_steps;

/* ---- a hash of all events ---- */
extern uint64_t fuzz_trace;
#define FUZZ_TRACE_START UINT64_C(14695981039346656037)
static inline void fuzz_note(uint64_t what)
{
    fuzz_trace = (fuzz_trace ^ what) * UINT64_C(1099511628211);
}
static inline void fuzz_note_bytes(const void *p, size_t n)
{
    const uint8_t *b = p;
    uint64_t word;

    for (; n >= sizeof word; n -= sizeof word, b += sizeof word) {
        memcpy(&word, b, sizeof word);
        fuzz_note(word);
        fuzz_trace ^= fuzz_trace >> 32; /* the low bits of the hash depend on the high bits, too */
    }
    for (size_t i = 0; i < n; i++)
        fuzz_note(b[i]);
}

/* ---- the input, read from the front; after its end everything is 0 ---- */
struct fuzz_in {
    const uint8_t *p;
    size_t n;
};
static inline uint8_t fuzz_u8(struct fuzz_in *in)
{
    if (in->n == 0)
        return 0;
    in->n--;
    return *in->p++;
}
static inline uint16_t fuzz_u16(struct fuzz_in *in)
{
    const uint8_t low = fuzz_u8(in);

    return (uint16_t)(low | fuzz_u8(in) << 8);
}
static inline uint32_t fuzz_u32(struct fuzz_in *in)
{
    const uint16_t low = fuzz_u16(in);

    return low | (uint32_t)fuzz_u16(in) << 16;
}
#endif
