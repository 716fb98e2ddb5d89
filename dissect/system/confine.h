/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that parses foreign bytes gives up, once its inputs and outputs are open, what parsing does not need: the
 * kernel refuses it files (Landlock) and system calls (seccomp). A fault in a parser is then no way into the machine.
 *
 * Where the kernel or the build offers one of the two only, or none, the program runs all the same. It cannot be
 * undone, and child processes inherit it. */
#ifndef SYSTEM_CONFINE_H
#define SYSTEM_CONFINE_H
#include <stdbool.h>

/* Uses of the system beyond that of open files: groups of the table in confine_calls.c. */
enum confine_use {
    CONFINE_CAPTURE = 1 << 0,  /* read packets of an open network interface */
    CONFINE_TALK = 1 << 1,     /* exchange frames and lines over open sockets, accept clients of one */
    CONFINE_FILES = 1 << 2,    /* open and create files in its places */
    CONFINE_NAMES = 1 << 3,    /* rename and remove files in its places */
    CONFINE_CHILDREN = 1 << 4, /* have child processes that are copies of itself */
    CONFINE_THREADS = 1 << 5,  /* begin threads */
};
/* The rights to the files of a place. */
enum confine_may {
    CONFINE_READ = 1 << 0,
    CONFINE_WRITE = 1 << 1,  /* to files, also new ones; also rename and remove them */
    CONFINE_RENAME = 1 << 2, /* only that, and remove */
};
enum confine_got { CONFINE_GOT_FILES = 1 << 0, CONFINE_GOT_CALLS = 1 << 1 };

/* One place after the other, then confine(). A place that does not exist is left out. */
struct confine {
    int rules; /* descriptor; -1: the kernel has no Landlock */
};
void confine_begin(struct confine *c);
/* path: a file, or a folder with all in it. */
void confine_allow(struct confine *c, const char *path, unsigned may);
/* The folder that path is, or would be created, in; of a link: where it leads. */
void confine_allow_folder_of(struct confine *c, const char *path, unsigned may);
/* From here on. Returns what could be had, a mask of enum confine_got. */
unsigned confine_end(struct confine *c, unsigned uses);
/* For --version: what this build and this kernel offer, as "seccomp, Landlock" or "none (...)". */
const char *confine_offer(void);
#endif
