/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts lines of text to packets: the grammar is in gen.h. */
#include <stdio.h>
#include <stdlib.h>
#include "gen.h"
#include "mad/iba_mad.h"

struct plan {
    struct iba_recipe recipe;
    enum iba_link link;
    size_t cut, drop, fragment;
    uint64_t after; /* ns after the packet before; 0: the default */
    uint32_t iface;
    const char *comment;
};

static uint64_t number(const struct job *job, const char *s)
{
    char *end;
    const uint64_t v = strtoull(s, &end, 0);

    if (end == s || *end)
        die(job, "not a number", s);
    return v;
}

static enum iba_hdr header_named(const struct job *job, const char *name)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        if (strcmp(iba_headers[h].name, name) == 0)
            return (enum iba_hdr)h;
    die(job, "no such header", name);
}

/* "udp" is the last one, "udp#0" the first. */
static unsigned part_named(const struct job *job, const struct iba_recipe *r, char *name)
{
    char *nth = strchr(name, '#');
    uint64_t left = 0;

    if (nth) {
        *nth++ = '\0';
        left = number(job, nth);
    }
    const enum iba_hdr h = header_named(job, name);
    if (nth) {
        for (unsigned i = 0; i < r->n_part; i++)
            if (r->part[i].hdr == h && left-- == 0)
                return i;
    } else {
        for (unsigned i = r->n_part; i-- > 0;)
            if (r->part[i].hdr == h)
                return i;
    }
    die(job, "the packet has no such header", name);
}

/* By filter name within the header; for "=gre.key", a complete name, the last word. */
static const struct iba_field *field_named(const struct job *job, enum iba_hdr h, const char *leaf)
{
    const struct iba_hdr_info *info = &iba_headers[h];

    for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++) {
        const char *last = f->name[0] == '=' ? strrchr(f->name, '.') : NULL;
        if (strcmp(last ? last + 1 : f->name, leaf) == 0)
            return f;
    }
    die(job, "no such field", leaf);
}

static void set_field(const struct job *job, struct iba_recipe *r, char *name, const char *value)
{
    char *leaf = strchr(name, '.');
    struct bytes b = {0};

    *leaf++ = '\0';
    const unsigned i = part_named(job, r, name);
    struct iba_part *p = &r->part[i];
    if (strcmp(leaf, "extra") == 0) {
        put_hex(&b, value);
        if (b.n > IBA_PART_EXTRA)
            die(job, "too many bytes", value);
        p->extra = (uint8_t)b.n;
        memcpy(p->bytes + iba_headers[p->hdr].bytes, b.at, b.n);
    } else {
        const struct iba_field *f = field_named(job, (enum iba_hdr)p->hdr, leaf);
        if (iba_field_is_bytes(f)) {
            put_hex(&b, value);
            memcpy(p->bytes + f->at / 8, b.at, b.n < f->bits / 8u ? b.n : f->bits / 8u);
        } else
            iba_recipe_set(r, i, f, number(job, value));
    }
    free(b.at);
}

static void swap(uint8_t *a, uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t keep = a[i];
        a[i] = b[i];
        b[i] = keep;
    }
}

static void reverse(struct iba_recipe *r)
{
    enum { REQUESTER = 0x11 };
#define PAIR(h, x, y) IBA_H_##h, IBA_AT_##h##_##x / 8, IBA_AT_##h##_##y / 8, IBA_W_##h##_##x / 8
    static const struct {
        uint8_t hdr, a, b, n;
    } pairs[] = {{PAIR(eth, dst, src)},
                 {PAIR(ipv4, src, dst)},
                 {PAIR(ipv6, src, dst)},
                 {PAIR(grh, sgid, dgid)},
                 {PAIR(lrh, dlid, slid)}};

    for (unsigned i = 0; i < r->n_part; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            if (pairs[k].hdr == r->part[i].hdr)
                swap(r->part[i].bytes + pairs[k].a, r->part[i].bytes + pairs[k].b, pairs[k].n);
    if (iba_recipe_part(r, IBA_H_bth))
        iba_bth_set_destqp(iba_recipe_part(r, IBA_H_bth), REQUESTER);
}

static void set_crc(const struct job *job, const char *value, uint8_t *mode, uint32_t *given)
{
    if (strcmp(value, "bad") == 0)
        *mode = IBA_CRC_BAD;
    else if (strcmp(value, "none") == 0)
        *mode = IBA_CRC_NONE;
    else {
        *mode = IBA_CRC_GIVEN;
        *given = (uint32_t)number(job, value);
    }
}

static uint8_t payload[FRAME_BYTES]; /* of the current packet */

static void change(const struct job *job, struct plan *p, char *word)
{
    struct iba_recipe *r = &p->recipe;
    char *value = strchr(word, '=');
    uint32_t given = 0;

    if (!value)
        die(job, "want key=value", word);
    *value++ = '\0';
    if (strchr(word, '.')) {
        set_field(job, r, word, value);
    } else if (strcmp(word, "icrc") == 0) {
        set_crc(job, value, &r->icrc_mode, &r->icrc);
    } else if (strcmp(word, "vcrc") == 0) {
        set_crc(job, value, &r->vcrc_mode, &given);
        r->vcrc = (uint16_t)given;
    } else if (strcmp(word, "comment") == 0) {
        for (char *c = value; (c = strchr(c, '_')) != NULL;)
            *c = ' ';
        p->comment = value;
    } else if (strcmp(word, "mad") == 0) {
        mad_fill(job, payload, value);
        r->payload_len = IBA_MAD_BYTES;
    } else if (strcmp(word, "at") == 0) {
        mad_patch(job, payload, value);
    } else {
        const uint64_t v = number(job, value);
        if (strcmp(word, "payload") == 0)
            r->payload_len = v;
        else if (strcmp(word, "reverse") == 0)
            reverse(r);
        else if (strcmp(word, "keep") == 0)
            r->keep = (uint8_t)v;
        else if (strcmp(word, "frame_pad") == 0)
            r->frame_pad = v;
        else if (strcmp(word, "udp_checksum") == 0)
            r->udp_checksum = true;
        else if (strcmp(word, "after") == 0)
            p->after = v;
        else if (strcmp(word, "drop") == 0)
            p->drop = v;
        else if (strcmp(word, "cut") == 0)
            p->cut = v;
        else if (strcmp(word, "fragment") == 0)
            p->fragment = v;
        else if (strcmp(word, "iface") == 0)
            p->iface = (uint32_t)v;
        else
            die(job, "unknown key", word);
    }
}

static uint8_t opcode_named(const struct job *job, const char *name)
{
    for (unsigned code = 0; code < 256; code++)
        if (iba_opcodes[code].name && strcmp(iba_opcodes[code].name, name) == 0)
            return (uint8_t)code;
    return (uint8_t)number(job, name);
}

/* raw:eth,ipv4,udp: those headers and nothing else */
static void recipe_raw(const struct job *job, struct plan *p, char *names)
{
    char *save = NULL;

    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
        if (!iba_recipe_add(&p->recipe, header_named(job, name)))
            die(job, "too many headers", name);
    switch (p->recipe.part[0].hdr) {
    case IBA_H_lrh: p->link = IBA_LINK_IB; break;
    case IBA_H_fc: p->link = IBA_LINK_IB_LINK; break;
    case IBA_H_ipv4:
    case IBA_H_ipv6: p->link = IBA_LINK_IP; break;
    case IBA_H_ipoibph: p->link = IBA_LINK_IPOIB; break;
    default: p->link = IBA_LINK_ETHERNET;
    }
}

static void begin(const struct job *job, struct plan *p, char *what, char **save)
{
    static const char raw[] = "raw:";

    if (strncmp(what, raw, sizeof raw - 1) == 0) {
        recipe_raw(job, p, what + sizeof raw - 1);
        return;
    }
    const enum iba_encap e = iba_encap_find(what);
    if (e == IBA_ENCAP_COUNT)
        die(job, "no such encapsulation", what);
    p->link = (enum iba_link)iba_encaps[e].link;
    const bool transport = iba_encaps[e].hdr[iba_encaps[e].n_hdr - 1] == IBA_H_bth;
    const char *opcode = transport ? strtok_r(NULL, " ", save) : "0";
    if (!opcode)
        die(job, "want an opcode", what);
    iba_recipe_init(&p->recipe, e, opcode_named(job, opcode));
}

static void emit(struct job *job, const struct plan *p, struct frame *f)
{
    enum { STEP_NS = 10007000 };
    static const uint64_t START_NS = UINT64_C(1700000000000000000);
    const size_t snaplen = job->capture->snaplen;

    f->caplen = f->len;
    if (p->cut && p->cut < f->caplen)
        f->caplen = p->cut;
    if (snaplen && snaplen < f->caplen)
        f->caplen = snaplen;
    f->link = p->link;
    f->iface = p->iface;
    f->comment = p->comment;
    /* every packet has another fraction of a microsecond, where the file can hold it */
    job->now += p->after ? p->after : job->n_packet ? STEP_NS : START_NS;
    f->ns = job->now;
    if (job->capture->flags & NANOSECONDS || job->capture->form != FORM_PCAP)
        f->ns += job->n_packet * 7u;
    job->n_packet++;
    write_frame(job, f);
}

static size_t checksum_of(const uint8_t *ip, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i += 2)
        sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

/* Cuts the frame's IPv4 packet in two. The IP header is the second one of the frame. */
static void emit_fragments(struct job *job, const struct plan *p, const struct frame *whole)
{
    const size_t l3 = iba_headers[p->recipe.part[0].hdr].bytes, header = (whole->data[l3] & 15u) * 4;
    const size_t body = whole->len - l3 - header;

    if (p->fragment % 8 || p->fragment >= body)
        die(job, "fragments are of 8 bytes, and smaller than the whole", "");
    for (unsigned second = 0; second < 2; second++) {
        struct frame f = *whole;
        uint8_t *ip = f.data + l3;
        const size_t n = second ? body - p->fragment : p->fragment;
        if (second)
            memmove(ip + header, ip + header + p->fragment, n);
        f.len = l3 + header + n;
        iba_ipv4_set_len(ip, header + n);
        iba_ipv4_set_id(ip, 0x1234);
        iba_ipv4_set_df(ip, 0);
        iba_ipv4_set_mf(ip, !second);
        iba_ipv4_set_frag_offset(ip, second ? p->fragment / 8 : 0);
        iba_ipv4_set_checksum(ip, 0);
        iba_ipv4_set_checksum(ip, checksum_of(ip, header));
        emit(job, p, &f);
    }
}

void packet_line(struct job *job, char *line)
{
    static struct plan p;
    static struct frame f;
    char *save = NULL, *word = strtok_r(line, " ", &save);

    memset(&p, 0, sizeof p);
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)i;
    begin(job, &p, word, &save);
    p.recipe.payload = payload;
    while ((word = strtok_r(NULL, " ", &save)) != NULL)
        change(job, &p, word);
    if (p.recipe.payload_len > sizeof payload || iba_build(&p.recipe, f.data, sizeof f.data, &f.len) != IBA_OK ||
        p.drop >= f.len)
        die(job, "cannot be built", line);
    f.len -= p.drop;
    if (p.fragment)
        emit_fragments(job, &p, &f);
    else
        emit(job, &p, &f);
}
