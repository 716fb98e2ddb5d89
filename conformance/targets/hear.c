/* SPDX-License-Identifier: BSD-2-Clause */
#include "hear.h"
#include <stdlib.h>
#include <string.h>
#include "target.h"
#include "wire/iba_build.h"
#include "wire/iba_crc.h"

/* clang-format off */
/* Fields that a broken device ignores, with the value that the tester's packets have where a scenario does not say otherwise.
 *    name                change   clauses                what the device does */
#define HEARS(H)                                                                                                          \
    H("ip.ttl",           "!64",   "WF-24,WF-76,RO-15",   "drops packets with another TTL than 64")                       \
    H("ip.dsfield.dscp",  "!0",    "WF-76,RO-13",         "drops packets with a DSCP")                                    \
    H("ip.dsfield.ecn",   "3",     "RO-43",               "takes every packet for one that met congestion")               \
    H("ipv6.hlim",        "!64",   "WF-24,WF-77",         "drops packets with another hop limit than 64")                 \
    H("ipv6.flow",        "!0",    "WF-77,WF-25",         "drops packets with a flow label in the IPv6 header")           \
    H("grh.hoplmt",       "!64",   "WF-24,WF-75",         "drops packets whose GRH has another hop limit than 64")        \
    H("grh.tclass",       "!0",    "WF-25,WF-75",         "drops packets whose GRH has a traffic class")                  \
    H("grh.flowlabel",    "!0",    "WF-25,WF-75",         "drops packets whose GRH has a flow label")                     \
    H("vlan.priority",    "!0",    "RO-39,RO-03",         "drops tagged frames that have a priority")                     \
    H("bth.reserved6",    "!0",    "WF-05",               "drops packets with reserved bits of the BTH set, beside BECN") \
    H("bth.reserved7",    "!0",    "WF-05",               "drops packets with reserved bits of the BTH set, beside AckReq") \
    H("lrh.reserved5",    "!0",    "WF-05,WF-06",         "drops packets with reserved bits of the LRH set")              \
    H("lrh.sl",           "!0",    "WF-14",               "drops packets with another service level than 0")              \
    H("trailer",          "!0",    "RO-04,RO-38",         "drops frames that have bytes after their CRC")                \
    H("pad",              "!0",    "WF-33",               "drops packets whose pad bytes are not 0")                      \
    H("unknown_qp",       "1",     "PV-04",               "gives packets for a queue pair that does not exist to one that does") \
    H("short",            "1",     "PV-34",               "reads zeros where a packet is too short for its headers")                \
    H("faults",           "!4",    "PV-35",               "drops everything once four packets had a wrong ICRC")
/* clang-format on */
#define HEAR_ROW(name, change, clause, words) {name, change, clause, words},
const struct hear_row hear_rows[] = {HEARS(HEAR_ROW)};
const size_t hear_row_count = sizeof hear_rows / sizeof *hear_rows;

static const char *const names[HEAR_COUNT] = {[HEAR_TRAILER] = "trailer",
                                              [HEAR_PAD] = "pad",
                                              [HEAR_UNKNOWN_QP] = "unknown_qp",
                                              [HEAR_SHORT] = "short",
                                              [HEAR_FAULTS] = "faults"};

static bool find_what(struct ref_hear *h, const char *name, size_t len)
{
    for (unsigned i = HEAR_FIELD + 1; i < HEAR_COUNT; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
            h->what = (uint8_t)i;
            return true;
        }
    return false;
}

bool hear_parse(struct ref_hear *h, const char *name, size_t len, const char *change)
{
    char *end;

    *h = (struct ref_hear){.what = HEAR_FIELD, .minds = *change == '!'};
    change += h->minds;
    if (*change < '0') /* strtoull() would accept a sign, or blanks before the number */
        return false;
    h->value = strtoull(change, &end, 0);
    if (*end != 0)
        return false;
    return find_what(h, name, len) || (emit_parse(&h->field, name, len, change) && h->field.field);
}

static bool pads_with_zeros(const struct iba_view *v, const uint8_t *frame)
{
    for (uint32_t i = 0; i < v->pad; i++)
        if (frame[v->payload_at + v->payload_len + i] != 0)
            return false;
    return true;
}

static bool has_value(const struct ref_hear *h, const struct iba_view *v)
{
    const enum iba_hdr hdr = (enum iba_hdr)h->field.where;

    return !iba_view_has(v, hdr) || iba_field_get(h->field.field, iba_view_hdr(v, hdr)) == h->value;
}

/* Whether the broken device accepts the frame. */
static bool suits(struct ref_hear *h, enum iba_link link, const struct iba_view *v, const uint8_t *frame, size_t len)
{
    switch ((enum ref_hear_what)h->what) {
    case HEAR_TRAILER: return len <= ibc_frame_end(link, v);
    case HEAR_PAD: return pads_with_zeros(v, frame);
    case HEAR_FAULTS: h->seen += v->icrc == IBA_CHECK_BAD; return h->seen < h->value;
    default: return has_value(h, v);
    }
}

/* Returns the number of bytes, HEAR_MORE at most, that the packet is too short for the headers after its BTH. */
static size_t missing_bytes(const struct iba_view *v)
{
    if (!v->op)
        return 0;
    const size_t end = v->end - IBA_ICRC_BYTES, need = v->bth_at + iba_hdrs_bytes(v->op->hdrs | IBA_HDR_BIT(IBA_H_bth));

    return need > end ? need - end : 0;
}

/* Adds `n` bytes to the length fields of the headers before the BTH. */
static void lengthen(const struct iba_view *v, uint8_t *frame, size_t n)
{
    if (iba_view_has(v, IBA_H_udp))
        iba_udp_set_length(frame + v->at[IBA_H_udp], iba_udp_length(frame + v->at[IBA_H_udp]) + n);
    if (iba_view_has(v, IBA_H_ipv4))
        iba_ipv4_set_len(frame + v->at[IBA_H_ipv4], iba_ipv4_len(frame + v->at[IBA_H_ipv4]) + n);
    if (iba_view_has(v, IBA_H_ipv6))
        iba_ipv6_set_plen(frame + v->at[IBA_H_ipv6], iba_ipv6_plen(frame + v->at[IBA_H_ipv6]) + n);
    if (iba_view_has(v, IBA_H_grh))
        iba_grh_set_paylen(frame + v->at[IBA_H_grh], iba_grh_paylen(frame + v->at[IBA_H_grh]) + n);
    if (iba_view_has(v, IBA_H_lrh))
        iba_lrh_set_pktlen(frame + v->at[IBA_H_lrh], iba_lrh_pktlen(frame + v->at[IBA_H_lrh]) + n / 4);
}

static void read_zeros(enum iba_link link, const struct iba_view *v, uint8_t *frame, size_t *len)
{
    const size_t n = missing_bytes(v), end = v->end - IBA_ICRC_BYTES;
    struct iba_view longer;

    if (n == 0)
        return;
    memmove(frame + end + n, frame + end, *len - end);
    memset(frame + end, 0, n);
    iba_bth_set_padcnt(frame + v->bth_at, 0); /* the bytes of the pad are part of the headers now */
    lengthen(v, frame, n);
    *len += n;
    if (iba_view_parse(&longer, link, frame, *len, *len, NULL) == IBA_OK)
        iba_view_repair_crc(&longer, frame);
}

static void give_to(const struct iba_view *v, uint8_t *frame, uint32_t qpn)
{
    iba_bth_set_destqp(frame + v->bth_at, qpn);
    iba_view_repair_crc(v, frame);
}

bool hear_change(struct ref_hear *h, enum iba_link link, const struct iba_view *v, uint8_t *frame, size_t *len,
                 bool knows_qp, uint32_t any_qp)
{
    const bool whole = v->err == IBA_OK;

    if (h->what == HEAR_SHORT && !whole)
        read_zeros(link, v, frame, len);
    if (!whole)
        return true;
    if (h->minds)
        return suits(h, link, v, frame, *len);
    if (h->what == HEAR_FIELD)
        (void)emit_change(&h->field, link, frame, *len);
    else if (h->what == HEAR_UNKNOWN_QP && !knows_qp)
        give_to(v, frame, any_qp);
    return true;
}
