/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT, SIGTERM and SIGHUP end a run in order: the first is noted, and waiting ends, so that the program can finish
 * its output. The second one ends the program at once, whatever it does. */
#ifndef SYSTEM_SIGNALS_H
#define SYSTEM_SIGNALS_H
#include <stdbool.h>

/* Signals that the program was started to ignore (nohup) stay ignored. `first`, or NULL, is called in the handler of
 * the first one. False: no descriptors are left. */
bool signals_mind(void (*first)(void));
/* The first signal that came; 0: none has. */
int signals_came(void);
/* Readable from the first signal on, for poll(); -1 before signals_mind(). */
int signals_fd(void);
/* Waits until fd is readable, at its end, or broken; at once when signals_mind() was not called. False: a signal
 * came. */
bool signals_await(int fd);
/* In a child process that the parent ends: SIGINT and SIGHUP, which a terminal sends to both, are the parent's. */
void signals_leave_to_parent(void);
/* In a child process that ends when its parent has: none of them does anything. */
void signals_outlive(void);
/* In a child process, before it executes another program: the signals' usual effect. */
void signals_forget(void);
#endif
