/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum {
    WAKE_MS = 100,                  /* the kernel passes its block of packets on at least this often */
    KERNEL_BUFFER = 8 * 1024 * 1024 /* bytes */
};

/* The link type in files for libpcap's own number; the two differ for a few types only. */
static uint32_t linktype(int dlt)
{
    return dlt == DLT_RAW ? 101 : (uint32_t)dlt;
}

static const char *missing(int status)
{
    switch (status) {
    case PCAP_ERROR_PERM_DENIED:
        return "capturing needs CAP_NET_RAW (run as root, or setcap cap_net_raw+ep on the program)";
    case PCAP_ERROR_PROMISC_PERM_DENIED:
        return "promiscuous mode needs CAP_NET_ADMIN (run as root, or setcap cap_net_raw,cap_net_admin+ep)";
    case PCAP_ERROR_NO_SUCH_DEVICE: return "no such interface; dumpcap -D lists them";
    case PCAP_ERROR_IFACE_NOT_UP: return "the interface is down; ip link set IFACE up";
    default: return NULL;
    }
}

static bool fail(struct capture *c, int status)
{
    const char *text = missing(status), *detail = pcap_geterr(c->live);
    if (text == NULL)
        text = *detail ? detail : pcap_statustostr(status);
    cap_fail(c, "%s", text);
    return false;
}

static bool set_filter(struct capture *c, const char *bpf)
{
    struct bpf_program program;
    if (pcap_compile(c->live, &program, bpf, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        cap_fail(c, "capture filter \"%.128s\": %.100s", bpf, pcap_geterr(c->live));
        return false;
    }
    int status = pcap_setfilter(c->live, &program);
    pcap_freecode(&program);
    return status == 0 || fail(c, status);
}

static bool activate(struct capture *c, const char *bpf)
{
    pcap_set_snaplen(c->live, CAP_MAX_RECORD);
    pcap_set_promisc(c->live, 1);
    pcap_set_timeout(c->live, WAKE_MS);
    pcap_set_buffer_size(c->live, KERNEL_BUFFER);
    pcap_set_tstamp_precision(c->live, PCAP_TSTAMP_PRECISION_NANO);
    int status = pcap_activate(c->live);
    if (status < 0)
        return fail(c, status);
    c->live_ts_unit = pcap_get_tstamp_precision(c->live) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
    c->pcap.dlt = linktype(pcap_datalink(c->live));
    return bpf == NULL || set_filter(c, bpf);
}

static enum cap_result end(struct capture *c, int status)
{
    if (status == PCAP_ERROR_BREAK)
        return cap_finish(c);
    fail(c, status);
    return CAP_ERROR;
}

/* Waits for packets. False: none came for some time. Then, and after a signal, pcap_next_ex() decides whether the
 * capture ends. */
static bool comes(const struct capture *c)
{
    struct pollfd p = {.fd = pcap_get_selectable_fd(c->live), .events = POLLIN};
    return poll(&p, 1, WAKE_MS) != 0;
}

static enum cap_result next(struct capture *c, struct cap_packet *p)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int status;
    while ((status = pcap_next_ex(c->live, &header, &data)) == 0)
        if (c->tells_quiet && !comes(c))
            return CAP_QUIET;
    if (status < 0)
        return end(c, status);
    *p = (struct cap_packet){.data = data,
                             .caplen = header->caplen,
                             .len = header->len < header->caplen ? header->caplen : header->len,
                             .dlt = c->pcap.dlt,
                             .ts_ns = (uint64_t)header->ts.tv_sec * 1000000000u +
                                      (uint64_t)header->ts.tv_usec * c->live_ts_unit,
                             .has_ts = true,
                             .number = ++c->number,
                             .iface_name = c->name};
    return CAP_PACKET;
}

void cap_tell_quiet(struct capture *c)
{
    char reason[PCAP_ERRBUF_SIZE];
    c->tells_quiet =
        c->live != NULL && pcap_setnonblock(c->live, 1, reason) == 0 && pcap_get_selectable_fd(c->live) >= 0;
}

struct capture *cap_open_live(const char *iface, const char *bpf, char *err, size_t errlen)
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    struct capture *c = cap_new(iface);
    if (c == NULL) {
        snprintf(err, errlen, "%s: out of memory", iface);
        return NULL;
    }
    c->live = pcap_create(iface, reason);
    c->next = next;
    if (c->live == NULL)
        cap_fail(c, "%s", reason);
    else if (activate(c, bpf))
        return c;
    snprintf(err, errlen, "%s", c->error);
    cap_close(c);
    return NULL;
}
