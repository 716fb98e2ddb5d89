/* SPDX-License-Identifier: BSD-2-Clause */
#include "address.h"
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 5, MOST = 65535 };

bool address_is_port(const char *text)
{
    const size_t n = strlen(text);

    return n > 0 && n <= DIGITS && strspn(text, "0123456789") == n && strtoul(text, NULL, 10) <= MOST;
}

bool address_split(char *text, char **host, char **port)
{
    char *colon = strrchr(text, ':');

    if (!colon || colon == text || !address_is_port(colon + 1))
        return false;
    *port = colon + 1;
    *host = text;
    if (text[0] == '[' && colon[-1] == ']') {
        colon[-1] = '\0';
        ++*host;
    }
    *colon = '\0';
    return **host != '\0';
}
