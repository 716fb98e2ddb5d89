/* SPDX-License-Identifier: BSD-2-Clause */
/* -z rails: the share of each port of a host, and payload that goes from one rail to another. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "stats/kinds.h"
#include "wire/iba_opcode_rows.h"

static struct verdict v;
static struct feed f;

/* Opens -z rails with a file that has this text. */
static void begin(const char *text)
{
    const int fd = memfd_create("rails", 0);
    char arg[64];

    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    (void)snprintf(arg, sizeof arg, "rails,/proc/self/fd/%d", fd);
    v = (struct verdict){0};
    feed_open(&f, arg);
    f.p.verdict = &v;
    (void)close(fd);
}

static void packet(enum iba_proto proto, bool v6, uint8_t src, uint8_t dst, uint8_t words)
{
    const struct frame frame = frame_of(
        &(struct spec){.proto = proto, .v6 = v6, .src = src, .dst = dst, .opcode = IBA_UC_SEND_ONLY, .words = words});

    feed(&f, &frame, 0);
}

static void has(const char *json)
{
    char *j = printed(&f, true);

    cr_expect(strstr(j, json), "%s\nis not in\n%s", json, j);
    free(j);
}

/* Host a has two ports, b three. Rail 1 of a gets most. */
Test(rails, shares_and_crossings)
{
    begin("a 10.0.0.1 10.0.0.2\nb 10.0.0.11 10.0.0.12 10.0.0.13\n");
    packet(IBA_PROTO_ROCE2, false, 1, 11, 30);
    packet(IBA_PROTO_ROCE2, false, 2, 12, 5);
    packet(IBA_PROTO_ROCE2, false, 12, 1, 10); /* to another rail */
    v.again = true;
    packet(IBA_PROTO_ROCE2, false, 2, 13, 5); /* to another rail, and sent again */
    v.again = false;
    packet(IBA_PROTO_ROCE2, false, 13, 99, 2); /* to an address that the list lacks */
    packet(IBA_PROTO_ROCE2, false, 98, 2, 1);
    packet(IBA_PROTO_ROCE2, false, 98, 99, 7);
    const struct frame other = frame_other();
    feed(&f, &other, 0);
    has("\"packets\":8,\"no_address\":1,\"unlisted\":1,");
    has("{\"host\":\"a\",\"rails\":["
        "{\"rail\":1,\"packets\":2,\"sent\":120,\"received\":40,\"percent\":78.43,\"sent_again\":0,\"sent_to_other_"
        "rails\":0},"
        "{\"rail\":2,\"packets\":3,\"sent\":40,\"received\":4,\"percent\":21.57,\"sent_again\":1,\"sent_to_other_"
        "rails\":20}]}");
    has("{\"rail\":2,\"packets\":2,\"sent\":40,\"received\":20,\"percent\":28.85,\"sent_again\":0,\"sent_to_other_"
        "rails\":40}");
    has("\"rails\":[{\"from\":1,\"to\":1,\"packets\":1,\"payload_bytes\":120},{\"from\":2,\"to\":1,\"packets\":1,"
        "\"payload_bytes\":40},{\"from\":2,\"to\":2,\"packets\":1,\"payload_bytes\":20},{\"from\":2,\"to\":3,"
        "\"packets\":1,"
        "\"payload_bytes\":20}]");
    has("\"most_uneven_host\":\"b\",\"most_uneven_rail\":1,\"most_uneven_percent\":57.69,\"even_percent\":33.33,"
        "\"payload_bytes\":200,\"to_other_rails\":60}");
    expect(&f, "rails");
}

/* The address of a port may be IPv4, IPv6, a GID or a LID, and one port may have several. */
Test(rails, of_each_kind)
{
    begin("a 10.0.0.1,fe80::1,1 # has one port\nb 10.0.0.2,fe80::2,0x2\n");
    packet(IBA_PROTO_ROCE2, false, 1, 2, 1);
    has("\"payload_bytes\":4,\"to_other_rails\":0}");
    char *j = printed(&f, true);
    cr_expect_null(strstr(j, "most_uneven"), "with one port each, nothing is uneven");
    free(j);
    j = printed(&f, false);
    cr_expect(strstr(j, "No host with several rails has payload"));
    free(j);
    feed_close(&f);
}

/* Twins, of which two captures have a copy each, count once. */
Test(rails, damaged_packets_do_not_count)
{
    begin("a 10.0.0.1 10.0.0.2\n");
    struct frame frame = frame_of(&(struct spec){
        .proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = IBA_UC_SEND_ONLY, .words = 3, .bad_icrc = true});
    feed(&f, &frame, 0);
    has("\"packets\":0,");
    v.same_as = 1;
    packet(IBA_PROTO_ROCE2, false, 1, 2, 3); /* another capture had it before */
    has("\"packets\":0,");
    v.same_as = 99;
    packet(IBA_PROTO_ROCE2, false, 1, 2, 3); /* another capture will have it */
    has("\"packets\":1,");
    feed_close(&f);
}

Test(rails, wrong_arguments)
{
    char err[256];

    cr_expect_null(stat_rails_open(NULL, err, sizeof err));
    cr_expect_str_eq(err, "-z rails: the form is -z rails,FILE; a line of FILE is HOST ADDRESS ADDRESS ...");
    cr_expect_null(stat_rails_open("", err, sizeof err));
    cr_expect_null(stat_rails_open("no/such", err, sizeof err));
    cr_expect_str_eq(err, "-z rails,no/such: No such file or directory");
    cr_expect_null(stat_rails_open("/dev/null", err, sizeof err));
    cr_expect_str_eq(err, "-z rails,/dev/null: names no host; a line is NAME ADDRESS ADDRESS ...");
}
