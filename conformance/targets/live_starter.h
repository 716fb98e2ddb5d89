/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that starts an agent, or connects to it, and does so again: ibconform itself may do neither any more once
 * it reads what devices and agents send (system/confine.h). It reads nothing of theirs, and knows one agent, which its
 * orders cannot change. */
#ifndef IBC_LIVE_STARTER_H
#define IBC_LIVE_STARTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct channel_ops;

struct starter {
    int fd;    /* orders and replies; -1: not there */
    pid_t pid; /* child of the process that opened it; other processes of the run may order, too */
};
/* ops is always channel_direct. agent: "exec:COMMAND", "unix:PATH" or "tcp:HOST:PORT"; commands and connections are
 * those of the user that this process runs as now, even if it changes its user later. False with errno. */
bool starter_open(struct starter *s, const char *agent, const struct channel_ops *ops);
/* Ends the agent, too, if it was started. */
void starter_close(struct starter *s);

/* Ends the agent of before and starts another, or connects again. `until` on ibc_wire_clock()'s clock. The descriptor
 * of its lines, or -1 with a sentence in why. */
int starter_begin(struct starter *s, uint64_t until, char *why, size_t n);
/* Gives a started agent, whose lines were closed, time to end by itself, then ends it. */
void starter_end(struct starter *s);
/* The sentence about an agent that no longer reads or writes: how it ended, if it was started. */
void starter_ask_why(struct starter *s, char *why, size_t n);
#endif
