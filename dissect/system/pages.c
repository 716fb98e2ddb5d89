/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/pages.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The address sanitizer refuses what lies between the end of a table and the end of its last page. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* The bytes of the pages that hold so many bytes. */
static size_t whole_pages(size_t bytes)
{
    const size_t page = page_bytes();

    return (bytes + page - 1) / page * page;
}

void pages_large(void *table, size_t bytes)
{
#ifdef MADV_HUGEPAGE /* Linux */
    enum { LEAST = 4 << 20 };
    const uintptr_t page = page_bytes(), from = (uintptr_t)table / page * page;

    if (bytes >= LEAST)
        (void)madvise((char *)table - ((uintptr_t)table - from), (uintptr_t)table + bytes - from, MADV_HUGEPAGE);
#else
    (void)table;
    (void)bytes;
#endif
}

void *pages_open(size_t bytes)
{
    const size_t page = page_bytes(), inside = whole_pages(bytes);
    char *all = mmap(NULL, page + inside + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        return NULL;
    if (mprotect(all + page, inside, PROT_READ | PROT_WRITE) != 0) {
        munmap(all, page + inside + page);
        return NULL;
    }
    ASAN_POISON_MEMORY_REGION(all + page + bytes, inside - bytes);
    return all + page;
}

void pages_shrink(void *table, size_t bytes, size_t fewer)
{
    char *const at = table;
    const size_t had = whole_pages(bytes), kept = whole_pages(fewer);

    ASAN_UNPOISON_MEMORY_REGION(at + bytes, had - bytes);
    ASAN_POISON_MEMORY_REGION(at + fewer, kept - fewer);
    if (had == kept)
        return;
    (void)mprotect(at + kept, page_bytes(), PROT_NONE);
    munmap(at + kept + page_bytes(), had - kept);
}

void pages_close(void *table, size_t bytes)
{
    const size_t page = page_bytes(), inside = whole_pages(bytes);
    char *const at = table;

    if (!table)
        return;
    ASAN_UNPOISON_MEMORY_REGION(at + bytes, inside - bytes);
    munmap(at - page, page + inside + page);
}
