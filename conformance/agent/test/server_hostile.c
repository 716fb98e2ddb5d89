/* SPDX-License-Identifier: BSD-2-Clause */
/* The server over the reference: any line gets one answer. */
#include "bench.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUTANTS = 100000 };

/* ---- hostile lines ---- */

static void put_small(const struct ag_field *f, uint8_t *p, uint32_t n)
{
    const uint64_t wide = n;

    if (f->size == sizeof n)
        memcpy(p, &n, sizeof n);
    else if (f->size == sizeof wide)
        memcpy(p, &wide, sizeof wide);
}

/* Fills b->q with numbers of objects; most of these objects exist. */
static void name_objects(struct bench *b, struct iba_random *r)
{
    static const char *const small[] = {"pd", "cq", "scq", "rcq", "srq", "depth", "sq", "rq", "length", "n"};
    const struct ag_shape *s = ag_args_shape(b->q.verb);

    for (unsigned i = 0; i < s->n; i++) {
        uint8_t *p = (uint8_t *)&b->q.u + s->field[i].at;
        uint32_t n = (uint32_t)iba_random_below(r, 4);
        if (iba_random_below(r, 4) == 0)
            continue;
        if (strcmp(s->field[i].name, "qpn") == 0 || strcmp(s->field[i].name, "number") == 0)
            memcpy(p, iba_random_below(r, 2) ? &b->qpn : &n, sizeof n);
        for (unsigned k = 0; k < sizeof small / sizeof *small; k++)
            if (strcmp(s->field[i].name, small[k]) == 0)
                put_small(&s->field[i], p, n);
    }
}

/* Writes a request that a tester might send. */
static size_t fair_line(struct bench *b, struct iba_random *r)
{
    static const char *const usual[] = {
        "{\"id\":1,\"do\":\"hello\",\"version\":1}",
        "{\"id\":1,\"do\":\"create_pd\"}",
        "{\"id\":1,\"do\":\"create_cq\",\"depth\":64}",
        "{\"id\":1,\"do\":\"create_srq\",\"pd\":0,\"depth\":16,\"limit\":3}",
        "{\"id\":1,\"do\":\"create_ah\",\"pd\":0,\"to\":{\"mac\":\"02:00:00:00:00:01\"}}",
        "{\"id\":1,\"do\":\"create_qp\",\"type\":\"ud\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":16,\"rq\":16}",
        "{\"id\":1,\"do\":\"create_qp\",\"type\":\"smi\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":16,\"rq\":16}",
        "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"init\",\"pkey\":0,\"qkey\":0}",
        "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rtr\"}",
        "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rts\",\"psn\":9}",
        "{\"id\":1,\"do\":\"reg_mr\",\"pd\":0,\"length\":65536,\"access\":[\"local_write\",\"on_demand\"],\"fill\":"
        "\"m\"}",
        "{\"id\":1,\"do\":\"alloc_mw\",\"type\":2,\"pd\":0}",
        "{\"id\":1,\"do\":\"post_send\",\"qpn\":0,\"wr\":{\"op\":\"send\",\"sge\":[]},\"dest\":{\"hop\":64}}",
        "{\"id\":1,\"do\":\"post_send\",\"qpn\":0,\"wr\":{\"op\":\"bind_mw\",\"mw\":1,\"access\":[\"remote_read\"]}}",
        "{\"id\":1,\"do\":\"post_recv\",\"qpn\":0,\"wr\":{\"sge\":[{\"at\":139964394242048,\"len\":9,\"lkey\":22684}]}"
        "}",
        "{\"id\":1,\"do\":\"read_memory\",\"at\":139964394242048,\"n\":100}",
        "{\"id\":1,\"do\":\"write_memory\",\"at\":139964394242048,\"hex\":\"00112233\"}",
        "{\"id\":1,\"do\":\"page\",\"at\":139964394242048,\"present\":false}",
        "{\"id\":1,\"do\":\"prefetch\",\"pd\":0,\"at\":139964394242048,\"len\":4096,\"lkey\":22684}",
        "{\"id\":1,\"do\":\"reregister\",\"lkey\":22684,\"access\":[\"local_write\"],\"length\":64,\"fill\":\"m\"}",
        "{\"id\":1,\"do\":\"set_port\",\"key\":\"pkey\",\"index\":1,\"value\":32769}",
        "{\"id\":1,\"do\":\"attach\",\"qpn\":0,\"gid\":\"ff0e::1\",\"on\":true}",
        "{\"id\":1,\"do\":\"advance\",\"until\":1000100000}",
    };
    const uint64_t which = iba_random_below(r, 2 * sizeof usual / sizeof *usual);

    if (which < sizeof usual / sizeof *usual)
        return (size_t)snprintf(b->line, sizeof b->line, "%s", usual[which]);
    memset(&b->q, 0, sizeof b->q);
    b->q.verb = (enum ag_verb)iba_random_below(r, AG_V_COUNT);
    if (b->q.verb == AG_V_reset && iba_random_below(r, 50)) /* so that objects live for a while */
        b->q.verb = AG_V_post_send;
    random_members(r, ag_args_shape(b->q.verb), &b->q.u);
    name_objects(b, r);
    if (b->q.verb == AG_V_advance) /* simulating hours of a busy device takes long */
        b->q.u.advance.until = b->s.target->ops->now(b->s.target) + iba_random_below(r, 20000000);
    return ag_write_request(&b->q, b->line, sizeof b->line);
}

static size_t mutate(struct bench *b, struct iba_random *r, size_t n)
{
    static const char alphabet[] = "{}[]\":,0123456789eE+-.\\u\"xfnrtl \t\x01\xff";
    const size_t at = (size_t)iba_random_below(r, n);
    size_t len = 1 + (size_t)iba_random_below(r, 8);

    len = at + len > n ? n - at : len;
    switch (iba_random_below(r, 5)) {
    case 0: b->line[at] = (char)iba_random_next(r); return n;
    case 1: b->line[at] = alphabet[iba_random_below(r, sizeof alphabet)]; return n;
    case 2: memmove(b->line + at, b->line + at + len, n - at - len); return n - len;
    case 3:
        if (n + len >= AG_LINE)
            return n;
        memmove(b->line + at + len, b->line + at, n - at);
        return n + len;
    default: return at + 1;
    }
}

static void note_qpn(struct bench *b)
{
    const char *made = strstr(b->answer, "\"ok\":{\"qpn\":");

    if (made)
        b->qpn = (uint32_t)strtoul(made + strlen("\"ok\":{\"qpn\":"), NULL, 10);
}

/* Creates a connected QP and a datagram QP, both ready to send. */
static void set_up(struct bench *b, enum ibc_link link)
{
    struct side s;

    reset(b, link);
    make(b, 0, &s);
    join(b, 0, &s, 0x000777);
    b->qpn = s.qpn;
    (void)say(b, "{\"id\":1,\"do\":\"create_qp\",\"type\":\"smi\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":16,\"rq\":16}");
    (void)say(b, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"init\",\"pkey\":0,\"qkey\":0}");
    (void)say(b, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rtr\"}");
    cr_assert(strstr(say(b, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rts\",\"psn\":9}"), "\"ok\""));
}

/* Checks that any line gets one reply, and that the reply is JSON. Returns true if the reply reports success. */
static bool answers(struct bench *b, size_t n)
{
    cJSON *j;

    n = ag_serve(&b->s, b->line, n, b->answer);
    cr_assert(n > 0 && n < AG_LINE);
    j = cJSON_ParseWithLength(b->answer, n);
    cr_assert(cJSON_IsObject(j), "%s", b->answer);
    cJSON_Delete(j);
    note_qpn(b);
    return strstr(b->answer, "\"ok\":") != NULL;
}

Test(server, survives_whatever_it_is_told, .timeout = 280)
{
    struct bench *b = bench_open(1, NULL);
    struct iba_random r;
    unsigned fine = 0;
    size_t n;

    iba_random_seed(&r, 18);
    hello(b);
    for (unsigned i = 0; i < MUTANTS; i++) {
        if (i % 500 == 0)
            set_up(b, (enum ibc_link)(i / 500 % IBC_LINK_COUNT));
        n = fair_line(b, &r);
        fine += answers(b, n);
        n = fair_line(b, &r);
        for (uint64_t k = 1 + iba_random_below(&r, 3); k > 0; k--)
            n = mutate(b, &r, n > 0 ? n : 1);
        (void)answers(b, n);
        if (i % 100 == 0)
            (void)pass_on(b);
    }
    cr_assert_gt(fine, MUTANTS / 5, "%u", fine);
    reset(b, IBC_LINK_roce2_ipv4);
    request(b, AG_V_create_pd, 0);
    must(b);
    cr_assert_eq(b->r.u.create_pd.pd, 0);
    bench_close(b);
}
