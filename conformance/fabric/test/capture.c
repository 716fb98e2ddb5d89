/* SPDX-License-Identifier: BSD-2-Clause */
/* The capture of a subnet's packets, read again: each port that sends is an interface with its name. */
#include "capture.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/capture.h"
#include "leaks.h"
#include "topology_text.h"

#define BEGUN UINT64_C(1700000000000000000)

Test(capture, packets_and_their_ports)
{
    static const struct {
        size_t node;
        uint8_t port;
        uint8_t bytes;
        iba_time at;
        const char *name;
    } rows[] = {{0, 1, 30, 0, "leaf/1"},
                {1, 1, 31, 5, "A/1"},
                {2, 2, 7, 999, "0123456789012345678901234567890123456789012345678901234567890123/2"},
                {0, 0, 1, 1000, "leaf/0"},
                {0, 4, 90, 1001, "leaf/4"},
                {1, 2, 33, 1002, "A/2"},
                {0, 1, 30, 5000000000, "leaf/1"}};
    struct topology *t = topology_of("Switch\t4 \"S\" # \"leaf\"\nHca 2 \"A\"\nHca 2 "
                                     "\"0123456789012345678901234567890123456789012345678901234567890123\"\n");
    char path[] = "fabric-capture-XXXXXX", err[256] = "";
    struct fabric_capture *c;
    uint8_t packet[100];
    struct capture *in;
    struct cap_packet p;

    (void)close(mkstemp(path));
    c = fabric_capture_open(path, t, BEGUN, err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(packet, (int)i, sizeof packet);
        fabric_capture_packet(c, rows[i].node, rows[i].port, packet, rows[i].bytes, rows[i].at);
    }
    cr_expect_eq(fabric_capture_flush(c), 0);
    in = cap_open(path, err, sizeof err);
    cr_assert_not_null(in, "%s", err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(cap_next(in, &p), CAP_PACKET, "row %zu", i);
        cr_expect(p.caplen == rows[i].bytes && p.len == rows[i].bytes && p.dlt == 247, "row %zu", i);
        cr_expect(p.has_ts && p.ts_ns == BEGUN + rows[i].at, "row %zu", i);
        cr_expect(p.data[0] == i && p.data[p.caplen - 1] == i, "row %zu", i);
        cr_expect(p.iface_name && strcmp(p.iface_name, rows[i].name) == 0, "row %zu: %s", i, p.iface_name);
    }
    cr_expect_eq(cap_next(in, &p), CAP_END);
    cap_close(in);
    cr_expect_eq(fabric_capture_close(c), 0);
    (void)unlink(path);
    topology_free(t);
}

Test(capture, what_cannot_be_written)
{
    struct topology *t = topology_of("Hca 1 \"A\"\n");
    char err[256] = "";
    static const uint8_t packet[4000];
    struct fabric_capture *c;

    cr_expect_null(fabric_capture_open("/nonexistent/x", t, BEGUN, err, sizeof err));
    cr_expect_str_eq(err, "/nonexistent/x: No such file or directory");
    c = fabric_capture_open("/dev/full", t, BEGUN, err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    fabric_capture_packet(c, 0, 1, packet, sizeof packet, 0);
    cr_expect_eq(fabric_capture_flush(c), ENOSPC);
    cr_expect_eq(fabric_capture_close(c), ENOSPC);
    topology_free(t);
}

static struct topology *net;

static void write_one(void)
{
    char err[256] = "";
    struct fabric_capture *c = fabric_capture_open("/dev/null", net, BEGUN, err, sizeof err);

    (void)fabric_capture_close(c);
    (void)fabric_capture_open("/nonexistent/x", net, BEGUN, err, sizeof err);
}

Test(capture, nothing_is_left)
{
    net = topology_of("Hca 1 \"A\"\n");
    cr_expect(leaks_nothing(write_one));
    topology_free(net);
}
