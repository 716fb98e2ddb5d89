/* SPDX-License-Identifier: BSD-2-Clause */
/* A wire that is a network interface: a packet socket, whose filter libpcap compiles. The program opens the socket
 * itself, because the ring of pcap's socket cannot be inherited by the child process that plays. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "wire_adapters.h"
#include "wire_tap.h"

enum { TAG = 4, MACS = 12, FILTER_TEXT = 2048 }; /* bytes */

/* The traffic between a tester and a device. The kernel removes a VLAN tag before it filters. Neighbour solicitation
 * and advertisement are ICMPv6 135 and 136 right after the IPv6 header (RFC 4861 7.1). */
static const char roce[] = "(ether proto 0x8915 or arp or udp dst port 4791 or "
                           "(ip6 proto 58 and (ip6[40] == 135 or ip6[40] == 136)))";

static bool filter(int fd, const char *text)
{
    struct bpf_program p = {0};
    pcap_t *dead = pcap_open_dead(DLT_EN10MB, IBC_WIRE_MOST);
    bool good = dead && pcap_compile(dead, &p, text, 1, PCAP_NETMASK_UNKNOWN) == 0;

    if (good) {
        /* the layouts are equal: the kernel's struct sock_filter is struct bpf_insn */
        const struct sock_fprog f = {.len = (unsigned short)p.bf_len, .filter = (struct sock_filter *)p.bf_insns};
        good = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &f, sizeof f) == 0;
        pcap_freecode(&p);
    }
    if (dead)
        pcap_close(dead);
    return good;
}

static bool hear(struct ibc_wire *w, const uint64_t *mac, size_t n)
{
    char text[FILTER_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s", roce, n ? " and (ether multicast" : "");

    for (size_t i = 0; i < n && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " or ether host %02x:%02x:%02x:%02x:%02x:%02x",
                                 (uint8_t)(mac[i] >> 40), (uint8_t)(mac[i] >> 32), (uint8_t)(mac[i] >> 24),
                                 (uint8_t)(mac[i] >> 16), (uint8_t)(mac[i] >> 8), (uint8_t)mac[i]);
    if (used < sizeof text)
        (void)snprintf(text + used, sizeof text - used, "%s", n ? ")" : "");
    if (filter(w->fd, text)) /* a text that was cut has an open parenthesis */
        return true;
    wire_explain(w, "no filter to be had: %s", strerror(errno));
    return false;
}

/* ---- open ---- */

static bool ask_for_all(int fd, unsigned index)
{
    const int on = 1;
    const struct packet_mreq all = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};

    return setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0 &&
           setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) == 0 &&
           setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) == 0;
}

static bool bind_to(int fd, unsigned index)
{
    const struct sockaddr_ll a = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)index};

    return bind(fd, (const struct sockaddr *)&a, sizeof a) == 0;
}

static void list_interfaces(const struct ibc_wire *w, char *err, size_t errlen)
{
    struct if_nameindex *all = if_nameindex();
    int n = snprintf(err, errlen, "wire %s: no such interface; there are", w->spec);

    for (struct if_nameindex *i = all; i && i->if_index && n > 0 && (size_t)n < errlen; i++)
        n += snprintf(err + n, errlen - (size_t)n, " %s", i->if_name);
    if (all)
        if_freenameindex(all);
}

static bool open_afpacket(struct ibc_wire *w, const char *args, char *err, size_t errlen)
{
    const unsigned index = if_nametoindex(args);

    if (index == 0) {
        list_interfaces(w, err, errlen);
        return false;
    }
    w->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC,
                   0); /* without a protocol the socket receives nothing until its filter is set */
    if (w->fd < 0) {
        snprintf(err, errlen, "wire %s: %s", w->spec,
                 errno == EPERM ? "needs root or CAP_NET_RAW (setcap cap_net_raw+ep)" : strerror(errno));
        return false;
    }
    wire_prepare(w->fd);
    if (!hear(w, NULL, 0)) {
        snprintf(err, errlen, "%s", w->fault);
        return false;
    }
    snprintf(w->own, sizeof w->own, "%s", args);
    w->tap = wire_tap_open(index);
    if (wire_stamps(w->fd, args))
        w->lead = calloc(1, sizeof *w->lead);
    if (w->tap && ask_for_all(w->fd, index) && bind_to(w->fd, index))
        return true;
    snprintf(err, errlen, "wire %s: %s", w->spec, strerror(errno));
    return false;
}

/* ---- frames ---- */

static int send_packet(struct ibc_wire *w, const uint8_t *frame, size_t len)
{
    const ssize_t n = send(w->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n >= 0)
        return 0;
    return errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR ? EAGAIN : errno;
}

static bool auxdata_of(struct msghdr *m, struct tpacket_auxdata *aux)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
            memcpy(aux, CMSG_DATA(c), sizeof *aux);
            return true;
        }
    return false;
}

/* Returns the interface's own time stamp, on the clock of the interface; 0: there is none. */
static uint64_t stamp_of(struct msghdr *m)
{
    struct scm_timestamping s = {0};

    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
            memcpy(&s, CMSG_DATA(c), sizeof s);
    return (uint64_t)s.ts[2].tv_sec * 1000000000u + (uint64_t)s.ts[2].tv_nsec;
}

/* Puts the VLAN tag back to its place in the frame, where four bytes were left free for it. */
static void put_tag(uint8_t *frame, size_t *len, const struct tpacket_auxdata *aux)
{
    const uint16_t tpid = aux->tp_status & TP_STATUS_VLAN_TPID_VALID ? aux->tp_vlan_tpid : ETH_P_8021Q;

    memmove(frame + MACS + TAG, frame + MACS, *len - MACS);
    frame[MACS] = (uint8_t)(tpid >> 8);
    frame[MACS + 1] = (uint8_t)tpid;
    frame[MACS + 2] = (uint8_t)(aux->tp_vlan_tci >> 8);
    frame[MACS + 3] = (uint8_t)aux->tp_vlan_tci;
    *len += TAG;
}

static int take_packet(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *len, uint64_t *at)
{
    union {
        struct cmsghdr align;
        char bytes[256];
    } control;
    struct iovec v = {.iov_base = frame, .iov_len = room - TAG};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct tpacket_auxdata aux;
    uint64_t stamp;
    int e = wire_take(w->fd, &m, room - TAG, len, at);

    if (e == ENETDOWN) /* the kernel reports once that the interface went down; the interface may come back */
        e = EAGAIN;
    if (e == 0 && w->lead && (stamp = stamp_of(&m)) != 0)
        *at = wire_arrival(w->lead, stamp, *at);
    if (e == 0 && *len >= MACS && auxdata_of(&m, &aux) && aux.tp_status & TP_STATUS_VLAN_VALID)
        put_tag(frame, len, &aux);
    return e;
}

static bool leaves(const struct ibc_wire *w, const char *args)
{
    (void)w;
    (void)args;
    return true;
}

const struct ibc_wire_ops ibc_wire_afpacket = {
    .name = "afpacket",
    .form = "afpacket:IFACE",
    .help = "a network interface; needs root or CAP_NET_RAW",
    .open = open_afpacket,
    .send = send_packet,
    .take = take_packet,
    .hear = hear,
    .leaves = leaves,
    .look = wire_port_look,
};
