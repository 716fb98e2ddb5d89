/* SPDX-License-Identifier: BSD-2-Clause */
/* A channel carries lines to and from an agent. */
#ifndef IBC_LIVE_CHANNEL_H
#define IBC_LIVE_CHANNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct starter;

enum { CHANNEL_LINE = 65536, CHANNEL_SENTENCE = 200 };

struct channel {
    int fd;             /* -1: not connected */
    pid_t child;        /* exec: process ID of the command, which leads its session; otherwise none above 0 */
    size_t have, given; /* bytes of `in`; of these, the length of the line that was returned last */
    char in[CHANNEL_LINE];
    char fault[CHANNEL_SENTENCE]; /* why the last call failed */
    struct starter *starter;      /* opens the channel for this process; NULL: this process opens it. Not owned */
};
/* Called while the channel waits, with a descriptor of each wire to be polled. */
struct channel_idle {
    int fd[2];
    unsigned n;
    void (*idle)(void *ctx);
    void *ctx;
};

/* Opens the channel before the time `until` (ibc_wire_clock()). */
bool channel_open(struct channel *c, const char *spec, uint64_t until);
/* Closes the channel. A child gets time to end by itself, and is ended after that. */
void channel_close(struct channel *c);
/* Writes a sentence about the unexpected end of the channel to c->fault. */
void channel_hung_up(struct channel *c);
/* Functions for the starter, which opens the channel itself. */
extern const struct channel_ops {
    bool (*open)(struct channel *c, const char *spec, uint64_t until);
    void (*close)(struct channel *c);
    void (*hung_up)(struct channel *c);
} channel_direct;
bool channel_send(struct channel *c, const char *line, size_t len, uint64_t until, const struct channel_idle *idle);
/* Returns one line without its line end, valid until the next call; NULL: none came before `until`. */
const char *channel_receive(struct channel *c, size_t *len, uint64_t until, const struct channel_idle *idle);
#endif
