/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of the parties: the device's from its GID table; those of tester and third host from the options,
 * or computed by adding to the device's. */
#include "verbs_device.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GIDS = 256, TESTER_APART = 2, STRANGER_APART = 3, GROUP_LID = 0xc000, PATH = 128 };

/* ---- GIDs ---- */

static bool is_ipv4(const uint8_t *gid)
{
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

    return memcmp(gid, prefix, sizeof prefix) == 0;
}

static bool is_link_local(const uint8_t *gid)
{
    return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

static void offer(struct verbs *v, enum ibc_link link, uint32_t index, bool better)
{
    if (index > UINT8_MAX || (v->links >> link & 1 && !better))
        return;
    v->links |= 1u << link;
    v->gid_index[link] = (uint8_t)index;
}

/* Takes the first GID entry of each kind; for RoCEv2 over IPv6 prefers a routable address. */
static void take_gid(struct verbs *v, const struct ibv_gid_entry *e)
{
    struct ibc_address *me = &v->t.device[0];
    const uint8_t *raw = e->gid.raw;
    const bool first = !(v->links >> IBC_LINK_roce2_ipv6 & 1);

    if (e->gid_type == IBV_GID_TYPE_ROCE_V2 && is_ipv4(raw)) {
        if (!(v->links >> IBC_LINK_roce2_ipv4 & 1))
            me->ipv4 = (uint32_t)raw[12] << 24 | (uint32_t)raw[13] << 16 | (uint32_t)raw[14] << 8 | raw[15];
        offer(v, IBC_LINK_roce2_ipv4, e->gid_index, false);
    } else if (e->gid_type == IBV_GID_TYPE_ROCE_V2) {
        const bool better = !first && is_link_local(me->ipv6) && !is_link_local(raw);
        if (first || better)
            memcpy(me->ipv6, raw, sizeof me->ipv6);
        offer(v, IBC_LINK_roce2_ipv6, e->gid_index, better);
    } else if (e->gid_type == IBV_GID_TYPE_ROCE_V1 && !is_ipv4(raw)) {
        offer(v, IBC_LINK_roce1, e->gid_index, false);
    } else if (e->gid_type == IBV_GID_TYPE_IB) {
        offer(v, IBC_LINK_ib_local, e->gid_index, false);
        offer(v, IBC_LINK_ib_global, e->gid_index, false);
    }
}

static uint64_t mac_of(uint32_t ifindex)
{
    char name[IF_NAMESIZE], path[PATH], text[32] = "";
    uint64_t mac = 0;
    FILE *f;

    if (ifindex == 0 || !if_indextoname(ifindex, name))
        return 0;
    (void)snprintf(path, sizeof path, "/sys/class/net/%s/address", name);
    f = fopen(path, "r");
    if (!f)
        return 0;
    (void)fgets(text, sizeof text, f);
    (void)fclose(f);
    for (const char *p = text; *p; p++)
        if (isxdigit((unsigned char)*p))
            mac = mac << 4 | (uint64_t)(isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10);
    return mac;
}

/* ---- addresses in text form ---- */

static bool read_mac(const char *text, uint64_t *mac)
{
    *mac = 0;
    for (unsigned i = 0; i < 6; i++) {
        char *end;
        const unsigned long byte = strtoul(text, &end, 16);
        if (!isxdigit((unsigned char)*text) || byte > UINT8_MAX || *end != (i < 5 ? ':' : 0))
            return false;
        *mac = *mac << 8 | byte;
        text = end + 1;
    }
    return true;
}

static bool read_lid(const char *text, uint16_t *lid)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 0);

    *lid = (uint16_t)n;
    return *text && !*end && n > 0 && n < GROUP_LID;
}

static bool read_word(struct ibc_address *a, const char *key, const char *value)
{
    struct in_addr v4;

    if (strcmp(key, "mac") == 0)
        return read_mac(value, &a->mac);
    if (strcmp(key, "ipv6") == 0)
        return inet_pton(AF_INET6, value, a->ipv6) == 1;
    if (strcmp(key, "gid") == 0)
        return inet_pton(AF_INET6, value, a->gid) == 1;
    if (strcmp(key, "lid") == 0)
        return read_lid(value, &a->lid);
    if (strcmp(key, "ipv4") != 0 || inet_pton(AF_INET, value, &v4) != 1)
        return false;
    a->ipv4 = ntohl(v4.s_addr);
    return true;
}

static bool read_address(struct ibc_address *a, const char *text, char *err, size_t errlen)
{
    char copy[256], *rest = copy, *word;

    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        (void)snprintf(err, errlen, "an address of more than %zu letters", sizeof copy - 1);
        return false;
    }
    while ((word = strsep(&rest, ",")) != NULL) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = 0;
        if (!value || !read_word(a, word, value)) {
            (void)snprintf(err, errlen, "'%s': an address is mac=, ipv4=, ipv6=, gid=, lid= with commas between", text);
            return false;
        }
    }
    return true;
}

static struct ibc_address next_to(const struct ibc_address *a, uint8_t apart)
{
    struct ibc_address b = *a;

    b.mac = (a->mac & ~UINT64_C(0xff)) | (uint8_t)(a->mac + apart);
    b.ipv4 = (a->ipv4 & ~0xffu) | (uint8_t)(a->ipv4 + apart);
    b.ipv6[15] = (uint8_t)(a->ipv6[15] + apart);
    b.gid[15] = (uint8_t)(a->gid[15] + apart);
    b.lid = a->lid ? (uint16_t)(a->lid + apart) : 0;
    return b;
}

bool verbs_find_links(struct verbs *v, const struct ibc_verbs_options *o, char *err, size_t errlen)
{
    static struct ibv_gid_entry table[MOST_GIDS];
    const ssize_t n = ibv_query_gid_table(v->ctx, table, MOST_GIDS, 0);
    struct ibv_port_attr port;
    struct ibc_address *me = &v->t.device[0];

    for (ssize_t i = 0; i < n; i++)
        if (table[i].port_num == v->port) {
            take_gid(v, &table[i]);
            v->ifindex = v->ifindex ? v->ifindex : table[i].ndev_ifindex;
            if (table[i].gid_index == 0)
                memcpy(me->gid, table[i].gid.raw, sizeof me->gid);
        }
    if (v->links == 0 || ibv_query_port(v->ctx, v->port, &port) != 0) {
        (void)snprintf(err, errlen, "%s: port %u has no address", v->name, v->port);
        return false;
    }
    me->mac = mac_of(v->ifindex);
    me->lid = port.lid;
    v->t.tester = next_to(me, TESTER_APART);
    v->t.stranger = next_to(me, STRANGER_APART);
    return (!o->tester || read_address(&v->t.tester, o->tester, err, errlen)) &&
           (!o->stranger || read_address(&v->t.stranger, o->stranger, err, errlen));
}

/* ---- address vectors ---- */

static void gid_on(enum ibc_link link, const struct ibc_address *a, uint8_t *gid)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

    if (link == IBC_LINK_roce2_ipv4) {
        memcpy(gid, mapped, sizeof mapped);
        for (unsigned i = 0; i < 4; i++)
            gid[12 + i] = (uint8_t)(a->ipv4 >> (24 - 8 * i));
    } else {
        memcpy(gid, link == IBC_LINK_roce2_ipv6 ? a->ipv6 : a->gid, 16);
    }
}

enum ibc_rc verbs_path(struct verbs *v, const struct ibc_address *to, const uint8_t *group, const struct ibc_path *path,
                       struct ibv_ah_attr *out)
{
    const struct ibc_address *a = to ? to : &v->t.tester;

    /* A user cannot choose these: the VLAN is that of the interface, and the kernel chooses the source port. */
    if (path->tagged || path->sport != 0)
        return IBC_UNSUPPORTED;
    memset(out, 0, sizeof *out);
    out->port_num = v->port;
    out->is_global = group || v->link != IBC_LINK_ib_local;
    out->dlid = group ? ibc_group_lid(group) : a->lid;
    if (v->t.framing == IBA_LINK_ETHERNET)
        out->dlid = 0;
    out->src_path_bits = path->path_bits;
    out->grh.sgid_index = path->gid_index ? path->gid_index : v->gid_index[v->link];
    if (group)
        memcpy(out->grh.dgid.raw, group, sizeof out->grh.dgid.raw);
    else
        gid_on(v->link, a, out->grh.dgid.raw);
    return IBC_OK;
}
