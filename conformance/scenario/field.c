/* SPDX-License-Identifier: BSD-2-Clause */
#include "field.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "wire/iba_aeth.h"

/* clang-format off */
#define N IBC_A_ITSELF
const struct ibc_field_name ibc_field_names[] = {
    {"psn", "psn", IBA_H_bth, N},              {"ackreq", "a", IBA_H_bth, N},
    {"se", "se", IBA_H_bth, N},                {"migreq", "m", IBA_H_bth, N},
    {"pad", "padcnt", IBA_H_bth, N},           {"tver", "tver", IBA_H_bth, N},
    {"pkey", "p_key", IBA_H_bth, N},           {"fecn", "fecn", IBA_H_bth, N},
    {"becn", "becn", IBA_H_bth, N},            {"destqp", "destqp", IBA_H_bth, IBC_A_qpn},
    {"va", "va", IBA_H_reth, IBC_A_va},        {"va", "va", IBA_H_atomiceth, IBC_A_va},
    {"rkey", "r_key", IBA_H_reth, IBC_A_rkey}, {"rkey", "r_key", IBA_H_atomiceth, IBC_A_rkey},
    {"dmalen", "dmalen", IBA_H_reth, N},       {"syndrome", "syndrome", IBA_H_aeth, N},
    {"msn", "msn", IBA_H_aeth, N},             {"qkey", "q_key", IBA_H_deth, N},
    {"srcqp", "srcqp", IBA_H_deth, IBC_A_qpn}, {"imm", "data", IBA_H_immdt, N},
    {"inv", "r_key", IBA_H_ieth, IBC_A_rkey},  {"swap", "swapdt", IBA_H_atomiceth, N},
    {"add", "swapdt", IBA_H_atomiceth, N},     {"cmp", "cmpdt", IBA_H_atomiceth, N},
    {"orig", "origremdt", IBA_H_atomicacketh, N},
    {"placement", "placement", IBA_H_feth, N}, {"selectivity", "selectivity", IBA_H_feth, N},
    {"vl", "vl", IBA_H_lrh, N},                {"sl", "sl", IBA_H_lrh, N},
    {"lnh", "lnh", IBA_H_lrh, N},              {"lver", "lver", IBA_H_lrh, N},
    {"dlid", "dlid", IBA_H_lrh, N},            {"slid", "slid", IBA_H_lrh, N},
    {"pktlen", "pktlen", IBA_H_lrh, N},        {"nxthdr", "nxthdr", IBA_H_grh, N},
    {"ipver", "ipver", IBA_H_grh, N},          {"paylen", "paylen", IBA_H_grh, N},
    {"srqn", "srqn", IBA_H_xrceth, IBC_A_srqn}, {"eecn", "eecnxt", IBA_H_rdeth, IBC_A_qpn},
    {"sport", "srcport", IBA_H_udp, N},        {"dport", "dstport", IBA_H_udp, N},
};
#undef N
/* clang-format on */
const size_t ibc_field_name_count = sizeof ibc_field_names / sizeof *ibc_field_names;

static const char infiniband[] = "infiniband.";

/* Returns a header's prefix as scenario files write it. */
static const char *prefix(const struct iba_hdr_info *h)
{
    const size_t n = sizeof infiniband - 1;

    return strncmp(h->prefix, infiniband, n) == 0 ? h->prefix + n : h->prefix; /* flow control: "infiniband_link" */
}

static const struct iba_field *whole_find(const char *name, enum iba_hdr *hdr)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++) {
        const char *p = prefix(&iba_headers[h]);
        const size_t n = strlen(p);
        const struct iba_field *f;

        if (*p != *name || strncmp(p, name, n) != 0 || name[n] != '.')
            continue;
        f = iba_field_find((enum iba_hdr)h, name + n + 1);
        if (f != NULL) {
            *hdr = (enum iba_hdr)h;
            return f;
        }
    }
    return NULL;
}

/* Whether a line may name fields of the header. Headers before the BTH are always allowed. */
static bool there(enum iba_hdr h, uint64_t hdrs)
{
    return h < IBA_H_bth || (hdrs >> h & 1) != 0;
}

enum ibc_field_found ibc_field_find(const char *name, uint64_t hdrs, enum iba_hdr *hdr, const struct iba_field **field,
                                    uint8_t *attr)
{
    enum ibc_field_found found = IBC_FIELD_UNKNOWN;

    *attr = IBC_A_ITSELF;
    for (const struct ibc_field_name *f = ibc_field_names; f < ibc_field_names + ibc_field_name_count; f++) {
        if (strcmp(f->name, name) != 0)
            continue;
        *hdr = (enum iba_hdr)f->hdr;
        *attr = f->attr;
        *field = iba_field_find(*hdr, f->row);
        if (there(*hdr, hdrs))
            return IBC_FIELD_FOUND;
        found = IBC_FIELD_ABSENT;
    }
    if (found == IBC_FIELD_ABSENT || (*field = whole_find(name, hdr)) == NULL)
        return found;
    for (const struct ibc_field_name *f = ibc_field_names; f < ibc_field_names + ibc_field_name_count; f++)
        if (f->hdr == *hdr && strcmp(f->row, (*field)->name) == 0)
            *attr = f->attr;
    return there(*hdr, hdrs) ? IBC_FIELD_FOUND : IBC_FIELD_ABSENT;
}

size_t ibc_field_count(void)
{
    size_t n = 0;

    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        n += iba_headers[h].n_field;
    return n;
}

const char *ibc_field_whole(size_t i, const void *unused)
{
    static _Thread_local char name[96];
    unsigned h = 0;

    (void)unused;
    while (i >= iba_headers[h].n_field)
        i -= iba_headers[h++].n_field;
    if (iba_headers[h].field[i].name[0] == '=')
        return "";
    snprintf(name, sizeof name, "%s.%s", prefix(&iba_headers[h]), iba_headers[h].field[i].name);
    return name;
}

/* ---- opcodes ---- */
static bool svc_of(uint8_t type, enum iba_svc *svc)
{
    static const int8_t of[IBA_QPT_COUNT] = {
        [IBA_QPT_RC] = IBA_RC,       [IBA_QPT_UC] = IBA_UC,  [IBA_QPT_UD] = IBA_UD,        [IBA_QPT_RAW_IPV6] = -1,
        [IBA_QPT_SMI] = IBA_UD,      [IBA_QPT_GSI] = IBA_UD, [IBA_QPT_RAW_ETHERTYPE] = -1, [IBA_QPT_XRC_INI] = IBA_XRC,
        [IBA_QPT_XRC_TGT] = IBA_XRC, [IBA_QPT_RD] = IBA_RD,  [IBA_QPT_EE] = IBA_RD};

    *svc = (enum iba_svc)of[type];
    return of[type] >= 0;
}

bool ibc_type_is_raw(uint8_t type)
{
    enum iba_svc svc;

    return !svc_of(type, &svc);
}

/* Returns the opcode whose name consists of the service's name and `name`. */
static uint16_t in_service(enum iba_svc svc, const char *name)
{
    const size_t skip = strlen(iba_svc_name(svc)) + 1;

    for (unsigned code = (unsigned)svc << 5; code < ((unsigned)svc + 1) << 5; code++)
        if (iba_opcodes[code].name != NULL && strcmp(iba_opcodes[code].name + skip, name) == 0)
            return (uint16_t)code;
    return IBC_NO_OP;
}

uint16_t ibc_opcode_find(const char *name, uint8_t type)
{
    enum iba_svc svc;
    uint16_t op = IBC_NO_OP;

    if (strcmp(name, "ANY") == 0)
        return IBC_ANY_OPCODE;
    if (strcmp(name, "RAW") == 0)
        return IBC_RAW_OPCODE;
    if (svc_of(type, &svc))
        op = in_service(svc, name);
    for (unsigned s = IBA_RC; op == IBC_NO_OP && s < IBA_MSP0; s++) {
        const char *p = iba_svc_name((enum iba_svc)s);
        const size_t n = strlen(p);

        if (strncmp(p, name, n) == 0 && name[n] == '_')
            op = in_service((enum iba_svc)s, name + n + 1);
    }
    return op;
}

bool ibc_opcode_exists(const char *name)
{
    for (unsigned s = IBA_RC; s < IBA_MSP0; s++)
        if (in_service((enum iba_svc)s, name) != IBC_NO_OP)
            return true;
    return false;
}

const char *ibc_opcode_name(size_t i, const void *unused)
{
    const struct iba_opcode *o = &iba_opcodes[i % 256];

    (void)unused;
    if (o->name == NULL)
        return "";
    return i < 256 ? o->name + strlen(iba_svc_name((enum iba_svc)o->svc)) + 1 : o->name;
}

uint64_t ibc_opcode_hdrs(uint16_t op)
{
    if (op == IBC_ANY_OPCODE)
        return UINT64_MAX;
    if (op > UINT8_MAX)
        return 0;
    return iba_opcodes[op].hdrs | IBA_HDR_BIT(IBA_H_bth);
}

/* ---- words of values ---- */
static bool same_word(const char *name, const char *word)
{
    while (*name != '\0') {
        if (isalnum((unsigned char)*name)) {
            if (tolower((unsigned char)*name++) != *word++)
                return false;
            continue;
        }
        while (*name != '\0' && !isalnum((unsigned char)*name))
            name++;
        if (*name != '\0' && *word++ != '_')
            return false;
    }
    return *word == '\0';
}

const struct iba_value *ibc_value_find(enum iba_vocabulary w, const char *word)
{
    size_t n;
    const struct iba_value *v = iba_values(w, &n);

    for (size_t i = 0; i < n; i++)
        if (same_word(v[i].name, word))
            return &v[i];
    return NULL;
}

const char *ibc_value_word(size_t i, const void *vocabulary)
{
    static _Thread_local char word[64];
    size_t n, k = 0;
    const struct iba_value *v = iba_values(*(const enum iba_vocabulary *)vocabulary, &n);

    for (const char *c = v[i].name; *c != '\0' && k + 1 < sizeof word; c++) {
        if (isalnum((unsigned char)*c))
            word[k++] = (char)tolower((unsigned char)*c);
        else if (k > 0 && word[k - 1] != '_')
            word[k++] = '_';
    }
    while (k > 0 && word[k - 1] == '_')
        k--;
    word[k] = '\0';
    return word;
}

/* WF-47: the kind is in bits 6 and 5 of the syndrome, and the bit above is reserved */
static const struct ibc_kind_word syndromes[] = {
    {"ack", IBA_AETH_ACK << 5, 0xe0, IBA_CREDIT_NO_LIMIT, IBA_VALUES_NONE},
    {"rnr", IBA_AETH_RNR << 5, 0xe0, 12, IBA_VALUES_NONE},
    {"nak", IBA_AETH_NAK << 5, 0xe0, IBA_NAK_SEQUENCE, IBA_VALUES_NAK},
};

const struct ibc_kind_word *ibc_kind_words(enum iba_hdr hdr, const struct iba_field *f, size_t *n)
{
    *n = sizeof syndromes / sizeof *syndromes;
    return hdr == IBA_H_aeth && strcmp(f->name, "syndrome") == 0 ? syndromes : NULL;
}
