/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT, SIGTERM and SIGHUP end a run in order. The first signal is noted and ends waiting, so that the program can
 * finish its output. The second one ends the program at once. */
#ifndef SYSTEM_SIGNALS_H
#define SYSTEM_SIGNALS_H
#include <stdbool.h>

/* Handles these signals. Signals that the program was started to ignore (nohup) stay ignored. The handler of the first
 * signal calls `first`, unless it is NULL. False: no descriptors are left. */
bool signals_mind(void (*first)(void));
/* The first signal that came; 0: none came. */
int signals_came(void);
/* A descriptor for poll() that is readable from the first signal on; -1 before signals_mind(). */
int signals_fd(void);
/* Waits until fd is readable, at its end, or broken. If signals_mind() was not called, it returns at once. False: a
 * signal came. */
bool signals_await(int fd);
/* For a child process that the parent ends: it ignores SIGINT and SIGHUP, which a terminal sends to both. */
void signals_leave_to_parent(void);
/* For a child process that ends when its parent has ended: it ignores all three signals. */
void signals_outlive(void);
/* For a child process, before it executes another program: signals have their usual effect again. */
void signals_forget(void);
#endif
