/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of a case as a ladder: the tester on the left, the device on the right, time downwards. Of an evidence
 * file, which holds every play of the scenario, one play is drawn: the judged packet's, else the one whose variation
 * went wrong, else the first.
 *
 * The runner's comments say the rest: "variation: ..." before the first packet of a play, and "line N: TEXT", where
 * TEXT begins with '>' if the tester sent the packet, with '<' or '|' if the device did. Any other packet is the
 * device's if it comes from where the device's packets come from: that of one known to be, else of the judged one, else
 * by the scenario's role, by which one side speaks first. Where the tester stands between two devices, the one that
 * speaks first is on the left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input/capture.h"
#include "markup.h"

enum {
    BEFORE = 40, /* packets shown before the judged one */
    AFTER = 8,   /* and after it */
    FIRST = 24,  /* shown of a case that passed */
    LAST = 48,   /* shown of a failed case without a judged packet */
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
    struct out *line; /* text of one packet, which is escaped later; it has no file */
    struct source device;
    bool device_certain;
    uint64_t judged;    /* numbers in the file, from 1; 0: none */
    uint64_t play, end; /* first and last packet of the play that is drawn; 0: not known yet */
    uint64_t from, to;  /* the part that is shown */
    uint64_t first_ns, last_ns;
    uint64_t shown, packets;
    size_t *room;
};

/* ---- what the comments say ---- */
static const char variation_mark[] = "variation: ", line_mark[] = "line ";

static bool begins(const char *s, const char *with)
{
    return s && strncmp(s, with, strlen(with)) == 0;
}

static bool begins_play(const struct cap_packet *p)
{
    return p->number == 1 || begins(p->comment, variation_mark);
}

enum sender { UNKNOWN, TESTER, DEVICE };

static enum sender sender_of(const char *comment)
{
    const char *s = comment;

    if (begins(s, variation_mark)) {
        s = strchr(s, '\n');
        s = s ? s + 1 : NULL;
    }
    if (!s || !begins(s, line_mark))
        return UNKNOWN;
    s += strlen(line_mark);
    s += strspn(s, "0123456789");
    return begins(s, ": >") ? TESTER : begins(s, ": <") || begins(s, ": |") ? DEVICE : UNKNOWN;
}

/* Whether the packet begins the play of the variation that failed. The comment lacks the link. */
static bool is_wrong_play(const struct ladder *l, const struct cap_packet *p)
{
    const struct ibc_finding *f = &l->c->r->finding;
    char variation[sizeof f->variation + 1];
    const char *wanted = variation, *end, *at;

    snprintf(variation, sizeof variation, "%.*s", (int)sizeof f->variation, f->variation);
    if (begins(wanted, "link="))
        wanted += strcspn(wanted, " ");
    wanted += strspn(wanted, " ");
    if (!begins(p->comment, variation_mark))
        return false;
    at = strstr(p->comment, wanted);
    end = strchr(p->comment, '\n');
    return at && (!end || at < end);
}

/* ---- the sender of a packet ---- */
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

static bool in_the_middle(const struct ladder *l)
{
    return l->c->r->scenario->role == IBC_ROLE_middle;
}

static void look_for_device(struct ladder *l, const struct cap_packet *p)
{
    const bool known = sender_of(p->comment) == DEVICE && !in_the_middle(l);
    struct iba_view v;

    if (l->device_certain || !(known || p->number == 1 || p->number == l->judged))
        return;
    (void)iba_view_parse(&v, link_of(p->dlt), p->data, p->caplen, p->len, NULL);
    if (p->number == 1)
        l->device = end_of(&v, l->c->r->scenario->role == IBC_ROLE_requester || in_the_middle(l));
    if (known || (p->number == l->judged && !in_the_middle(l)))
        l->device = end_of(&v, true);
    l->device_certain = known;
}

/* Whether the arrow points to the left. */
static bool goes_back(const struct ladder *l, const struct cap_packet *p, const struct iba_view *v)
{
    const struct source s = end_of(v, true);
    const enum sender sender = sender_of(p->comment);

    if (in_the_middle(l))
        return !same(&s, &l->device);
    return sender == UNKNOWN ? same(&s, &l->device) : sender == DEVICE;
}

static const char *end_name(const struct ladder *l, bool right)
{
    if (in_the_middle(l))
        return right ? "other device, tester" : "device";
    return right ? "device" : "tester";
}

/* ---- which packets ---- */
static void survey(struct ladder *l, struct capture *cap)
{
    const bool wrong = l->c->r->verdict != IBC_IS_PASS && l->c->r->finding.variation[0] != '\0';
    struct cap_packet p;
    uint64_t start = 0;

    for (; cap_next(cap, &p) == CAP_PACKET; l->packets = p.number) {
        if (begins_play(&p)) {
            if (l->play && !l->end)
                l->end = p.number - 1;
            start = p.number;
            if (!l->play && !l->judged && (!wrong || is_wrong_play(l, &p)))
                l->play = start;
        }
        if (p.number == l->judged)
            l->play = start;
        look_for_device(l, &p);
    }
    if (!l->play)
        l->play = start;
    if (!l->end)
        l->end = l->packets;
}

static void choose(struct ladder *l)
{
    l->from = l->play;
    l->to = l->end;
    if (l->judged > BEFORE && l->judged - BEFORE > l->from)
        l->from = l->judged - BEFORE;
    if (l->judged && l->to > l->judged + AFTER)
        l->to = l->judged + AFTER;
    if (l->judged)
        return;
    if (l->c->r->verdict == IBC_IS_PASS && l->to > l->play + FIRST - 1)
        l->to = l->play + FIRST - 1;
    else if (l->to > l->from + LAST - 1)
        l->from = l->to - LAST + 1;
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
    back = goes_back(l, p, &v);
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
    out_str(l->o, end_name(l, back));
    OUT_LIT(l->o, " to ");
    out_str(l->o, end_name(l, !back));
    OUT_LIT(l->o, ": </span>");
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

    while (cap_next(cap, &p) == CAP_PACKET && p.number <= l->to && *l->room > 0) {
        if (p.number == l->play)
            l->first_ns = p.ts_ns;
        if (p.number < l->from)
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
        survey(l, cap);
    cap_close(cap);
    choose(l);
    cap = cap ? cap_open(path, err, sizeof err) : NULL;
    if (!cap) {
        html_str(l->o, "p", "fault", err);
        return;
    }
    OUT_LIT(l->o, "<div class=\"ends\" aria-hidden=\"true\">");
    html_str(l->o, "span", NULL, end_name(l, false));
    html_str(l->o, "span", NULL, end_name(l, true));
    OUT_LIT(l->o, "</div>\n<ol class=\"ladder\">\n");
    rows(l, cap);
    OUT_LIT(l->o, "</ol>\n");
    rest(l, cap);
    cap_close(cap);
}

void html_ladder(struct out *o, const struct rep_case *c, size_t *room)
{
    struct ladder l = {.o = o, .c = c, .judged = c->r->finding.packet, .room = room};

    if (!c->r->evidence || *room == 0)
        return;
    l.line = malloc(sizeof *l.line);
    if (!l.line)
        return;
    out_init(l.line, -1);
    draw(&l, c->r->evidence);
    free(l.line);
}
