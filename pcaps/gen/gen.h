/* SPDX-License-Identifier: BSD-2-Clause */
/* ibpcaps-gen: the captures of pcaps/ that no wire has offered, built from lines of text.
 *
 * A line is a packet: an encapsulation (iba_encaps) or `raw:HEADER,HEADER...`, an opcode by name or number, and
 * changes.
 *
 *   roce2-ipv4 RC_SEND_ONLY payload=61 bth.psn=7 ipv4.ecn=3 icrc=bad
 *
 *   HEADER.FIELD=N     any field, by its filter name within the header; of the last such header, HEADER#0 is the first.
 *                      A length or checksum set this way is not computed. Fields wider than 64 bits take hex digits.
 *   HEADER.extra=HEX   bytes after the header: options, or the content of an extension header
 *   payload=N          that many bytes, which count upwards
 *   mad=C:M:A          a management datagram: class, method, attribute in hex; bytes of no header have no meaning
 *   at=N:HEX           after mad=: those bytes at offset N of it
 *   reverse=1          from the responder to the requester: addresses swapped, destination QP 0x11
 *   icrc= vcrc=        bad, none, or a number
 *   keep=N             IBA_KEEP_* bits; frame_pad=N and udp_checksum=1 as in struct iba_recipe
 *   after=N            ns after the packet before it; else 10.007 ms
 *   drop=N             the last N bytes never were on the wire
 *   cut=N              the capture kept N bytes only
 *   fragment=N         two IPv4 fragments, N bytes after the IP header in the first
 *   iface=N comment=S  pcapng: interface in the section, comment ('_' for a space)
 *
 * Other lines: `flow SERVICE ENCAPSULATION` (see flow.c); `mads CLASS ENCAPSULATION`, every attribute that is known;
 * `cm ENCAPSULATION`, two connection managers (see cm.c); in pcapng `section big|little`, `interface link=N ...`,
 * `block TYPE HEX`. Everything is fixed: same program, same bytes.
 */
#ifndef PCAPS_GEN_H
#define PCAPS_GEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/iba_build.h"

enum form { FORM_PCAP, FORM_PCAP_ERF, FORM_ERF, FORM_PCAPNG };
enum { BIG_ENDIAN_FILE = 1, NANOSECONDS = 2, GZIP = 4 };
enum { LINE_BYTES = 1024, FRAME_BYTES = 8192 };

/* A row of the list of files. FORM_PCAP_ERF and FORM_ERF wrap each packet in an ERF record, unless it is one. */
struct capture {
    const char *name;
    enum form form;
    unsigned flags;
    uint32_t linktype, snaplen; /* of pcap files; snaplen 0: whole packets */
    const char *lines;          /* each ends with a newline */
    const char *const *more;    /* further lines, if there are too many for one string; ends with NULL. May be NULL */
};
extern const struct capture captures[];
extern const size_t n_captures;
extern const char damaged_not_missing[], field_bugs_order[], field_bugs_content[], mads_private[],
    misread[]; /* lines */
extern const char *const field_bugs_agreed[],
    *const field_bugs_path[], *const connections[], *const hardware[], *const xrc[]; /* lists of lines */

struct frame {
    uint8_t data[FRAME_BYTES];
    size_t caplen, len;
    enum iba_link link;
    uint64_t ns;
    uint32_t iface;
    const char *comment; /* NULL for none */
};

/* Growing bytes, and the byte order of numbers */
struct bytes {
    uint8_t *at;
    size_t n, room;
    bool big;
};
void put(struct bytes *b, const void *p, size_t n);
void put_uint(struct bytes *b, uint64_t v, unsigned size);
void put_hex(struct bytes *b, const char *digits);

/* One capture while it is written */
struct job {
    const struct capture *capture;
    struct bytes out;
    unsigned n_packet;
    uint64_t now;        /* ns */
    unsigned tsresol[8]; /* of the section's interfaces: units per second, as a power of ten, or of two with bit 7 */
    unsigned n_iface;
};

/* Prints the capture and line, and ends the program. */
void die(const struct job *job, const char *what, const char *line) __attribute__((noreturn));

/* Writes one line of the table. Modifies the line. */
void packet_line(struct job *job, char *line);
void flow_line(struct job *job, const char *service, const char *encap);
void mads_line(struct job *job, const char *class, const char *encap);
void cm_line(struct job *job, const char *encap);
/* `mad` and `at`: into the 256 bytes at `mad`. */
void mad_fill(const struct job *job, uint8_t *mad, const char *what);
void mad_patch(const struct job *job, uint8_t *mad, const char *what);

void write_begin(struct job *job);
void write_frame(struct job *job, const struct frame *f);
void write_section(struct job *job, bool big);
void write_interface(struct job *job, char *options);
void write_block(struct job *job, uint32_t type, const char *hex);
/* Wraps what was written into gzip, uncompressed, so that no version of a library matters. */
void write_gzip(struct job *job);
#endif
