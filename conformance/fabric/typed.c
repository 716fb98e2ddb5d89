/* SPDX-License-Identifier: BSD-2-Clause */
#include "typed.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GID_BITS = 128, WORD_BITS = 64 };

/* Whether the field is reserved ("reserved1" and the like), so that nobody sets it. */
static bool is_reserved(const struct iba_field *f)
{
    return strncmp(f->name, "reserved", strlen("reserved")) == 0;
}

static const struct iba_field *field_of(const struct iba_hdr_info *h, const char *name, size_t len)
{
    for (unsigned i = 0; i < h->n_field; i++)
        if (strlen(h->field[i].name) == len && memcmp(h->field[i].name, name, len) == 0 && !is_reserved(&h->field[i]))
            return &h->field[i];
    return NULL;
}

static const char *no_field(const struct iba_hdr_info *h, const char *word, char err[TYPED_ERROR])
{
    int n = snprintf(err, TYPED_ERROR, "'%.40s' sets no field; FIELD=VALUE, with", word);

    for (unsigned i = 0; i < h->n_field && n > 0 && n < TYPED_ERROR; i++)
        if (!is_reserved(&h->field[i]))
            n += snprintf(err + n, (size_t)(TYPED_ERROR - n), " %s", h->field[i].name);
    return err;
}

static bool hex_bytes(const char *text, uint8_t *to, size_t bytes)
{
    if (strlen(text) != 2 * bytes || strspn(text, "0123456789abcdefABCDEF") != 2 * bytes)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        const char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        to[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static bool number(const struct iba_field *f, const char *text, uint8_t *details)
{
    unsigned long long v;
    char *end;

    errno = 0;
    v = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-' || (f->bits < WORD_BITS && v >> f->bits))
        return false;
    iba_field_put(f, details, v);
    return true;
}

const char *typed_field(enum iba_mad_layout l, const char *word, uint8_t *details, char err[TYPED_ERROR])
{
    const struct iba_hdr_info *h = &iba_mad_layouts[l];
    const char *equals = strchr(word, '=');
    const struct iba_field *f = equals ? field_of(h, word, (size_t)(equals - word)) : NULL;
    bool good;

    if (!f)
        return no_field(h, word, err);
    if (f->bits <= WORD_BITS)
        good = number(f, equals + 1, details);
    else if (f->bits == GID_BITS)
        good = inet_pton(AF_INET6, equals + 1, details + f->at / 8) == 1;
    else
        good = hex_bytes(equals + 1, details + f->at / 8, f->bits / 8u);
    if (good)
        return NULL;
    (void)snprintf(err, TYPED_ERROR, "'%.60s': no value of %u bits", word, f->bits);
    return err;
}
