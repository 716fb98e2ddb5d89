/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input/pcapng_write.h"

enum { LINKTYPE_INFINIBAND = 247, IF_NAME = 2, NAME_BYTES = 80 };

struct interface { /* a sending port's name, as an option of pcapng */
    uint8_t option[4 + NAME_BYTES];
    uint32_t bytes;
};
struct fabric_capture {
    struct pcapng_writer *to;
    uint64_t begun_ns, number;
    size_t *first; /* for each node the number of its first interface, that of port 0 */
    struct interface *interface;
};

static void name_interface(struct interface *i, const char *node, unsigned port)
{
    char name[NAME_BYTES];
    const int n = snprintf(name, sizeof name, "%.64s/%u", node, port);

    i->option[0] = IF_NAME;
    i->option[2] = (uint8_t)n;
    memcpy(i->option + 4, name, (size_t)n);
    i->bytes = 4 + ((uint32_t)n + 3) / 4 * 4;
}

static bool name_all(struct fabric_capture *c, const struct topology *t)
{
    size_t n = 0;

    c->first = calloc(t->n, sizeof *c->first);
    for (size_t i = 0; c->first && i < t->n; i++) {
        c->first[i] = n;
        n += t->node[i].ports + 1u;
    }
    c->interface = c->first ? calloc(n, sizeof *c->interface) : NULL;
    for (size_t i = 0; c->interface && i < t->n; i++)
        for (unsigned p = 0; p <= t->node[i].ports; p++)
            name_interface(&c->interface[c->first[i] + p], t->node[i].description, p);
    return c->interface != NULL;
}

static void release(struct fabric_capture *c)
{
    free(c->first);
    free(c->interface);
    free(c);
}

struct fabric_capture *fabric_capture_open(const char *path, const struct topology *t, uint64_t begun_ns, char *err,
                                           size_t errlen)
{
    struct fabric_capture *c = calloc(1, sizeof *c);

    if (!c || !name_all(c, t)) {
        (void)snprintf(err, errlen, "no memory");
    } else {
        c->begun_ns = begun_ns;
        c->to = pcapng_open(path, err, errlen);
        if (c->to)
            return c;
    }
    if (c)
        release(c);
    return NULL;
}

void fabric_capture_packet(struct fabric_capture *c, size_t node, uint8_t port, const uint8_t *packet, size_t len,
                           iba_time now)
{
    const struct interface *i = &c->interface[c->first[node] + port];
    const struct cap_packet p = {.data = packet,
                                 .caplen = (uint32_t)len,
                                 .len = (uint32_t)len,
                                 .dlt = LINKTYPE_INFINIBAND,
                                 .ts_ns = c->begun_ns + now,
                                 .has_ts = true,
                                 .number = ++c->number,
                                 .iface_options = {.list = i->option, .bytes = i->bytes}};

    (void)pcapng_packet(c->to, &p, NULL);
}

int fabric_capture_flush(struct fabric_capture *c)
{
    return pcapng_flush(c->to);
}

int fabric_capture_close(struct fabric_capture *c)
{
    const int e = pcapng_close(c->to);

    release(c);
    return e;
}
