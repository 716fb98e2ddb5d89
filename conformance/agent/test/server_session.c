/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to two engines, good and bad ones, and each whole answer (session.golden, see test/golden.h). */
#include "bench.h"
#include <stdio.h>
#include <string.h>
#include "test/golden.h"

/* a line of the session: a verb with its arguments; without a verb, the line itself */
/* what the arguments name, as the engine has answered: queue pairs, and a region with its address */
static char name[4][24];
static const char *const places[] = {"%RC", "%UD", "%MR", "%AT"};

static const struct {
    const char *verb, *args;
} session[] = {
    {NULL, "{\"id\":1,\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":1,\"do\":\"hello\",\"version\":2}"},
    {NULL, "{\"id\":1,\"do\":\"hello\",\"version\":\"1\"}"},
    {"hello", "\"version\":1"},
    {"reset", "\"link\":\"roce2-ipv4\",\"seed\":3"},
    {"create_pd", ""},
    {"create_pd", "\"device\":1"},
    {"create_pd", "\"device\":2"},
    {"create_pd", "\"device\":\"x\""},
    {"create_pd", "\"pd\":1"},
    {"create_pd", "\"devise\":1"},
    {"create_cq", "\"depth\":16"},
    {"create_cq", "\"depth\":\"0x10\""},
    {"create_cq", ""},
    {"create_cq", "\"depth\":null"},
    {"create_cq", "\"dept\":16"},
    {"create_cq", "\"depth\":16,\"depth\":16"},
    {"create_cq", "\"depth\":1.5"},
    {"create_cq", "\"depth\":-1"},
    {"create_cq", "\"depth\":4294967296"},
    {"create_cq", "\"depth\":\"0x100000000\""},
    {"create_cq", "\"depth\":\"0x\""},
    {"create_cq", "\"depth\":\"0x1g\""},
    {"create_cq", "\"depth\":\"16\""},
    {"create_cq", "\"depth\":\"0x00000000000000010\""},
    {"create_cq", "\"depth\":9007199254740993"},
    {"create_cq", "\"depth\":true"},
    {"resize_cq", "\"cq\":0,\"depth\":32"},
    {"resize_cq", "\"cq\":77,\"depth\":32"},
    {"create_srq", "\"pd\":0,\"depth\":8,\"limit\":2"},
    {"create_srq", "\"pd\":9,\"depth\":8"},
    {"arm_srq", "\"srq\":0,\"limit\":1"},
    {"create_xrcd", ""},
    {"create_xrc_srq", "\"pd\":0,\"depth\":8,\"xrcd\":0,\"cq\":0"},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":[\"local_write\",\"remote_write\"],\"fill\":\"a\""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"iova\":\"0x7fffffffffff0000\",\"access\":[],\"fill\":\"b\""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":[\"local_wirte\"],\"fill\":\"a\""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":[1],\"fill\":\"a\""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":\"local_write\",\"fill\":\"a\""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":[],\"fill\":\"ab\""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":[],\"fill\":\" \""},
    {"reg_mr", "\"pd\":0,\"length\":4096,\"access\":[],\"fill\":7"},
    {"reregister", "\"lkey\":1,\"length\":64"},
    {"reregister", "\"lkey\":1,\"pd\":0"},
    {"reregister", "\"lkey\":%MR,\"access\":[\"local_write\"]"},
    {"alloc_mw", "\"type\":1,\"pd\":0"},
    {"alloc_mw", "\"type\":3,\"pd\":0"},
    {"alloc_mw", "\"type\":0,\"pd\":0"},
    {"alloc_mw", "\"type\":4,\"pd\":0"},
    {"alloc_mw", "\"type\":256,\"pd\":0"},
    {"create_ah", "\"pd\":0,\"to\":{\"ipv4\":\"10.0.0.9\",\"mac\":\"02:00:00:00:00:09\"}"},
    {"create_ah", "\"pd\":0,\"to\":{\"ipv4\":\"10.0.0.256\"}"},
    {"create_ah", "\"pd\":0,\"to\":{\"mac\":\"02:00:00:00:00:0\"}"},
    {"create_ah", "\"pd\":0,\"to\":{\"mac\":\"02:00:00-00:00:00\"}"},
    {"create_ah", "\"pd\":0,\"to\":{\"mac\":\"0g:00:00:00:00:00\"}"},
    {"create_ah", "\"pd\":0,\"to\":{\"ipv6\":\"fe80\"}"},
    {"create_ah", "\"pd\":0,\"to\":{\"gid\":5}"},
    {"create_ah", "\"pd\":0,\"to\":{\"lid\":65536}"},
    {"create_ah", "\"pd\":0,\"to\":{\"ipvv4\":\"10.0.0.9\"}"},
    {"create_ah", "\"pd\":0,\"to\":[]"},
    {"create_qp", "\"type\":\"rc\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":4,\"rq\":4,\"sig_all\":true"},
    {"create_qp", "\"type\":\"ud\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":4,\"rq\":4"},
    {"create_qp", "\"type\":\"rx\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":4"},
    {"create_qp", "\"type\":3,\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":4"},
    {"create_qp", "\"type\":\"rc\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":4,\"sig_all\":1"},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"init\",\"pkey\":0,\"port\":1,\"access\":[\"remote_write\"]"},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"rtr\",\"av\":true,\"hop\":7,\"pmtu\":1024,\"qpn_of_peer\":3,\"epsn\":5,"
                  "\"dest_rd\":1,\"min_rnr\":12,\"to\":{\"ipv4\":\"10.0.0.3\"}"},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"rts\",\"psn\":9,\"timeout\":14,\"retry\":7,\"rnr_retry\":7,\"rd\":1"},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"rtz\""},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"rts\",\"pmtu\":\"x\""},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"rts\",\"pmtu\":1000"},
    {"modify_qp", "\"qpn\":%RC,\"state\":\"rts\",\"mig\":\"arm\""},
    {"modify_qp", "\"qpn\":999,\"state\":\"rts\""},
    {"query_qp", "\"qpn\":%RC"},
    {"query_qp", "\"qpn\":999"},
    {"query_qp", "\"qpn\":%UD"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\",\"id\":7,\"sge\":[{\"at\":%AT,\"len\":8,\"lkey\":%MR}]}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"sned\"}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\",\"sge\":[{\"at\":0,\"len\":8}]}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\",\"sge\":[{},{}]}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\",\"sge\":7}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\",\"sge\":["
                  "{\"at\":0,\"len\":0,\"lkey\":1},{\"at\":0,\"len\":0,\"lkey\":1},{\"at\":0,\"len\":0,\"lkey\":1},"
                  "{\"at\":0,\"len\":0,\"lkey\":1},{\"at\":0,\"len\":0,\"lkey\":1}]}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\"},\"dest\":{\"group\":\"ff0e::1\",\"too\":1}"},
    {"post_send", "\"qpn\":%RC,\"wr\":{\"op\":\"send\"},\"dest\":{\"to\":{\"lid\":\"x\"}}"},
    {"post_recv", "\"qpn\":%RC,\"wr\":{\"id\":5}"},
    {"post_recv", "\"srq\":0,\"wr\":{\"id\":5}"},
    {"post_recv", "\"wr\":{\"id\":5}"},
    {"post_recv", "\"qpn\":%RC,\"srq\":0,\"wr\":{\"id\":5}"},
    {"poll_cq", "\"cq\":0"},
    {"poll_cq", "\"cq\":99"},
    {"poll_event", ""},
    {"arm_cq", "\"cq\":0,\"solicited\":true"},
    {"arm_cq", "\"cq\":0,\"solicited\":\"true\""},
    {"notified", "\"cq\":0"},
    {"attach", "\"qpn\":%UD,\"gid\":\"ff0e::1\",\"on\":true"},
    {"attach", "\"qpn\":%UD,\"gid\":\"ff0e::1\",\"lid\":49153,\"on\":false"},
    {"attach", "\"qpn\":%UD,\"gid\":\"::ffff:10.0.0.1\",\"on\":true"},
    {"write_memory", "\"at\":0,\"hex\":\"0\""},
    {"write_memory", "\"at\":0,\"hex\":\"0g\""},
    {"write_memory", "\"at\":0,\"hex\":\"g0\""},
    {"write_memory", "\"at\":0,\"hex\":7"},
    {"write_memory", "\"at\":0,\"hex\":\"00\""},
    {"write_memory", "\"at\":%AT,\"hex\":\"00fF7a\""},
    {"read_memory", "\"at\":%AT,\"n\":5"},
    {"read_memory", "\"at\":%AT,\"n\":0"},
    {"read_memory", "\"at\":0,\"n\":24577"},
    {"page", "\"at\":0,\"present\":false"},
    {"prefetch", "\"pd\":0,\"at\":0,\"len\":8,\"lkey\":1"},
    {"set_port", "\"key\":\"pkey\",\"index\":1,\"value\":32769"},
    {"set_port", "\"key\":\"qkey\",\"value\":1"},
    {"set_port", "\"key\":\"lmc\",\"value\":1"},
    {"set_gid", "\"index\":1,\"gid\":\"fe80::9\""},
    {"choose_psn", ""},
    {"counters", "\"device\":1"},
    {"log", ""},
    {"cm_open", ""},
    {"cm_call", "\"call\":\"connect\",\"conn\":0,\"hex\":\"00\""},
    {"cm_call", "\"call\":\"conect\",\"conn\":0,\"hex\":\"00\""},
    {"cm_event", ""},
    {"cm_attributes", "\"conn\":5,\"state\":\"rtr\""},
    {"destroy", "\"kind\":\"pd\",\"number\":0"},
    {"destroy", "\"kind\":\"qp\",\"number\":%UD"},
    {"destroy", "\"kind\":\"pq\",\"number\":3"},
    {"destroy", "\"kind\":\"group\",\"number\":3"},
    {"advance", "\"until\":\"0x3b9bc3d0\""},
    {"advance", "\"until\":1100000000"},
    {"poll_cq", "\"cq\":0"},
    {"no_such_verb", ""},
    {"create_dp", ""},
    {"reset", "\"link\":\"ib-global\""},
    {"reset", "\"link\":\"roce3\""},
    {"reset", "\"seed\":1"},
    {"query_qp", "\"qpn\":%RC"},
    {NULL, ""},
    {NULL, "7"},
    {NULL, "{}"},
    {NULL, "[1]"},
    {NULL, "{\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":\"x\",\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":7}"},
    {NULL, "{\"id\":7,\"do\":8}"},
    {NULL, "{\"id\":7,\"id\":8,\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\",\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\",\"device\":0,\"device\":0}"},
    {NULL, "{\"id\":\"0xffffffffffffffff\",\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":9007199254740992,\"do\":\"create_pd\"}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\",\"a\":[[[[[[[8]]]]]]]}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\",\"a\":[[[[[[[[9]]]]]]]]}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\",\"a\":\"[[[[[[[[[[[\"}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\",\"a\":\"\\\"[[[[[[[[[[[\"}"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\"} x"},
    {NULL, "{\"id\":7,\"do\":\"create_pd\"} "},
};

/* Leaves out what names this start of the machine. */
static void without_boot(char *line)
{
    char *at = strstr(line, ",\"boot\":\""), *rest = at ? strchr(at + 9, '"') : NULL;

    if (rest)
        memmove(at, rest + 1, strlen(rest + 1) + 1);
}

/* Copies the arguments with names in place of the words for them. */
static void fill(char *out, size_t room, const char *args)
{
    size_t n = 0;

    for (; *args && n + sizeof name[0] < room; out[n] = '\0') {
        size_t i = 0;
        while (i < 4 && strncmp(args, places[i], 3) != 0)
            i++;
        if (i == 4)
            out[n++] = *args++;
        else
            n += (size_t)snprintf(out + n, room - n, "%s", name[i]), args += 3;
    }
}

/* Takes a name from an answer, if it has none yet. */
static void take(unsigned i, const char *answer, const char *key)
{
    const char *at = strstr(answer, key);

    if (at && !name[i][0])
        snprintf(name[i], sizeof name[i], "%.*s", (int)strspn(at + strlen(key), "0123456789"), at + strlen(key));
}

Test(server, whole_answers)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/conformance/agent/test/session.golden");
    struct bench *b = bench_open(2, NULL);
    static char line[GOLDEN_LINE], reply[GOLDEN_LINE];

    for (size_t i = 0; i < sizeof session / sizeof *session; i++) {
        char args[600] = "";
        fill(args, sizeof args, session[i].args);
        if (session[i].verb)
            snprintf(line, sizeof line, "{\"id\":%zu,\"do\":\"%s\"%s%s}", i, session[i].verb, *args ? "," : "", args);
        else
            snprintf(line, sizeof line, "%s", args);
        const size_t n = ag_serve(&b->s, line, strlen(line), b->answer);
        cr_assert(n < sizeof reply - 8, "%s", line);
        snprintf(reply, sizeof reply, "  %.*s\n", (int)n, b->answer);
        without_boot(reply);
        take(name[0][0] ? 1 : 0, reply, "\"ok\":{\"qpn\":");
        take(2, reply, "\"lkey\":");
        take(3, reply, "\"local\":");
        strcat(line, "\n");
        golden_line(&g, line);
        golden_line(&g, reply);
    }
    bench_close(b);
    golden_close(&g);
}
