/* SPDX-License-Identifier: BSD-2-Clause */
/* The server of ibsim's protocol: clients join and leave, and ask about their ports. */
#include "server.h"
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>
#include "leaks.h"
#include "server_bed.h"

/* ---- joining ---- */

Test(server, clients_get_their_places, .init = begin, .fini = end)
{
    static const struct {
        const char *node, *placed; /* NULL: refused */
        uint8_t port;
    } rows[] = {
        {"A", "A", 1}, {"", "A", 1}, {"first", "A", 1}, {"B", "B", 2}, {"S", "S", 0}, {"C", "C", 1}, {"X", NULL, 0},
    };
    struct client c[IBSIM_CLIENTS + 1];
    unsigned n = 0;

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(join(&c[n], i + 1, rows[i].node, false, rows[i].placed), rows[i].placed != NULL);
        if (!rows[i].placed) {
            gone(&c[n]);
            continue;
        }
        cr_expect_eq(c[n].number, n, "the first free number");
        const struct ibsim_ctl m = ask(&c[n], IBSIM_GET_NODEINFO, "", 0);
        cr_expect_eq(iba_nodeinfo_localportnum(m.data), rows[i].port, "%s", rows[i].node);
        n++;
    }
    for (; n < IBSIM_CLIENTS; n++)
        cr_assert(join(&c[n], n + 20, "A", false, "A"));
    cr_assert_not(join(&c[n], 99, "A", false, "A"), "there are ten");
    gone(&c[n]);
    cr_expect_eq(ask(&c[3], IBSIM_DISCONNECT, "", 0).type, IBSIM_DISCONNECT);
    gone(&c[3]);
    cr_assert(join(&c[3], 77, "B", false, "B") && c[3].number == 3, "a number that is free again");
    while (n-- > 0)
        gone(&c[n]);
}

/* A program that listens nowhere is refused, and takes no number. */
Test(server, nobody_listens, .init = begin, .fini = end)
{
    struct client c = {.control = bound("ctl", 5)};
    const struct ibsim_connect d = {.id = 1234, .node = "A"};

    cr_expect_eq(ask(&c, IBSIM_CONNECT, &d, sizeof d).type, IBSIM_ERROR);
    cr_expect_not(w.server.client[0].used);
    (void)close(c.control);
}

Test(server, messages_that_are_wrong, .init = begin, .fini = end)
{
    struct ibsim_ctl m = {IBSIM_MAGIC + 1, 0, IBSIM_GET_GUID, 0, {0}};
    static uint8_t longer[sizeof m + 1];
    struct client c;

    cr_assert(join(&c, 1, "A", false, "A"));
    tell(&c, &m, sizeof m);
    cr_expect_lt(recv(c.control, &m, sizeof m, 0), 0, "another magic number");
    m.magic = IBSIM_MAGIC;
    memcpy(longer, &m, sizeof m);
    tell(&c, longer, sizeof longer);
    tell(&c, &m, sizeof m - 1);
    cr_expect_lt(recv(c.control, &m, sizeof m, 0), 0, "another length");
    for (uint32_t type = 0; type <= IBSIM_GET_PKEYS + 1; type += IBSIM_GET_PKEYS + 1)
        cr_expect_eq(ask(&c, type, "", 0).type, IBSIM_ERROR, "type %u", type);
    for (c.number = 1; c.number <= IBSIM_CLIENTS; c.number += IBSIM_CLIENTS - 1)
        cr_expect_eq(ask(&c, IBSIM_GET_GUID, "", 0).type, IBSIM_ERROR, "client %u", c.number);
    gone(&c);
}

/* ---- questions about the client's port ---- */

Test(server, answers_about_a_port, .init = begin, .fini = end)
{
    struct client a, b, s;
    struct ibsim_ctl m;
    struct ibsim_port p;
    struct ibsim_vendor v;

    port_at(B, 2)->info.guid = UINT64_C(0xfec0000000000007);
    port_at(B, 2)->pkey[1] = 0x8123;
    port_at(B, 2)->pkey[31] = 0x7001;
    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B") && join(&s, 3, "S", false, "S"));
    m = ask(&b, IBSIM_GET_PORT, "", 0);
    memcpy(&p, m.data, sizeof p);
    cr_expect(m.type == IBSIM_GET_PORT && p.lid == 4 && p.state == IBA_PORT_ACTIVE);
    m = ask(&a, IBSIM_GET_VENDOR, "", 0);
    memcpy(&v, m.data, sizeof v);
    cr_expect(m.type == IBSIM_GET_VENDOR && v.vendor == 0xabcdef && v.part == 0x7f && v.hardware == 1);
    cr_expect_eq(v.firmware, 1);
    m = ask(&b, IBSIM_GET_GID, "", 0);
    cr_expect_eq(m.type, IBSIM_GET_GID);
    cr_expect_eq(memcmp(m.data, "\xfe\xc0\0\0\0\0\0\7\0\0\0\0\0\0\0\x32", 16), 0, "prefix and GUID of port 2");
    m = ask(&b, IBSIM_GET_GUID, "", 0);
    cr_expect(m.type == IBSIM_GET_GUID && memcmp(m.data, "\0\0\0\0\0\0\0\x30", 8) == 0);
    m = ask(&b, IBSIM_GET_PKEYS, "", 0);
    cr_expect(m.type == IBSIM_GET_PKEYS && memcmp(m.data, "\xff\xff\x81\x23\0\0", 6) == 0);
    cr_expect_eq(memcmp(m.data + 62, "\x70\x01", 2), 0);
    gone(&a);
    gone(&b);
    gone(&s);
}

/* A NodeInfo is the one that the node's agent answers with. */
Test(server, node_info, .init = begin, .fini = end)
{
    static const struct {
        const char *node;
        uint64_t system, node_guid, port_guid;
        uint32_t vendor;
        uint16_t device;
        uint8_t type, ports, port;
    } rows[] = {{"S", 0x9, 0x10, 0x10, 0x2c9, 0x1017, 2, 4, 0},
                {"A", 0x21, 0x20, 0x21, 0xabcdef, 0x7f, 1, 1, 1},
                {"B", 0x30, 0x30, 0x32, 0x020000, 0xa001, 1, 2, 2}};

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client c;
        struct ibsim_ctl m;
        struct ibsim_request r = datagram(PERMISSIVE, IBA_CLASS_DIRECTED, IBA_METHOD_GET, NODE_INFO, 5);
        iba_smp_route_set_drslid(r.mad + IBA_BYTES_madhdr, PERMISSIVE);
        iba_smp_route_set_drdlid(r.mad + IBA_BYTES_madhdr, PERMISSIVE);
        cr_assert(join(&c, i + 1, rows[i].node, false, rows[i].node));
        m = ask(&c, IBSIM_GET_NODEINFO, "", 0);
        cr_expect_eq(m.type, IBSIM_GET_NODEINFO);
        cr_expect_eq(iba_nodeinfo_baseversion(m.data), 1);
        cr_expect_eq(iba_nodeinfo_classversion(m.data), 1);
        cr_expect_eq(iba_nodeinfo_nodetype(m.data), rows[i].type);
        cr_expect_eq(iba_nodeinfo_numports(m.data), rows[i].ports);
        cr_expect_eq(iba_nodeinfo_systemimageguid(m.data), rows[i].system);
        cr_expect_eq(iba_nodeinfo_nodeguid(m.data), rows[i].node_guid);
        cr_expect_eq(iba_nodeinfo_portguid(m.data), rows[i].port_guid);
        cr_expect_eq(iba_nodeinfo_partitioncap(m.data), 64);
        cr_expect_eq(iba_nodeinfo_deviceid(m.data), rows[i].device);
        cr_expect_eq(iba_nodeinfo_revision(m.data), 1);
        cr_expect_eq(iba_nodeinfo_localportnum(m.data), rows[i].port);
        cr_expect_eq(iba_nodeinfo_vendorid(m.data), rows[i].vendor);
        send_it(&c, &r);
        cr_assert(got(&c, &r));
        cr_expect_eq(memcmp(m.data, r.mad + 64, IBA_BYTES_nodeinfo), 0, "%s", rows[i].node);
        gone(&c);
    }
}

Test(server, port_info, .init = begin, .fini = end)
{
    static const struct {
        uint8_t asked, number;
        uint16_t lid;
    } rows[] = {{0, 2, 4}, {1, 1, 9}, {2, 2, 4}, {3, 2, 4}};
    struct client c;

    port_at(B, 1)->info.lid = 9;
    cr_assert(join(&c, 1, "B", false, "B"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibsim_ctl m = ask(&c, IBSIM_GET_PORTINFO, &rows[i].asked, 1);
        cr_expect_eq(m.type, IBSIM_GET_PORTINFO);
        cr_expect_eq(iba_portinfo_localportnum(m.data), rows[i].number, "port %u", rows[i].asked);
        cr_expect_eq(iba_portinfo_lid(m.data), rows[i].lid, "port %u", rows[i].asked);
    }
    gone(&c);
}

Test(server, managers, .init = begin, .fini = end)
{
    const uint32_t no = 0, yes = 0x100;
    struct client a, b;

    cr_assert(join(&a, 1, "A", true, "A") && join(&b, 2, "B", false, "B"));
    cr_expect(port_at(A, 1)->info.cap_sm && !port_at(B, 2)->info.cap_sm);
    cr_expect_eq(ask(&b, IBSIM_SET_ISSM, &yes, sizeof yes).type, IBSIM_SET_ISSM);
    cr_expect(port_at(B, 2)->info.cap_sm);
    cr_expect_eq(ask(&a, IBSIM_SET_ISSM, &no, sizeof no).type, IBSIM_SET_ISSM);
    cr_expect_not(port_at(A, 1)->info.cap_sm);
    cr_expect_eq(ask(&b, IBSIM_DISCONNECT, "", 0).type, IBSIM_DISCONNECT);
    cr_expect_not(port_at(B, 2)->info.cap_sm, "the manager has left");
    cr_expect_eq(ask(&b, IBSIM_GET_GUID, "", 0).type, IBSIM_ERROR);
    gone(&a);
    gone(&b);
}

/* ---- sockets ---- */

Test(server, names_that_are_taken, .init = begin, .fini = end)
{
    char err[SOCKETS_ERROR] = "", want[SOCKETS_ERROR];
    struct server other;

    cr_assert_not(server_open(&other, w.s, w.name, 0, err));
    (void)snprintf(want, sizeof want, "--sim %s: another program serves this name; choose another one", w.name);
    cr_expect_str_eq(err, want);
    server_close(&other);
    (void)strcat(w.name, "x");
    cr_assert(server_open(&other, w.s, w.name, 0, err));
    server_close(&other);
    const int own = dup(0);
    (void)close(0);
    cr_assert(server_open(&other, w.s, w.name, 0, err), "a name is free when its server has ended");
    server_close(&other);
    cr_expect_lt(fcntl(0, F_GETFD), 0, "a socket may have the number 0");
    (void)dup2(own, 0);
    (void)close(own);
}

/* Only the name of the control socket is taken. */
Test(server, the_name_of_the_control_socket_is_taken, .init = begin, .fini = end)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    char err[SOCKETS_ERROR] = "";
    struct server other;

    (void)strcat(w.name, "y");
    const int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s:ctl", w.name);
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&a, (socklen_t)(sizeof a.sun_family + 1 + (size_t)n + 1)), 0);
    cr_expect_not(server_open(&other, w.s, w.name, 0, err));
    cr_expect(strstr(err, "another program serves this name"), "%s", err);
    server_close(&other);
    (void)close(fd);
}

/* The name of one client's socket is taken. Nothing stays open, and nothing is closed twice: another file may have the
 * number of a socket by then. */
Test(server, a_name_of_a_client_is_taken, .init = begin, .fini = end)
{
    char err[SOCKETS_ERROR] = "";
    struct server other;

    (void)strcat(w.name, "x");
    const int taken = bound("out", 3), before = dup(0);
    (void)close(before);
    cr_assert_not(server_open(&other, w.s, w.name, 0, err));
    cr_expect(strstr(err, "another program serves this name"), "%s", err);
    int file[6];
    for (unsigned i = 0; i < 6; i++)
        file[i] = dup(0);
    cr_expect_eq(file[0], before, "all sockets are closed");
    server_close(&other);
    for (unsigned i = 0; i < 6; i++)
        cr_expect_eq(close(file[i]), 0);
    (void)close(taken);
}

/* UDP on the loopback interface: the control socket has the port that is given, client i has that port + 1 + i. */
Test(server, udp, .init = begin, .fini = end)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, own = to;
    struct ibsim_ctl m = {IBSIM_MAGIC, 0, IBSIM_CONNECT, IBSIM_CTL_DATA, {0}};
    struct ibsim_request r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 7);
    char err[SOCKETS_ERROR] = "", want[SOCKETS_ERROR];
    socklen_t len = sizeof own;
    struct server other;
    uint16_t port = 0;

    server_close(&w.server);
    for (unsigned i = 0; !port && i < 100; i++) {
        const uint16_t next = (uint16_t)(20000 + ((unsigned)getpid() * 16 + i * 37) % 12000);
        if (server_open(&w.server, w.s, "", next, err))
            port = next;
        else
            server_close(&w.server);
    }
    cr_assert(port, "%s", err);
    cr_assert_not(server_open(&other, w.s, "", port, err));
    (void)snprintf(want, sizeof want, "--udp %u: Address already in use", port);
    cr_expect_str_eq(err, want);
    server_close(&other);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert(bind(fd, (struct sockaddr *)&own, sizeof own) == 0 &&
              getsockname(fd, (struct sockaddr *)&own, &len) == 0);
    const struct ibsim_connect d = {.id = ntohs(own.sin_port), .node = "A"};
    memcpy(m.data, &d, sizeof d);
    to.sin_port = htons(port);
    cr_assert_eq(sendto(fd, &m, sizeof m, 0, (struct sockaddr *)&to, sizeof to), (ssize_t)sizeof m);
    serve();
    cr_assert(recv(fd, &m, sizeof m, MSG_DONTWAIT) == (ssize_t)sizeof m && m.type == IBSIM_CONNECT);
    to.sin_port = htons((uint16_t)(port + 1));
    cr_assert_eq(sendto(fd, &r, sizeof r, 0, (struct sockaddr *)&to, sizeof to), (ssize_t)sizeof r);
    serve();
    cr_assert_eq(recv(fd, &r, sizeof r, MSG_DONTWAIT), (ssize_t)sizeof r);
    cr_expect_eq(iba_madhdr_method(r.mad), IBA_METHOD_GET_RESP);
    r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 7);
    cr_assert_eq(sendto(fd, &r, sizeof r, 0, (struct sockaddr *)&to, sizeof to), (ssize_t)sizeof r);
    (void)close(fd);
    serve(); /* the answer reaches nobody, which the socket has as an error then */
    serve();
    cr_expect_not(w.server.client[0].used);
}

static void work(void)
{
    begin();
    end();
}

Test(server, nothing_is_left)
{
    cr_expect(leaks_nothing(work));
}
