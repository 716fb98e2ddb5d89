/* SPDX-License-Identifier: BSD-2-Clause */
/* How long channels, wires and live targets wait, on a clock of the test's own. Time passes only while they wait. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../live_channel.h"
#include "../live_starter.h"
#include "../wire_neighbour.h"
#include "fake_clock.h"
#include "live_bed.h"
#include "held.h"

static const uint64_t ms = 1000000;
static struct channel c;
static size_t len;

/* ---- the system ---- */

enum { MOST_KILLED = 8 };
static struct {
    pid_t pid;
    int signal;
    uint64_t at;
} killed[MOST_KILLED];
static unsigned n_killed;

int kill(pid_t pid, int signal)
{
    if (fake.on && n_killed < MOST_KILLED) {
        killed[n_killed].pid = pid;
        killed[n_killed].signal = signal;
        killed[n_killed++].at = fake.now;
    }
    return (int)syscall(SYS_kill, pid, signal);
}

static int refused, later, asking; /* errno of connect(); of the connection; of the question for that */

int connect(int fd, __CONST_SOCKADDR_ARG a, socklen_t n)
{
    if (refused == 0)
        return (int)syscall(SYS_connect, fd, a.__sockaddr__, n);
    errno = refused;
    return -1;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *n)
{
    if (refused == 0 || name != SO_ERROR)
        return (int)syscall(SYS_getsockopt, fd, level, name, value, n);
    memcpy(value, &later, sizeof later);
    errno = asking;
    return asking ? -1 : 0;
}

static void clock_off(void)
{
    fake.on = false;
    refused = 0;
}

TestSuite(waits, .fini = clock_off);

/* Expects these waits, in ms, and no others. */
#define WAITED(...) waited((const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static void waited(const uint64_t *wanted, size_t n)
{
    cr_expect_eq(fake.n, n, "%u waits, not %zu", fake.n, n);
    for (size_t i = 0; i < n && i < fake.n; i++)
        cr_expect_eq(fake.wait[i], wanted[i] * ms, "wait %zu: %lu ns", i, (unsigned long)fake.wait[i]);
}

/* ---- channels ---- */

static int pair(void)
{
    int fd[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    c = (struct channel){.fd = fd[0]};
    return fd[1];
}

/* Waits for an answer that does not come. Returns how long, in ns. */
static uint64_t waits_for(uint64_t limit)
{
    const uint64_t begun = fake.now;

    fake.n = 0;
    cr_expect_null(channel_receive(&c, &len, begun + limit, NULL));
    cr_expect_str_eq(c.fault, "no answer in time", "%s", c.fault);
    return fake.now - begun;
}

/* The clock is read each 100 ms. Where it was read more than 100 ms late, this process was stopped, and that time does
 * not count. */
Test(waits, slices)
{
    const int fd = pair();

    fake_begin();
    cr_expect_eq(waits_for(250 * ms), 250 * ms);
    WAITED(100, 100, 50);
    cr_expect_eq(waits_for(100 * ms), 100 * ms);
    WAITED(100);
    cr_expect_eq(waits_for(0), 1);
    WAITED(0);
    fake.late = 2;
    fake.lateness = 1000 * ms;
    cr_expect_eq(waits_for(250 * ms), 1250 * ms);
    WAITED(100, 100, 50);
    fake.lateness = 100 * ms;
    cr_expect_eq(waits_for(250 * ms), 300 * ms);
    WAITED(100, 100);
    fake.lateness = 100 * ms + 1;
    cr_expect_eq(waits_for(250 * ms), 350 * ms + 1);
    WAITED(100, 100, 50);
    fake.late = 1;
    fake.lateness = 60 * ms; /* it wakes up late, but was not stopped */
    cr_expect_eq(waits_for(170 * ms), 170 * ms);
    WAITED(100, 10);
    close(fd);
    channel_close(&c);
}

/* An agent gets half a second to end by itself, and half a second after it was asked to. Whether it has ended is
 * looked at each 2 ms. */
Test(waits, an_agent_that_does_not_end)
{
    static const struct {
        unsigned late, term, kill; /* the nap that takes 1 ms longer; when the signals come, in ms */
    } rows[] = {{0, 500, 1000}, {1, 501, 1001}, {251, 500, 1001}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c = (struct channel){.fd = -1};
        cr_assert(
            channel_open(&c, "exec:trap '' TERM; echo; while :; do sleep 0.05; done", ibc_wire_clock() + 9000 * ms));
        cr_assert_not_null(channel_receive(&c, &len, ibc_wire_clock() + 9000 * ms, NULL), "%s", c.fault);
        const pid_t pid = c.child;
        fake_begin();
        n_killed = 0;
        fake.late = rows[i].late;
        fake.lateness = ms;
        const uint64_t begun = fake.now;
        channel_close(&c);
        fake.on = false;
        for (unsigned k = 0; k < fake.n; k++)
            cr_assert(k >= FAKE_WAITS || fake.wait[k] == 2 * ms);
        cr_assert_eq(n_killed, 3, "row %zu: %u", i, n_killed);
        cr_expect(killed[0].pid == -pid && killed[0].signal == SIGTERM, "row %zu", i);
        cr_expect(killed[1].pid == pid && killed[1].signal == SIGKILL, "row %zu", i);
        cr_expect(killed[2].pid == -pid && killed[2].signal == SIGKILL, "row %zu", i);
        cr_expect_eq(killed[0].at - begun, rows[i].term * ms, "row %zu", i);
        cr_expect_eq(killed[1].at - begun, rows[i].kill * ms, "row %zu", i);
        cr_expect(c.child == 0 && waitpid(pid, NULL, WNOHANG) == -1 && errno == ECHILD, "row %zu: nothing stays", i);
    }
}

/* A command whose channel ends is ending itself: how it ends is known a little later. */
Test(waits, how_a_command_ends)
{
    c = (struct channel){.fd = -1};
    cr_assert(channel_open(&c, "exec:cat", ibc_wire_clock() + 9000 * ms), "%s", c.fault);
    for (unsigned late = 0; late < 2; late++) {
        fake_begin();
        fake.late = late;
        fake.lateness = ms;
        const uint64_t begun = fake.now;
        channel_hung_up(&c);
        cr_expect_str_eq(c.fault, "it hung up");
        cr_expect_eq(fake.now - begun, (100 + late) * ms);
    }
    fake.on = false;
    channel_close(&c);
}

Test(waits, connections)
{
    static const struct {
        int refused, later, asking;
        bool deaf;
        const char *says; /* NULL: it is connected */
    } rows[] = {
        {EINPROGRESS, 0, 0, false, NULL},
        {EINPROGRESS, 0, 0, true, "Connection timed out"},
        {EINPROGRESS, ECONNREFUSED, 0, false, "Connection refused"},
        {EINPROGRESS, 0, ENOBUFS, false, "No buffer space available"},
        {ECONNREFUSED, 0, 0, false, "Connection refused"},
        {EAGAIN, 0, 0, false, "nobody accepts the connection: the agent or its machine stands still"},
        {EACCES, 0, 0, false, "Permission denied for this user (--user NAME runs as another)"},
    };
    const unsigned before = held_descriptors();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c = (struct channel){.fd = -1};
        fake_begin();
        fake.deaf = rows[i].deaf;
        const uint64_t begun = fake.now;
        refused = rows[i].refused, later = rows[i].later, asking = rows[i].asking;
        cr_expect_eq(channel_open(&c, "unix:agent", begun + 150 * ms), !rows[i].says, "row %zu: %s", i, c.fault);
        cr_expect(rows[i].says ? c.fd == -1 && strcmp(c.fault, rows[i].says) == 0 : c.fd >= 0, "row %zu: %s", i,
                  c.fault);
        cr_expect_eq(fake.now - begun, rows[i].deaf ? 150 * ms : 0, "row %zu", i);
        channel_close(&c);
        clock_off();
    }
    cr_expect_eq(held_descriptors(), before);
}

/* A place of 255 letters is looked for, a longer one is none. */
Test(waits, long_places)
{
    char spec[300] = "tcp:";

    for (unsigned n = 255; n <= 256; n++) {
        memset(spec + 4, 'h', n);
        memcpy(spec + 4 + n - 2, ":1", 3);
        c = (struct channel){.fd = -1};
        cr_expect_not(channel_open(&c, spec, ibc_wire_clock() + 9000 * ms));
        cr_expect_eq(strcmp(c.fault, "want tcp:HOST:PORT, PORT a number up to 65535") == 0, n == 256, "%s", c.fault);
    }
}

/* ---- the starter of agents ---- */

/* Orders and replies as both sides of the starter's socket have them. */
struct order {
    uint64_t number, until;
    uint32_t what;
};
struct reply {
    uint64_t number;
    uint32_t good;
    char why[CHANNEL_SENTENCE];
};

static void sends_reply(int to, struct reply r, int with)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec v = {&r, sizeof r};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    control.head =
        (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof with)};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &with, sizeof with);
    if (with < 0)
        m.msg_control = NULL, m.msg_controllen = 0;
    cr_assert_eq(sendmsg(to, &m, 0), (ssize_t)sizeof r);
}

/* Replies to four orders: to a process that has died, in between, and to the one that waits. */
static void *be_starter(void *ctx)
{
    const int fd = *(int *)ctx;
    struct order o[4];

    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(recv(fd, &o[i], sizeof o[i], 0), (ssize_t)sizeof o[i]);
        cr_expect_eq(o[i].what, i == 0 || i == 3 ? 0 : 3 - i, "order %u: %u", i, o[i].what);
        cr_expect_eq(o[i].until, i == 0 || i == 3 ? 77 : 0, "order %u", i);
        sends_reply(fd, (struct reply){.number = o[i].number + 1, .good = 1, .why = "of another"}, fd);
        sends_reply(fd, (struct reply){.number = o[i].number - 1, .why = "of another"}, -1);
        if (i < 3)
            sends_reply(fd, (struct reply){.number = o[i].number, .good = i == 0, .why = "its own"}, i ? -1 : fd);
        else
            sends_reply(fd, (struct reply){.number = o[i].number, .good = 1, .why = "without a descriptor"}, -1);
    }
    return NULL;
}

Test(waits, replies_to_others)
{
    char why[CHANNEL_SENTENCE] = "";
    pthread_t other;
    int fd[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd), 0);
    struct starter s = {.fd = fd[0]};
    cr_assert_eq(pthread_create(&other, NULL, be_starter, &fd[1]), 0);
    const unsigned before = held_descriptors();
    const int got = starter_begin(&s, 77, why, sizeof why);
    cr_expect(got >= 0 && fcntl(got, F_GETFD) == FD_CLOEXEC && why[0] == '\0', "%s", why);
    cr_expect_eq(held_descriptors(), before + 1, "the others' are closed");
    starter_ask_why(&s, why, sizeof why);
    cr_expect_str_eq(why, "its own");
    starter_end(&s);
    cr_expect_eq(starter_begin(&s, 77, why, sizeof why), -1);
    cr_expect_str_eq(why, "without a descriptor");
    cr_assert_eq(pthread_join(other, NULL), 0);
    (void)close(got);
    cr_expect_eq(held_descriptors(), before);
    (void)close(fd[0]);
    (void)close(fd[1]);
}

/* ---- wires ---- */

static struct {
    unsigned takes, claims; /* claims: the number of the take that finds a frame of a host, from 1 on */
    int sending;            /* result */
    unsigned sent;
    uint64_t at[32];
    uint8_t frame[IBC_NEIGHBOUR_ANSWER];
    size_t len;
} card;

static int take(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *n, uint64_t *at)
{
    (void)w;
    cr_assert_eq(room, IBC_WIRE_MOST);
    if (++card.takes != card.claims)
        return EAGAIN;
    memcpy(frame, card.frame, card.len);
    *n = card.len;
    *at = fake.now;
    return 0;
}

static int send_one(struct ibc_wire *w, const uint8_t *frame, size_t n)
{
    (void)w;
    (void)frame;
    (void)n;
    if (card.sent < 32)
        card.at[card.sent++] = fake.now;
    return card.sending;
}

static void look(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    (void)w;
    p->mac = 0x020000000a01;
}

static const struct ibc_wire_ops ops = {.take = take, .send = send_one, .look = look};
static struct ibc_wire *end[2];

static struct ibc_wire *with_card(void)
{
    cr_assert(ibc_wire_loop(end));
    memset(&card, 0, sizeof card);
    end[0]->ops = &ops;
    fake_begin();
    return end[0];
}

static void without_card(void)
{
    clock_off();
    ibc_wire_close(end[0]);
    ibc_wire_close(end[1]);
}

Test(waits, a_wire)
{
    struct ibc_wire *w = with_card();
    uint8_t frame[IBC_WIRE_MOST] = {0};
    uint64_t at, begun = fake.now;

    cr_expect_eq(ibc_wire_receive(w, frame, &len, &at, UINT64_C(3500000123)), IBC_WIRE_NOTHING);
    cr_expect(fake.n == 1 && fake.wait[0] == UINT64_C(3500000123), "%u waits, %lu ns", fake.n,
              (unsigned long)fake.wait[0]);
    card.sending = EAGAIN;
    fake.n = 0;
    begun = fake.now;
    cr_expect_not(ibc_wire_send(w, frame, 60));
    cr_expect_str_eq(w->fault, "wire loop: the other end does not take frames");
    cr_expect_eq(fake.now - begun, 2000 * ms, "two seconds for a queue that is full");
    cr_expect(fake.n == 20000 && fake.wait[0] == 100000, "%u waits of %lu ns", fake.n, (unsigned long)fake.wait[0]);
    without_card();
}

static struct ibc_address address(uint8_t n)
{
    struct ibc_address a = {.mac = 0x020000000000 + n, .ipv4 = 0xc6336400u + n, .ipv6 = {0x20, 1, 0xd, 0xb8}};

    a.gid[0] = 0xfe, a.gid[1] = 0x80;
    a.ipv6[15] = a.gid[15] = n;
    return a;
}

static char shown[1000];

static void show(const char *line)
{
    (void)snprintf(shown, sizeof shown, "%s", line);
}

/* All parties with addresses as long as any: people read all of them. */
Test(waits, addresses_of_all_parties)
{
#define LONG(n) " 12:34:56:78:9a:b" #n " 203.117.113.24" #n " 2001:db8:1111:2222:3333:4444:5555:666" #n
    static const char wanted[] = "tester" LONG(3) "; stranger" LONG(4) "; device" LONG(1) "; second device" LONG(2);
    static const char more[] = "; device's second port" LONG(5) "; second device's second port" LONG(6);
    struct ibc_wire *const wire[IBC_DEVICES] = {with_card()};
    struct ibc_target t = {.framing = IBA_LINK_ETHERNET};
    struct ibc_address *const who[] = {NULL,        &t.device[0], &t.device[1], &t.tester,
                                       &t.stranger, &t.second[0], &t.second[1]};
    struct live_accepted a = {0};

    for (unsigned i = 1; i < 7; i++)
        *who[i] = (struct ibc_address){.mac = 0x123456789ab0 + i,
                                       .ipv4 = 0xcb7571f0u + i,
                                       .ipv6 = {0x20, 0x01, 0x0d, 0xb8, 0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44,
                                                0x55, 0x55, 0x66, (uint8_t)(0x60 + i)}};
    cr_assert(live_accept(&t, IBC_LINK_roce2_ipv4, wire, NULL, &a, show), "%s", t.fault);
    cr_expect_eq(strncmp(shown, wanted, sizeof wanted - 1), 0, "%s", shown);
    cr_expect_str_eq(shown + sizeof wanted - 1, more, "%s", shown);
    without_card();
}

/* The addresses of tester and stranger are asked for three times within a second (RFC 5227 2.1.1): six questions at
 * once, for three addresses of each. */
Test(waits, questions_for_addresses)
{
    struct ibc_wire *const wire[IBC_DEVICES] = {with_card()};
    struct ibc_target t = {
        .framing = IBA_LINK_ETHERNET, .device = {address(1)}, .tester = address(3), .stranger = address(4)};
    struct live_accepted a = {0};
    uint64_t begun = fake.now;

    cr_assert(live_accept(&t, IBC_LINK_roce2_ipv4, wire, NULL, &a, NULL), "%s", t.fault);
    WAITED(250, 250, 500);
    cr_expect_eq(fake.now - begun, 1000 * ms);
    cr_assert_eq(card.sent, 18, "%u", card.sent);
    for (unsigned i = 0; i < 18; i++)
        cr_expect_eq(card.at[i] - begun, i / 6 * 250 * ms, "question %u", i);
    for (unsigned which = 0; which < 2; which++) { /* a host has one of them */
        char says[160];
        a = (struct live_accepted){0};
        card.takes = card.sent = 0;
        card.claims = 1 + which;
        card.len = ibc_neighbour_ask(card.frame, 0x02aabbccddee, which ? &t.stranger : &t.tester, which);
        (void)snprintf(end[0]->own, sizeof end[0]->own, "eth%u", which);
        cr_expect_not(live_accept(&t, IBC_LINK_roce2_ipv4, wire, NULL, &a, NULL));
        (void)snprintf(says, sizeof says, "the agent's address of the %s is in use on eth%u, by 02:aa:bb:cc:dd:ee",
                       which ? "stranger" : "tester", which);
        cr_expect_str_eq(t.fault, says, "%s", t.fault);
        cr_expect(card.sent == 6 && !a.any, "%u", card.sent);
    }
    card.claims = 0;
    card.sending = EIO;
    cr_expect_not(live_accept(&t, IBC_LINK_roce2_ipv4, wire, NULL, &a, NULL));
    cr_expect_str_eq(t.fault, "wire loop: Input/output error");
    without_card();
}

/* ---- live targets ---- */

/* An agent that does not come back is looked for after 50 ms, and then less and less often, for 100 s. */
Test(waits, an_agent_that_stays_away)
{
    struct live_bed *b = live_bed_new();
    char text[100];
    uint32_t pd;

    cr_assert(live_bed_open(b, 1), "%s", b->err);
    fake.naps = 0;
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    cr_expect_eq(fake.naps, 0, "with virtual time nothing has to settle");
    (void)snprintf(b->reply, sizeof b->reply, "close");
    cr_assert_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_LOST);
    cr_assert_eq(unlink(b->o.agent + strlen("unix:")), 0);
    fake_begin();
    b->t->hurried = true;
    cr_expect_eq(b->t->ops->contact(b->t, text, sizeof text), IBC_CONTACT_NONE);
    cr_expect_eq(fake.n, 0);
    b->t->hurried = false;
    cr_expect_eq(b->t->ops->contact(b->t, text, sizeof text), IBC_CONTACT_NONE);
    cr_expect_eq(fake.n, 37, "%u", fake.n);
    for (unsigned i = 0; i < fake.n; i++)
        cr_expect_eq(fake.wait[i], (i < 6 ? UINT64_C(50) << i : 3200) * ms, "nap %u: %lu", i,
                     (unsigned long)fake.wait[i]);
    cr_expect_eq(b->t->ops->contact(b->t, text, sizeof text), IBC_CONTACT_NONE);
    cr_expect_eq(fake.n, 37, "it has waited already");
    fake.on = false;
    live_bed_free(b);
}

/* Frames of the case before need a moment to arrive. */
Test(waits, real_time)
{
    struct live_bed *b = live_bed_new();
    char *time = strstr(b->hello, "virtual");
    uint8_t frame[IBC_FRAME];
    unsigned from;
    uint64_t at;

    memcpy(time, "real\",", 6); /* instead of: virtual", */
    memmove(time + 6, time + 9, strlen(time + 9) + 1);
    cr_assert(live_bed_open(b, 2), "%s", b->err);
    fake.naps = 0;
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    cr_expect(fake.naps == 1 && fake.nap == 2 * ms, "%u naps, the last of %lu ns", fake.naps, (unsigned long)fake.nap);
    fake_begin();
    const uint64_t until = fake.now + UINT64_C(2234567890);
    cr_expect_eq(b->t->ops->collect_any(b->t, until, frame, &len, &at, &from), IBC_OK);
    cr_expect(len == 0 && at == until && fake.n == 1 && fake.wait[0] == UINT64_C(2234567890), "%u", fake.n);
    fake.on = false;
    live_bed_free(b);
}
