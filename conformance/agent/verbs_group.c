/* SPDX-License-Identifier: BSD-2-Clause */
/* Multicast groups. The adapter attaches a QP to a group. Over IP the host must be a member too, or its network
 * stack drops the packets; the application must request this. */
#include "verbs_device.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Makes the host a member of the group, and returns a socket. -1: the link has no membership, or the system
 * refused; then the host is no member. */
static int membership(const struct verbs *v, const union ibv_gid *gid)
{
    const bool ip4 = v->link == IBC_LINK_roce2_ipv4;
    struct ip_mreqn four = {.imr_ifindex = (int)v->ifindex};
    struct ipv6_mreq six = {.ipv6mr_interface = v->ifindex};
    int fd;

    if (v->link != IBC_LINK_roce2_ipv4 && v->link != IBC_LINK_roce2_ipv6)
        return -1;
    fd = socket(ip4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memcpy(&four.imr_multiaddr, gid->raw + 12, sizeof four.imr_multiaddr);
    memcpy(&six.ipv6mr_multiaddr, gid->raw, sizeof six.ipv6mr_multiaddr);
    if (fd < 0 || (ip4 ? setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &four, sizeof four)
                       : setsockopt(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &six, sizeof six)) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static struct verbs_group *free_group(struct verbs *v)
{
    for (unsigned i = 0; i < VERBS_GROUPS; i++)
        if (!v->group[i].qp)
            return &v->group[i];
    return NULL;
}

static struct verbs_group *known_group(struct verbs *v, const struct verbs_group *g)
{
    for (unsigned i = 0; i < VERBS_GROUPS; i++)
        if (v->group[i].qp == g->qp && v->group[i].lid == g->lid &&
            memcmp(v->group[i].gid.raw, g->gid.raw, sizeof g->gid.raw) == 0)
            return &v->group[i];
    return NULL;
}

static enum ibc_rc join(struct verbs *v, struct verbs_group *new)
{
    const bool known = known_group(v, new) != NULL;
    struct verbs_group *g = free_group(v);
    enum ibc_rc rc;

    if (!g)
        return verbs_refused(v, "full");
    rc = verbs_answer(v, ibv_attach_mcast(new->qp, &new->gid, new->lid));
    if (rc != IBC_OK || known)
        return rc;
    new->member = membership(v, &new->gid);
    *g = *new;
    return IBC_OK;
}

int verbs_leave(struct verbs_group *g)
{
    const int result = ibv_detach_mcast(g->qp, &g->gid, g->lid);

    if (result != 0)
        return result;
    if (g->member >= 0)
        (void)close(g->member);
    *g = (struct verbs_group){0};
    return 0;
}

enum ibc_rc verbs_attach(struct ibc_target *t, unsigned d, uint32_t qpn, const uint8_t *gid, uint16_t lid, bool attach)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_qp *q = verbs_find_qp(v, qpn);
    struct verbs_group group = {.lid = t->framing == IBA_LINK_IB ? lid : 0, .member = -1}, *known;

    (void)d;
    if (!q)
        return verbs_refused(v, "no_qp");
    group.qp = q->qp;
    memcpy(group.gid.raw, gid, sizeof group.gid.raw);
    if (attach)
        return join(v, &group);
    known = known_group(v, &group);
    return verbs_answer(v, verbs_leave(known ? known : &group));
}
