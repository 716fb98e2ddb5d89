/* SPDX-License-Identifier: BSD-2-Clause */
#include "ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, BLOCK_BYTES = 128 * 1024 };

struct block {
    size_t n;
    uint64_t file_done; /* bytes of the file that were read when the block was filled */
    uint8_t bytes[BLOCK_BYTES];
};
struct cap_ahead {
    struct cap_stream from; /* the thread's; the reader looks at it when `over` is set */
    struct cap_ahead_calls calls;
    size_t used; /* bytes that the reader has taken from its block */
    pthread_t thread;
    pthread_mutex_t lock; /* protects what follows; the bytes of a block belong to one side at a time */
    pthread_cond_t changed;
    uint64_t filled, taken; /* blocks since the start */
    bool over;              /* no block follows */
    bool stop;              /* the reader needs no more */
    struct block block[BLOCKS];
};

/* The block to be filled next. NULL: the reader needs no more. */
static struct block *wait_for_room(struct cap_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->filled - a->taken == BLOCKS && !a->stop)
        pthread_cond_wait(&a->changed, &a->lock);
    struct block *b = a->stop ? NULL : &a->block[a->filled % BLOCKS];
    pthread_mutex_unlock(&a->lock);
    return b;
}

static void fill(struct cap_ahead *a, struct block *b)
{
    size_t got;

    b->n = 0;
    do {
        got = a->calls.inflate(&a->from, b->bytes + b->n, BLOCK_BYTES - b->n);
        b->n += got;
    } while (got > 0 && b->n < BLOCK_BYTES);
    b->file_done = a->from.file_done;
}

static void *work(void *ctx)
{
    struct cap_ahead *a = ctx;
    struct block *b;
    bool over = false;

    while (!over && (b = wait_for_room(a)) != NULL) {
        fill(a, b);
        over = b->n < BLOCK_BYTES;
        pthread_mutex_lock(&a->lock);
        a->filled++;
        a->over = over;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

/* The block with the next bytes. NULL at the end. */
static struct block *wait_for_bytes(struct cap_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->filled == a->taken && !a->over)
        pthread_cond_wait(&a->changed, &a->lock);
    struct block *b = a->filled == a->taken ? NULL : &a->block[a->taken % BLOCKS];
    pthread_mutex_unlock(&a->lock);
    return b;
}

static void give_back(struct cap_ahead *a)
{
    a->used = 0;
    pthread_mutex_lock(&a->lock);
    a->taken++;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

size_t cap_ahead_read(struct cap_ahead *a, struct cap_stream *s, uint8_t *to, size_t room)
{
    const struct block *b;

    while ((b = wait_for_bytes(a)) != NULL) {
        const size_t left = b->n - a->used, n = left < room ? left : room;
        memcpy(to, b->bytes + a->used, n);
        s->file_done = b->file_done;
        a->used += n;
        if (a->used == b->n)
            give_back(a);
        if (n > 0)
            return n;
    }
    memcpy(s->fault, a->from.fault, sizeof s->fault);
    s->eof = true;
    return 0;
}

/* Starts the thread. Signals go to other threads. */
static bool begin(struct cap_ahead *a)
{
    sigset_t all, before;

    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&a->thread, NULL, work, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static void release(struct cap_ahead *a)
{
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
    free(a);
}

struct cap_ahead *cap_ahead_open(struct cap_stream *s, const struct cap_ahead_calls *calls)
{
    struct cap_ahead *a = malloc(sizeof *a);

    if (a == NULL)
        return NULL;
    a->from = *s;
    a->calls = *calls;
    a->from.at = a->from.end = a->from.window = NULL; /* the reader's */
    a->used = 0;
    a->filled = a->taken = 0;
    a->over = a->stop = false;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (!begin(a)) {
        release(a);
        return NULL;
    }
    s->gunzip = NULL;
    s->fd = -1;
    return a;
}

void cap_ahead_close(struct cap_ahead *a)
{
    if (a == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    a->calls.close(&a->from);
    release(a);
}
