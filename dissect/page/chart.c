/* PSNs over time, and latencies, as drawings inside of the page. */
#include <stdlib.h>
#include "page/parts.h"

enum { LEFT = 90, TOP = 10, WIDE = 800, HIGH = 240, MARGIN = 30, BAR = 12 };

static const char *const what_class[POINT_KINDS] = {"sent", "answer", "again", "nak", "other"};

static void coordinate(struct out *o, int64_t v, int64_t low, int64_t high, unsigned from, unsigned span)
{
    const double part = high > low ? (double)(v - low) / (double)(high - low) : 0.5;
    const uint64_t tenths = (uint64_t)((from + part * span) * 10 + 0.5);

    out_u64(o, tenths / 10);
    out_ch(o, '.');
    out_u64(o, tenths % 10);
}

/* All points of one kind are one path of strokes without length, which round ends make dots. */
static void dots(struct out *o, const struct report_line *l, enum report_what what, const struct report_point *p,
                 uint32_t n)
{
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        if (p[i].what != what)
            continue;
        if (!any) {
            OUT_LIT(o, "<path class=\"");
            out_str(o, what_class[what]);
            OUT_LIT(o, "\" d=\"");
        }
        any = true;
        out_ch(o, 'M');
        coordinate(o, p[i].ns, l->from_ns, l->to_ns, LEFT, WIDE - LEFT - MARGIN);
        out_ch(o, ' ');
        coordinate(o, l->high - p[i].psn, 0, l->high - l->low, TOP, HIGH - TOP - MARGIN);
        OUT_LIT(o, "h0");
    }
    if (any)
        OUT_LIT(o, "\"/>\n");
}

static void label(struct out *o, unsigned x, unsigned y, const char *anchor)
{
    OUT_LIT(o, "<text x=\"");
    out_u64(o, x);
    OUT_LIT(o, "\" y=\"");
    out_u64(o, y);
    OUT_LIT(o, "\" text-anchor=\"");
    out_str(o, anchor);
    OUT_LIT(o, "\">");
}

static void begin_svg(struct out *o, unsigned high)
{
    OUT_LIT(o, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
    out_u64(o, WIDE);
    out_ch(o, ' ');
    out_u64(o, high);
    OUT_LIT(o, "\">\n");
}

static void axes(struct out *o, const struct report_line *l)
{
    const iba_psn base = iba_psn_of(l->last.v - (uint32_t)(l->at & IBA_PSN_MASK));

    OUT_LIT(o, "<path class=\"axis\" d=\"M");
    out_u64(o, LEFT);
    out_ch(o, ' ');
    out_u64(o, TOP);
    out_ch(o, 'V');
    out_u64(o, HIGH - MARGIN);
    out_ch(o, 'H');
    out_u64(o, WIDE - MARGIN);
    OUT_LIT(o, "\"/>\n");
    label(o, LEFT - 6, TOP + 10, "end");
    out_u64(o, iba_psn_add(base, (uint32_t)(l->high & IBA_PSN_MASK)).v);
    OUT_LIT(o, "</text>\n");
    label(o, LEFT - 6, HIGH - MARGIN, "end");
    out_u64(o, iba_psn_add(base, (uint32_t)(l->low & IBA_PSN_MASK)).v);
    OUT_LIT(o, "</text>\n");
    label(o, LEFT, HIGH - 12, "start");
    out_time(o, l->from_ns);
    OUT_LIT(o, " s</text>\n");
    label(o, WIDE - MARGIN, HIGH - 12, "end");
    out_time(o, l->to_ns);
    OUT_LIT(o, " s</text>\n");
}

static void chart(struct out *o, const struct report_line *l)
{
    OUT_LIT(o, "<figure>\n<figcaption>");
    report_direction(o, l->d);
    if (l->bad > 0) {
        OUT_LIT(o, ": ");
        out_u64(o, l->bad);
        out_str(o, l->bad == 1 ? " packet that went wrong" : " packets that went wrong");
    }
    OUT_LIT(o, "</figcaption>\n");
    begin_svg(o, HIGH);
    axes(o, l);
    for (unsigned what = POINT_SENT; what <= POINT_ANSWER; what++)
        dots(o, l, (enum report_what)what, l->point, l->n);
    for (unsigned what = POINT_AGAIN; what < POINT_KINDS; what++)
        dots(o, l, (enum report_what)what, l->mark, l->n_mark);
    OUT_LIT(o, "</svg>\n</figure>\n");
}

static int by_harm(const void *a, const void *b)
{
    const struct report_line *x = *(const struct report_line *const *)a, *y = *(const struct report_line *const *)b;

    if (x->bad != y->bad)
        return x->bad < y->bad ? 1 : -1;
    return x < y ? -1 : x > y;
}

void report_charts(struct report *r, struct out *o)
{
    const struct report_line *order[REPORT_LINES];
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n_line; i++)
        if (r->line[i].d) /* its requests were seen, not only answers to them */
            order[n++] = &r->line[i];
    if (n == 0)
        return;
    qsort(order, n, sizeof *order, by_harm);
    OUT_LIT(o, "<h2>PSNs over time</h2>\n<p class=\"key\"><span class=\"sent\">sent</span> "
               "<span class=\"answer\">answered</span> <span class=\"again\">sent again</span> "
               "<span class=\"nak\">NAK or RNR NAK</span> <span class=\"other\">other warning or error</span></p>\n");
    for (uint32_t i = 0; i < n && i < REPORT_CHARTS; i++)
        chart(o, order[i]);
    if (n > REPORT_CHARTS || r->n_line == REPORT_LINES)
        OUT_LIT(o, "<p>Not every connection is drawn; those with the most errors and warnings are.</p>\n");
}

static void duration(struct out *o, unsigned power)
{
    static const char *const unit[] = {" ns", " us", " ms", " s"};
    const double ns = (double)(UINT64_C(1) << power);
    double v = ns;
    unsigned u = 0;

    for (; v >= 1000 && u + 1 < sizeof unit / sizeof *unit; u++)
        v /= 1000;
    out_u64(o, (uint64_t)(v + 0.5));
    out_str(o, unit[u]);
}

/* One bar for each class between the shortest and the longest. */
static void histogram(struct out *o, const char *name, const uint32_t *times, uint64_t answered)
{
    unsigned from = 0, to = REPORT_TIMES - 1;
    uint32_t most = 0;

    while (from < to && times[from] == 0)
        from++;
    while (to > from && times[to] == 0)
        to--;
    for (unsigned i = from; i <= to; i++)
        most = times[i] > most ? times[i] : most;
    OUT_LIT(o, "<figure>\n<figcaption>");
    out_str(o, name);
    OUT_LIT(o, ": ");
    out_u64(o, answered);
    OUT_LIT(o, " answered</figcaption>\n");
    begin_svg(o, (to - from + 1) * (BAR + 6) + TOP);
    for (unsigned i = from; i <= to; i++) {
        const unsigned y = TOP + (i - from) * (BAR + 6);
        const uint64_t wide = most ? (uint64_t)times[i] * (WIDE - LEFT - 120) / most : 0;
        label(o, LEFT - 6, y + BAR - 2, "end");
        OUT_LIT(o, "from ");
        duration(o, i);
        OUT_LIT(o, "</text>\n<rect class=\"bar\" x=\"");
        out_u64(o, LEFT);
        OUT_LIT(o, "\" y=\"");
        out_u64(o, y);
        OUT_LIT(o, "\" height=\"");
        out_u64(o, BAR);
        OUT_LIT(o, "\" width=\"");
        out_u64(o, times[i] && wide == 0 ? 1 : wide);
        OUT_LIT(o, "\"/>\n");
        label(o, LEFT + 6 + (unsigned)wide, y + BAR - 2, "start");
        out_u64(o, times[i]);
        OUT_LIT(o, "</text>\n");
    }
    OUT_LIT(o, "</svg>\n</figure>\n");
}

void report_latencies(const struct report *r, struct out *o)
{
    uint64_t answered = 0;

    for (unsigned k = 0; k < MESSAGE_KINDS; k++)
        answered += r->answered[k];
    if (answered == 0)
        return;
    OUT_LIT(o,
            "<h2>Response times</h2>\n<p>From the first packet of a message to the answer to its last; what was sent "
            "again is included.</p>\n");
    for (unsigned k = 0; k < MESSAGE_KINDS; k++)
        if (r->answered[k] > 0)
            histogram(o, message_kind_name((enum message_kind)k), r->times[k], r->answered[k]);
}
