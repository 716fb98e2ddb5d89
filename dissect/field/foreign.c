/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/foreign.h"
#include <stdbool.h>
#include <string.h>

/* A name that ends with '.' or ',' stands for all names that begin with it. */
static const struct {
    const char *name, *instead;
} rows[] = {
    {"_ws.col.", "-T text prints the columns"},
    {"_ws.expert", "infiniband.analysis.finding and infiniband.analysis.message are the findings"},
    {"frame.time", "frame.time_epoch is the time; -t ad prints dates in -T text"},
    {"frame.marked", "marks are made in Wireshark, no capture holds them"},
    {"frame.protocols", "infiniband.encapsulation and infiniband.bth.service name what a packet is"},
    {"udp.stream", "-z qp lists connections; infiniband.bth.destqp and the addresses tell them apart"},
    {"tcp", "packets of TCP are tshark's"},
    {"tcp.", "packets of TCP are tshark's"},
    {"roce", "infiniband selects packets of InfiniBand and RoCE"},
    {"rroce", "infiniband selects packets of InfiniBand and RoCE"},
    {"arp", "packets of ARP are tshark's"},
    {"arp.", "packets of ARP are tshark's"},
    {"icmp", "packets of ICMP are tshark's; ip.proto == 1 selects them"},
    {"icmp.", "packets of ICMP are tshark's; ip.proto == 1 selects them"},
    {"ip.host", "no name is looked up; ip.addr is the address"},
    {"ip.src_host", "no name is looked up; ip.src is the address"},
    {"ip.dst_host", "no name is looked up; ip.dst is the address"},
    {"ip.geoip.", "no place is looked up; ip.addr is the address"},
    {"_ws.malformed", "infiniband.fault says what is malformed"},
    {"conv,", "-z conv,qp counts by queue pair, -z qp has both directions side by side"},
    {"endpoints", "-z qp lists queue pairs; tshark counts addresses"},
    {"endpoints,", "-z qp lists queue pairs; tshark counts addresses"},
    {"io,phs", "-z opcode,tree counts packets by service and opcode"},
    {"plen,tree", "-z opcode,tree counts bytes by opcode; tshark counts lengths"},
    {"dests,tree", "-z conv,qp counts by addresses"},
    {"ip_hosts,tree", "-z conv,qp counts by addresses"},
    {"follow,", "-T fields -e infiniband.payload -Y 'infiniband.bth.destqp == N' prints what went to a queue pair"},
    {"flow", "--report draws the packets around each finding; -z messages lists messages"},
    {"flow,", "--report draws the packets around each finding; -z messages lists messages"},
    {"udp.payload", "infiniband.payload is the payload, -x prints all bytes"},
    {"psml", "-T text has the columns, -T pdml the XML"},
    {"ps", "-T text prints a line a packet"},
    {"tabs", "-T fields -e FIELD prints columns with tabs between"},
    {"jsonraw", "-T json -x has the bytes, too"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool stands_for_more(const char *name)
{
    const char last = name[strlen(name) - 1];
    return last == '.' || last == ',';
}

const char *foreign_instead(const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        const size_t n = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, n) == 0 && (stands_for_more(rows[i].name) || name[n] == '\0'))
            return rows[i].instead;
    }
    return NULL;
}

const char *foreign_name(size_t i)
{
    for (size_t row = 0; row < ROWS; row++)
        if (!stands_for_more(rows[row].name) && i-- == 0)
            return rows[row].name;
    return NULL;
}
