/* SPDX-License-Identifier: BSD-2-Clause */
/* The starter is a process that starts an agent, or connects to it, as often as needed. ibconform itself may do
 * neither once it reads data of devices and agents (system/confine.h). The starter reads no such data, and knows
 * only one agent, which its orders cannot change. */
#ifndef IBC_LIVE_STARTER_H
#define IBC_LIVE_STARTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct channel_ops;

struct starter {
    int fd; /* socket for orders and replies; -1: no starter */
    /* child of the process that opened the starter; other processes of the run may send orders, too */
    pid_t pid;
};
/* Opens the starter. ops is always channel_direct. agent: "exec:COMMAND", "unix:PATH" or "tcp:HOST:PORT". Commands
 * and connections are those of the user that this process has now, even if the process changes its user later.
 * False with errno. */
bool starter_open(struct starter *s, const char *agent, const struct channel_ops *ops);
/* Ends the starter, and its agent if it started one. */
void starter_close(struct starter *s);

/* Ends the previous agent and starts another, or connects again, before the time `until` (ibc_wire_clock()).
 * Returns the descriptor of the agent's lines, or -1 with a sentence in `why`. */
int starter_begin(struct starter *s, uint64_t until, char *why, size_t n);
/* Waits for a started agent, whose lines were closed, to end by itself, and then ends it. */
void starter_end(struct starter *s);
/* Writes a sentence about an agent that no longer reads or writes: how it ended, if it was started. */
void starter_ask_why(struct starter *s, char *why, size_t n);
#endif
