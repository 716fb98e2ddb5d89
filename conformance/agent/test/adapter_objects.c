/* SPDX-License-Identifier: BSD-2-Clause */
/* The pretended libibverbs: calls that are noted or refused, and objects. */
#include "adapter.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

struct adapter adapter;

void adapter_note(const char *format, ...)
{
    const size_t at = strlen(adapter.said);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(adapter.said + at, sizeof adapter.said - at, format, args);
    va_end(args);
    cr_assert_lt(strlen(adapter.said), sizeof adapter.said - 1);
}

bool adapter_refuses(const char *name)
{
    const char *at = adapter.refuses ? strstr(adapter.refuses, name) : NULL;
    const size_t n = strlen(name);

    if (!at || (at[n] && at[n] != ',') || (at > adapter.refuses && at[-1] != ','))
        return false;
    errno = adapter.error;
    return true;
}

/* An errno, or -1 and errno. */
int adapter_result(const char *name)
{
    if (!adapter_refuses(name))
        return 0;
    return adapter.minus ? -1 : adapter.error;
}

/* Objects of the context, which ends them when it is closed. */
static void *objects[4096];
static unsigned n_object;

void *adapter_made(const char *name, size_t size, unsigned kind, uint32_t *number)
{
    if (adapter_refuses(name))
        return NULL;
    cr_assert_lt(n_object, sizeof objects / sizeof *objects);
    adapter.alive++;
    *number = ++adapter.made[kind];
    return objects[n_object++] = calloc(1, size);
}

void adapter_drop(void *object)
{
    unsigned i = 0;

    while (i < n_object && objects[i] != object)
        i++;
    cr_assert_lt(i, n_object, "there is no such object");
    objects[i] = objects[--n_object];
    adapter.alive--;
    free(object);
}

int adapter_gone(const char *name, void *object, uint32_t number)
{
    const int e = adapter_result(name);

    adapter_note("%s %u\n", name, number);
    if (e == 0)
        adapter_drop(object);
    return e;
}

void adapter_end_objects(void)
{
    while (n_object > 0) {
        free(objects[--n_object]);
        adapter.alive--;
    }
}
