/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that a line cannot have, and lists that are too long: test/fault.c has the other faults. */
#include "load.h"
#include "scenario/bind.h"

#define CM_HEAD "title t\nspec RR-03\nrole responder\nservice rc\ncm c\n"

Test(limits, values)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {HEAD "qp a sl=15\nwait 1s\n", NULL},
        {HEAD "qp a sl=-1\nwait 1s\n", "f.ibt:5:9: '-1': only a PSN may be relative"},
        {HEAD "qp a\n< a ACKNOWLEDGE msn=1..2\n", NULL},
        {HEAD "qp a\n< a ACKNOWLEDGE msn=1..-2\n", "f.ibt:6:21: '-2' is below 0"},
        {HEAD "qp a\n< a ACKNOWLEDGE msn=1..x\n", "f.ibt:6:21: 'x': no number"},
        {HEAD "qp a\n< a ACKNOWLEDGE msn=1..0x1000000\n", "f.ibt:6:21: '0x1000000' is too large: at most 0xffffff"},
        {HEAD "qp a\n> a SEND_ONLY psn=+0xffffff\n", NULL},
        {HEAD "qp a\n> a SEND_ONLY psn=-0xffffff\n", NULL},
        {HEAD "qp a\n> a SEND_ONLY psn=+0x1000000\n", "f.ibt:6:19: '+0x1000000' is too far"},
        {HEAD "qp a\n> a SEND_ONLY psn=-0x1000000\n", "f.ibt:6:19: '-0x1000000' is too far"},
        {HEAD "qp a\n> a SEND_ONLY psn=+x\n", "f.ibt:6:19: '+x': no number"},
        {HEAD "qp a\n> a SEND_ONLY destqp=a.qpn+1\n", NULL},
        {HEAD "qp a\n> a SEND_ONLY destqp=a.qpn-1\n", NULL},
        {HEAD "qp a\n> a SEND_ONLY destqp=a.qpn^1\n", NULL},
        {HEAD "qp a\n> a SEND_ONLY destqp=a.qpn+x\n", "f.ibt:6:22: '+x': no number"},
        {HEAD "qp a\n> a SEND_ONLY destqp=a.qpn^x\n", "f.ibt:6:22: '^x': no number"},
        {HEAD "qp a\n> a SEND_ONLY destqp=a.qpn^-1\n", "f.ibt:6:22: '^-1' is below 0"},
        {HEAD "wait 43200s\n", NULL},
        {HEAD "wait 43201s\n", "f.ibt:5:6: '43201s' is too long: at most twelve hours"},
        {HEAD "wait -1s\n", "f.ibt:5:6: '-1s' is below 0"},
        {CM_HEAD "> c REQ private=hex:01\n", NULL},
        {CM_HEAD "> c REQ private=fill:z\n", NULL},
        {CM_HEAD "> c REQ private=fill:A\n", "f.ibt:6:17: 'fill:A': hex:... or fill:x is wanted"},
        {CM_HEAD "> c REQ private=fill:ab\n", "f.ibt:6:17: 'fill:ab': hex:... or fill:x is wanted"},
        {CM_HEAD "> c REQ private=01\n", "f.ibt:6:17: '01': hex:... or fill:x is wanted"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        gives(rows[i].text, rows[i].says);
}

/* A REQ has 92 bytes of private data (12.6.5). */
Test(limits, bytes)
{
    for (unsigned n = 91; n <= 93; n++) {
        char text[500];
        size_t used = (size_t)snprintf(text, sizeof text, CM_HEAD "> c REQ private=hex:");
        for (unsigned i = 0; i < n; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "5a");
        (void)snprintf(text + used, sizeof text - used, "\n");
        gives(text, n > 92 ? "f.ibt:6:17: 93 bytes, and there are 92" : NULL);
    }
}

/* Makes a text of a head, n lines, and an end. */
static const char *many(const char *head, const char *line, unsigned n, const char *last)
{
    static char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", head);

    for (unsigned i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, line, i, i);
    (void)snprintf(text + used, sizeof text - used, "%s", last);
    return text;
}

/* Sixteen names may vary, whether in lines of their own or together. */
Test(limits, names_that_vary)
{
    char text[1000], uses[400] = "";
    size_t used = 0;

    for (unsigned i = 0; i < IBC_MAX_VARS; i++)
        used += (size_t)snprintf(uses + used, sizeof uses - used, "wait $a%u\n", i);
    gives(many(HEAD, "vary a%u 1s 2s\n", 1, "wait $a0\n"), NULL);
    gives(many(HEAD, "vary a%u 1s\n", IBC_MAX_VARS, uses), NULL);
    (void)snprintf(text, sizeof text, "f.ibt:%d:1: more than %d lines that vary", 5 + IBC_MAX_VARS, IBC_MAX_VARS);
    gives(many(HEAD, "vary a%u 1s\n", IBC_MAX_VARS + 1, uses), text);
    (void)snprintf(text, sizeof text, "vary b,c 1s,2s\nwait $b\nwait $c\n%s", uses);
    gives(many(HEAD, "vary a%u 1s\n", IBC_MAX_VARS - 1, text), "f.ibt:20:6: more than 16 names vary");
}

Test(limits, packets_with_names)
{
    char says[100];

    (void)snprintf(says, sizeof says, "f.ibt:%u:12: more than %u packets to remember", 6 + IBC_MAX_KNOWN,
                   IBC_MAX_KNOWN);
    gives(many(HEAD "qp a\n", "< a ANY as=p%u\n", IBC_MAX_KNOWN, ""), NULL);
    gives(many(HEAD "qp a\n", "< a ANY as=p%u\n", IBC_MAX_KNOWN + 1, ""), says);
    gives(many(HEAD "qp a\n", "< a ANY as=same\n", IBC_MAX_KNOWN + 1, ""), NULL);
}

/* Some keys are of packets of any header, and stand for those of the IPv6 header and the GRH alike. */
Test(limits, keys_of_each_link)
{
    struct ibc_scenario *s;
    struct ibc_play *p = play_of(HEAD "qp a\n> a SEND_ONLY hop=3 tclass=4 flow=5\n", &s);

    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(p->step[0].arg[i].hdr, IBA_H_grh, "%u", i);
    done(p, s);
}
