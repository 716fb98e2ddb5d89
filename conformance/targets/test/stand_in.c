#include <string.h>
#include "scenario/scenario.h"
uint8_t ibc_pattern(char letter, uint64_t i)
{
    return (uint8_t)((uint64_t)letter * 37 + i * 7 + i / 251);
}
const char *ibc_nearest(const char *word, const char *(*name)(size_t i, const void *ctx), size_t n, const void *ctx)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(name(i, ctx), word, 4) == 0)
            return name(i, ctx);
    return NULL;
}
