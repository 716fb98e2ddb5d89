/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: each command and its answer, on a subnet of one switch, two adapters and a router to a third one. */
#include "console_bed.h"
#include <inttypes.h>
#include "leaks.h"

static const char net[] =
    "switchguid=0x10\nSwitch\t4 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\n[3] \"R\"[1]\ncaguid=0x20\nHca 2 \"A\"\n"
    "caguid=0x30\nHca 1 \"B\"\nrtguid=0x40\nRt 2 \"R\"\n[2] \"C\"[1]\ncaguid=0x50\nHca 1 \"C\"\n";
enum { S, A, B, R, C };

/* Two switches with two cables between them, A at one of them, B at the other. The first sends LID 2 to the second,
 * which sends it back by the other cable. */
static struct subnet *begin_ring(const struct subnet_config *c)
{
    static const char ring[] = "Switch\t4 \"S\"\n[1] \"A\"[1]\n[2] \"T\"[1]\n[3] \"T\"[2]\nHca 1 \"A\"\n"
                               "Hca 1 \"B\"\nSwitch\t4 \"T\"\n[3] \"B\"[1]\n";
    struct subnet *s;

    topology = topology_of(ring);
    s = subnet_new(topology, c, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    set(s, A, 1, 1);
    set(s, B, 1, 2);
    for (unsigned p = 0; p <= 3; p++)
        for (size_t sw = 0; sw <= 3; sw += 3)
            set(s, sw, p, 0);
    for (size_t sw = 0; sw <= 3; sw += 3) {
        struct iba_node *n = &subnet_node(s, sw)->n;
        n->sw.linearfdbtop = 2;
        n->lft[1] = 1;
        n->lft[2] = 2;
    }
    subnet_run(s, 100000);
    return s;
}

/* All links are Active. A has LID 1, B 2, R 3; on the other side R has 11 and C 12. */
static struct subnet *begin(const struct subnet_config *c)
{
    struct subnet *s;

    topology = topology_of(net);
    s = subnet_new(topology, c, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (unsigned p = 0; p <= 3; p++)
        set(s, S, p, p ? 0 : 4);
    set(s, A, 1, 1);
    set(s, B, 1, 2);
    set(s, R, 1, 3);
    set(s, R, 2, 11);
    set(s, C, 1, 12);
    struct iba_node *sw = &subnet_node(s, S)->n;
    sw->sw.linearfdbtop = 4;
    for (uint8_t lid = 1; lid <= 3; lid++)
        sw->lft[lid] = lid;
    sw->lft[4] = 0;
    return s;
}

Test(console, lines)
{
    static const struct row rows[] = {
        {"frobnicate", "error: no such command; see help\n"},
        {"nodes S", "error: the command wants other words; see help\n"},
        {"port S", "error: the command wants other words; see help\n"},
        {"port S 1 2", "error: the command wants other words; see help\n"},
        {"flood 1 2", "error: the command wants other words; see help\n"},
        {"flood 1 2 3 interval", "error: want intervals, or nothing, after the static rate\n"},
        {"flood 1 2 3 intervals 4", "error: want intervals, or nothing, after the static rate\n"},
        {"trap A 1", "error: the command wants other words; see help\n"},
        {"port X 1", "error: no node has this name\n"},
        {"port S 5", "error: the node has no such port\n"},
        {"port A 0", "error: the node has no such port\n"},
        {"port A 1x", "error: the node has no such port\n"},
        {"port A x", "error: the node has no such port\n"},
        {"routes X", "error: no node has this name\n"},
        {"nodes", "S\tswitch\t4\t0x0000000000000010\nA\tadapter\t2\t0x0000000000000020\nB\tadapter\t1\t0x00000000000000"
                  "30\nR\trouter\t2\t0x0000000000000040\nC\tadapter\t1\t0x0000000000000050\n"},
        {"  nodes\t\r\n", "S\tswitch\t4\t0x0000000000000010\nA\tadapter\t2\t0x0000000000000020\nB\tadapter\t1\t0x000000"
                          "0000000030\nR\trouter\t2\t0x0000000000000040\nC\tadapter\t1\t0x0000000000000050\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});

    TABLE(s, rows);
    cr_assert_str_eq(answer(s, " \t", CONSOLE_DONE), "");
    cr_assert_str_eq(answer(s, "quit", CONSOLE_QUIT), "");
    cr_assert_str_eq(answer(s, "quit now", CONSOLE_QUIT), "");
    cr_assert(strstr(answer(s, "help", CONSOLE_DONE),
                     "  port     NODE PORT                          state, addresses, keys and lanes of a port\n"));
    end(s);
}

Test(console, ports)
{
    static const struct row rows[] = {
        {"port A 1", "state\tActive\nphysical\t5\nlid\t1\nlmc\t2\nsm_lid\t1\nm_"
                     "key\t0x0000000000001234\nprotection\t2\nlease\t30\nviolations\tm_key 5, p_key 6, q_key "
                     "7\nvls\t8\nmtu\t4096\nenforce\tin 0, out 0\np_keys\t0xffff 0x8001 \n"},
        {"port A 2", "state\tDown\nphysical\t2\nlid\t0\nlmc\t0\nsm_lid\t0\nm_"
                     "key\t0x0000000000000000\nprotection\t0\nlease\t0\nviolations\tm_key 0, p_key 0, q_key "
                     "0\nvls\t8\nmtu\t4096\nenforce\tin 0, out 0\np_keys\t0xffff \n"},
        {"port S 0", "state\tActive\nphysical\t5\nlid\t4\nlmc\t0\nsm_lid\t1\nm_"
                     "key\t0x0000000000000000\nprotection\t0\nlease\t0\nviolations\tm_key 0, p_key 0, q_key "
                     "0\nvls\t8\nmtu\t4096\nenforce\tin 0, out 0\np_keys\t0xffff \n"},
        {"pull A 1", ""},
        {"port A 1", "state\tDown\nphysical\t2\nlid\t1\nlmc\t2\nsm_lid\t1\nm_"
                     "key\t0x0000000000001234\nprotection\t2\nlease\t30\nviolations\tm_key 5, p_key 6, q_key "
                     "7\nvls\t8\nmtu\t4096\nenforce\tin 0, out 0\np_keys\t0xffff 0x8001 \n"},
        {"plug A 1", ""},
        {"port A 1", "state\tInit\nphysical\t5\nlid\t1\nlmc\t2\nsm_lid\t1\nm_"
                     "key\t0x0000000000001234\nprotection\t2\nlease\t30\nviolations\tm_key 5, p_key 6, q_key "
                     "7\nvls\t8\nmtu\t4096\nenforce\tin 0, out 0\np_keys\t0xffff 0x8001 \n"},
        {"pull A 2", "error: the port has no cable\n"},
        {"plug A 2", "error: the port has no cable\n"},
        {"pull A 3", "error: the node has no such port\n"},
        {"plug X 3", "error: no node has this name\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});
    struct iba_node_port *p = &subnet_node(s, A)->n.port[1];

    p->info.m_key = 0x1234, p->info.m_keyprotectbits = 2, p->info.m_keyleaseperiod = 30;
    p->info.m_keyviolations = 5, p->info.p_keyviolations = 6, p->info.q_keyviolations = 7, p->info.lmc = 2;
    p->pkey[1] = 0x8001;
    TABLE(s, rows);
    end(s);
}

Test(console, packets)
{
    static const struct row rows[] = {
        {"send A 1 2", "A\t1\nS\t2\ndelivered\tB 1\n"},
        {"send A 1 3", "A\t1\nS\t3\ndelivered\tR 1\n"},
        {"send A 1 9", "A\t1\nlost\n"},
        {"send A 1 65535", "A\t1\nlost\n"},
        {"send A 1 65536", "error: the number is none, or too large\n"},
        {"send A 1 x", "error: the number is none, or too large\n"},
        {"send A 1 2x", "error: the number is none, or too large\n"},
        {"send S 0 1", "error: a switch sends no data\n"},
        {"pairs", "packets\t2\ndelivered\t2\nastray\t0\nloop\t0\nlost\t0\nhops\t4\nmost_hops\t2\n"},
        {"routes S", "1\t1\n2\t2\n3\t3\n4\t0\n"},
        {"reroute S 2 3", ""},
        {"routes S", "1\t1\n2\t3\n3\t3\n4\t0\n"},
        {"send A 1 2", "A\t1\nS\t3\nlost\n"},
        {"reroute S 2 255", ""},
        {"routes S", "1\t1\n3\t3\n4\t0\n"},
        {"send A 1 2", "A\t1\nlost\n"},
        {"reroute S 2 5", "error: the switch has no such port\n"},
        {"reroute S 2 4", ""},
        {"send A 1 2", "A\t1\nlost\n"},
        {"reroute S 2 256", "error: the number is none, or too large\n"},
        {"reroute S 100000 1", "error: the number is none, or too large\n"},
        {"reroute A 2 1", "error: the node is no switch\n"},
        {"reroute S 2 2", ""},
        {"send A 1 2", "A\t1\nS\t2\ndelivered\tB 1\n"},
        {"relane S 1 2 0 15", ""},
        {"send A 1 2", "A\t1\nlost\n"},
        {"relane S 1 2 0 0", ""},
        {"send A 1 2", "A\t1\nS\t2\ndelivered\tB 1\n"},
        {"relane S 4 4 15 15", ""},
        {"reroute S 49151 1", ""},
        {"reroute S 49152 1", "error: the number is none, or too large\n"},
        {"reroute S 0x2 0x2", ""},
        {"relane S 5 2 0 0", "error: the number is none, or too large\n"},
        {"relane S 1 5 0 0", "error: the number is none, or too large\n"},
        {"relane S 1 2 16 0", "error: the number is none, or too large\n"},
        {"relane S 1 2 0 16", "error: the number is none, or too large\n"},
        {"relane B 1 2 0 0", "error: the node is no switch\n"},
        {"lose A 1 1", ""},
        {"send A 1 2", "A\t1\nlost\n"},
        {"lose A 1 0", ""},
        {"send A 1 2", "A\t1\nS\t2\ndelivered\tB 1\n"},
        {"lose A 1 4294967296", "error: the number is none, or too large\n"},
        {"lose A 9 1", "error: the node has no such port\n"},
        {"counters A 1",
         "portxmitdata\t936\nportrcvdata\t72\nportxmitpkts\t13\nportrcvpkts\t1\nportunicastxmitpkts\t13\nportunicastrcv"
         "pkts\t1\nportmulticastxmitpkts\t0\nportmulticastrcvpkts\t0\nsymbolerrorcounter\t0\nlinkerrorrecoverycounter\t"
         "0\nlinkdownedcounter\t0\nportrcverrors\t0\nportrcvremotephysicalerrors\t0\nportrcvswitchrelayerrors\t0\nportx"
         "mitdiscards\t0\nportxmitconstrainterrors\t0\nportrcvconstrainterrors\t0\nlocallinkintegrityerrors\t0\nexcessi"
         "vebufferoverrunerrors\t0\nvl15dropped\t0\nportxmitwait\t0\nqp1dropped\t0\n"},
        {"counters S 9", "error: the node has no such port\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
}

Test(console, routers)
{
    static const struct row rows[] = {
        {"routes R", ""},
        {"route R 2 fec0:0:0:1::5/64 12", ""},
        {"routes R", "fec0:0:0:1::/64\t2\t12\n"},
        {"route R 1 fec0:0:0:1::6/64 2", ""},
        {"routes R", "fec0:0:0:1::/64\t1\t2\n"},
        {"route R 2 fec0::1/129 12", "error: want GID/BITS, such as fec0:0:0:1::/64\n"},
        {"route R 2 fec0::1 12", "error: want GID/BITS, such as fec0:0:0:1::/64\n"},
        {"route R 2 fec0::g/64 12", "error: want GID/BITS, such as fec0:0:0:1::/64\n"},
        {"route R 2 fec0::1/ 12", "error: want GID/BITS, such as fec0:0:0:1::/64\n"},
        {"route R 3 fec0::1/64 12", "error: the node has no such port\n"},
        {"route R 2 fec0::1/64 65536", "error: the number is none, or too large\n"},
        {"route A 1 fec0::1/64 1", "error: the node is no router\n"},
        {"learn R", "routes\t3\n"},
        {"routes R",
         "fec0:0:0:1::/64\t1\t2\nfec0:0:0:1::21/128\t1\t1\nfec0:0:0:1::31/128\t1\t2\nfec0:0:0:2::51/128\t2\t12\n"},
        {"learn S", "error: the node is no router\n"},
        {"across A 1 C 1 64", "A\t1\nS\t3\nR\t2\ndelivered\tC 1\n"},
        {"across A 1 C 1 1", "A\t1\nS\t3\nlost\n"},
        {"across C 1 B 1 64", "C\t1\nR\t1\nS\t2\ndelivered\tB 1\n"},
        {"across A 1 C 1 255", "A\t1\nS\t3\nR\t2\ndelivered\tC 1\n"},
        {"across A 1 C 1 256", "error: the number is none, or too large\n"},
        {"across A 2 C 1 64", "error: want ports of adapters that have LIDs\n"},
        {"across A 1 A 2 64", "error: want ports of adapters that have LIDs\n"},
        {"across A 1 X 1 64", "error: no node has this name\n"},
        {"route R 1 fec0:0:0:2::51/128 2", ""}, /* the address of C, and the LID of another adapter */
        {"across A 1 C 1 64", "A\t1\nS\t3\nR\t1\nS\t2\nastray\tB 1\n"},
        {"pull R 1", ""},
        {"across A 1 C 1 64", "A\t1\nlost\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
}

Test(console, lanes)
{
    static const struct row rows[] = {
        {"credits A 1", "error: the port's link is down, or counts no credits (--credits)\n"},
        {"credits A 2", "error: the port's link is down, or counts no credits (--credits)\n"},
        {"credits A 5", "error: the node has no such port\n"},
        {"loops 0", "loop\t0\n"},
        {"loops 15", "loop\t0\n"},
        {"loops 16", "error: the number is none, or too large\n"},
        {"stalls", "waiting\t0\nstuck\t0\nloop\t0\n"},
        {"flood 3 0 0", "sent\t6\ndelivered\t6\ntwice\t0\nastray\t0\nwaiting\t0\nunsent\t0\nlost\t0\nns\t1085\n"},
        {"flood 2 1 3 intervals",
         "sent\t4\ndelivered\t4\ntwice\t0\nastray\t0\nwaiting\t0\nunsent\t0\nlost\t0\nns\t1220\n"},
        {"flood 1 0 0 often", "error: want intervals, or nothing, after the static rate\n"},
        {"flood 1 0 0 intervals x", "error: want intervals, or nothing, after the static rate\n"},
        {"flood 1000001 0 0", "error: the number is none, or too large\n"},
        {"flood 1 16 0", "error: the number is none, or too large\n"},
        {"flood 1 0 256", "error: the number is none, or too large\n"},
        {"stalls", "waiting\t0\nstuck\t0\nloop\t0\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
}

Test(console, loops_and_credits)
{
    static const struct row rows[] = {
        {"credits A 1", "lane\tsent\tlimit\tcredits\twaiting\tbuffer\theld\n0\t0\t80\t80\t0\t80\t0\n1\t0\t80\t80\t0\t80"
                        "\t0\n2\t0\t80\t80\t0\t80\t0\n3\t0\t80\t80\t0\t80\t0\n4\t0\t80\t80\t0\t80\t0\n5\t0\t80\t80\t0\t"
                        "80\t0\n6\t0\t80\t80\t0\t80\t0\n7\t0\t80\t80\t0\t80\t0\n"},
        {"credits S 4", "error: the port's link is down, or counts no credits (--credits)\n"},
        {"loops 0", "loop\t2\nS\t2\tlane 0\nT\t2\tlane 0\n"},
        {"relane S 3 2 0 7", ""},
        {"loops 0", "loop\t2\nT\t2\tlane 0\nS\t2\tlane 7\n"},
        {"loops 1", "loop\t2\nS\t2\tlane 1\nT\t2\tlane 1\n"},
        {"relane S 3 2 0 8", ""}, /* no such lane */
        {"loops 0", "loop\t0\n"},
        {"relane S 3 2 0 0", ""},
        {"across A 1 B 1 64", "error: no router of the first port's subnet has a LID\n"},
        {"stalls", "waiting\t0\nstuck\t0\nloop\t0\n"},
        /* packets from A to B go round between both switches */
        {"flood 20 0 0",
         "sent\t40\ndelivered\t20\ntwice\t0\nastray\t0\nwaiting\t0\nunsent\t0\nlost\t20\nns\t9663698251\n"},
        {"credits T 2", "lane\tsent\tlimit\tcredits\twaiting\tbuffer\theld\n0\t2508\t2588\t80\t0\t80\t0\n1\t0\t80\t80\t"
                        "0\t80\t0\n2\t0\t80\t80\t0\t80\t0\n3\t0\t80\t80\t0\t80\t0\n4\t0\t80\t80\t0\t80\t0\n5\t0\t80\t80"
                        "\t0\t80\t0\n6\t0\t80\t80\t0\t80\t0\n7\t0\t80\t80\t0\t80\t0\n"},
        {"stalls", "waiting\t0\nstuck\t0\nloop\t0\n"},
        {"send A 1 2",
         "A\t1\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT"
         "\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT"
         "\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT"
         "\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nT\t2\nS\t2\nloop\n"},
        {"pull S 3", ""},
        {"loops 0", "loop\t0\n"},
    };
    struct subnet *s = begin_ring(&(struct subnet_config){.buffer = 80});

    TABLE(s, rows);
    end(s);
}

/* Packets that go round arrive nowhere. Without credits they do not stop each other either. */
Test(console, packets_that_go_round)
{
    static const struct row rows[] = {
        {"flood 20 0 0", "sent\t40\ndelivered\t20\ntwice\t0\nastray\t0\nwaiting\t0\nunsent\t0\nlost\t20\nns\t121022\n"},
    };
    struct subnet *s = begin_ring(&(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
}

Test(console, traps)
{
    static const struct row rows[] = {
        {"trap A 1 9", "error: no rule has a trap of this number\n"},
        {"trap A 1 65536", "error: the number is none, or too large\n"},
        {"trap A 1 144 zzz", "error: 'zzz' sets no field; FIELD=VALUE, with lidaddr otherlocalchanges capabilitymask "
                             "capabilitymask2change hierarchyinfochange smprioritychange linkspeecenabledchange "
                             "linkwidthenabledchange nodedescriptionchange capabilitymask2\n"},
        {"trap A 1 144 lidaddr=65536", "error: 'lidaddr=65536': no value of 16 bits\n"},
        {"trap A 1 144 lidaddr=7", ""},
        {"trap A 1 144 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 "
         "lidaddr=7 lidaddr=7 "
         "lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 x=7 y=8",
         "error: 'x=7' sets no field; FIELD=VALUE, with lidaddr otherlocalchanges capabilitymask capabilitymask2change "
         "hierarchyinfochange smprioritychange linkspeecenabledchange linkwidthenabledchange nodedescriptionchange "
         "capabilitymask2\n"},
        {"trap A 1 144 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 "
         "lidaddr=7 lidaddr=7 "
         "lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 lidaddr=7 x=7",
         ""}, /* words after the twentieth are not read */
        {"trap A 2 144 lidaddr=7",
         "error: the port is not Active, knows no subnet manager, or has too many notices waiting\n"},
        {"trap S 1 128 lidaddr=0x10", ""},
        {"trap A 1 64 gidaddr=fe80::1", ""},
        {"trap A 1 64 gidaddr=fe80", "error: 'gidaddr=fe80': no value of 128 bits\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
}

/* Three switches in a ring, an adapter at each: A, B and C have the LIDs 1 to 3. All routes go the same way round. */
static struct subnet *begin_circle(const struct subnet_config *c)
{
    static const char circle[] =
        "Hca 1 \"A\"\nSwitch 3 \"S\"\n[1] \"A\"[1]\n[2] \"T\"[3]\nSwitch 3 \"T\"\n[1] \"B\"[1]\n[2] \"U\"[3]\n"
        "Switch 3 \"U\"\n[1] \"C\"[1]\n[2] \"S\"[3]\nHca 1 \"B\"\nHca 1 \"C\"\n";
    static const size_t switches[] = {1, 2, 3}, adapters[] = {0, 4, 5};
    struct subnet *s;

    topology = topology_of(circle);
    s = subnet_new(topology, c, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (size_t i = 0; i < 3; i++) {
        struct iba_node *n = &subnet_node(s, switches[i])->n;
        for (unsigned p = 0; p <= 3; p++)
            set(s, switches[i], p, 0);
        set(s, adapters[i], 1, (uint16_t)(i + 1));
        n->sw.linearfdbtop = 3;
        n->sw.lifetimevalue = 31; /* packets wait forever */
        n->port[1].info.hoqlife = n->port[2].info.hoqlife = 31;
        for (uint16_t lid = 1; lid <= 3; lid++)
            n->lft[lid] = lid == i + 1 ? 1 : 2;
    }
    subnet_run(s, 100000);
    return s;
}

/* The buffers of all three lanes between the switches are full of packets for the switch after the next. */
#define OTHER_LANES                                                                                                    \
    "1\t0\t68\t68\t0\t68\t0\n2\t0\t68\t68\t0\t68\t0\n3\t0\t68\t68\t0\t68\t0\n4\t0\t68\t68\t0\t68\t0\n"                 \
    "5\t0\t68\t68\t0\t68\t0\n6\t0\t68\t68\t0\t68\t0\n7\t0\t68\t68\t0\t68\t0\n"
Test(console, packets_that_stop_each_other)
{
    static const struct row rows[] = {
        {"loops 0", "loop\t3\nS\t2\tlane 0\nT\t2\tlane 0\nU\t2\tlane 0\n"},
        {"flood 30 0 0", "sent\t19\ndelivered\t5\ntwice\t0\nastray\t0\nwaiting\t14\nunsent\t161\nlost\t0\nns\t983\n"},
        {"stalls",
         "waiting\t6\nstuck\t6\nloop\t3\nU\t2\tlane 0\nS\t2\tlane 0\nT\t2\tlane 0\n"}, /* and the adapters' own */
        {"credits S 2", "lane\tsent\tlimit\tcredits\twaiting\tbuffer\theld\n0\t108\t129\t21\t4\t68\t0\n" OTHER_LANES},
        {"credits A 1", "lane\tsent\tlimit\tcredits\twaiting\tbuffer\theld\n0\t169\t176\t7\t2\t68\t0\n" OTHER_LANES},
    };
    struct subnet *s = begin_circle(&(struct subnet_config){.buffer = 68});

    TABLE(s, rows);
    end(s);
}

/* As many routes as a router has room for. */
Test(console, a_full_router)
{
    static const struct row rows[] = {
        {"route R 2 fec0:0:0:1::5/64 12", "error: the router has no room for more routes\n"},
        {"learn R", "error: the router has no room for more routes\n"},
    };
    static const struct row one_more[] = {
        {"route R 2 fec0:0:0:1::5/64 12", ""},
        {"route R 1 fec0:0:0:1::6/64 13", ""}, /* the same prefix */
        {"learn R", "error: the router has no room for more routes\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});
    struct iba_node *r = &subnet_node(s, R)->n;

    cr_expect_eq(r->cfg.routes, 4096);
    for (unsigned i = 0; i < 4096; i++)
        r->route[i] = (struct iba_route){.gid = {1, (uint8_t)(i >> 8), (uint8_t)i}, .bits = 24, .port = 1, .dlid = 1};
    r->n_route = 4096;
    TABLE(s, rows);
    r->n_route = 4095;
    TABLE(s, one_more);
    cr_expect_eq(r->n_route, 4096);
    end(s);
}

/* Routes of a multicast group are kept for each port, others once for each prefix; bits after the prefix are cut. */
Test(console, routes_of_routers)
{
    static const struct row rows[] = {
        {"route R 2 ff1e::1:2/128 49153", ""},
        {"route R 1 ff1e::1:2/128 49154", ""},
        {"route R 1 ff1e::1:2/128 49155", ""},
        {"route R 2 fec0:0:0:1:ffff:ffff:ffff:ffff/65 7", ""},
        {"route R 1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/0 0xffff", ""},
        {"routes R", "ff1e::1:2/128\t2\t49153\nff1e::1:2/128\t1\t49155\nfec0:0:0:1:8000::/65\t2\t7\n::/0\t1\t65535\n"},
        {"route R 1 fec0:0000:0000:0001:0000:0000:0000:0001/127 9", ""},
        {"route R 1 ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128 9", ""},
        {"route R 1 0ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128 9",
         "error: want GID/BITS, such as fec0:0:0:1::/64\n"},
        {"route R 1 fec0::1/64x 12", "error: want GID/BITS, such as fec0:0:0:1::/64\n"},
    };
    struct subnet *s = begin(&(struct subnet_config){0});

    TABLE(s, rows);
    end(s);
}

Test(console, help)
{
    static const char *const lines[] = {
        "  nodes                                       every node: name, kind, ports, GUID\n  port     NODE PORT     ",
        "\n  counters NODE PORT                          the counters of a port, in 64 bits\n",
        "\n  route    NODE PORT GID/BITS LID             a router sends packets to such GIDs by that port to that "
        "LID\n",
        "\n  trap     NODE PORT NUMBER [FIELD=VALUE]...  the node's agent sends this notice until it is repressed\n"
        "  help                                        this\n  quit                                        end\n\n",
    };
    struct subnet *s = begin(&(struct subnet_config){0});
    const char *says = answer(s, "help", CONSOLE_DONE);

    cr_expect_eq(strncmp(says, lines[0], strlen(lines[0])), 0, "%s", says);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect(strstr(says, lines[i]), "no %s in\n%s", lines[i], says);
    cr_expect_str_eq(strstr(says, "\n  quit"), strstr(lines[3], "\n  quit"));
    char names[400] = "";
    for (const char *at = says; at && strncmp(at, "  ", 2) == 0; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        (void)snprintf(names + strlen(names), sizeof names - strlen(names), "%.*s ", (int)strcspn(at + 2, " "), at + 2);
    cr_expect_str_eq(names,
                     "nodes port counters routes rules pull plug send route learn across pairs flood credits loops "
                     "stalls reroute relane lose trap help quit ",
                     "%s", names);
    end(s);
}

/* A line for each row of each table, in order, with the decisions of all nodes: each node has decided another number of
 * times, so that none is left out or counted for another. */
Test(console, rules)
{
    struct subnet *s = begin(&(struct subnet_config){0});
    const char *says;
    char line[100];

    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (unsigned i = 0; i < iba_fabric_tables[t]->n; i++)
            for (size_t k = 0; k < subnet_nodes(s); k++)
                subnet_node(s, k)->n.hits[t][i] = (uint32_t)((i % 31 + 1) << 6 * k) + t;
    says = answer(s, "rules", CONSOLE_DONE);
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (unsigned i = 0; i < iba_fabric_tables[t]->n; i++) {
            const uint64_t hits = UINT64_C(0x1041041) * (i % 31 + 1) + UINT64_C(5) * t;
            const size_t n = (size_t)snprintf(line, sizeof line, "%s.%s\t%" PRIu64 "\n", iba_fabric_tables[t]->name,
                                              iba_fabric_row(iba_fabric_tables[t], i)->name, hits);
            cr_assert_eq(strncmp(says, line, n), 0, "%s at %.40s", line, says);
            says += n;
        }
    cr_expect_str_eq(says, "\n");
    end(s);
}

static void work(void)
{
    static const char *const lines[] = {"loops 0", "stalls", "flood 3 0 0", "send A 1 2", "pairs"};
    struct subnet *s = begin_circle(&(struct subnet_config){.buffer = 68});

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        (void)answer(s, lines[i], CONSOLE_DONE);
    end(s);
}

Test(console, nothing_is_left)
{
    cr_expect(leaks_nothing(work));
}
