/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire_tap.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "wire_adapters.h"

enum {
    MOST_OUT = 1024,      /* frames that were sent and not seen yet */
    MOST_AT_ONCE = 65536, /* frames read in one call, since other programs send through the interface too */
};
#define PATIENCE UINT64_C(100000000) /* ns */

struct wire_tap {
    int fd;
    struct sent {
        uint64_t as, at; /* hash of the frame; time when it was sent */
    } out[MOST_OUT];     /* the oldest frame is the first */
    unsigned n;
    uint64_t unseen;
};

/* ---- frames that left ---- */

/* Returns a hash of the frame (FNV-1a). An attacker gains nothing from collisions. */
static uint64_t known_by(const uint8_t *frame, size_t len)
{
    uint64_t h = UINT64_C(14695981039346656037) ^ len;

    for (size_t i = 0; i < len; i++)
        h = (h ^ frame[i]) * UINT64_C(1099511628211);
    return h;
}

static bool hear_what_leaves(int fd, unsigned ifindex)
{
    struct sock_filter leaves[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, IBC_WIRE_MOST),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const struct sock_fprog f = {.len = sizeof leaves / sizeof *leaves, .filter = leaves};
    const struct sockaddr_ll a = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)ifindex};

    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &f, sizeof f) == 0 &&
           bind(fd, (const struct sockaddr *)&a, sizeof a) == 0;
}

struct wire_tap *wire_tap_open(unsigned ifindex)
{
    struct wire_tap *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC,
                   0); /* without a protocol the socket receives nothing until its filter is set */
    if (t->fd >= 0)
        wire_prepare(t->fd);
    if (t->fd >= 0 && hear_what_leaves(t->fd, ifindex))
        return t;
    wire_tap_close(t);
    return NULL;
}

void wire_tap_close(struct wire_tap *t)
{
    const int e = errno;

    if (t && t->fd >= 0)
        close(t->fd);
    free(t);
    errno = e;
}

static void forget(struct wire_tap *t, unsigned i)
{
    t->n--;
    memmove(&t->out[i], &t->out[i + 1], (t->n - i) * sizeof *t->out);
}

static void seen(struct wire_tap *t, uint64_t as, uint64_t at)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->out[i].as == as) {
            t->unseen += at > t->out[i].at + PATIENCE;
            forget(t, i);
            return;
        }
}

static void look(struct wire_tap *t)
{
    static uint8_t frame[IBC_WIRE_MOST];
    union {
        struct cmsghdr align;
        char bytes[256];
    } control;
    uint64_t at;
    size_t len;

    for (unsigned i = 0; i < MOST_AT_ONCE && t->n > 0; i++) {
        struct iovec v = {.iov_base = frame, .iov_len = sizeof frame};
        struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        if (wire_take(t->fd, &m, sizeof frame, &len, &at) != 0)
            return;
        seen(t, known_by(frame, len), at);
    }
}

void wire_tap_sent(struct wire_tap *t, const uint8_t *frame, size_t len)
{
    if (t->n == MOST_OUT)
        look(t);
    if (t->n == MOST_OUT) {
        t->unseen++;
        forget(t, 0);
    }
    t->out[t->n++] = (struct sent){.as = known_by(frame, len), .at = ibc_wire_clock()};
}

uint64_t wire_tap_unseen(struct wire_tap *t)
{
    const uint64_t until = t->n > 0 ? t->out[t->n - 1].at + PATIENCE : 0;
    struct pollfd p = {.fd = t->fd, .events = POLLIN};

    look(t);
    while (t->n > 0 && ibc_wire_clock() < until) {
        (void)poll(&p, 1, 1);
        look(t);
    }
    t->unseen += t->n;
    t->n = 0;
    return t->unseen;
}

/* ---- time of arrival ---- */

static bool can_stamp(int fd, const char *ifname)
{
    const uint32_t want = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
    struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO};
    struct ifreq r = {.ifr_data = (char *)&info};

    memcpy(r.ifr_name, ifname, strnlen(ifname, IFNAMSIZ - 1));
    return ioctl(fd, SIOCETHTOOL, &r) == 0 && (info.so_timestamping & want) == want &&
           info.rx_filters >> HWTSTAMP_FILTER_ALL & 1;
}

/* Whether the interface stamps all received frames. One that stamps only some, for a clock daemon, is not changed. */
static bool stamps_all(int fd, const char *ifname)
{
    struct hwtstamp_config c = {0};
    struct ifreq r = {.ifr_data = (char *)&c};

    memcpy(r.ifr_name, ifname, strnlen(ifname, IFNAMSIZ - 1));
    if (ioctl(fd, SIOCGHWTSTAMP, &r) != 0)
        return false;
    if (c.rx_filter == HWTSTAMP_FILTER_NONE) {
        c.rx_filter = HWTSTAMP_FILTER_ALL;
        if (ioctl(fd, SIOCSHWTSTAMP, &r) != 0)
            return false;
    }
    return c.rx_filter == HWTSTAMP_FILTER_ALL;
}

bool wire_stamps(int fd, const char *ifname)
{
    const int flags = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;

    return can_stamp(fd, ifname) && stamps_all(fd, ifname) &&
           setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

uint64_t wire_arrival(struct wire_lead *l, uint64_t stamp, uint64_t seen_by_kernel)
{
    enum { MOST_LATE = 20000000, DRIFT = 5000 }; /* ns; one part in 5000: clocks are more accurate than that */
    const int64_t lead = (int64_t)(seen_by_kernel - stamp);
    const int64_t drift = seen_by_kernel > l->at ? (int64_t)((seen_by_kernel - l->at) / DRIFT) : 0;

    if (!l->known || lead < l->ns || lead - l->ns > MOST_LATE) /* in the last case one of the clocks was set */
        l->ns = lead;
    else
        l->ns = lead - l->ns < drift ? lead : l->ns + drift;
    l->known = true;
    l->at = seen_by_kernel;
    return stamp + (uint64_t)l->ns;
}
