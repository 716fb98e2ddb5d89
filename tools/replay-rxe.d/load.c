/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the capture as packets in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "capture.h"
#include "replay.h"

void die(const char *what, const char *detail)
{
    fprintf(stderr, "ibreplay: %s: %s\n", what, detail);
    exit(2);
}

void *grow(void *array, size_t n, size_t bytes)
{
    void *more = array;

    if ((n & (n - 1)) == 0) /* full at powers of two, and at 0 */
        more = realloc(array, (n ? 2 * n : 1) * bytes);
    if (!more)
        die("out of memory", "");
    return more;
}

static enum iba_link link_of(uint32_t dlt)
{
    switch (dlt) {
    case 1: return IBA_LINK_ETHERNET;
    case 197: return IBA_LINK_ERF;
    case 247: return IBA_LINK_IB;
    default: return IBA_LINK_NONE;
    }
}

static void add(struct capture_file *c, const struct cap_packet *p, uint64_t first_ns)
{
    struct packet *k;
    const iba_time at = p->ts_ns > first_ns ? p->ts_ns - first_ns : 0;

    c->packet = grow(c->packet, c->n, sizeof *c->packet);
    k = &c->packet[c->n];
    k->bytes = malloc(p->caplen ? p->caplen : 1);
    if (!k->bytes)
        die("out of memory", "");
    memcpy(k->bytes, p->data, p->caplen);
    k->number = p->number;
    k->at = c->n > 0 && c->packet[c->n - 1].at > at ? c->packet[c->n - 1].at : at;
    (void)iba_view_parse(&k->view, link_of(p->dlt), k->bytes, p->caplen, p->len, NULL);
    iba_view_check(&k->view);
    c->n++;
}

void capture_load(struct capture_file *c, const char *path)
{
    char err[512];
    struct capture *in = cap_open(path, err, sizeof err);
    const char *slash = strrchr(path, '/');
    struct cap_packet p;
    uint64_t first_ns = 0;

    if (!in)
        die("cannot read", err);
    *c = (struct capture_file){.name = slash ? slash + 1 : path};
    while (cap_next(in, &p) == CAP_PACKET) {
        if (c->n == 0)
            first_ns = p.ts_ns;
        add(c, &p, first_ns);
    }
    if (cap_error(in)[0])
        die("damaged capture", cap_error(in));
    cap_close(in);
}

void capture_free(struct capture_file *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->packet[i].bytes);
    free(c->packet);
}

iba_psn packet_psn(const struct packet *p)
{
    return iba_psn_of(iba_bth_psn(iba_view_bth(&p->view)));
}

uint8_t packet_opcode(const struct packet *p)
{
    return iba_bth_opcode(iba_view_bth(&p->view));
}

bool packet_good(const struct packet *p)
{
    return iba_view_is_transport(&p->view) && iba_view_has_bth(&p->view) && p->view.err == IBA_OK &&
           p->view.icrc == IBA_CHECK_GOOD;
}

const uint8_t *packet_hdr(const struct packet *p, enum iba_hdr h)
{
    return iba_view_has(&p->view, h) ? iba_view_hdr(&p->view, h) : NULL;
}

bool packet_is_nak(const struct packet *p, enum iba_nak code)
{
    const uint8_t *aeth = packet_hdr(p, IBA_H_aeth);

    return aeth && iba_aeth_syn_kind(aeth) == IBA_AETH_NAK && iba_aeth_syn_value(aeth) == code;
}

bool packet_is_rnr(const struct packet *p)
{
    const uint8_t *aeth = packet_hdr(p, IBA_H_aeth);

    return aeth && iba_aeth_syn_kind(aeth) == IBA_AETH_RNR;
}
