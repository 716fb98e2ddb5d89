/* SPDX-License-Identifier: BSD-2-Clause */
#include "sm_spoil.h"
#include <string.h>
#include "fabric/iba_node.h"
#include "sm_spoil_rows.h"

enum { SMP = IBA_CLASS_SMP, SA = IBA_CLASS_SA };
enum { GET = IBA_METHOD_GET, SET = IBA_METHOD_SET, REPRESS = IBA_METHOD_TRAP_REPRESS };
enum { GET_RESP = IBA_METHOD_GET_RESP, DEL_RESP = IBA_METHOD_DELETE_RESP };
enum { NOTICE = 0x02, PORTINFO = 0x15, PKEYS = 0x16, LFT = 0x19, MFT = 0x1b, SMINFO = 0x20 };
enum { PATH = 0x35, MCMEMBER = 0x38, ANY = SM_ANY };
enum { DATA_AT = 64, SA_AT = 56, SMKEY_AT = 36, STATUS_AT = 4, NOBODY = 0x1234 };

/* ---- PortInfo ---- */

static void one_lid(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    if (iba_portinfo_lid(mad + DATA_AT) != 0)
        iba_portinfo_set_lid(mad + DATA_AT, 1);
}

static void no_lmc(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_portinfo_set_lmc(mad + DATA_AT, 0);
}

static void never(uint8_t *mad, unsigned state)
{
    if (iba_portinfo_portstate(mad + DATA_AT) == state)
        iba_portinfo_set_portstate(mad + DATA_AT, IBA_PORT_NOP);
}

static void never_armed(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    never(mad, IBA_PORT_ARMED);
}

static void never_active(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    never(mad, IBA_PORT_ACTIVE);
}

static void other_master(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_portinfo_set_mastersmlid(mad + DATA_AT, NOBODY);
}

/* Only a Set to a switch names a port in its modifier. */
static void small_mtu(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    if (iba_portinfo_lid(mad + DATA_AT) == 0)
        iba_portinfo_set_neighbormtu(mad + DATA_AT, IBA_MTU_256);
}

static void one_lane(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_portinfo_set_operationalvls(mad + DATA_AT, 1);
}

static void no_mkey(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_portinfo_set_m_key(mad + DATA_AT, 0);
}

static void no_lease(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_portinfo_set_m_keyleaseperiod(mad + DATA_AT, 0);
}

static void no_protection(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_portinfo_set_m_keyprotectbits(mad + DATA_AT, 0);
}

/* ---- tables ---- */

static void half_routes(struct sm_spoiling *s, uint8_t *mad)
{
    enum { KEPT = 3 };

    (void)s;
    memset(mad + DATA_AT + KEPT, IBA_NO_PORT, IBA_LFT_BLOCK - KEPT);
}

static void turned_routes(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    memset(mad + DATA_AT, 1, IBA_LFT_BLOCK);
}

static void all_full(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    for (unsigned i = 0; i < SM_DATA; i += 2)
        if (mad[DATA_AT + i] || mad[DATA_AT + i + 1])
            mad[DATA_AT + i] |= 0x80;
}

/* One multicast table is remembered, which is enough for a subnet with one switch. */
static void keeps_members(struct sm_spoiling *s, uint8_t *mad)
{
    for (unsigned i = 0; i < SM_DATA; i++)
        mad[DATA_AT + i] = s->kept[i] |= mad[DATA_AT + i];
}

/* ---- managers among each other ---- */

static void no_state(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_sminfo_set_smstate(mad + DATA_AT, 0);
}

static void no_priority(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_sminfo_set_priority(mad + DATA_AT, 0);
}

/* ---- subnet administration ---- */

static void other_path(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_pathrecord_set_dlid(mad + SA_AT, NOBODY);
}

static void all_well(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    mad[STATUS_AT] = mad[STATUS_AT + 1] = 0;
}

static void own_signature(struct sm_spoiling *s, uint8_t *mad)
{
    enum { SIGNATURE_AT = 2 };

    (void)s;
    mad[SA_AT + SIGNATURE_AT] ^= 0x50; /* 0xa01b becomes 0xf01b */
}

static void unicast_group(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    iba_mcmemberrecord_set_mlid(mad + SA_AT, NOBODY);
}

static void any_key(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    memset(mad + SMKEY_AT, 0, sizeof(uint64_t));
}

static void shows_key(struct sm_spoiling *s, uint8_t *mad)
{
    (void)s;
    mad[SMKEY_AT + sizeof(uint64_t) - 1] = 1;
}

#define SPOIL(name_, class_, method_, attribute_, when_, change_, sentence_)                                           \
    {#name_, sentence_, class_, method_, attribute_, SM_##when_, change_},
const struct sm_spoil sm_spoils[] = {SM_SPOILS(SPOIL)};
const size_t sm_spoil_count = sizeof sm_spoils / sizeof *sm_spoils;

const struct sm_spoil *sm_spoil_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sm_spoil_count; i++)
        if (strncmp(sm_spoils[i].name, name, len) == 0 && sm_spoils[i].name[len] == '\0')
            return &sm_spoils[i];
    return NULL;
}

void sm_spoil_begin(struct sm_spoiling *s)
{
    *s = (struct sm_spoiling){.row = s->row};
}

static bool is_meant(const struct sm_spoiling *s, bool from_client, const uint8_t *mad)
{
    const struct sm_spoil *r = s->row;
    const unsigned mgmtclass = iba_madhdr_mgmtclass(mad);

    return r && (mgmtclass == IBA_CLASS_DIRECTED ? SMP : mgmtclass) == r->mgmtclass &&
           from_client == (r->when != SM_ARRIVES) && (r->when != SM_LATER || s->trapped) &&
           iba_madhdr_method(mad) == r->method &&
           (r->attribute == SM_ANY || iba_madhdr_attributeid(mad) == r->attribute);
}

bool sm_spoil_apply(void *spoiling, bool from_client, uint8_t *mad)
{
    enum { DIRECTION = 0x80 };
    struct sm_spoiling *s = spoiling;

    s->trapped |= from_client && iba_madhdr_method(mad) == REPRESS;
    if (!is_meant(s, from_client, mad))
        return true;
    if (s->row->change) {
        s->row->change(s, mad);
        return true;
    }
    if (s->row->method == SET) {
        iba_madhdr_set_method(mad, GET_RESP);
        if (iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED)
            mad[STATUS_AT] |= DIRECTION;
    }
    return false;
}
