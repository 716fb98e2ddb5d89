/* SPDX-License-Identifier: BSD-2-Clause */
#include "small_subnet.h"
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"

/* Port 3 of switch "S" leads to switch "T". */
static const char net[] = "Switch\t4 \"S\"\n[1]\t\"A\"[1]\n[2]\t\"B\"[1]\n[3]\t\"T\"[1]\n\n"
                          "Switch\t4 \"T\"\n[1]\t\"S\"[3]\n[2]\t\"C\"[2]\n\n"
                          "Hca\t1 \"A\"\n[1]\t\"S\"[1]\n\nHca\t1 \"B\"\n[1]\t\"S\"[2]\n\nHca\t2 \"C\"\n[2]\t\"T\"[2]\n";

static struct topology *read_net(void)
{
    const int fd = memfd_create("net", 0);
    char path[64], err[TOPOLOGY_ERROR];
    struct topology *t;

    FUZZ_CHECK(fd >= 0 && write(fd, net, sizeof net - 1) == (ssize_t)sizeof net - 1);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    t = topology_read(path, err);
    (void)close(fd);
    FUZZ_CHECK(t && t->n == SMALL_SUBNET_NODES);
    return t;
}

uint16_t small_subnet_lid(const struct subnet *s, const char *name)
{
    return (uint16_t)(subnet_find(s, name) + 1);
}

void small_subnet_manage(struct subnet *s)
{
    static const struct {
        const char *at, *to;
        uint8_t port;
    } route[] = {{"S", "S", 0}, {"S", "A", 1}, {"S", "B", 2}, {"S", "T", 3}, {"S", "C", 3},
                 {"T", "T", 0}, {"T", "C", 2}, {"T", "S", 1}, {"T", "A", 1}, {"T", "B", 1}};

    for (size_t i = 0; i < SMALL_SUBNET_NODES; i++) {
        struct iba_node *n = &subnet_node(s, i)->n;
        for (unsigned p = 0; p <= n->cfg.n_port; p++) {
            if (n->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
                n->port[p].info.portstate = IBA_PORT_ACTIVE;
            n->port[p].info.lid = (uint16_t)(i + 1);
        }
    }
    for (size_t i = 0; i < sizeof route / sizeof *route; i++) {
        struct iba_node *n = &subnet_node(s, (size_t)subnet_find(s, route[i].at))->n;
        n->sw.linearfdbtop = SMALL_SUBNET_NODES;
        n->lft[small_subnet_lid(s, route[i].to)] = route[i].port;
    }
}

static void sent(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    fuzz_note(node << 8 | port);
    fuzz_note_bytes(packet, len);
}

struct subnet *small_subnet_new(uint16_t buffer, void (*received)(void *ctx, size_t node, uint8_t port,
                                                                  const uint8_t *packet, size_t len, iba_time now))
{
    static struct topology *t;
    struct subnet *s;

    if (!t)
        t = read_net();
    s = subnet_new(t, &(struct subnet_config){.buffer = buffer}, &(struct subnet_events){sent, received, NULL});
    FUZZ_CHECK(s);
    return s;
}
