/* SPDX-License-Identifier: BSD-2-Clause */
/* Topology files: the reader accepts valid files, and refuses faulty ones with the line and what is wrong there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "leaks.h"
#include "topology.h"

static struct topology *read_text(const char *text, char err[TOPOLOGY_ERROR])
{
    const int fd = memfd_create("topology", 0);
    char path[64];
    struct topology *t;

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    t = topology_read(path, err);
    (void)close(fd);
    return t;
}

Test(topology, net_file)
{
    char err[TOPOLOGY_ERROR] = "";
    struct topology *t =
        read_text("# a net\nSwitch\t8 \"S\"\t# \"leaf switch\" base port 0\n[1]\t\"A\"[1]\n[8] \"B\"[2]\tw=4\n\n"
                  "Hca\t2 \"A\"\n[1]\t\"S\"[1]\nCa 2 \"B\" #\"close\"\nrtguid=0x77\nRt 2 \"R\"\nRouter 2 \"Q\"\n",
                  err);

    cr_assert_not_null(t, "%s", err);
    cr_expect_eq(t->n, 5);
    cr_expect(t->node[0].is_switch && !t->node[1].is_switch && !t->node[1].is_router);
    cr_expect(t->node[3].is_router && !t->node[3].is_switch && t->node[4].is_router);
    cr_expect_eq(t->node[3].guid, 0x77);
    cr_expect_str_eq(t->node[0].description, "leaf switch");
    cr_expect_str_eq(t->node[1].description, "A");
    cr_expect_str_eq(t->node[2].description, "close", "without a blank before it");
    cr_expect(t->node[0].end[8].node == 2 && t->node[0].end[8].port == 2);
    cr_expect(t->node[2].end[2].node == 0 && t->node[2].end[2].port == 8, "one line is enough for a cable");
    cr_expect_eq(t->node[0].end[5].node, -1);
    cr_expect(t->node[0].guid && t->node[0].guid != t->node[1].guid);
    topology_free(t);
}

Test(topology, what_ibnetdiscover_prints)
{
    char err[TOPOLOGY_ERROR] = "";
    struct topology *t = read_text(
        "vendid=0x2c9\ndevid=0xb924\nsysimgguid=0x2c90200424973\nswitchguid=0x2c90200424970(2c90200424970)\n"
        "Switch\t24 \"S-0002c90200424970\"\t\t# \"MT47396\" base port 0 lid 2 lmc 0\n"
        "[1]\t\"H-0002c9020020e8dc\"[1](2c9020020e8dd) \t\t# \"host1\" lid 1 4xDDR\n\n"
        "Ca\t2 \"H-0002c9020020e8dc\"\t\t# \"host1\"\n[1](2c9020020e8dd) \t\"S-0002c90200424970\"[1]\t\t# lid 1\n",
        err);

    cr_assert_not_null(t, "%s", err);
    cr_expect(t->node[0].vendor == 0x2c9 && t->node[0].device == 0xb924);
    cr_expect_eq(t->node[0].guid, UINT64_C(0x2c90200424970));
    cr_expect_eq(t->node[0].system_guid, UINT64_C(0x2c90200424973));
    cr_expect_eq(t->node[1].guid, UINT64_C(0x2c9020020e8dc), "of its name");
    cr_expect_str_eq(t->node[1].description, "host1");
    topology_free(t);
}

/* A sentence is cut where the caller's text ends. */
Test(topology, a_long_path)
{
    char path[TOPOLOGY_ERROR + 50], err[TOPOLOGY_ERROR + 1];

    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    memset(err, '!', sizeof err);
    cr_expect_null(topology_read(path, err));
    cr_expect(err[TOPOLOGY_ERROR - 1] == '\0' && err[TOPOLOGY_ERROR] == '!' && strlen(err) == TOPOLOGY_ERROR - 1);
}

Test(topology, wrong_lines_are_named)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", ":0: no node"},
        {"Switch\t8 \"S\"\n[9] \"A\"[1]\n", ":2: \"S\" has 8 ports, not 9"},
        {"Switch\t8 \"S\"\n[1] \"A\"[1]\n", ":2: there is no node \"A\""},
        {"[1] \"A\"[1]\n", ":1: a port before any node"},
        {"Switch\t0 \"S\"\n", ":1: want the number of ports"},
        {"Switch\t300 \"S\"\n", ":1: want the number of ports"},
        {"Switch\t8 S\n", ":1: want the node's name in quotes"},
        {"Switch\t8 \"S\"\nSwitch 8 \"S\"\n", ":2: \"S\" is there already"},
        {"Switch\t8 \"S\"\n[1] A\n", ":2: want \"NODE\"[PORT]"},
        {"Switch\t8 \"S\"\n[1] \"S\"[1]\n", ":2: the cable of port 1 has both ends in one port"},
        {"Switch\t8 \"S\"\n[1] \"A\"[1]\n[2] \"A\"[1]\nHca 1 \"A\"\n",
         ":3: port 1 of \"A\" has another cable, to \"S\"[1]"},
        {"Switch\t8 \"S\"\ndo dump\n", ":2: want Switch, Hca, Ca, Router or Rt"},
        {"vendid=zz\n", ":1: want a number in hexadecimal"},
        {"vendid=0x1000000\n", ":1: want a number in hexadecimal, 0xffffff at most"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char err[TOPOLOGY_ERROR] = "";
        struct topology *t = read_text(bad[i].text, err);
        cr_expect_null(t, "%s", bad[i].text);
        cr_expect_not_null(strstr(err, bad[i].says), "%s, not: %s", bad[i].says, err);
        topology_free(t);
    }
}

/* Whole sentences, with the file's name before them. */
Test(topology, sentences)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"\n\n[1] \"A\"[1]\n", "3: a port before any node"},
        {"Hca 1 \"A\"\n[0] \"A\"[1]\n", "2: want [PORT], 1 to 254"},
        {"Hca 1 \"A\"\n[255] \"A\"[1]\n", "2: want [PORT], 1 to 254"},
        {"Hca 1 \"A\"\n[1 \"A\"[1]\n", "2: want [PORT], 1 to 254"},
        {"Hca 1 \"A\"\n[x] \"A\"[1]\n", "2: want [PORT], 1 to 254"},
        {"Hca 1 \"A\"\n[1](20 \"A\"[1]\n", "2: want [PORT], 1 to 254"},
        {"Hca 1 \"A\"\n[2] \"B\"[1]\n", "2: \"A\" has 1 ports, not 2"},
        {"Hca 1 \"A\"\n[1] \"B\n", "2: want \"NODE\"[PORT] after the port"},
        {"Hca 2 \"A\"\n[1] xA\"[2]\n", "2: want \"NODE\"[PORT] after the port"},
        {"Hca 1 \"A\"\n[1] \"\"[1]\n", "2: want \"NODE\"[PORT] after the port"},
        {"Hca 1 \"A\"\n[1] \"B\"\n", "2: want \"NODE\"[PORT] after the port"},
        {"Hca 1 \"A\"\n[1] \"B\"[0]\n", "2: want \"NODE\"[PORT] after the port"},
        {"Hca 1 \"A\"\n[1] \"B\"[2](3\n", "2: want \"NODE\"[PORT] after the port"},
        {"Hca 1 \"A\"\n[1] \"B\"[2]\nHca 1 \"B\"\n", "2: \"B\" has 1 ports, not 2"},
        {"Hca 1 \"A\"\n[1] \"B\"[2]\n", "2: there is no node \"B\""},
        {"Hca 2 \"A\"\n[1] \"B\"[1]\n[1] \"B\"[2]\nHca 2 \"B\"\n", "3: port 1 of \"A\" has another cable, to \"B\"[1]"},
        {"Hca 2 \"A\"\n[1] \"B\"[1]\n[1] \"C\"[1]\nHca 1 \"B\"\nHca 1 \"C\"\n",
         "3: port 1 of \"A\" has another cable, to \"B\"[1]"},
        {"Hca 2 \"A\"\n[1] \"B\"[1]\n[2] \"B\"[1]\nHca 1 \"B\"\n", "3: port 1 of \"B\" has another cable, to \"A\"[1]"},
        {"Hca 1 \"A\"\nHca 1 \"C\"\n[1] \"B\"[1]\nHca 1 \"B\"\n[1] \"A\"[1]\n",
         "5: port 1 of \"B\" has another cable, to \"C\"[1]"},
        {"Hca 3 \"A\"\n[2] \"A\"[2]\n", "2: the cable of port 2 has both ends in one port"},
        {"Hca 255 \"A\"\n", "1: want the number of ports, 1 to 254"},
        {"Hca \"A\"\n", "1: want the number of ports, 1 to 254"},
        {"Hca 99999999999999999999 \"A\"\n", "1: want the number of ports, 1 to 254"},
        {"Hca 1 \"\"\n", "1: want the node's name in quotes, at most 64 characters"},
        {"Hca 1 \"01234567890123456789012345678901234567890123456789012345678901234\"\n",
         "1: want the node's name in quotes, at most 64 characters"},
        {"Hca 1 \"A\"\nHca 1 \"A\"\n", "2: \"A\" is there already"},
        {"vendid=0x1000000\n", "1: want a number in hexadecimal, 0xffffff at most"},
        {"devid=0x10000\n", "1: want a number in hexadecimal, 0xffff at most"},
        {"devid=g\n", "1: want a number in hexadecimal, 0xffff at most"},
        {"caguid=-1\n", "1: want a number in hexadecimal, 0xffffffffffffffff at most"},
        {"caguid=0x10000000000000000\n", "1: want a number in hexadecimal, 0xffffffffffffffff at most"},
        {"sysimgguid=\n", "1: want a number in hexadecimal, 0xffffffffffffffff at most"},
        {"# none\n\t\n \r\n", "3: no node is in the file"},
        {"Hub 1 \"A\"\n", "1: want Switch, Hca, Ca, Router or Rt, [PORT], vendid=, devid=, sysimgguid=, switchguid=, "
                          "caguid= or rtguid="},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char err[TOPOLOGY_ERROR] = "";
        const char *colon;
        cr_expect_null(read_text(bad[i].text, err), "%s", bad[i].text);
        colon = strchr(err, ':');
        cr_assert(colon && strncmp(err, "/proc/self/fd/", 14) == 0, "%s", err);
        cr_expect_str_eq(colon + 1, bad[i].says, "%s: %s", bad[i].text, err);
    }
}

Test(topology, the_largest_of_all)
{
    char err[TOPOLOGY_ERROR] = "";
    struct topology *t = read_text(
        "\t vendid=0xffffff\r\n devid=ffff\nswitchguid=abcdef\r\n \tSwitch 254 "
        "\"0123456789012345678901234567890123456789012345678901234567890123\"\r\n"
        "\t[254](1f)\t \"A b\"[1](2) # far\n\ndevid=0x1\nrtguid=0xffffffffffffffff(7)\nRouter\t2\t\"A b\" # \"the "
        "router\" base port 0 # \"x\"\n"
        "\r\n[1]\"0123456789012345678901234567890123456789012345678901234567890123\"[254]\nHca 1 \"C\"#\"\"\n",
        err);

    cr_assert_not_null(t, "%s", err);
    cr_expect(t->n == 3 && t->node[0].ports == 254 && t->node[0].vendor == 0xffffff && t->node[0].device == 0xffff);
    cr_expect(t->node[0].guid == 0xabcdef && t->node[0].system_guid == 0xabcdef && t->node[0].is_switch);
    cr_expect(strlen(t->node[0].id) == 64 && strcmp(t->node[0].id, t->node[0].description) == 0);
    cr_expect(t->node[0].end[254].node == 1 && t->node[0].end[254].port == 1 && t->node[0].end[254].line == 5);
    cr_expect(t->node[1].end[1].node == 0 && t->node[1].end[1].port == 254 && t->node[1].end[1].line == 11);
    cr_expect(t->node[0].end[253].node == -1 && t->node[1].end[2].node == -1);
    cr_expect(t->node[1].vendor == 0 && t->node[1].device == 1, "of its own lines alone");
    cr_expect(t->node[1].guid == UINT64_MAX && t->node[1].system_guid == UINT64_MAX && t->node[1].is_router);
    cr_expect_str_eq(t->node[1].description, "the router");
    cr_expect(t->node[2].device == 0 && strcmp(t->node[2].description, "C") == 0);
    topology_free(t);
    topology_free(NULL);
}

/* Where the file names no GUID: that of a name as ibnetdiscover prints it, or one of the node's own. */
Test(topology, guids)
{
    static const uint64_t want[] = {UINT64_C(0x0002c90200424970),
                                    UINT64_C(0x0200000000000200),
                                    UINT64_C(0x0200000000000300),
                                    UINT64_C(0x0200000080000400),
                                    UINT64_C(0x0200000000000500),
                                    UINT64_C(0x0200000000000600),
                                    0x77};
    char err[TOPOLOGY_ERROR] = "";
    struct topology *t =
        read_text("Hca 1 \"H-0002c90200424970\"\nHca 1 \"H-0002c9020042497\"\nHca 1 \"H-0002c9020042497g\"\n"
                  "Switch 1 \"S-0000000000000000\"\nRt 1 \"R_0002c90200424970\"\nCa 1 \"x\"\n"
                  "caguid=0x77\nsysimgguid=0x78\nCa 1 \"H-0002c90200424971\"\n",
                  err);

    cr_assert_not_null(t, "%s", err);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        cr_expect(t->node[i].guid == want[i] && t->node[i].system_guid == want[i] + (i == 6), "node %zu", i);
    topology_free(t);
}

/* A cable in two lines, one for each end, is one; the line of each end is known. */
Test(topology, cables)
{
    char text[4000] = "Switch 40 \"S\"\n", err[TOPOLOGY_ERROR] = "";
    struct topology *t;

    for (unsigned i = 1; i <= 40; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "[%u] \"H%u\"[1]\n", i, i);
    for (unsigned i = 1; i <= 40; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "Hca 1 \"H%u\"\n%s", i,
                       i == 7 ? "[1] \"S\"[7]\n" : "");
    t = read_text(text, err);
    cr_assert_not_null(t, "%s", err);
    cr_expect_eq(t->n, 41);
    for (unsigned i = 1; i <= 40; i++) {
        const struct topology_end *e = &t->node[0].end[i];
        cr_expect(e->node == (int32_t)i && e->port == 1 && e->line == i + 1, "port %u", i);
        e = &t->node[i].end[1];
        cr_expect(e->node == 0 && e->port == i && e->line == (i == 7 ? 49 : 0), "adapter %u: %u", i, e->line);
    }
    topology_free(t);
}

Test(topology, standard_input)
{
    static const char text[] = "Hca 1 \"A\"\nwhat\n";
    const int fd = memfd_create("topology", 0), was = dup(0);
    char err[TOPOLOGY_ERROR] = "";

    cr_assert(write(fd, text, strlen(text)) > 0 && lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, 0) == 0);
    cr_expect_null(topology_read("-", err));
    cr_expect_eq(strncmp(err, "stdin:2: want Switch, ", 22), 0, "%s", err);
    (void)dup2(was, 0);
    (void)close(was);
    (void)close(fd);
}

Test(topology, no_file)
{
    char err[TOPOLOGY_ERROR] = "";

    cr_expect_null(topology_read("/nonexistent/net", err));
    cr_expect_str_eq(err, "/nonexistent/net: No such file or directory");
    cr_expect_null(topology_read("/", err));
    cr_expect_str_eq(err, "/:0: Is a directory");
}

static void read_one(void)
{
    static const char text[] = "Switch 2 \"S\"\n[1] \"A\"[1]\nHca 1 \"A\"\n";
    char err[TOPOLOGY_ERROR] = "";

    topology_free(read_text(text, err));
    topology_free(read_text("Switch 2 \"S\"\n[1] \"A\"[1]\n", err));
}

Test(topology, nothing_is_left)
{
    cr_expect(leaks_nothing(read_one));
}
