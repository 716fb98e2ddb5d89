/* The packets of a case as a ladder: the tester on the left, the device on the right, time downwards.
 *
 * Who sent a packet is what its comment says ('>' the tester, '<' the device). Without one it is the device's if it
 * comes from where the device's packets come from: that of a '<' packet, else of the judged one, else by the
 * scenario's role, by which one side speaks first. */
#include <stdlib.h>
#include <string.h>
#include "input/capture.h"
#include "markup.h"

enum {
    BEFORE = 40, /* packets shown before the judged one */
    AFTER = 8,   /* and behind it */
    FIRST = 24,  /* shown where none was judged */
    LOOK = 4096, /* packets asked who the device is */
    SOURCE = 16, /* bytes of an address, at most */
    LINKTYPE_ETHERNET = 1,
    LINKTYPE_IB = 247,
};

struct source {
    uint8_t n, bytes[SOURCE];
};
struct ladder {
    struct out *o;
    const struct rep_case *c;
    struct out *line; /* one packet's, to be escaped; never flushed */
    struct source device;
    uint32_t judged, from, to; /* numbers in the file, from 1; judged 0: none */
    uint64_t first_ns, last_ns;
    uint64_t shown, packets;
    size_t *room;
};

/* ---- whose packet it is ---- */
static enum iba_link link_of(uint32_t dlt)
{
    switch (dlt) {
    case LINKTYPE_ETHERNET: return IBA_LINK_ETHERNET;
    case LINKTYPE_IB: return IBA_LINK_IB;
    case CAP_LINKTYPE_ERF: return IBA_LINK_ERF;
    default: return IBA_LINK_NONE;
    }
}

static struct source end_of(const struct iba_view *v, bool sender)
{
    static const struct {
        uint8_t hdr, from, to, n; /* offsets in the header, bytes */
    } where[] = {{IBA_H_ipv4, 12, 16, 4},
                 {IBA_H_ipv6, 8, 24, 16},
                 {IBA_H_grh, 8, 24, 16},
                 {IBA_H_lrh, 6, 2, 2},
                 {IBA_H_eth, 6, 0, 6}};
    struct source s = {0};

    for (size_t i = 0; i < sizeof where / sizeof where[0]; i++)
        if (iba_view_has(v, (enum iba_hdr)where[i].hdr)) {
            s.n = where[i].n;
            memcpy(s.bytes, iba_view_hdr(v, (enum iba_hdr)where[i].hdr) + (sender ? where[i].from : where[i].to), s.n);
            break;
        }
    return s;
}

static bool same(const struct source *a, const struct source *b)
{
    return a->n == b->n && a->n > 0 && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static bool begins_with(const struct cap_packet *p, char c)
{
    return p->comment && *p->comment == c;
}

static void find_device(struct ladder *l, struct capture *cap)
{
    struct cap_packet p;
    struct iba_view v;
    bool certain = false;

    while (!certain && cap_next(cap, &p) == CAP_PACKET && p.number <= LOOK) {
        (void)iba_view_parse(&v, link_of(p.dlt), p.data, p.caplen, p.len, NULL);
        certain = begins_with(&p, '<');
        if (certain || p.number == l->judged)
            l->device = end_of(&v, true);
        else if (p.number == 1)
            l->device = end_of(&v, l->c->r->scenario->role == IBC_ROLE_requester);
    }
}

static bool from_device(const struct ladder *l, const struct cap_packet *p, const struct iba_view *v)
{
    const struct source s = end_of(v, true);

    if (begins_with(p, '<') || begins_with(p, '>'))
        return begins_with(p, '<');
    return same(&s, &l->device);
}

/* ---- rows ---- */
static void time_of(struct ladder *l, const struct cap_packet *p)
{
    const uint64_t ns = p->ts_ns >= l->first_ns ? p->ts_ns - l->first_ns : 0;
    const char *digits;
    size_t n;

    l->line->n = 0;
    out_time(l->line, (int64_t)ns);
    digits = l->line->buf;
    n = l->line->n;
    html_text(l->o, "span", "at", digits, n > 3 ? n - 3 : n); /* microseconds are enough */
}

static void summary(struct ladder *l, const struct cap_packet *p, const struct iba_view *v)
{
    const struct packet packet = {
        .cap = p, .view = *v, .number = p->number, .first_ns = l->first_ns, .prev_ns = l->last_ns};

    l->line->n = 0;
    print_info(l->line, &packet);
    html_text(l->o, "span", "what", l->line->buf, l->line->n);
}

static void row(struct ladder *l, const struct cap_packet *p)
{
    const bool judged = p->number == l->judged;
    struct iba_view v;
    bool back;

    (void)iba_view_parse(&v, link_of(p->dlt), p->data, p->caplen, p->len, NULL);
    iba_view_check(&v);
    back = from_device(l, p, &v);
    OUT_LIT(l->o, "<li class=\"");
    out_str(l->o, back ? "back" : "out");
    if (judged)
        OUT_LIT(l->o, " judged");
    out_ch(l->o, '"');
    if (p->comment) {
        OUT_LIT(l->o, " tabindex=\"0\" title=\"");
        rep_str(l->o, p->comment);
        out_ch(l->o, '"');
    }
    out_ch(l->o, '>');
    html_number(l->o, "span", "no", p->number);
    time_of(l, p);
    OUT_LIT(l->o, "<span class=\"lane\"><span class=\"vh\">");
    out_str(l->o, back ? "device to tester: " : "tester to device: ");
    OUT_LIT(l->o, "</span>");
    summary(l, p, &v);
    if (p->comment)
        html_str(l->o, "span", "said", p->comment);
    OUT_LIT(l->o, "</span></li>\n");
    l->shown++;
    l->last_ns = p->ts_ns;
}

static void rows(struct ladder *l, struct capture *cap)
{
    struct cap_packet p;

    while (cap_next(cap, &p) == CAP_PACKET) {
        l->packets = p.number;
        if (p.number == l->from || l->shown == 0)
            l->first_ns = p.ts_ns;
        if (p.number < l->from || p.number > l->to || *l->room == 0)
            continue;
        row(l, &p);
        --*l->room;
    }
}

static void rest(struct ladder *l, const struct capture *cap)
{
    if (*cap_error(cap))
        html_str(l->o, "p", "fault", cap_error(cap));
    if (l->shown == l->packets)
        return;
    OUT_LIT(l->o, "<p class=\"rest\">");
    out_u64(l->o, l->shown);
    OUT_LIT(l->o, " of ");
    out_u64(l->o, l->packets);
    OUT_LIT(l->o, " packets are shown; the file has all.</p>\n");
}

static void draw(struct ladder *l, const char *path)
{
    char err[320];
    struct capture *cap = cap_open(path, err, sizeof err);

    if (cap)
        find_device(l, cap);
    cap_close(cap);
    cap = cap ? cap_open(path, err, sizeof err) : NULL;
    if (!cap) {
        html_str(l->o, "p", "fault", err);
        return;
    }
    OUT_LIT(l->o, "<div class=\"ends\" aria-hidden=\"true\"><span>tester</span><span>device</span></div>\n<ol "
                  "class=\"ladder\">\n");
    rows(l, cap);
    OUT_LIT(l->o, "</ol>\n");
    rest(l, cap);
    cap_close(cap);
}

void html_ladder(struct out *o, const struct rep_case *c, size_t *room)
{
    const uint32_t judged = c->r->finding.packet;
    struct ladder l = {.o = o, .c = c, .judged = judged, .room = room};

    if (!c->r->evidence || *room == 0)
        return;
    l.from = judged > BEFORE ? judged - BEFORE : 1;
    l.to = judged ? judged + AFTER : FIRST;
    l.line = malloc(sizeof *l.line);
    if (!l.line)
        return;
    out_init(l.line, -1);
    draw(&l, c->r->evidence);
    free(l.line);
}
