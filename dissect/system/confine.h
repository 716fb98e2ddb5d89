/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that parses foreign bytes gives up, once its inputs and outputs are open, what parsing does not need: the
 * kernel refuses it files (Landlock) and system calls (seccomp). So a fault in a parser gives no access to the machine.
 * Where the kernel or the build offers only one of the two, or none, the program runs all the same. Confinement cannot
 * be undone, and child processes inherit it. */
#ifndef SYSTEM_CONFINE_H
#define SYSTEM_CONFINE_H
#include <stdbool.h>

/* The needs of a program besides its open files: groups of the table in confine_calls.c. */
enum confine_use {
    CONFINE_CAPTURE = 1 << 0,  /* read packets of an open network interface */
    CONFINE_TALK = 1 << 1,     /* exchange frames and lines over open sockets, accept clients of one */
    CONFINE_FILES = 1 << 2,    /* open and create files in its places */
    CONFINE_NAMES = 1 << 3,    /* rename and remove files in its places */
    CONFINE_CHILDREN = 1 << 4, /* have child processes that are copies of the program */
    CONFINE_THREADS = 1 << 5,  /* start threads */
};
/* The rights to the files of a place. */
enum confine_may {
    CONFINE_READ = 1 << 0,
    CONFINE_WRITE = 1 << 1,  /* write files, also new ones; rename and remove them */
    CONFINE_RENAME = 1 << 2, /* only rename and remove files */
};
enum confine_got { CONFINE_GOT_FILES = 1 << 0, CONFINE_GOT_CALLS = 1 << 1 };

/* Call confine_allow() for one place after the other, then confine_end(). A place that does not exist is left out. */
struct confine {
    int rules; /* descriptor; -1: the kernel has no Landlock */
};
void confine_begin(struct confine *c);
/* Allows a path: a file, or a folder with all in it. */
void confine_allow(struct confine *c, const char *path, unsigned may);
/* Allows the folder that the path is in, or would be created in. For a link it is the folder of the link's target. */
void confine_allow_folder_of(struct confine *c, const char *path, unsigned may);
/* Confines the program from here on. Returns what the kernel and the build offered, a mask of enum confine_got. */
unsigned confine_end(struct confine *c, unsigned uses);
/* For --version: what this build and this kernel offer, as "seccomp, Landlock" or "none (...)". */
const char *confine_offer(void);
#endif
