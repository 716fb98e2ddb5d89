/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <inttypes.h>

static const struct variant {
    uint32_t magic, header, ts_unit;
} variants[] = {
    {0xa1b2c3d4, 16, 1000},
    {0xa1b23c4d, 16, 1},
    {0xa1b2cd34, 24, 1000}, /* the patched libpcap of 1999: interface, protocol and packet type follow the lengths */
};

static bool find_variant(struct cap_pcap *f, const uint8_t *header)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        f->big = cap_get32(header, true) == variants[i].magic;
        f->header = variants[i].header;
        f->ts_unit = variants[i].ts_unit;
        if (f->big || cap_get32(header, false) == variants[i].magic)
            return true;
    }
    return false;
}

/* Whether the two lengths are swapped: files up to version 2.2 have them the other way round, files of 2.3 either way.
 */
static bool lengths_swapped(const struct cap_pcap *f, uint32_t caplen, uint32_t len)
{
    return f->minor < 3 || (f->minor == 3 && caplen > len);
}

/* Fails for a record that is too long. length_is_sane() accepts records above the snapshot length up to 65535 bytes,
 * since some writers state too small a snapshot length. */
static enum cap_result fail_length(struct capture *c, uint32_t caplen)
{
    uint32_t snaplen = c->pcap.snaplen;
    if (snaplen > 0 && caplen > snaplen)
        return cap_fail_packet(c, "record length %" PRIu32 " exceeds snapshot length %" PRIu32, caplen, snaplen);
    return cap_fail_packet(c, "record length %" PRIu32 " exceeds %d, the longest a record can be", caplen,
                           CAP_MAX_RECORD);
}

static bool length_is_sane(const struct cap_pcap *f, uint32_t caplen)
{
    return caplen <= 65535 || (caplen <= CAP_MAX_RECORD && (f->snaplen == 0 || caplen <= f->snaplen));
}

__attribute__((hot)) static bool ready(const struct capture *c)
{
    const struct cap_stream *s = &c->in;
    const struct cap_pcap *f = &c->pcap;
    if (f->minor < 4 || cap_stream_have(s) < f->header)
        return false;
    uint32_t caplen = cap_get32(s->at + 8, f->big);
    return length_is_sane(f, caplen) && cap_stream_have(s) - f->header >= caplen;
}

__attribute__((hot)) static enum cap_result next(struct capture *c, struct cap_packet *p)
{
    struct cap_stream *s = &c->in;
    const struct cap_pcap *f = &c->pcap;
    if (cap_stream_have(s) < f->header && cap_stream_fill(s, f->header) < f->header)
        return cap_stream_have(s) > 0 ? cap_fail_cut(c, cap_stream_have(s), f->header) : cap_finish(c);
    uint32_t caplen = cap_get32(s->at + 8, f->big), len = cap_get32(s->at + 12, f->big);
    if (f->minor < 4 && lengths_swapped(f, caplen, len)) {
        uint32_t other = caplen;
        caplen = len;
        len = other;
    }
    if (!length_is_sane(f, caplen))
        return fail_length(c, caplen);
    size_t size = f->header + caplen;
    if (cap_stream_have(s) < size && cap_stream_fill(s, size) < size)
        return cap_fail_cut(c, cap_stream_have(s), size);
    const uint8_t *record = s->at;
    uint64_t seconds = cap_get32(record, f->big), fraction = cap_get32(record + 4, f->big);
    *p = (struct cap_packet){.data = record + f->header,
                             .caplen = caplen,
                             .len = len < caplen ? caplen : len,
                             .dlt = f->dlt,
                             .ts_ns = seconds * 1000000000u + fraction * f->ts_unit,
                             .has_ts = true,
                             .offset = cap_stream_offset(s),
                             .number = ++c->number};
    s->at += size;
    return CAP_PACKET;
}

bool cap_pcap_begin(struct capture *c)
{
    struct cap_pcap *f = &c->pcap;
    const uint8_t *header = c->in.at; /* 24 bytes are there, with one of the magics */
    if (!find_variant(f, header))
        return false;
    unsigned major = cap_get16(header + 4, f->big);
    f->minor = cap_get16(header + 6, f->big);
    if (major != 2 || f->minor > 4) {
        cap_fail(c, "pcap version %u.%" PRIu32 " is not known (2.0 to 2.4 are)", major, f->minor);
        return false;
    }
    f->snaplen = cap_get32(header + 16, f->big);
    /* the upper bits state whether there is an FCS, and how long it is */
    f->dlt = cap_get32(header + 20, f->big) & 0xffff;
    c->in.at += 24;
    c->next = next;
    c->ready = ready;
    return true;
}
