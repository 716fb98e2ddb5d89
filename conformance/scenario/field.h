/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in packets: opcodes, fields, and the words for a field's values. All from core's tables, plus one table of
 * short names. */
#ifndef IBC_FIELD_H
#define IBC_FIELD_H
#include "scenario.h"

struct ibc_field_name {
    const char *name, *row; /* short; core's, in that header */
    uint8_t hdr;            /* enum iba_hdr */
    uint8_t attr;           /* enum ibc_attr that an object without an attribute means; IBC_A_ITSELF: none */
};
extern const struct ibc_field_name ibc_field_names[];
extern const size_t ibc_field_name_count;

/* The field of that name, short or complete ("psn", "bth.psn"), in a packet with these headers from the BTH on: if
 * several have a short name, the first one that the packet has. Headers before the BTH always exist. IBC_FIELD_ABSENT:
 * the field exists, but not in this packet; *hdr is its header. */
enum ibc_field_found { IBC_FIELD_UNKNOWN, IBC_FIELD_ABSENT, IBC_FIELD_FOUND };
enum ibc_field_found ibc_field_find(const char *name, uint64_t hdrs, enum iba_hdr *hdr, const struct iba_field **field,
                                    uint8_t *attr);
/* Whole names: i below ibc_field_count(), "bth.psn"; for messages. Valid until the next call of this thread. */
const char *ibc_field_whole(size_t i, const void *unused);
size_t ibc_field_count(void);

/* The messages of a connection manager: attribute ID by name ("REQ"), 0: none; its name. */
uint16_t ibc_message_find(const char *name);
const char *ibc_message_name(size_t i, const void *unused); /* i-th of IBC_MESSAGES */
enum { IBC_MESSAGES = 13 };
/* A field of that message, or of the header of its datagram ("tid", "version", "method"): core's name, or one of the
 * short ones "sid", "psn". *at: the byte of the datagram where the field's layout begins. NULL: none. */
const struct iba_field *ibc_message_field(uint16_t message, const char *name, uint32_t *at);

/* Attributes of agents, in datagrams on the wires of a subnet: "PortInfo", "PortCounters", and "Notice:259" for a
 * notice with that trap number, whose details may be named. 0: none of that name. The names: i below ibc_smp_count().
 */
uint16_t ibc_smp_find(const char *name);
size_t ibc_smp_count(void);
const char *ibc_smp_name(size_t i);
const struct iba_mad_attr *ibc_smp_attr(uint16_t message);
uint16_t ibc_smp_trap(uint16_t message); /* 0: it is not "Notice:N" */
/* A field of the datagram: of its header (also "tid", "method", "class", "version", "base", "attribute", "modifier",
 * "status"), of the SMP's ("mkey", "hops", "pointer", "d", "path[I]", "back[I]"), of the attribute by core's name, or
 * an entry of its table ("pkey[I]", "vl[I]", "weight[I]", "port[I]", "ports[I]", "guid[I]"). *at: the byte of the
 * datagram from which the field counts. index: -1: none. NULL: no such field. */
const struct iba_field *ibc_smp_field(uint16_t message, const char *name, int index, uint32_t *at);

/* "SEND_ONLY" of a service, "UD_SEND_ONLY", "ANY", "RAW"; IBC_NO_OP: no such. `type` is enum iba_qp_type. */
uint16_t ibc_opcode_find(const char *name, uint8_t type);
/* Whether a QP of that type has packets without a BTH. */
bool ibc_type_is_raw(uint8_t type);
/* Whether some service has an opcode of that name. */
bool ibc_opcode_exists(const char *name);
/* Names of opcodes without and with service, 2 * 256, some "". */
const char *ibc_opcode_name(size_t i, const void *unused);
/* IBA_HDR_BIT of the headers from the BTH on. */
uint64_t ibc_opcode_hdrs(uint16_t op);

/* A value's name in files: small letters and digits, '_' for other characters. */
const struct iba_value *ibc_value_find(enum iba_vocabulary w, const char *word);
const char *ibc_value_word(size_t i, const void *vocabulary); /* for messages; enum iba_vocabulary */
/* Fields whose words have two parts: "kind", "kind:number" or "kind.name". A kind alone matches every number of the
 * kind when comparing, and means `usual` when sending. */
struct ibc_kind_word {
    const char *word;
    uint8_t kind, mask, usual; /* kind: its bits; mask: the bits that distinguish kinds */
    uint8_t names;             /* enum iba_vocabulary of the words that may follow '.' */
};
/* Those of the field; NULL: it has none. */
const struct ibc_kind_word *ibc_kind_words(enum iba_hdr hdr, const struct iba_field *f, size_t *n);
#endif
