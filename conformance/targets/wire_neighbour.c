/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire_neighbour.h"
#include <string.h>

enum {
    MAC = 6,
    ETHER = 2 * MAC, /* bytes before the type or a tag */
    TAG = 4,         /* bytes of a VLAN tag */
    TYPE_ARP = 0x0806,
    TYPE_IPV6 = 0x86dd,
    TYPE_VLAN = 0x8100,
    TYPE_ROCE1 = 0x8915,
    TYPE_IPV4 = 0x0800,
    UDP = 17,
    ROCE2 = 4791,   /* port */
    ARP = 28,       /* bytes, of Ethernet and IPv4 */
    ARP_SENDER = 8, /* offset of the sender's MAC, before its address */
    ARP_TARGET = 18,
    IPV6 = 40,
    ICMPV6 = 58,
    SOLICITATION = 135,
    ADVERTISEMENT = 136,
    ND = 24, /* bytes up to the options */
    LINK_OPTION = 8,
};

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static void put_mac(uint8_t *p, uint64_t mac)
{
    for (unsigned i = 0; i < MAC; i++)
        p[i] = (uint8_t)(mac >> (40 - 8 * i));
}

/* Writes an Ethernet header for a reply to the sender, in the same VLAN. Returns the offset of the type. */
static size_t put_ether(uint8_t *answer, const uint8_t *frame, uint64_t mac)
{
    const size_t tag = get16(frame + ETHER) == TYPE_VLAN ? TAG : 0;

    memcpy(answer, frame + MAC, MAC);
    put_mac(answer + MAC, mac);
    memcpy(answer + ETHER, frame + ETHER, tag);
    return ETHER + tag;
}

static size_t answer_arp(const uint8_t *frame, size_t at, const struct ibc_address *who, size_t n_who, uint8_t *answer)
{
    static const uint8_t request[] = {0, 1, 8, 0, 6, 4, 0, 1}; /* Ethernet, IPv4, lengths, request */
    const uint8_t *arp = frame + at;
    uint8_t *out;
    size_t i = 0;

    while (i < n_who && (who[i].ipv4 == 0 || who[i].ipv4 != get32(arp + ARP_TARGET + MAC)))
        i++;
    if (i == n_who || memcmp(arp, request, sizeof request) != 0)
        return 0;
    out = answer + put_ether(answer, frame, who[i].mac);
    put16(out, TYPE_ARP);
    out += 2;
    memcpy(out, request, sizeof request);
    out[7] = 2; /* operation: reply */
    put_mac(out + ARP_SENDER, who[i].mac);
    memcpy(out + ARP_SENDER + MAC, arp + ARP_TARGET + MAC, 4);
    memcpy(out + ARP_TARGET, arp + ARP_SENDER, MAC + 4);
    return (size_t)(out + ARP - answer);
}

/* Returns the checksum of ICMPv6, which covers a pseudo header: addresses, length, next header (RFC 8200 8.1). */
static uint16_t checksum(const uint8_t *ip, size_t bytes)
{
    uint32_t sum = ICMPV6 + (uint32_t)bytes;

    for (size_t i = 8; i < IPV6 + bytes; i += 2)
        sum += get16(ip + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static size_t answer_solicitation(const uint8_t *frame, size_t at, const struct ibc_address *who, size_t n_who,
                                  uint8_t *answer)
{
    static const uint8_t nobody[16] = {0};
    const uint8_t *ip = frame + at, *target = ip + IPV6 + 8;
    uint8_t *out;
    size_t i = 0;

    while (i < n_who && memcmp(who[i].ipv6, target, 16) != 0 && memcmp(who[i].gid, target, 16) != 0)
        i++;
    if (i == n_who || memcmp(ip + 8, nobody, 16) == 0) /* no source: a host asks if the address is free */
        return 0;
    out = answer + put_ether(answer, frame, who[i].mac);
    put16(out, TYPE_IPV6);
    out += 2;
    memset(out, 0, IPV6 + ND + LINK_OPTION);
    out[0] = 0x60;
    put16(out + 4, ND + LINK_OPTION);
    out[6] = ICMPV6;
    out[7] = 255; /* any other value makes the receiver ignore it */
    memcpy(out + 8, target, 16);
    memcpy(out + 24, ip + 8, 16);
    out[IPV6] = ADVERTISEMENT;
    out[IPV6 + 4] = 0x60; /* solicited, override */
    memcpy(out + IPV6 + 8, target, 16);
    out[IPV6 + ND] = 2; /* target's link-layer address */
    out[IPV6 + ND + 1] = 1;
    put_mac(out + IPV6 + ND + 2, who[i].mac);
    put16(out + IPV6 + 2, checksum(out, ND + LINK_OPTION));
    return (size_t)(out + IPV6 + ND + LINK_OPTION - answer);
}

static bool is_discovery(const uint8_t *ip, size_t left)
{
    return left >= IPV6 + ND && ip[6] == ICMPV6 && (ip[IPV6] == SOLICITATION || ip[IPV6] == ADVERTISEMENT);
}

/* Returns the type that stands at `at`; 0: the frame ends before. */
static uint16_t type_at(const uint8_t *frame, size_t len, size_t at)
{
    return len >= at + 2 ? get16(frame + at) : 0;
}

/* Returns the type after one VLAN tag at most, and where its packet begins. */
static uint16_t type_of(const uint8_t *frame, size_t len, size_t *at)
{
    *at = ETHER + (type_at(frame, len, ETHER) == TYPE_VLAN ? TAG : 0) + 2;
    return type_at(frame, len, *at - 2);
}

bool ibc_neighbour(const uint8_t *frame, size_t len, const struct ibc_address *who, size_t n_who,
                   uint8_t answer[IBC_NEIGHBOUR_ANSWER], size_t *n)
{
    size_t at;

    *n = 0;
    switch (type_of(frame, len, &at)) {
    case TYPE_ARP:
        if (len - at >= ARP)
            *n = answer_arp(frame, at, who, n_who, answer);
        return true;
    case TYPE_IPV6:
        if (!is_discovery(frame + at, len - at))
            return false;
        if (frame[at + IPV6] == SOLICITATION)
            *n = answer_solicitation(frame, at, who, n_who, answer);
        return true;
    default: return false;
    }
}

/* ---- questions ---- */

static size_t ask_arp(uint8_t *frame, uint64_t own, uint32_t ipv4)
{
    static const uint8_t request[] = {0, 1, 8, 0, 6, 4, 0, 1};
    uint8_t *arp = frame + ETHER + 2;

    memset(frame, 0xff, MAC);
    put_mac(frame + MAC, own);
    put16(frame + ETHER, TYPE_ARP);
    memset(arp, 0, ARP);
    memcpy(arp, request, sizeof request);
    put_mac(arp + ARP_SENDER, own);
    put16(arp + ARP_TARGET + MAC, ipv4 >> 16);
    put16(arp + ARP_TARGET + MAC + 2, ipv4 & 0xffff);
    return ETHER + 2 + ARP;
}

/* Writes a neighbour solicitation to the group of all hosts whose address ends in the same three bytes (RFC 4291
 * 2.7.1). */
static size_t ask_neighbour(uint8_t *frame, uint64_t own, const uint8_t address[16])
{
    static const uint8_t group[13] = {0xff, 2, [11] = 1, [12] = 0xff}, group_mac[3] = {0x33, 0x33, 0xff};
    uint8_t *ip = frame + ETHER + 2;

    memcpy(frame, group_mac, sizeof group_mac);
    memcpy(frame + 3, address + 13, 3);
    put_mac(frame + MAC, own);
    put16(frame + ETHER, TYPE_IPV6);
    memset(ip, 0, IPV6 + ND);
    ip[0] = 0x60;
    put16(ip + 4, ND);
    ip[6] = ICMPV6;
    ip[7] = 255;
    memcpy(ip + 24, group, sizeof group);
    memcpy(ip + 24 + 13, address + 13, 3);
    ip[IPV6] = SOLICITATION;
    memcpy(ip + IPV6 + 8, address, 16);
    put16(ip + IPV6 + 2, checksum(ip, ND));
    return ETHER + 2 + IPV6 + ND;
}

size_t ibc_neighbour_ask(uint8_t frame[IBC_NEIGHBOUR_ANSWER], uint64_t own, const struct ibc_address *a,
                         unsigned question)
{
    static const uint8_t none[16];
    const uint8_t *ipv6 = question == 1 ? a->ipv6 : a->gid;

    if (question == 0)
        return a->ipv4 ? ask_arp(frame, own, a->ipv4) : 0;
    if (memcmp(ipv6, none, sizeof none) == 0 || (question == 2 && memcmp(ipv6, a->ipv6, sizeof none) == 0))
        return 0;
    return ask_neighbour(frame, own, ipv6);
}

static bool is_ipv6_of(const struct ibc_address *a, const uint8_t *target)
{
    static const uint8_t none[16];

    return memcmp(target, none, 16) != 0 && (memcmp(a->ipv6, target, 16) == 0 || memcmp(a->gid, target, 16) == 0);
}

/* Whether the sender of the ARP frame has the address, or asks for it without an address of its own, as a host does
 * that wants to take it. */
static bool arp_claims(const uint8_t *arp, const struct ibc_address *a)
{
    const uint32_t sender = get32(arp + ARP_SENDER + MAC), target = get32(arp + ARP_TARGET + MAC);

    return a->ipv4 && (sender == a->ipv4 || (sender == 0 && target == a->ipv4));
}

static bool neighbour_claims(const uint8_t *ip, const struct ibc_address *a)
{
    static const uint8_t none[16];
    const bool asks = ip[IPV6] == SOLICITATION;

    return (!asks || memcmp(ip + 8, none, 16) == 0 ? is_ipv6_of(a, ip + IPV6 + 8) : is_ipv6_of(a, ip + 8));
}

bool ibc_neighbour_claims(const uint8_t *frame, size_t len, const struct ibc_address *a, uint64_t *mac)
{
    bool claims = false;
    size_t at;

    switch (type_of(frame, len, &at)) {
    case TYPE_ARP: claims = len - at >= ARP && arp_claims(frame + at, a); break;
    case TYPE_IPV6: claims = is_discovery(frame + at, len - at) && neighbour_claims(frame + at, a); break;
    default: break;
    }
    if (claims)
        *mac = (uint64_t)get16(frame + MAC) << 32 | get32(frame + MAC + 2);
    return claims;
}

/* Whether an IP packet, whose UDP header begins `head` bytes after `ip`, goes to the UDP port of RoCE. */
static bool goes_to_roce(const uint8_t *ip, size_t left, size_t head)
{
    return left >= head + 4 && get16(ip + head + 2) == ROCE2;
}

bool ibc_is_roce(const uint8_t *frame, size_t len)
{
    enum { LEAST = 20 }; /* bytes of a packet */

    for (size_t at = ETHER + 2; len >= at + LEAST; at += TAG) {
        const uint8_t *ip = frame + at;
        switch (get16(frame + at - 2)) {
        case TYPE_VLAN: continue;
        case TYPE_ROCE1: return true;
        case TYPE_IPV4: return ip[9] == UDP && goes_to_roce(ip, len - at, 4u * (ip[0] & 15u));
        case TYPE_IPV6: return ip[6] == UDP && goes_to_roce(ip, len - at, IPV6);
        default: return false;
        }
    }
    return false;
}
