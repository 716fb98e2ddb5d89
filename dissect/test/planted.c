/* SPDX-License-Identifier: BSD-2-Clause */
/* ibdissect with an exploit where it parses a packet: see dissect/system/test/confined.py. */
#include "system/test/exploit.h"
#include "wire/iba_view.h"

enum iba_err __real_iba_view_parse(struct iba_view *v, enum iba_link link, const uint8_t *wire, size_t caplen,
                                   size_t len, const struct iba_view_opts *o);
enum iba_err __wrap_iba_view_parse(struct iba_view *v, enum iba_link link, const uint8_t *wire, size_t caplen,
                                   size_t len, const struct iba_view_opts *o);

enum iba_err __wrap_iba_view_parse(struct iba_view *v, enum iba_link link, const uint8_t *wire, size_t caplen,
                                   size_t len, const struct iba_view_opts *o)
{
    exploit();
    return __real_iba_view_parse(v, link, wire, caplen, len, o);
}
