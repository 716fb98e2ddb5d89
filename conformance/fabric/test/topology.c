/* SPDX-License-Identifier: BSD-2-Clause */
/* Topology files: the reader accepts valid files, and refuses faulty ones with the line and what is wrong there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
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
                  "Hca\t2 \"A\"\n[1]\t\"S\"[1]\nCa 2 \"B\"\nrtguid=0x77\nRt 2 \"R\"\nRouter 2 \"Q\"\n",
                  err);

    cr_assert_not_null(t, "%s", err);
    cr_expect_eq(t->n, 5);
    cr_expect(t->node[0].is_switch && !t->node[1].is_switch && !t->node[1].is_router);
    cr_expect(t->node[3].is_router && !t->node[3].is_switch && t->node[4].is_router);
    cr_expect_eq(t->node[3].guid, 0x77);
    cr_expect_str_eq(t->node[0].description, "leaf switch");
    cr_expect_str_eq(t->node[1].description, "A");
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

Test(topology, no_file)
{
    char err[TOPOLOGY_ERROR] = "";

    cr_expect_null(topology_read("/nonexistent/net", err));
    cr_expect_str_eq(err, "/nonexistent/net: No such file or directory");
}
