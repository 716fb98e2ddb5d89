/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether packets to an address stay in this machine, as its routes decide. */
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>
#include "wire_adapters.h"

struct question {
    struct nlmsghdr head;
    struct rtmsg route;
    struct rtattr attribute;
    uint8_t address[16];
};

static size_t ask(struct question *q, const struct sockaddr *to)
{
    const bool four = to->sa_family == AF_INET;
    const size_t bytes = four ? 4 : 16;
    const void *from = four ? (const void *)&((const struct sockaddr_in *)(const void *)to)->sin_addr
                            : (const void *)&((const struct sockaddr_in6 *)(const void *)to)->sin6_addr;

    *q = (struct question){.route = {.rtm_family = (uint8_t)to->sa_family, .rtm_dst_len = (uint8_t)(8 * bytes)}};
    q->head.nlmsg_type = RTM_GETROUTE;
    q->head.nlmsg_flags = NLM_F_REQUEST;
    q->attribute.rta_type = RTA_DST;
    q->attribute.rta_len = (uint16_t)RTA_LENGTH(bytes);
    memcpy(q->address, from, bytes);
    q->head.nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof q->route) + RTA_LENGTH(bytes));
    return q->head.nlmsg_len;
}

bool wire_is_local(const struct sockaddr *to)
{
    struct question q;
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    bool local = false;

    if (fd < 0)
        return false;
    if (to->sa_family == AF_INET || to->sa_family == AF_INET6) {
        const size_t n = ask(&q, to);
        const ssize_t got = send(fd, &q, n, 0) == (ssize_t)n ? recv(fd, &answer, sizeof answer, 0) : -1;
        local = got >= (ssize_t)NLMSG_LENGTH(sizeof(struct rtmsg)) && answer.head.nlmsg_type == RTM_NEWROUTE &&
                ((const struct rtmsg *)NLMSG_DATA(&answer.head))->rtm_type == RTN_LOCAL;
    }
    (void)close(fd);
    return local;
}
