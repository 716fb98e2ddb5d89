/* SPDX-License-Identifier: BSD-2-Clause */
/* ibfabric's server of ibsim's protocol, with two switches and three adapters. Programs join, ask, answer, leave, die
 * and send any bytes; cables are plugged and pulled. Each control message gets one answer. A program gets either one
 * answer to its request, or the request back once as timed out; a program that has left gets nothing. At the end every
 * request was answered or has timed out. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "fuzz.h"
#include "mad/iba_mad.h"
#include "server.h"
#include "small_subnet.h"

const struct fuzz_target fuzz_target = {"ibsim", FUZZ_BYTES, NULL};

enum {
    STEPS = 400,
    NODES = SMALL_SUBNET_NODES,
    ASKED = 4,
    QUEUED_MOST = 8,
    LONGEST_LOG2_NS = 25
};                                        /* a port may repeat a trap every 4 us */
#define OWN_TID ((UINT64_C(1) << 48) - 1) /* the part of a TID that the server does not change */
#define END_NS (UINT64_C(4) * 1000 * 1000 * 1000)

struct asked { /* a request of a program that waits for its answer; tid 0: none */
    uint64_t tid;
    uint8_t class;
};
struct program {
    int end;     /* the program's socket; -1: the program died */
    bool joined; /* sockets_join() has accepted the program, which has not left since */
    struct asked asked[ASKED];
};
struct world {
    struct subnet *subnet;
    struct server server;
    int control;
    struct program program[IBSIM_CLIENTS];
    uint64_t tid;
    bool crowded; /* more datagrams may have come than a socket holds */
    iba_time now;
    struct fuzz_in in;
};
static struct world w;

/* ---- the sockets, as pairs in this process (conformance/fabric/sockets.h) ---- */

static int open_pair(int *end)
{
    int both[2];

    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both) == 0);
    *end = both[1];
    return both[0];
}

bool sockets_open(struct sockets *s, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR])
{
    (void)name;
    (void)udp_port;
    (void)err;
    s->control = open_pair(&w.control);
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        s->client[i] = open_pair(&w.program[i].end);
    return true;
}

void sockets_close(struct sockets *s)
{
    (void)close(s->control);
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        (void)close(s->client[i]);
}

/* One of four programs does not listen. */
bool sockets_join(struct sockets *s, unsigned i, uint32_t id)
{
    (void)s;
    FUZZ_CHECK(!w.program[i].joined);
    w.program[i].joined = id % 4 != 3;
    return w.program[i].joined;
}

static void die(struct program *p)
{
    if (p->end >= 0)
        (void)close(p->end);
    p->end = -1;
}

bool sockets_part(struct sockets *s, unsigned i)
{
    (void)close(s->client[i]);
    die(&w.program[i]);
    w.program[i] = (struct program){0};
    s->client[i] = open_pair(&w.program[i].end);
    return true;
}

/* ---- the subnet ---- */

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    server_received(&w.server, node, port, packet, len);
}

/* Configures the subnet, with the manager at "A". */
static void manage(void)
{
    small_subnet_manage(w.subnet);
    for (size_t i = 0; i < NODES; i++) {
        struct iba_node *n = &subnet_node(w.subnet, i)->n;
        for (unsigned p = 0; p <= n->cfg.n_port; p++)
            n->port[p].info.mastersmlid = small_subnet_lid(w.subnet, "A");
    }
}

/* ---- what programs get ---- */

static bool is_answer(const uint8_t *mad)
{
    return (iba_madhdr_method(mad) & IBA_METHOD_RESPONSE) || iba_madhdr_method(mad) == IBA_METHOD_TRAP_REPRESS;
}

static bool wants_answer(const uint8_t *mad)
{
    return !is_answer(mad) && iba_madhdr_method(mad) != IBA_METHOD_SEND;
}

/* Returns the request that the datagram answers, or that comes back in it; NULL: the program waits for no such request.
 */
static struct asked *asked_for(struct program *p, const uint8_t *mad)
{
    const uint64_t tid = iba_madhdr_transactionid(mad) & OWN_TID;

    for (unsigned k = 0; k < ASKED; k++)
        if (p->asked[k].tid == tid && p->asked[k].class == iba_madhdr_mgmtclass(mad))
            return &p->asked[k];
    return NULL;
}

/* The server reads this socket: 0 is the one for control, i + 1 that of client i. */
static void serve(size_t socket)
{
    struct pollfd fds[SERVER_FDS];

    server_fds(&w.server, fds);
    fds[socket].revents = POLLIN;
    server_serve(&w.server, fds, w.now);
}

static void send_request(struct program *p, const struct ibsim_request *r)
{
    if (send(p->end, r, sizeof *r, 0) == (ssize_t)sizeof *r)
        serve((size_t)(p - w.program) + 1);
}

/* The program that the request has reached answers it, as a manager or agent. */
static void answer(struct program *p, const struct ibsim_request *r)
{
    struct ibsim_request a = *r;

    a.dlid = r->slid;
    a.slid = r->dlid;
    a.dqp = r->sqp;
    a.sqp = r->dqp;
    a.mad[3] = iba_madhdr_method(r->mad) == IBA_METHOD_TRAP
                   ? IBA_METHOD_TRAP_REPRESS
                   : (uint8_t)(iba_madhdr_method(r->mad) | IBA_METHOD_RESPONSE);
    a.mad[4] |= iba_madhdr_mgmtclass(r->mad) == IBA_CLASS_DIRECTED ? 0x80 : 0;
    send_request(p, &a);
}

static void take(struct program *p, const struct ibsim_request *r)
{
    struct asked *a = asked_for(p, r->mad);

    FUZZ_CHECK(p->joined);
    fuzz_note_bytes(r, sizeof *r);
    if (r->status == htonl(ETIMEDOUT)) {
        FUZZ_CHECK(a && wants_answer(r->mad));
        a->tid = 0;
        return;
    }
    FUZZ_CHECK(r->status == 0 && be64toh(r->length) > 0 && be64toh(r->length) <= IBSIM_MAD);
    if (is_answer(r->mad)) {
        FUZZ_CHECK(a);
        a->tid = 0;
    } else if (wants_answer(r->mad) && fuzz_u8(&w.in) & 1) {
        answer(p, r);
    }
}

/* Reads until no program gets a datagram: each answer may bring a datagram to any other program. */
static void read_all(void)
{
    struct ibsim_request r;
    bool more = true;
    unsigned n[IBSIM_CLIENTS] = {0};

    while (more) {
        more = false;
        for (unsigned i = 0; i < IBSIM_CLIENTS; i++) {
            struct program *p = &w.program[i];
            const ssize_t len = p->end >= 0 ? recv(p->end, &r, sizeof r, MSG_TRUNC) : -1;
            if (len < 0)
                continue;
            FUZZ_CHECK(len == (ssize_t)sizeof r);
            w.crowded = w.crowded || ++n[i] > QUEUED_MOST;
            take(p, &r);
            more = true;
        }
    }
}

/* ---- what holds ---- */

static void check(void)
{
    const struct server *s = &w.server;

    FUZZ_CHECK(s->n_pending <= SERVER_PENDING && (s->n_pending == 0 || s->pending[s->n_pending - 1].used));
    for (size_t k = 0; k < s->n_pending; k++) {
        const struct server_pending *p = &s->pending[k];
        if (!p->used)
            continue;
        FUZZ_CHECK(p->client < IBSIM_CLIENTS && s->client[p->client].used && wants_answer(p->request.mad));
        FUZZ_CHECK(p->by == -1 || (p->by >= 0 && p->by < IBSIM_CLIENTS && s->client[p->by].used));
    }
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        FUZZ_CHECK(s->client[i].used == w.program[i].joined);
}

/* At the end no packet is in flight, and every request was answered or has timed out. Traps are stopped, since they
 * would repeat without end. */
static void check_end(void)
{
    for (size_t i = 0; i < NODES; i++)
        memset(subnet_node(w.subnet, i)->n.notice, 0, sizeof subnet_node(w.subnet, i)->n.notice);
    for (unsigned i = 0; i < 2; i++) {
        w.now += END_NS;
        server_advance(&w.server, w.now);
        read_all();
    }
    check();
    for (unsigned i = 0; i < IBSIM_CLIENTS && !w.crowded; i++)
        for (unsigned k = 0; k < ASKED && w.program[i].joined && w.program[i].end >= 0; k++)
            FUZZ_CHECK(w.program[i].asked[k].tid == 0);
}

/* ---- what happens ---- */

static void serve_control(const void *bytes, size_t n)
{
    FUZZ_CHECK(send(w.control, bytes, n, 0) == (ssize_t)n);
    serve(0);
}

/* Sends a control message, and checks that it gets one answer: of the same kind, or a refusal. */
static void control(const struct ibsim_ctl *m)
{
    struct ibsim_connect d;
    struct ibsim_ctl a;

    serve_control(m, sizeof *m);
    FUZZ_CHECK(recv(w.control, &a, sizeof a, MSG_TRUNC) == (ssize_t)sizeof a);
    FUZZ_CHECK(a.magic == IBSIM_MAGIC && a.client == m->client && a.len == m->len);
    FUZZ_CHECK(a.type == m->type || a.type == IBSIM_ERROR);
    fuzz_note_bytes(&a, sizeof a);
    if (a.type != IBSIM_CONNECT)
        return;
    memcpy(&d, a.data, sizeof d);
    FUZZ_CHECK(d.id < IBSIM_CLIENTS && w.program[d.id].joined && d.node[0] && memchr(d.node, 0, sizeof d.node));
}

static void join(void)
{
    static const char *const names[] = {"A", "B", "C", "S", "T", "", "nobody", NULL};
    struct ibsim_ctl m = {.magic = IBSIM_MAGIC, .type = IBSIM_CONNECT};
    const uint8_t b = fuzz_u8(&w.in);
    const char *name = names[b % 8];
    struct ibsim_connect d = {.id = b >> 6, .issm = b >> 5 & 1};

    for (unsigned i = 0; i < sizeof d.node; i++)
        d.node[i] = (char)(name ? 0 : fuzz_u8(&w.in));
    if (name)
        memcpy(d.node, name, strlen(name));
    memcpy(m.data, &d, sizeof d);
    control(&m);
}

/* A client sends one of the other messages. */
static void tell(void)
{
    struct ibsim_ctl m = {.magic = IBSIM_MAGIC, .len = fuzz_u8(&w.in)};

    m.type = fuzz_u8(&w.in) % (IBSIM_GET_PKEYS + 2);
    m.client = fuzz_u8(&w.in) % (IBSIM_CLIENTS + 1);
    for (unsigned i = 0; i < 8; i++)
        m.data[i] = fuzz_u8(&w.in);
    if (m.type != IBSIM_CONNECT)
        control(&m);
}

/* A program sends bytes that are no message, and gets no answer. */
static void babble(void)
{
    uint8_t bytes[sizeof(struct ibsim_request) + 8];
    const size_t n = fuzz_u16(&w.in) % (sizeof bytes + 1);
    struct program *p = &w.program[fuzz_u8(&w.in) % IBSIM_CLIENTS];

    for (size_t i = 0; i < n; i++)
        bytes[i] = i < 16 ? fuzz_u8(&w.in) : 0;
    if (n != sizeof(struct ibsim_ctl) || iba_le32(bytes) != IBSIM_MAGIC) {
        serve_control(bytes, n);
        FUZZ_CHECK(recv(w.control, bytes, sizeof bytes, 0) < 0);
    }
    if (n == sizeof(struct ibsim_request) || p->end < 0 || !p->joined)
        return;
    (void)send(p->end, bytes, n, 0);
    serve((size_t)(p - w.program) + 1);
}

static void route(uint8_t *mad)
{
    memset(mad + 32, 0xff, 4); /* permissive LIDs: the route has no part by LID */
    mad[7] = fuzz_u8(&w.in) % 5;
    for (unsigned i = 1; i <= mad[7]; i++)
        mad[128 + i] = fuzz_u8(&w.in) % 5;
}

/* A program sends a datagram, to a LID or by a directed route. */
static void ask(void)
{
    static const uint8_t classes[] = {IBA_CLASS_SMP, IBA_CLASS_DIRECTED, 3, 4, 6, 0x21};
    static const uint16_t attributes[] = {0x10, 0x11, 0x15, 0x20, 1, 2, 0x12, 0x19};
    struct program *p = &w.program[fuzz_u8(&w.in) % IBSIM_CLIENTS];
    struct ibsim_request r = {.length = htobe64(fuzz_u8(&w.in) ? IBSIM_MAD : 0)};
    const uint8_t b = fuzz_u8(&w.in), class = classes[b % 6], to = fuzz_u8(&w.in);
    struct asked *a = NULL;

    for (unsigned k = 0; k < ASKED; k++)
        if (p->asked[k].tid == 0)
            a = &p->asked[k];
    if (!a || !p->joined || p->end < 0)
        return;
    r.mad[0] = r.mad[2] = 1;
    r.mad[1] = class;
    r.mad[3] = b & 0x40 ? fuzz_u8(&w.in) : b & 0x80 ? 2 : 1;
    iba_madhdr_set_transactionid(r.mad, (uint64_t)fuzz_u8(&w.in) << 48 | ++w.tid);
    iba_madhdr_set_attributeid(r.mad, attributes[b >> 3 & 7]);
    r.mad[23] = fuzz_u8(&w.in) % 5;
    if (class == IBA_CLASS_DIRECTED)
        route(r.mad);
    r.dlid = htons(class == IBA_CLASS_DIRECTED ? UINT16_MAX : to % (NODES + 2));
    /* The LID may be that of another port: the answer goes there, to a program that has not asked. */
    r.slid = htons(to & 0x80 ? UINT16_MAX : to >> 4 & 3);
    r.dqp = htonl(to & 0x40 ? 0 : 1);
    if (wants_answer(r.mad))
        *a = (struct asked){.tid = w.tid, .class = class};
    send_request(p, &r);
}

static void cable(void)
{
    const size_t node = fuzz_u8(&w.in) % NODES;
    const uint8_t b = fuzz_u8(&w.in);

    (void)subnet_cable(w.subnet, node, (uint8_t)(1 + b % subnet_node(w.subnet, node)->n.cfg.n_port), b & 0x80);
    if (b & 0x40)
        manage();
}

static void notice(void)
{
    enum { LINK_STATE = 128 };
    const uint8_t details[IBA_BYTES_notice_data] = {0};
    const size_t node = fuzz_u8(&w.in) % NODES;
    struct iba_node *n = &subnet_node(w.subnet, node)->n;

    (void)iba_node_notice(n, iba_node_is_switch(n) ? 0 : 1, LINK_STATE, details, subnet_now(w.subnet));
    subnet_touch(w.subnet, node);
}

static void pass(void)
{
    w.now += UINT64_C(1) << fuzz_u8(&w.in) % LONGEST_LOG2_NS;
}

static void kill_one(void)
{
    die(&w.program[fuzz_u8(&w.in) % IBSIM_CLIENTS]);
}

static void begin(uint8_t settings)
{
    char err[SOCKETS_ERROR];

    w.subnet = small_subnet_new(settings & 2 ? 68 : 0, received);
    FUZZ_CHECK(server_open(&w.server, w.subnet, "", 0, err));
    server_advance(&w.server, 0);
    if (!(settings & 1))
        manage();
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static void (*const step[])(void) = {join, tell, babble, ask, ask, ask, pass, cable, notice, kill_one};

    fuzz_trace = FUZZ_TRACE_START;
    w = (struct world){.in = {data, n}};
    begin(fuzz_u8(&w.in));
    for (unsigned i = 0; i < STEPS && w.in.n > 0; i++, fuzz_steps++) {
        step[fuzz_u8(&w.in) % (sizeof step / sizeof *step)]();
        server_advance(&w.server, w.now);
        read_all();
        check();
    }
    check_end();
    server_close(&w.server);
    subnet_free(w.subnet);
    (void)close(w.control);
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        die(&w.program[i]);
    return 0;
}
