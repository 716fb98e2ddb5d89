/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of libibumad that tell which adapters and ports a machine has. */
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <string.h>
#include "connection.h"

static int get_node(const char *ca_name, struct mad_node *n)
{
    if (ca_name && strcmp(ca_name, MAD_CA_NAME) != 0)
        return -ENODEV;
    return connection_ask_once(MAD_GET_NODE, 0, n, sizeof *n);
}

int umad_init(void)
{
    return 0;
}

int umad_done(void)
{
    return 0;
}

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
    struct mad_node n;

    if (max < 1 || get_node(NULL, &n) < 0)
        return 0;
    (void)snprintf(cas[0], UMAD_CA_NAME_LEN, "%s", MAD_CA_NAME);
    return 1;
}

struct device { /* the list's only entry, and its name */
    struct umad_device_node node;
    char name[UMAD_CA_NAME_LEN];
};

struct umad_device_node *umad_get_ca_device_list(void)
{
    struct device *d;
    struct mad_node n;

    errno = 0;
    if (get_node(NULL, &n) < 0)
        return NULL;
    d = calloc(1, sizeof *d);
    if (!d) {
        errno = ENOMEM;
        return NULL;
    }
    (void)snprintf(d->name, sizeof d->name, "%s", MAD_CA_NAME);
    d->node.ca_name = d->name;
    return &d->node;
}

void umad_free_ca_device_list(struct umad_device_node *head)
{
    free(head);
}

/* ---- ports ---- */

int umad_release_port(umad_port_t *port)
{
    if (!port)
        return -ENODEV;
    free(port->pkeys);
    port->pkeys = NULL;
    port->pkeys_size = 0;
    return 0;
}

int umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
    struct mad_port p;
    int error;

    if (ca_name && strcmp(ca_name, MAD_CA_NAME) != 0)
        return -ENODEV;
    if (portnum < 0)
        return -EINVAL;
    error = connection_ask_once(MAD_GET_PORT, (uint32_t)portnum, &p, sizeof p);
    if (error)
        return error;
    *port = (umad_port_t){.portnum = (int)p.number,
                          .base_lid = p.lid,
                          .lmc = p.lmc,
                          .sm_lid = p.sm_lid,
                          .sm_sl = p.sm_sl,
                          .state = p.state,
                          .phys_state = p.phys_state,
                          .rate = p.mbit_s / 1000,
                          .capmask = htobe32(p.capabilities),
                          .gid_prefix = htobe64(p.gid_prefix),
                          .port_guid = htobe64(p.port_guid),
                          .link_layer = "InfiniBand"};
    (void)snprintf(port->ca_name, sizeof port->ca_name, "%s", MAD_CA_NAME);
    if (p.pkeys > MAD_PKEYS)
        return -EPROTO;
    port->pkeys = calloc(p.pkeys + 1, sizeof *port->pkeys);
    if (!port->pkeys)
        return -ENOMEM;
    port->pkeys_size = p.pkeys;
    memcpy(port->pkeys, p.pkey, p.pkeys * sizeof *port->pkeys);
    return 0;
}

int umad_get_ca_portguids(const char *ca_name, __be64 *portguids, int max)
{
    struct mad_node n;
    int ports, error = get_node(ca_name, &n);

    if (error)
        return error;
    ports = n.ports < UMAD_CA_MAX_PORTS ? (int)n.ports : UMAD_CA_MAX_PORTS - 1;
    if (n.type == 2) /* a switch has port 0 alone */
        ports = 0;
    if (!portguids)
        return ports + 1;
    if (ports + 1 > max)
        return -ENOMEM;
    for (int i = 0; i <= ports; i++) {
        struct mad_port p = {0};
        if (i > 0 || n.type == 2)
            error = connection_ask_once(MAD_GET_PORT, (uint32_t)i, &p, sizeof p);
        if (error)
            return error;
        portguids[i] = htobe64(p.port_guid);
    }
    return ports + 1;
}

/* ---- adapters ---- */

int umad_release_ca(umad_ca_t *ca)
{
    if (!ca)
        return -ENODEV;
    for (unsigned i = 0; i < UMAD_CA_MAX_PORTS; i++) {
        if (ca->ports[i])
            (void)umad_release_port(ca->ports[i]);
        free(ca->ports[i]);
        ca->ports[i] = NULL;
    }
    return 0;
}

static int add_port(umad_ca_t *ca, int port)
{
    ca->ports[port] = calloc(1, sizeof *ca->ports[port]);
    return ca->ports[port] ? umad_get_port(NULL, port, ca->ports[port]) : -ENOMEM;
}

int umad_get_ca(const char *ca_name, umad_ca_t *ca)
{
    struct mad_node n;
    int error = get_node(ca_name, &n);
    const int first = error || n.type != 2 ? 1 : 0;

    if (error)
        return error;
    *ca = (umad_ca_t){.node_type = n.type,
                      .numports = n.ports < UMAD_CA_MAX_PORTS ? (int)n.ports : UMAD_CA_MAX_PORTS - 1,
                      .fw_ver = "1",
                      .node_guid = htobe64(n.node_guid),
                      .system_guid = htobe64(n.system_guid)};
    if (first == 0)
        ca->numports = 0;
    (void)snprintf(ca->ca_name, sizeof ca->ca_name, "%s", MAD_CA_NAME);
    (void)snprintf(ca->ca_type, sizeof ca->ca_type, "0x%x", n.device);
    (void)snprintf(ca->hw_ver, sizeof ca->hw_ver, "0x%x", n.revision);
    for (int i = first; i <= ca->numports && !error; i++)
        error = add_port(ca, i);
    if (error)
        (void)umad_release_ca(ca);
    return error;
}
