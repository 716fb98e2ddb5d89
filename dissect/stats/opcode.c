/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/kinds.h"

enum { CODES = 256, SVC_CODES = 32 };

struct count {
    uint64_t packets, bytes; /* bytes of payload, as on the wire */
};
struct opcode {
    struct count code[CODES];
    uint64_t not_infiniband, undecided, no_bth;
};

/* Services share the opcodes among them; the manufacturers have two blocks of one name. */
struct service {
    unsigned first, end;
};
static bool service_next(struct service *s)
{
    const enum iba_svc svc = (enum iba_svc)(s->end / SVC_CODES);

    s->first = s->end;
    s->end = svc == IBA_MSP0 ? CODES : s->end + SVC_CODES;
    return s->first < CODES;
}

void *stat_opcode_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("opcode,tree", sizeof(struct opcode), arg, err, errlen);
}

void stat_opcode_packet(void *state, const struct packet *p)
{
    struct opcode *s = state;
    const struct iba_view *v = &p->view;

    if (iba_view_has_bth(v)) {
        struct count *c = &s->code[iba_bth_opcode(iba_view_hdr(v, IBA_H_bth))];
        c->packets++;
        c->bytes += v->payload_len;
    } else if (v->proto == IBA_PROTO_NONE)
        s->not_infiniband++;
    else if (v->proto == IBA_PROTO_UNDECIDED)
        s->undecided++;
    else
        s->no_bth++;
}

static struct count sum(const struct opcode *s, unsigned first, unsigned end)
{
    struct count all = {0};

    for (unsigned c = first; c < end; c++) {
        all.packets += s->code[c].packets;
        all.bytes += s->code[c].bytes;
    }
    return all;
}

static uint64_t packets(const struct opcode *s)
{
    return sum(s, 0, CODES).packets + s->not_infiniband + s->undecided + s->no_bth;
}

static const char *code_kind(unsigned code)
{
    if (iba_opcode_is_vendor((uint8_t)code))
        return "vendor";
    return iba_opcodes[code].name ? "defined" : "reserved";
}

static uint64_t sum_of_kind(const struct opcode *s, const char *kind)
{
    uint64_t all = 0;

    for (unsigned c = 0; c < CODES; c++)
        if (strcmp(code_kind(c), kind) == 0)
            all += s->code[c].packets;
    return all;
}

static void print_counts(struct table *t, uint64_t n, uint64_t whole, const uint64_t *bytes)
{
    table_u64(t, n);
    table_percent(t, n, whole);
    table_known(t, bytes != NULL, bytes ? *bytes : 0);
}

static void print_item(struct table *t, const char *name, uint64_t n, uint64_t whole)
{
    table_str(t, name);
    print_counts(t, n, whole, NULL);
}

static void print_code(struct table *t, const struct opcode *s, unsigned code, uint64_t whole)
{
    table_begin(t);
    out_str(t->o, "    ");
    out_hex(t->o, code, 2);
    out_ch(t->o, ' ');
    out_str(t->o, iba_opcode_title((uint8_t)code));
    table_end(t);
    print_counts(t, s->code[code].packets, whole, &s->code[code].bytes);
}

static void print_service(struct table *t, const struct opcode *s, struct service svc, uint64_t whole)
{
    const struct count all = sum(s, svc.first, svc.end);

    if (all.packets == 0)
        return;
    table_begin(t);
    out_str(t->o, "  ");
    out_str(t->o, iba_svc_name((enum iba_svc)(svc.first / SVC_CODES)));
    table_end(t);
    print_counts(t, all.packets, whole, &all.bytes);
    for (unsigned c = svc.first; c < svc.end; c++)
        if (s->code[c].packets > 0)
            print_code(t, s, c, whole);
}

static void print_text(const struct opcode *s, struct out *o)
{
    static const struct column columns[] = {
        {"Item", 44, true}, {"Packets", 12, false}, {"Percent", 8, false}, {"Payload bytes", 16, false}};
    const uint64_t whole = packets(s), bytes = sum(s, 0, CODES).bytes;
    struct table t;

    table_open(&t, o, "Opcodes", columns, sizeof columns / sizeof *columns);
    table_str(&t, "Packets");
    print_counts(&t, whole, whole, &bytes);
    for (struct service svc = {0}; service_next(&svc);)
        print_service(&t, s, svc, whole);
    print_item(&t, "  InfiniBand without BTH", s->no_bth, whole);
    print_item(&t, "  Not InfiniBand", s->not_infiniband, whole);
    print_item(&t, "  Cut too short to be decoded", s->undecided, whole);
    table_rule(&t, '-');
    print_item(&t, "Of these with a reserved opcode", sum_of_kind(s, "reserved"), whole);
    print_item(&t, "Of these with a manufacturer's opcode", sum_of_kind(s, "vendor"), whole);
    table_close(&t);
}

static void print_json_counts(struct out *o, struct count c, uint64_t whole)
{
    json_u64(o, "packets", c.packets);
    json_percent(o, "percent", c.packets, whole);
    json_u64(o, "payload_bytes", c.bytes);
}

static void print_json_codes(struct out *o, const struct opcode *s, struct service svc, uint64_t whole)
{
    char comma = '[';

    for (unsigned c = svc.first; c < svc.end; c++) {
        if (s->code[c].packets == 0)
            continue;
        out_ch(o, comma);
        comma = ',';
        out_str(o, "{\"opcode\":");
        out_u64(o, c);
        json_str(o, "name", iba_opcode_title((uint8_t)c));
        json_str(o, "kind", code_kind(c));
        print_json_counts(o, s->code[c], whole);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void print_json_services(struct out *o, const struct opcode *s, uint64_t whole)
{
    const char *comma = "";

    out_ch(o, '[');
    for (struct service svc = {0}; service_next(&svc);) {
        const struct count all = sum(s, svc.first, svc.end);
        if (all.packets == 0)
            continue;
        out_str(o, comma);
        comma = ",";
        out_str(o, "{\"service\":\"");
        out_str(o, iba_svc_name((enum iba_svc)(svc.first / SVC_CODES)));
        out_ch(o, '"');
        print_json_counts(o, all, whole);
        json_key(o, "opcodes");
        print_json_codes(o, s, svc, whole);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void print_json(const struct opcode *s, struct out *o)
{
    const uint64_t whole = packets(s);

    out_str(o, "{\"stat\":\"opcode,tree\"");
    json_u64(o, "packets", whole);
    json_u64(o, "payload_bytes", sum(s, 0, CODES).bytes);
    json_key(o, "services");
    print_json_services(o, s, whole);
    json_u64(o, "no_bth", s->no_bth);
    json_u64(o, "not_infiniband", s->not_infiniband);
    json_u64(o, "undecided", s->undecided);
    json_u64(o, "reserved", sum_of_kind(s, "reserved"));
    json_u64(o, "vendor", sum_of_kind(s, "vendor"));
    out_str(o, "}\n");
}

void stat_opcode_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
