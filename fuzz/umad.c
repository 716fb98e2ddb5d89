/* SPDX-License-Identifier: BSD-2-Clause */
/* ibfabric's server of programs that preload libibfabric-umad.so, with two switches and three adapters. Programs
 * connect, open ports, register agents, ask, answer, send segments of RMPP and any bytes, and leave; wires lose
 * packets. Each request gets one answer. A program gets at most one answer to a datagram that asks, or the datagram
 * back with a status. At the end no datagram and no transfer is left. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fabric/iba_port.h"
#include "fuzz.h"
#include "mad/iba_mad.h"
#include "mad/iba_mad_add.h"
#include "mad_rmpp.h"
#include "mad_server.h"
#include "small_subnet.h"

const struct fuzz_target fuzz_target = {"umad", FUZZ_BYTES, NULL};

enum { STEPS = 300, NODES = SMALL_SUBNET_NODES, PROGRAMS = 6, ASKED = 32, DATA_MOST = 6000, LONGEST_LOG2_NS = 33 };
#define END_NS (UINT64_C(400) * 1000 * 1000 * 1000)

struct program {
    int control, datagrams; /* -1: none */
    uint32_t asked[ASKED];  /* lower half of the transaction IDs that wait for one answer; 0: none */
    struct mad_envelope last;
    uint8_t mad[IBA_MAD_BYTES]; /* the last request that came, to be answered; `len` 0: none */
    size_t len;
};
static struct world {
    struct subnet *subnet;
    struct mad_server server;
    struct program program[PROGRAMS];
    uint32_t tid;
    iba_time now;
    struct fuzz_in in;
} w;

/* ---- the subnet ---- */

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    (void)mad_layer_received(&w.server.layer, node, port, packet, len);
}

/* ---- what programs get ---- */

static bool is_response(const uint8_t *mad)
{
    return (iba_madhdr_method(mad) & IBA_METHOD_RESPONSE) || iba_madhdr_method(mad) == IBA_METHOD_TRAP_REPRESS;
}

/* The program no longer waits for this transaction. False: it did not wait. */
static bool strike(struct program *p, const uint8_t *mad)
{
    const uint32_t tid = (uint32_t)iba_madhdr_transactionid(mad);

    for (unsigned k = 0; k < ASKED; k++)
        if (p->asked[k] == tid) {
            p->asked[k] = 0;
            return true;
        }
    return false;
}

static void take(struct program *p, const uint8_t *bytes, size_t n)
{
    const uint8_t *mad = bytes + sizeof(struct mad_envelope);
    const size_t len = n - sizeof(struct mad_envelope);
    struct mad_envelope e;

    FUZZ_CHECK(n >= sizeof e + MAD_HEADER);
    fuzz_note_bytes(bytes, n);
    memcpy(&e, bytes, sizeof e);
    FUZZ_CHECK(e.length == n && e.agent < MAD_AGENTS);
    if (e.status) {
        FUZZ_CHECK(len == MAD_HEADER);
        (void)strike(p, mad);
        return;
    }
    if (is_response(mad)) {
        /* agents that do RMPP themselves get each segment of an answer */
        (void)strike(p, mad);
    } else if (len >= IBA_MAD_BYTES) {
        p->last = e;
        p->len = IBA_MAD_BYTES;
        memcpy(p->mad, mad, IBA_MAD_BYTES);
    }
}

static void read_all(void)
{
    static uint8_t bytes[sizeof(struct mad_envelope) + MAD_SEGMENTS * IBA_MAD_BYTES];
    ssize_t n;

    for (unsigned i = 0; i < PROGRAMS; i++)
        while (w.program[i].datagrams >= 0 &&
               (n = recv(w.program[i].datagrams, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC)) > 0)
            take(&w.program[i], bytes, (size_t)n);
}

/* ---- requests ---- */

static void serve(unsigned i)
{
    struct pollfd fds[MAD_SERVER_FDS];

    mad_server_fds(&w.server, fds);
    fds[1 + i].revents = POLLIN;
    for (unsigned k = 0; k < MAD_OPENS; k++)
        fds[1 + MAD_OPENS + k].revents = fds[1 + MAD_OPENS + k].fd >= 0 ? POLLOUT : 0;
    mad_server_serve(&w.server, fds);
}

static void die(struct program *p)
{
    if (p->datagrams >= 0)
        (void)close(p->datagrams);
    if (p->control >= 0)
        (void)close(p->control);
    *p = (struct program){.control = -1, .datagrams = -1};
}

/* Sends a request, and receives its answer, which may bring a descriptor. Returns whether there was one answer without
 * an error. */
static bool ask(struct program *p, const void *request, size_t len, void *answer, size_t room)
{
    const unsigned i = (unsigned)(p - w.program);
    struct iovec part = {answer, room};
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } more = {0};
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = more.bytes, .msg_controllen = sizeof more.bytes};
    struct mad_head head;
    ssize_t n;

    if (p->control < 0 || send(p->control, request, len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len)
        return false;
    serve(i);
    n = recvmsg(p->control, &m, MSG_DONTWAIT);
    if (n <= 0) {
        FUZZ_CHECK(w.server.connection[i].control < 0);
        die(p);
        return false;
    }
    FUZZ_CHECK(n >= (ssize_t)sizeof(struct mad_answer) && !(m.msg_flags & MSG_TRUNC));
    memcpy(&head, answer, sizeof head);
    FUZZ_CHECK(head.magic == MAD_MAGIC && head.kind > 0 && head.kind < MAD_KINDS);
    FUZZ_CHECK(recv(p->control, more.bytes, 1, MSG_DONTWAIT) < 0);
    if (m.msg_controllen > 0) {
        const struct cmsghdr *first = CMSG_FIRSTHDR(&m);
        FUZZ_CHECK(p->datagrams < 0 && first);
        memcpy(&p->datagrams, CMSG_DATA(first), sizeof p->datagrams);
    }
    fuzz_note(head.error);
    return head.error == 0;
}

static struct program *one(void)
{
    return &w.program[fuzz_u8(&w.in) % PROGRAMS];
}

static void connect_one(void)
{
    struct program *p = one();
    const unsigned i = (unsigned)(p - w.program);
    int both[2];

    if (p->control >= 0 || w.server.connection[i].control >= 0)
        return;
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, both) == 0);
    p->control = both[1];
    w.server.connection[i].control = both[0];
}

static void place(void)
{
    static const char *const names[] = {"A", "B", "C", "S", "T", "", "nobody", NULL};
    const uint8_t b = fuzz_u8(&w.in);
    struct mad_place m = {.head = {MAD_MAGIC,
                                   (uint16_t)(b >> 6       ? MAD_OPEN
                                              : b >> 5 & 1 ? MAD_GET_PORT
                                                           : MAD_GET_NODE),
                                   0},
                          .port = b >> 3 & 3};
    const char *name = names[b % 8];
    uint8_t answer[sizeof(struct mad_port)];

    for (unsigned i = 0; i < sizeof m.node; i++)
        m.node[i] = (char)(name ? 0 : fuzz_u8(&w.in));
    if (name)
        memcpy(m.node, name, strlen(name));
    (void)ask(one(), &m, sizeof m, answer, sizeof answer);
}

static uint8_t some_class(uint8_t b)
{
    static const uint8_t classes[] = {IBA_CLASS_SMP, IBA_CLASS_DIRECTED, IBA_CLASS_SA, 4,
                                      0x32,          IBA_CLASS_SA,       0x10,         0x0a};

    return classes[b % 8];
}

static void join(void)
{
    const uint8_t b = fuzz_u8(&w.in);
    struct mad_registration m = {.head = {MAD_MAGIC, MAD_REGISTER, 0},
                                 .class = some_class(b),
                                 .version = some_class(b) == IBA_CLASS_SA ? 2 : 1,
                                 .rmpp_version = b >> 3 & 1,
                                 .flags = b >> 4 & 1,
                                 .has_oui = b >> 5 & 1,
                                 .methods = {b >> 6 ? UINT64_MAX : fuzz_u16(&w.in), 0}};
    struct mad_answer a;

    (void)ask(one(), &m, sizeof m, &a, sizeof a);
}

static void set(void)
{
    const uint8_t b = fuzz_u8(&w.in);
    const struct mad_setting m = {.head = {MAD_MAGIC, b & 1 ? MAD_SET_ISSM : MAD_UNREGISTER, 0}, .value = b >> 1 & 3};
    struct program *p = one();
    struct mad_answer a;

    if (ask(p, &m, sizeof m, &a, sizeof a) && m.head.kind == MAD_UNREGISTER)
        memset(p->asked, 0, sizeof p->asked);
}

static void babble(void)
{
    uint8_t bytes[128], answer[sizeof(struct mad_port)];
    const size_t n = 1 + fuzz_u8(&w.in) % sizeof bytes;
    const struct mad_head head = {MAD_MAGIC, fuzz_u8(&w.in) % (MAD_KINDS + 1), 0};

    for (size_t i = 0; i < n; i++)
        bytes[i] = i < 24 ? fuzz_u8(&w.in) : 0;
    if (n >= sizeof head && fuzz_u8(&w.in) & 1)
        memcpy(bytes, &head, sizeof head);
    (void)ask(one(), bytes, n, answer, sizeof answer);
}

/* ---- datagrams ---- */

static union {
    struct mad_sent head;
    uint8_t bytes[sizeof(struct mad_sent) + DATA_MOST];
} out;

static uint8_t *begin_datagram(const struct mad_envelope *e)
{
    out.head = (struct mad_sent){.head = {MAD_MAGIC, MAD_SEND, 0}, .envelope = *e};
    memset(out.bytes + sizeof out.head, 0, DATA_MOST);
    return out.bytes + sizeof out.head;
}

static bool send_datagram(struct program *p, size_t len)
{
    struct mad_answer a;

    return ask(p, out.bytes, sizeof out.head + len, &a, sizeof a);
}

static struct mad_envelope some_address(void)
{
    const uint8_t b = fuzz_u8(&w.in);

    return (struct mad_envelope){.agent = b & 1 ? 0 : b >> 1 & 3,
                                 .timeout_ms = b & 8 ? 0 : fuzz_u8(&w.in),
                                 .retries = b >> 4 & 3,
                                 .qpn = htonl(1),
                                 .qkey = htonl(b == 77 ? 5 : IBA_GSI_QKEY),
                                 .lid = htons(b & 0x40 ? UINT16_MAX : fuzz_u8(&w.in) % (NODES + 2)),
                                 .sl = b >> 4,
                                 .grh_present = b == 0x80,
                                 .pkey_index = b == 0x81};
}

static void write_header(uint8_t *mad, uint8_t class, uint8_t method, uint32_t tid)
{
    mad[0] = 1;
    mad[1] = class;
    mad[2] = class == IBA_CLASS_SA ? 2 : 1;
    mad[3] = method;
    iba_madhdr_set_transactionid(mad, tid);
}

/* A program asks, with one datagram or with a transaction. */
static void request(void)
{
    const struct mad_envelope e = some_address();
    const uint8_t b = fuzz_u8(&w.in), class = some_class(b), method = b & 0x40 ? fuzz_u8(&w.in) : 1 + (b >> 3 & 1);
    struct program *p = one();
    uint8_t *mad = begin_datagram(&e);
    size_t len = IBA_MAD_BYTES;
    unsigned k = 0;

    while (k < ASKED && p->asked[k])
        k++;
    write_header(mad, class, method, ++w.tid);
    iba_madhdr_set_attributeid(mad, 0x10 + (b >> 4 & 7));
    if (b & 0x80 && mad_rmpp_has_class(class)) {
        mad[IBA_RMPP_AT + 2] = 1;
        len = MAD_HEADER + fuzz_u16(&w.in) % (DATA_MOST - MAD_HEADER);
    }
    if (k < ASKED && send_datagram(p, len) && e.timeout_ms && !is_response(mad) && !(b & 0x80))
        p->asked[k] = w.tid;
}

/* The program answers the request that came last, with a table of any size. */
static void answer(void)
{
    struct program *p = one();
    const size_t len = IBA_MAD_BYTES + fuzz_u16(&w.in) % (DATA_MOST - IBA_MAD_BYTES);
    struct mad_envelope e = p->last;
    uint8_t *mad;

    if (p->len == 0)
        return;
    e.qkey = htonl(IBA_GSI_QKEY);
    e.retries = 3;
    e.timeout_ms = 0;
    mad = begin_datagram(&e);
    memcpy(mad, p->mad, p->len);
    mad[3] |= IBA_METHOD_RESPONSE;
    mad[IBA_RMPP_AT + 2] = fuzz_u8(&w.in) & 1;
    (void)send_datagram(p, mad[IBA_RMPP_AT + 2] ? len : IBA_MAD_BYTES);
    p->len = 0;
}

/* A program sends a segment, ACK, STOP or ABORT by hand, of its own transaction or of the one that came last. */
static void segment(void)
{
    struct program *p = one();
    const uint8_t b = fuzz_u8(&w.in);
    const bool known = b & 1 && p->len > 0;
    const struct mad_envelope e = known ? p->last : some_address();
    uint8_t *mad = begin_datagram(&e);

    if (known)
        memcpy(mad, p->mad, IBA_RMPP_AT);
    else
        write_header(mad, some_class(b >> 1), 0x12, 1 + fuzz_u8(&w.in) % 4);
    if (b & 0x10)
        mad[3] ^= IBA_METHOD_RESPONSE;
    out.head.envelope.qkey = htonl(IBA_GSI_QKEY);
    mad[IBA_RMPP_AT] = b & 0x20 ? fuzz_u8(&w.in) : 1;
    mad[IBA_RMPP_AT + 1] = fuzz_u8(&w.in) % 6;
    mad[IBA_RMPP_AT + 2] = fuzz_u8(&w.in);
    mad[IBA_RMPP_AT + 3] = b & 0x40 ? fuzz_u8(&w.in) : 0;
    iba_rmpp_set_data1(mad + IBA_RMPP_AT, b & 0x80 ? fuzz_u32(&w.in) : fuzz_u8(&w.in) % 80);
    iba_rmpp_set_data2(mad + IBA_RMPP_AT, fuzz_u8(&w.in));
    (void)send_datagram(p, IBA_MAD_BYTES);
}

/* ---- what happens ---- */

static void leave(void)
{
    struct program *p = one();
    const unsigned i = (unsigned)(p - w.program);

    die(p);
    if (w.server.connection[i].control >= 0)
        serve(i);
    FUZZ_CHECK(w.server.connection[i].control < 0 && !w.server.layer.open[i].used);
}

static void lose(void)
{
    const uint8_t b = fuzz_u8(&w.in);

    subnet_lose(w.subnet, (size_t)subnet_find(w.subnet, "S"), (uint8_t)(1 + b % 3), b >> 2 & 7);
}

/* Lets time pass, event by event. */
static void run(iba_time until)
{
    for (;;) {
        const iba_time packets = subnet_deadline(w.subnet), datagrams = mad_layer_deadline(&w.server.layer);
        const iba_time next = packets < datagrams ? packets : datagrams;
        if (next > until)
            break;
        subnet_run(w.subnet, next);
        mad_layer_advance(&w.server.layer);
    }
    subnet_run(w.subnet, until);
    w.now = until;
}

static void pass(void)
{
    run(w.now + (UINT64_C(1) << fuzz_u8(&w.in) % LONGEST_LOG2_NS));
}

static void check(void)
{
    const struct mad_layer *l = &w.server.layer;

    for (size_t k = 0; k < MAD_SENDS; k++) {
        const struct mad_send *s = &l->send[k];
        if (!s->used)
            continue;
        FUZZ_CHECK(k < l->n_send && s->mad && l->open[s->open].used && l->open[s->open].agent[s->agent].used);
        FUZZ_CHECK(s->acked <= s->sent && s->sent <= s->window && s->window <= (s->segments ? s->segments : 0));
    }
    for (unsigned k = 0; k < MAD_TRANSFERS; k++) {
        const struct mad_transfer *t = &l->transfer[k];
        FUZZ_CHECK(!t->used || (l->open[t->open].used && l->open[t->open].agent[t->agent].used && t->got <= t->window));
        FUZZ_CHECK(!t->used || t->whole == !t->mad);
    }
}

static void begin(void)
{
    char err[MAD_SERVER_ERROR];

    for (unsigned i = 0; i < PROGRAMS; i++)
        w.program[i] = (struct program){.control = -1, .datagrams = -1};
    w.subnet = small_subnet_new(0, received);
    FUZZ_CHECK(mad_server_open(&w.server, w.subnet, NULL, err));
    subnet_run(w.subnet, 0);
    small_subnet_manage(w.subnet);
}

static void end(void)
{
    run(w.now + END_NS);
    read_all();
    check();
    FUZZ_CHECK(w.server.layer.n_send == 0);
    for (unsigned k = 0; k < MAD_TRANSFERS; k++)
        FUZZ_CHECK(!w.server.layer.transfer[k].used);
    for (unsigned i = 0; i < PROGRAMS; i++)
        for (unsigned k = 0; k < ASKED && w.program[i].datagrams >= 0; k++)
            FUZZ_CHECK(w.program[i].asked[k] == 0);
    mad_server_close(&w.server);
    subnet_free(w.subnet);
    for (unsigned i = 0; i < PROGRAMS; i++)
        die(&w.program[i]);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static void (*const step[])(void) = {connect_one, place,   join,    set,   babble, request, request, answer,
                                         answer,      segment, segment, leave, lose,   pass,    pass,    pass};

    fuzz_trace = FUZZ_TRACE_START;
    w = (struct world){.in = {data, n}};
    begin();
    for (unsigned i = 0; i < STEPS && w.in.n > 0; i++, fuzz_steps++) {
        step[fuzz_u8(&w.in) % (sizeof step / sizeof *step)]();
        read_all();
        check();
    }
    end();
    return 0;
}
