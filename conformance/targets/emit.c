/* SPDX-License-Identifier: BSD-2-Clause */
#include "emit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "wire/iba_aeth.h"
#include "wire/iba_build.h"

const char *const emit_class_names[EMIT_CLASS_COUNT] = {
#define CLASS_NAME(name, words) [EMIT_##name] = #name,
    EMIT_CLASSES(CLASS_NAME)};
const char *const emit_class_words[EMIT_CLASS_COUNT] = {
#define CLASS_WORDS(name, words) [EMIT_##name] = (words),
    EMIT_CLASSES(CLASS_WORDS)};

/* headers that the engine sends */
static const uint8_t headers[] = {IBA_H_eth,  IBA_H_vlan, IBA_H_rwh,   IBA_H_xrceth,      IBA_H_ipv4,
                                  IBA_H_ipv6, IBA_H_udp,  IBA_H_lrh,   IBA_H_grh,         IBA_H_bth,
                                  IBA_H_deth, IBA_H_feth, IBA_H_reth,  IBA_H_atomiceth,   IBA_H_aeth,
                                  IBA_H_ieth, IBA_H_cnp,  IBA_H_immdt, IBA_H_atomicacketh};

/* ---- classes ---- */

/* Returns the class of a request. XRC packets are classified by their position in the message alone. */
static enum emit_class class_of_request(const struct iba_opcode *op)
{
    static const uint8_t by_position[] = {[IBA_FIRST] = EMIT_request_first,
                                          [IBA_MIDDLE] = EMIT_request_middle,
                                          [IBA_LAST] = EMIT_request_last,
                                          [IBA_ONLY] = EMIT_request_only};

    switch (op->svc == IBA_RC ? (enum iba_operation)op->operation : IBA_OPERATION_NONE) {
    case IBA_OPERATION_READ: return EMIT_read_request;
    case IBA_OPERATION_ATOMIC: return EMIT_atomic_request;
    case IBA_OPERATION_FLUSH:
    case IBA_OPERATION_ATOMIC_WRITE: return EMIT_extended_request;
    default: return (enum emit_class)by_position[op->pos];
    }
}

static enum emit_class class_of_response(const struct iba_view *v)
{
    unsigned kind;

    if (v->op->operation == IBA_OPERATION_ATOMIC_ACK)
        return EMIT_atomic_ack;
    if (v->op->operation != IBA_OPERATION_ACK || !iba_view_has(v, IBA_H_aeth))
        return EMIT_read_response;
    kind = iba_aeth_syn_kind(iba_view_hdr(v, IBA_H_aeth));
    return kind == IBA_AETH_NAK ? EMIT_nak : kind == IBA_AETH_RNR ? EMIT_rnr_nak : EMIT_ack;
}

enum emit_class emit_class_of(const struct iba_view *v)
{
    if (!v->op)
        return EMIT_any;
    if (v->op->operation == IBA_OPERATION_CNP)
        return EMIT_cnp;
    if (v->op->svc == IBA_UD)
        return EMIT_datagram;
    return v->op->dir == IBA_REQ ? class_of_request(v->op) : class_of_response(v);
}

/* ---- names ---- */

/* Returns the part of `name` after "PREFIX.", where PREFIX is the header's filter name without "infiniband."; NULL:
 * the name belongs to another header. */
static const char *behind_prefix(enum iba_hdr h, const char *name)
{
    static const char ours[] = "infiniband.";
    const char *prefix = iba_headers[h].prefix;
    size_t n;

    prefix += strncmp(prefix, ours, sizeof ours - 1) == 0 ? sizeof ours - 1 : 0;
    n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

static bool find_part(struct ref_emit *e, const char *name)
{
    static const char *const parts[] = {
#define PART_NAME(name) #name,
        EMIT_PARTS(PART_NAME)};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i], name) == 0) {
            e->where = (uint8_t)(IBA_H_COUNT + i);
            return true;
        }
    return false;
}

static bool find_field(struct ref_emit *e, const char *name)
{
    for (size_t i = 0; i < sizeof headers; i++) {
        const char *field = behind_prefix((enum iba_hdr)headers[i], name);
        if (!field)
            continue;
        e->where = headers[i];
        e->field = iba_field_find((enum iba_hdr)headers[i], field);
        if (e->field)
            return true;
    }
    return find_part(e, name);
}

static bool find_class(struct ref_emit *e, const char *name, size_t len)
{
    for (unsigned k = 0; k < EMIT_CLASS_COUNT; k++)
        if (strlen(emit_class_names[k]) == len && memcmp(emit_class_names[k], name, len) == 0) {
            e->klass = (uint8_t)k;
            return true;
        }
    return false;
}

static bool take_value(struct ref_emit *e, const char *value)
{
    char *end;

    e->op = strchr("+^*-", *value) && *value ? *value++ : '=';
    if (*value < '0') /* strtoull() would accept a second sign, or blanks before the number */
        return false;
    errno = 0;
    e->value = strtoull(value, &end, 0);
    return errno == 0 && *end == 0 && (e->op == '-') == (e->where == EMIT_P_packet);
}

bool emit_parse(struct ref_emit *e, const char *name, size_t len, const char *value)
{
    char field[64];
    const char *slash = memchr(name, '/', len);
    const size_t n_class = slash ? (size_t)(slash - name) : 0, from = slash ? n_class + 1 : 0;

    *e = (struct ref_emit){.klass = EMIT_any};
    if (len - from >= sizeof field || (slash && !find_class(e, name, n_class)))
        return false;
    memcpy(field, name + from, len - from);
    field[len - from] = 0;
    return find_field(e, field) && take_value(e, value);
}

/* ---- changes ---- */

static uint64_t changed(const struct ref_emit *e, uint64_t v)
{
    switch (e->op) {
    case '+': return v + e->value;
    case '^': return v ^ e->value;
    case '*': return v + e->value * e->changed;
    default: return e->value;
    }
}

/* Changes a field; of one that is wider than 64 bits the last 64. */
static void change_field(const struct ref_emit *e, uint8_t *hdr)
{
    const struct iba_field *f = e->field;
    const unsigned bits = f->bits > 64 ? 64 : f->bits, at = f->at + f->bits - bits;
    const uint64_t max = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

    iba_bits_put(hdr, at, bits, changed(e, iba_bits_get(hdr, at, bits)) & max);
}

static bool is_checksum(const struct ref_emit *e)
{
    return e->field && strcmp(e->field->name, "checksum") == 0;
}

/* Computes the VCRC again, since it covers the ICRC; if the VCRC is the field to change, it must be the only wrong
 * one. */
static void repair_vcrc(const struct iba_view *v, uint8_t *frame)
{
    if (v->vcrc == IBA_CHECK_GOOD)
        iba_put_le16(frame + v->end, iba_vcrc(frame + v->frame_at, v->end - v->frame_at));
}

static void change_icrc(const struct ref_emit *e, const struct iba_view *v, uint8_t *frame)
{
    uint8_t *at = frame + v->end - IBA_ICRC_BYTES;

    if (v->icrc != IBA_CHECK_GOOD)
        return;
    iba_put_le32(at, (uint32_t)changed(e, iba_le32(at)));
    repair_vcrc(v, frame);
}

static void change_part(const struct ref_emit *e, const struct iba_view *v, uint8_t *frame)
{
    switch ((enum emit_part)e->where) {
    case EMIT_P_icrc: change_icrc(e, v, frame); break;
    case EMIT_P_vcrc:
        if (v->vcrc == IBA_CHECK_GOOD)
            iba_put_le16(frame + v->end, (uint16_t)changed(e, iba_le16(frame + v->end)));
        break;
    default:
        if (v->payload_len == 0)
            break;
        frame[v->payload_at] = (uint8_t)changed(e, frame[v->payload_at]);
        iba_view_repair_crc(v, frame);
    }
}

bool emit_change(struct ref_emit *e, enum iba_link link, uint8_t *frame, size_t len)
{
    struct iba_view v;

    (void)iba_view_parse(&v, link, frame, len, len, NULL);
    if (e->klass != EMIT_any && emit_class_of(&v) != e->klass)
        return true;
    if (e->where == EMIT_P_packet)
        return e->changed++ < e->value;
    iba_view_check(&v);
    if (e->where >= IBA_H_COUNT) {
        change_part(e, &v, frame);
    } else if (iba_view_has(&v, (enum iba_hdr)e->where)) {
        change_field(e, frame + v.at[e->where]);
        if (!is_checksum(e))
            iba_view_repair_crc(&v, frame);
    }
    e->changed++;
    return true;
}
