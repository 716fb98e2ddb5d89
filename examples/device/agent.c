/* SPDX-License-Identifier: BSD-2-Clause */
/* agent PEER OWN: does the verbs of device.c for ibconform. Requests come on the standard input, replies go to the
 * standard output (conformance/agent/README.md has the protocol). Frames are datagrams between the sockets OWN and PEER
 * (ibconform: --wire unix:OWN,PEER). The agent ends when its standard input ends.
 *
 * To port the agent, replace the calls of device.c by those of your stack or driver, and name its capabilities in
 * hello(). The agent does not parse JSON: it searches a line for the name of a member, which suffices for ibconform's
 * requests. */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "device.h"

static int wire;
static char ok[65536]; /* the members of the reply */
static size_t ok_n;
static struct sockaddr_un peer = {.sun_family = AF_UNIX}, own = {.sun_family = AF_UNIX};
static struct queue queues[QPS];
static unsigned n_pd, n_queue, n_region;
static uint32_t next_qp = 0x100;
static uint64_t next_byte;
static struct {
    uint64_t at, length;
} regions[REGIONS];

static void send_frame(const uint8_t *frame, size_t len)
{
    /* If the peer does not run, or is slow, the frame is lost, as on any network. */
    (void)!sendto(wire, frame, len, MSG_DONTWAIT, (struct sockaddr *)&peer, sizeof peer);
}

/* Returns the number that a member of the request has; `otherwise` if the request lacks the member. */
static uint64_t number(const char *line, const char *name, uint64_t otherwise)
{
    char key[32];
    const char *at;

    (void)snprintf(key, sizeof key, "\"%s\":", name);
    at = strstr(line, key);
    return at ? strtoull(at + strlen(key) + (at[strlen(key)] == '"'), NULL, 0) : otherwise;
}

static void put(const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(ok + ok_n, sizeof ok - ok_n, format, args);
    va_end(args);
    ok_n += n > 0 && (size_t)n < sizeof ok - ok_n ? (size_t)n : 0;
}

static bool is(const char *line, const char *text)
{
    return strstr(line, text) != NULL;
}

/* Returns byte i of a region's first content (docs/scenarios.md, Patterns). */
static uint8_t pattern(uint64_t letter, uint64_t i)
{
    const uint64_t x = (i + 1) * 0x9E3779B97F4A7C15 + letter * 0xD1342543DE82EF95;

    return (uint8_t)((x ^ x >> 31) * 0xBF58476D1CE4E5B9 >> 56);
}

static void reset(void)
{
    memset(device_qps, 0, sizeof device_qps);
    memset(queues, 0, sizeof queues);
    n_pd = n_queue = n_region = 0;
    next_byte = 4096;
}

static const char *reg_mr(const char *line)
{
    const uint64_t n = number(line, "length", 0), at = next_byte;
    const char *fill = strstr(line, "\"fill\":\"");

    if (n_region == REGIONS || n > MEMORY - at || !fill || is(line, "\"iova\""))
        return "unsupported";
    for (uint64_t i = 0; i < n; i++)
        device_memory[at + i] = pattern((uint8_t)fill[8], i);
    next_byte += (n + 8191) / 4096 * 4096;
    regions[n_region].at = at;
    regions[n_region++].length = n;
    put("\"id\":%u,\"va\":%llu,\"local\":%llu,\"lkey\":%u,\"rkey\":%u", n_region, (unsigned long long)at,
        (unsigned long long)at, n_region, n_region);
    return NULL;
}

static const char *create_qp(const char *line)
{
    struct qp *qp = device_qps;

    while (qp < device_qps + QPS && qp->used)
        qp++;
    if (qp == device_qps + QPS || !is(line, "\"type\":\"rc\"") || is(line, "\"srq\"") ||
        number(line, "rcq", 0) >= n_queue)
        return "unsupported";
    *qp = (struct qp){.used = true, .number = next_qp++, .completions = &queues[number(line, "rcq", 0)]};
    qp->depth = (unsigned)number(line, "rq", 0) % DEPTH;
    put("\"qpn\":%u", qp->number);
    return NULL;
}

static struct qp *qp_of(const char *line)
{
    for (struct qp *qp = device_qps; qp < device_qps + QPS; qp++)
        if (qp->used && qp->number == number(line, "qpn", 0))
            return qp;
    return NULL;
}

static const char *const states[] = {"reset", "init", "rtr", "rts", "err"};

static const char *modify_qp(const char *line, struct qp *qp)
{
    char want[32];

    for (unsigned s = RESET; s <= ERR; s++) {
        (void)snprintf(want, sizeof want, "\"state\":\"%s\"", states[s]);
        if (!is(line, want))
            continue;
        if (s != RESET && s != ERR && s != qp->state && s != qp->state + 1)
            return "verb_transition";
        if (s == ERR)
            device_fail(qp);
        if (s == RESET)
            qp->n = qp->msn = qp->open = qp->nak_sent = 0;
        qp->state = (enum state)s;
        qp->epsn = (uint32_t)number(line, "epsn", qp->epsn);
        qp->pmtu = (uint32_t)number(line, "pmtu", qp->pmtu);
        qp->peer = (uint32_t)number(line, "qpn_of_peer", qp->peer);
        qp->rnr_timer = (uint8_t)number(line, "min_rnr", qp->rnr_timer);
        return NULL;
    }
    return "unsupported";
}

static const char *post_recv(const char *line, struct qp *qp)
{
    const uint64_t at = number(line, "at", 0), n = number(line, "len", 0);
    const char *wr = strstr(line, "\"wr\":");

    if (qp->state == RESET)
        return "verb_state";
    if (qp->n >= qp->depth)
        return "verb_full";
    if (!wr || at > MEMORY || n > MEMORY - at || (is(wr, "},{")))
        return "unsupported";
    qp->receive[(qp->head + qp->n++) % DEPTH] = (struct receive){number(wr, "id", 0), at, (uint32_t)n};
    if (qp->state == ERR)
        device_fail(qp);
    return NULL;
}

static const char *poll_cq(const char *line)
{
    struct queue *q = &queues[number(line, "cq", 0) % QPS];
    const struct completion *c = &q->entry[q->head];

    if (q->n == 0)
        put("\"wc\":null");
    else {
        put("\"wc\":{\"id\":%llu,\"status\":\"%s\",\"qpn\":%u", (unsigned long long)c->id, c->status, c->qpn);
        if (strcmp(c->status, "success") == 0)
            put(",\"op\":\"recv\",\"bytes\":%u,\"srcqp\":%u", c->bytes, c->source);
        if (c->has_immediate)
            put(",\"imm\":%u", c->immediate);
        put("}");
        q->head = (q->head + 1) % DEPTH;
        q->n--;
    }
    return NULL;
}

static const char *read_memory(const char *line)
{
    const uint64_t at = number(line, "at", 0), n = number(line, "n", 0);

    if (at > MEMORY || n > MEMORY - at || n > 24576)
        return "fault";
    put("\"hex\":\"");
    for (uint64_t i = 0; i < n; i++)
        put("%02x", device_memory[at + i]);
    put("\"");
    return NULL;
}

static const char *const hello =
    "\"version\":1,\"name\":\"skeleton\",\"devices\":1,\"links\":[\"roce2-ipv4\"],\"capabilities\":[\"rc\"],"
    "\"time\":\"real\",\"limits\":{\"line\":65536,\"bytes\":24576}";
static const char *const hosts = "\"now\":0,\"device\":[{\"mac\":\"02:00:00:00:00:01\",\"ipv4\":\"10.0.0.1\"}],"
                                 "\"tester\":{\"mac\":\"02:00:00:00:00:03\",\"ipv4\":\"10.0.0.3\"},"
                                 "\"stranger\":{\"mac\":\"02:00:00:00:00:04\",\"ipv4\":\"10.0.0.4\"}";

/* Does the verb of a request, and writes the members of the reply. Returns an error word; NULL: it worked. */
static const char *verb(const char *line)
{
    struct qp *qp = qp_of(line);

    if (is(line, "\"do\":\"hello\""))
        put("%s", hello);
    else if (is(line, "\"do\":\"reset\"")) {
        reset();
        put("%s", hosts);
    } else if (is(line, "\"do\":\"create_pd\""))
        put("\"pd\":%u", n_pd++);
    else if (is(line, "\"do\":\"create_cq\"") && n_queue < QPS)
        put("\"cq\":%u", n_queue++);
    else if (is(line, "\"do\":\"create_qp\""))
        return create_qp(line);
    else if (is(line, "\"do\":\"reg_mr\""))
        return reg_mr(line);
    else if (is(line, "\"do\":\"poll_cq\""))
        return poll_cq(line);
    else if (is(line, "\"do\":\"read_memory\""))
        return read_memory(line);
    else if (is(line, "\"do\":\"modify_qp\"") && qp)
        return modify_qp(line, qp);
    else if (is(line, "\"do\":\"post_recv\"") && qp)
        return post_recv(line, qp);
    else if (is(line, "\"do\":\"query_qp\"") && qp)
        put("\"state\":\"%s\",\"epsn\":%u", states[qp->state], qp->epsn);
    else
        return "unsupported";
    return NULL;
}

static void reply(const char *line)
{
    const char *error;

    ok_n = 0;
    ok[0] = 0;
    error = verb(line);
    printf("{\"id\":%llu,", (unsigned long long)number(line, "id", 0));
    if (error)
        printf("\"error\":\"%s\",\"text\":\"the skeleton refuses\"}\n", error);
    else
        printf("\"ok\":{%s}}\n", ok);
    (void)fflush(stdout);
}

/* The tester sends a request right after its frames, so the loop handles all frames that have arrived before a request.
 */
int main(int argc, char **argv)
{
    static uint8_t frame[16384];
    static char line[65536];
    struct pollfd on[2] = {{.events = POLLIN}, {.events = POLLIN}};
    ssize_t n;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: agent PEER OWN, the sockets of ibconform --wire unix:OWN,PEER\n");
        return 2;
    }
    (void)snprintf(peer.sun_path, sizeof peer.sun_path, "%s", argv[1]);
    (void)snprintf(own.sun_path, sizeof own.sun_path, "%s", argv[2]);
    wire = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (wire < 0 || bind(wire, (struct sockaddr *)&own, sizeof own) != 0) {
        perror(argv[2]);
        return 4;
    }
    (void)setvbuf(stdin, NULL, _IONBF, 0);
    reset();
    device_send = send_frame;
    on[1].fd = wire;
    while (poll(on, 2, -1) > 0) {
        while ((n = recv(wire, frame, sizeof frame, MSG_DONTWAIT)) > 0)
            device_frame(frame, (size_t)n);
        if (on[0].revents) {
            if (!fgets(line, sizeof line, stdin))
                break;
            while ((n = recv(wire, frame, sizeof frame, MSG_DONTWAIT)) > 0)
                device_frame(frame, (size_t)n);
            reply(line);
        }
    }
    (void)unlink(own.sun_path);
    return 0;
}
