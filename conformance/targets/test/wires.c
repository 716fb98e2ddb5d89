/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapters of the wire, end to end in this process, and address resolution for the tester. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "targets/wire.h"
#include "targets/wire_adapters.h"
#include "targets/wire_neighbour.h"
#include "held.h"

static const uint64_t soon = 100 * 1000 * 1000, never = 0;

static struct ibc_wire *opened(const char *spec)
{
    char err[512] = "";
    struct ibc_wire *w = ibc_wire_open(spec, err, sizeof err);

    cr_assert(w, "%s", err);
    return w;
}

static void sends(struct ibc_wire *w, uint8_t mark, size_t len)
{
    uint8_t frame[IBC_WIRE_MOST];

    memset(frame, mark, len);
    cr_assert(ibc_wire_send(w, frame, len), "%s", w->fault);
}

static void gets(struct ibc_wire *w, uint8_t mark, size_t len)
{
    static uint64_t last;
    uint8_t frame[IBC_WIRE_MOST];
    size_t n;
    uint64_t at;

    cr_assert_eq(ibc_wire_receive(w, frame, &n, &at, soon), IBC_WIRE_FRAME);
    cr_assert_eq(n, len);
    cr_assert(frame[0] == mark && frame[n - 1] == mark);
    cr_assert(at <= ibc_wire_clock() && at + 1000000 >= last, "times of arrival go on");
    last = at;
}

static void gets_nothing(struct ibc_wire *w, uint64_t timeout)
{
    uint8_t frame[IBC_WIRE_MOST];
    const uint64_t begun = ibc_wire_clock();
    size_t n;
    uint64_t at;

    cr_assert_eq(ibc_wire_receive(w, frame, &n, &at, timeout), IBC_WIRE_NOTHING);
    cr_assert_eq(n, 0);
    cr_assert(ibc_wire_clock() - begun >= timeout);
}

static void both_directions(struct ibc_wire *a, struct ibc_wire *b)
{
    sends(a, 1, 60);
    sends(a, 2, 9000);
    sends(b, 3, IBC_WIRE_MOST);
    gets(b, 1, 60);
    gets(b, 2, 9000);
    gets(a, 3, IBC_WIRE_MOST);
    gets_nothing(a, never);
    gets_nothing(b, soon);
    cr_assert_eq(ibc_wire_lost(a) + ibc_wire_lost(b), 0);
}

Test(wires, loop)
{
    struct ibc_wire *end[2];

    cr_assert(ibc_wire_loop(end));
    both_directions(end[0], end[1]);
    ibc_wire_close(end[0]);
    ibc_wire_close(end[1]);
}

Test(wires, what_is_kept_comes_first)
{
    struct ibc_wire *end[2];

    cr_assert(ibc_wire_loop(end));
    sends(end[0], 1, 60);
    sends(end[0], 2, 60);
    cr_assert_not(ibc_wire_waiting(end[1]));
    ibc_wire_keep(end[1]);
    cr_assert(ibc_wire_waiting(end[1]));
    sends(end[0], 3, 60);
    gets(end[1], 1, 60);
    gets(end[1], 2, 60);
    gets(end[1], 3, 60);
    sends(end[0], 4, 60);
    ibc_wire_keep(end[1]);
    sends(end[0], 5, 60);
    ibc_wire_drain(end[1]);
    gets_nothing(end[1], never);
    ibc_wire_close(end[0]);
    ibc_wire_close(end[1]);
}

/* ---- unix ---- */

static char folder[] = "wires-XXXXXX";

static void in_folder(void)
{
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
}

static void out_of_folder(void)
{
    cr_assert(chdir("..") == 0 && rmdir(folder) == 0, "something was left behind");
}

Test(wires, unix_sockets, .init = in_folder, .fini = out_of_folder)
{
    struct ibc_wire *a = opened("unix:b,a");
    uint8_t frame[60] = {0};

    cr_assert_not(ibc_wire_send(a, frame, sizeof frame));
    cr_assert(a->nobody);
    cr_assert_str_eq(a->fault, "wire unix:b,a: nobody is at the other end");
    struct ibc_wire *b = opened("unix:a,b");
    both_directions(a, b);
    ibc_wire_close(b);
    b = opened("unix:a,b"); /* is created again: the other end continues */
    both_directions(a, b);
    ibc_wire_close(a);
    ibc_wire_close(b);
}

Test(wires, unix_socket_in_the_way, .init = in_folder, .fini = out_of_folder)
{
    const unsigned before = held_descriptors();
    struct ibc_wire *a = opened("unix:b,a"), *b;
    char err[256];

    cr_assert_null(ibc_wire_open("unix:b,a", err, sizeof err));
    cr_assert_str_eq(err, "wire unix:b,a: a: Address already in use");
    cr_assert(rename("a", "c") == 0);
    ibc_wire_close(a); /* leaves the socket c, which nothing reads */
    b = opened("unix:b,c");
    ibc_wire_close(b);
    cr_assert(mkdir("d", 0700) == 0);
    cr_assert_null(ibc_wire_open("unix:b,d", err, sizeof err), "what is no socket is not taken away");
    cr_assert(rmdir("d") == 0);
    cr_expect_eq(held_descriptors(), before);
}

Test(wires, full_queue_is_told, .init = in_folder, .fini = out_of_folder)
{
    struct ibc_wire *a = opened("unix:b,a"), *b = opened("unix:a,b");
    const uint64_t begun = ibc_wire_clock();
    uint8_t frame[IBC_WIRE_MOST] = {0};

    while (ibc_wire_send(a, frame, sizeof frame))
        cr_assert(ibc_wire_clock() - begun < 60 * UINT64_C(1000000000));
    cr_assert_str_eq(a->fault, "wire unix:b,a: the other end does not take frames");
    cr_assert_not(a->nobody);
    ibc_wire_close(a);
    ibc_wire_close(b);
}

/* A descriptor may have the number 0. */
Test(wires, descriptor_zero, .init = in_folder, .fini = out_of_folder)
{
    (void)close(STDIN_FILENO);
    struct ibc_wire *a = opened("unix:b,a"), *b = opened("unix:a,b");

    cr_assert_eq(a->fd, 0);
    both_directions(a, b);
    ibc_wire_close(a);
    ibc_wire_close(b);
    cr_expect_lt(fcntl(0, F_GETFD), 0, "it is closed");
}

/* ---- UDP ---- */

/* Returns whether the system resolves this name; a minimal system has no file of host names. */
static bool named(const char *name)
{
    struct addrinfo *found;

    if (getaddrinfo(name, NULL, NULL, &found) != 0)
        return false;
    freeaddrinfo(found);
    return true;
}

Test(wires, udp)
{
    struct ibc_wire *a = opened("dgram:127.0.0.1:47911,127.0.0.1:47912");
    struct ibc_wire *b =
        opened(named("localhost") ? "dgram:localhost:47912,127.0.0.1:47911" : "dgram:127.0.0.1:47912,127.0.0.1:47911");
    struct ibc_wire *other = opened("dgram:127.0.0.1:47911,127.0.0.1:47913");

    both_directions(a, b);
    sends(other, 1, 60);
    gets_nothing(b, never);
    cr_expect_not(ibc_wire_leaves(a->spec, a));
    (void)close(a->fd);
    a->fd = -1;
    cr_expect(ibc_wire_leaves(a->spec, a), "nobody knows");
    ibc_wire_close(a);
    ibc_wire_close(b);
    ibc_wire_close(other);
}

Test(wires, udp_over_ipv6)
{
    struct ibc_wire *a = opened("dgram:[::1]:47914,[::1]:47915"), *b = opened("dgram:[::1]:47915,[::1]:47914");

    both_directions(a, b);
    ibc_wire_close(a);
    ibc_wire_close(b);
}

Test(wires, kernel_tells_what_it_lost)
{
    enum { FRAMES = 20000 };
    struct ibc_wire *a = opened("dgram:127.0.0.1:47916,127.0.0.1:47917");
    struct ibc_wire *b = opened("dgram:127.0.0.1:47917,127.0.0.1:47916");
    uint8_t frame[IBC_WIRE_MOST];
    uint64_t came = 0, at;
    size_t n;

    for (unsigned i = 0; i < FRAMES; i++)
        sends(a, 1, 9000);
    while (ibc_wire_receive(b, frame, &n, &at, soon) == IBC_WIRE_FRAME)
        came++;
    cr_assert(came < FRAMES, "nothing was lost: too big a buffer for this test");
    cr_assert_eq(came + ibc_wire_lost(b), FRAMES);
    ibc_wire_close(a);
    ibc_wire_close(b);
}

static int option_of(int fd, int name)
{
    int value = 0;
    socklen_t n = sizeof value;

    cr_assert_eq(getsockopt(fd, SOL_SOCKET, name, &value, &n), 0);
    return value;
}

/* Buffers of a wire are as large as the kernel permits, up to 16 MiB, and frames keep their time of arrival. */
Test(wires, buffers_and_times)
{
    static const struct {
        int forced, asked;
    } rows[] = {{SO_RCVBUFFORCE, SO_RCVBUF}, {SO_SNDBUFFORCE, SO_SNDBUF}};
    const int wanted = 16 << 20, fd = socket(AF_INET, SOCK_DGRAM, 0), like = socket(AF_INET, SOCK_DGRAM, 0);
    struct ibc_wire *a = opened("dgram:127.0.0.1:47918,127.0.0.1:47919");
    struct ibc_wire *b = opened("dgram:127.0.0.1:47919,127.0.0.1:47918"), *loop[2];
    uint8_t frame[IBC_WIRE_MOST];
    uint64_t at, sent;
    size_t n;

    cr_assert(fd >= 0 && like >= 0 && ibc_wire_loop(loop));
    wire_prepare(fd);
    for (size_t i = 0; i < 2; i++) {
        if (setsockopt(like, SOL_SOCKET, rows[i].forced, &wanted, sizeof wanted) != 0)
            cr_assert_eq(setsockopt(like, SOL_SOCKET, rows[i].asked, &wanted, sizeof wanted), 0);
        cr_expect_eq(option_of(fd, rows[i].asked), option_of(like, rows[i].asked), "row %zu", i);
        cr_expect_eq(option_of(a->fd, rows[i].asked), option_of(like, rows[i].asked), "row %zu", i);
        for (unsigned k = 0; k < 2; k++)
            cr_expect_eq(option_of(loop[k]->fd, rows[i].asked), option_of(like, rows[i].asked), "end %u of a loop", k);
    }
    cr_expect_neq(option_of(fd, SO_TIMESTAMPNS), 0);
    for (unsigned k = 0; k < 2; k++) {
        cr_expect_neq(option_of(loop[k]->fd, SO_TIMESTAMPNS), 0, "end %u of a loop", k);
        ibc_wire_close(loop[k]);
    }
    bool early = false;
    for (unsigned i = 0; i < 50 && !early; i++) { /* the kernel begins to stamp a little after it was asked to */
        sends(a, 1, 60);
        sent = ibc_wire_clock();
        (void)usleep(20000);
        cr_assert_eq(ibc_wire_receive(b, frame, &n, &at, soon), IBC_WIRE_FRAME);
        early = at < sent + 1000000;
    }
    cr_expect(early, "when it came, not when it was read");
    (void)close(fd);
    (void)close(like);
    ibc_wire_close(a);
    ibc_wire_close(b);
}

/* ---- frames dropped on purpose ---- */

Test(wires, drop, .init = in_folder, .fini = out_of_folder)
{
    enum { FRAMES = 10000 };
    struct ibc_wire *a = opened("unix:b,a,drop=1%"), *b = opened("unix:a,b,drop=0%");
    uint8_t frame[IBC_WIRE_MOST];
    uint64_t came = 0, at;
    size_t n;

    for (unsigned i = 0; i < FRAMES; i++) {
        sends(a, 1, 60);
        came += ibc_wire_receive(b, frame, &n, &at, 0) == IBC_WIRE_FRAME;
    }
    cr_assert_eq(came + ibc_wire_lost(a), FRAMES);
    cr_assert(ibc_wire_lost(a) > 50 && ibc_wire_lost(a) < 150);
    cr_assert_eq(ibc_wire_lost(b), 0);
    ibc_wire_close(a);
    ibc_wire_close(b);
    a = opened("unix:b,a,drop=100%");
    b = opened("unix:a,b");
    sends(b, 1, 60);
    gets_nothing(a, never);
    cr_assert_eq(ibc_wire_lost(a), 1);
    ibc_wire_close(a);
    ibc_wire_close(b);
}

/* ---- specs that cannot be opened ---- */

Test(wires, one_line_for_every_mistake)
{
    static const struct {
        const char *spec, *says;
    } wrong[] = {
        {"", "no such adapter"},
        {"unix", "no such adapter"},
        {"unixx:a,b", "there are unix:PEER,OWN, dgram:HOST:PORT,HOST:PORT, afpacket:IFACE"},
        {"loop", "no such adapter"},
        {"unix:", "wire unix:: want unix:PEER,OWN: two paths of 1 to 107 bytes"},
        {"unix:a", "want unix:PEER,OWN"},
        {"unix:,a", "want unix:PEER,OWN"},
        {"unix:a,", "want unix:PEER,OWN"},
        {"unix:a,no/such/folder", "No such file"},
        {"unix:a,b,drop=", "drop= wants"},
        {"unix:a,b,drop=101%", "drop= wants"},
        {"unix:a,b,drop=1", "drop= wants"},
        {"unix:a,b,drop=nan%", "drop= wants"},
        {"dgram:127.0.0.1:1", "no such peer"},
        {"dgram:127.0.0.1:1,", "no such own address"},
        {"dgram::1,127.0.0.1:1", "no such peer"},
        {"dgram:[:1,127.0.0.1:1", "no such peer"},
        {"dgram:127.0.0.1:port,127.0.0.1:1", "no such peer"},
        {"dgram:127.0.0.1:1,192.0.2.1:47920", "Cannot assign"},
        {"dgram:127.0.0.1:1,[::1]:47920", "no such own address"}, /* of another family */
        {"afpacket:", "no such interface"},
        {"afpacket:no-such-one", "no such interface; there are lo"},
    };
    char err[512];
    const unsigned before = held_descriptors();

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_null(ibc_wire_open(wrong[i].spec, err, sizeof err), "%s", wrong[i].spec);
        cr_assert(strstr(err, wrong[i].says), "%s: %s", wrong[i].spec, err);
        cr_assert(strncmp(err, "wire ", 5) == 0 && !strchr(err, '\n'), "%s", err);
    }
    for (size_t n = 90; n < 300; n++) { /* too long, at any place */
        char spec[400];
        snprintf(spec, sizeof spec, "unix:%0*d,%0*d", (int)n, 0, (int)n, 0);
        if (n > 107)
            cr_assert_null(ibc_wire_open(spec, err, sizeof err));
    }
    cr_assert(ibc_wire_privileged("afpacket:eth0") && !ibc_wire_privileged("unix:a,b"));
    cr_expect_eq(held_descriptors(), before);
}

/* A wire gives everything back when it is closed, frames that it keeps too, and when it cannot be opened. */
Test(wires, nothing_stays, .init = in_folder, .fini = out_of_folder)
{
    const unsigned before = held_descriptors();
    size_t held[HELD_ROUNDS];
    char err[256];

    for (unsigned i = 0; i < HELD_ROUNDS; i++) {
        struct ibc_wire *a = opened("unix:b,a"), *b = opened("unix:a,b"), *c = opened("dgram:127.0.0.1:9,127.0.0.1:0");
        sends(a, 1, 60);
        sends(a, 2, 60);
        ibc_wire_keep(b);
        gets(b, 1, 60);
        ibc_wire_close(a);
        ibc_wire_close(b);
        ibc_wire_close(c);
        (void)ibc_wire_open("unix:", err, sizeof err);
        (void)ibc_wire_open("dgram:127.0.0.1:9,", err, sizeof err);
        (void)ibc_wire_open("dgram:127.0.0.1:9,192.0.2.1:9", err, sizeof err);
        (void)ibc_wire_leaves("dgram:127.0.0.1:9,127.0.0.1:0", NULL);
        held[i] = held_bytes();
    }
    held_the_same(held);
    cr_expect_eq(held_descriptors(), before);
}

/* ---- neighbours ---- */

static const struct ibc_address who[] = {
    {.mac = 0x020000000003, .ipv4 = 0x0a000003, .ipv6 = {0x20, 1, 0xd, 0xb8, [15] = 3}, .gid = {0xfe, 0x80, [15] = 3}},
    {.mac = 0x020000000004, .ipv4 = 0x0a000004}};
static const uint8_t arp[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0,  1, 8, 6, /* who has 10.0.0.4 */
                              0,    1,    8,    0,    6,    4,    0, 1, 2, 0, 0,  0, 0, 1,
                              10,   0,    0,    1,    0,    0,    0, 0, 0, 0, 10, 0, 0, 4};

static size_t answer_to(const uint8_t *frame, size_t len, uint8_t *answer)
{
    size_t n;

    cr_assert(ibc_neighbour(frame, len, who, 2, answer, &n));
    return n;
}

/* Builds the same frame with a VLAN tag. */
static size_t tagged(uint8_t *out, const uint8_t *frame, size_t len)
{
    memcpy(out, frame, 12);
    memcpy(out + 12, "\x81\x00\x20\x07", 4);
    memcpy(out + 16, frame + 12, len - 12);
    return len + 4;
}

Test(neighbours, arp)
{
    static const uint8_t is_at[] = {2, 0, 0, 0, 0, 1, 2, 0,  0, 0, 0, 4, 8, 6, 0, 1, 8, 0,  6, 4, 0,
                                    2, 2, 0, 0, 0, 0, 4, 10, 0, 0, 4, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1};
    uint8_t answer[IBC_NEIGHBOUR_ANSWER], frame[64];
    size_t n;

    cr_assert_eq(answer_to(arp, sizeof arp, answer), sizeof is_at);
    cr_assert_arr_eq(answer, is_at, sizeof is_at);
    n = answer_to(frame, tagged(frame, arp, sizeof arp), answer);
    cr_assert_eq(n, sizeof is_at + 4);
    cr_assert_arr_eq(answer + 12, "\x81\x00\x20\x07\x08\x06", 6);
    memcpy(frame, arp, sizeof arp);
    frame[41] = 5; /* somebody else */
    cr_assert_eq(answer_to(frame, sizeof arp, answer), 0);
    frame[41] = 4;
    frame[21] = 2; /* an answer itself */
    cr_assert_eq(answer_to(frame, sizeof arp, answer), 0);
}

static void solicitation(uint8_t frame[86], const uint8_t target[16])
{
    static const uint8_t head[] = {0x33, 0x33, 0xff, 0,    0, 3, 2, 0, 0,  0,  0,
                                   1,    0x86, 0xdd, 0x60, 0, 0, 0, 0, 32, 58, 255};

    memset(frame, 0, 86);
    memcpy(frame, head, sizeof head);
    frame[22] = 0xfe;
    frame[23] = 0x80;
    frame[37] = 1;
    memcpy(frame + 38, target, 16);
    frame[54] = 135;
    memcpy(frame + 62, target, 16);
}

/* Returns the sum over pseudo header and message, which is all ones when the checksum is right. */
static uint32_t sum_of(const uint8_t *ip, size_t bytes)
{
    uint32_t sum = 58 + (uint32_t)bytes;

    for (size_t i = 8; i < 40 + bytes; i += 2)
        sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

Test(neighbours, solicitation)
{
    uint8_t answer[IBC_NEIGHBOUR_ANSWER], frame[86], other[16] = {0xfe, 0x80, [15] = 9};
    const uint8_t *const asked[] = {who[0].ipv6, who[0].gid};

    for (size_t i = 0; i < 2; i++) {
        solicitation(frame, asked[i]);
        cr_assert_eq(answer_to(frame, sizeof frame, answer), 86);
        cr_assert_arr_eq(answer, "\x02\0\0\0\0\1\x02\0\0\0\0\3\x86\xdd", 14);
        cr_assert_eq(answer[54], 136);
        cr_assert_arr_eq(answer + 22, asked[i], 16);
        cr_assert_arr_eq(answer + 38, frame + 22, 16);
        cr_assert_arr_eq(answer + 62, asked[i], 16);
        cr_assert_arr_eq(answer + 78, "\2\1\x02\0\0\0\0\3", 8);
        cr_assert_eq(sum_of(answer + 14, 32), 0xffff);
    }
    solicitation(frame, other);
    cr_assert_eq(answer_to(frame, sizeof frame, answer), 0);
    solicitation(frame, who[0].gid);
    memset(frame + 22, 0, 16); /* from nobody */
    cr_assert_eq(answer_to(frame, sizeof frame, answer), 0);
}

Test(neighbours, roce_is_told_from_chatter)
{
    static const struct {
        const char *frame; /* after the addresses */
        bool is;
    } rows[] = {
        {"\x89\x15"
         "xxxxxxxxxxxxxxxxxxxx",
         true},
        {"\x81\x00\x20\x07\x89\x15"
         "xxxxxxxxxxxxxxxxxxxx",
         true},
        {"\x08\x00\x45xxxxxxxx\x11xxxxxxxxxx"
         "ss\x12\xb7",
         true},
        {"\x08\x00\x46xxxxxxxx\x11xxxxxxxxxxoooo"
         "ss\x12\xb7",
         true},
        {"\x08\x00\x46xxxxxxxx\x11xxxxxxxxxx"
         "ss\x12\xb7",
         false},
        {"\x08\x00\x45xxxxxxxx\x11xxxxxxxxxx"
         "ss\x12\xb8",
         false},
        {"\x08\x00\x45xxxxxxxx\x06xxxxxxxxxx"
         "ss\x12\xb7",
         false},
        {"\x86\xdd\x60xxxxx\x11xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "ss\x12\xb7",
         true},
        {"\x86\xdd\x60xxxxx\x3axxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "ss\x12\xb7",
         false},
        {"\x88\xcc"
         "xxxxxxxxxxxxxxxxxxxx",
         false},
        {"\x08\x06"
         "xxxxxxxxxxxxxxxxxxxx",
         false},
    };
    static const size_t length[] = {22, 26, 26, 30, 26, 26, 26, 46, 46, 22, 22};
    uint8_t frame[100] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(frame + 12, rows[i].frame, length[i]);
        cr_assert_eq(ibc_is_roce(frame, 12 + length[i]), rows[i].is, "%zu", i);
        if (i >= 2) /* the port is cut off */
            cr_assert_not(ibc_is_roce(frame, 12 + length[i] - 1));
    }
}

Test(neighbours, the_rest_is_for_the_runner)
{
    uint8_t answer[IBC_NEIGHBOUR_ANSWER], frame[90], *cut;
    size_t n, len;

    solicitation(frame, who[0].gid);
    frame[20] = 17;
    cr_assert_not(ibc_neighbour(frame, 86, who, 2, answer, &n));
    for (unsigned i = 0; i < 2; i++) /* cut at any place: no byte after the end is read */
        for (size_t have = 0; have < 86; have++) {
            solicitation(frame, who[0].gid);
            len = i ? tagged(frame, arp, sizeof arp) : 86;
            if (have >= len)
                continue;
            cut = malloc(have ? have : 1);
            memcpy(cut, frame, have);
            (void)ibc_neighbour(cut, have, who, 2, answer, &n);
            cr_assert(n == 0 || have >= 78);
            free(cut);
        }
}
