/* SPDX-License-Identifier: BSD-2-Clause */
#include "sm_spoil.h"
#include <string.h>
#include "fabric/iba_node.h"
#include "sm_spoil_rows.h"

enum { SET = 2, DATA_AT = 64, RESPONSE = 0x80, TRAP_REPRESS = 7 };
enum { SWITCHINFO = 0x12, PORTINFO = 0x15, PKEYS = 0x16, LFT = 0x19, MFT = 0x1b };

/* ---- PortInfo ---- */

static void one_lid(uint8_t *mad)
{
    if (iba_portinfo_lid(mad + DATA_AT) != 0)
        iba_portinfo_set_lid(mad + DATA_AT, 1);
}

static void never_armed(uint8_t *mad)
{
    if (iba_portinfo_portstate(mad + DATA_AT) == IBA_PORT_ARMED)
        iba_portinfo_set_portstate(mad + DATA_AT, IBA_PORT_NOP);
}

static void never_active(uint8_t *mad)
{
    if (iba_portinfo_portstate(mad + DATA_AT) == IBA_PORT_ACTIVE)
        iba_portinfo_set_portstate(mad + DATA_AT, IBA_PORT_NOP);
}

/* ---- tables ---- */

static void half_routes(uint8_t *mad)
{
    enum { KEPT = 3 };

    memset(mad + DATA_AT + KEPT, IBA_NO_PORT, IBA_LFT_BLOCK - KEPT);
}

#define SPOIL(name_, method_, attribute_, change_, sentence_) {#name_, sentence_, method_, attribute_, change_},
const struct sm_spoil sm_spoils[] = {SM_SPOILS(SPOIL)};
const size_t sm_spoil_count = sizeof sm_spoils / sizeof *sm_spoils;

const struct sm_spoil *sm_spoil_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sm_spoil_count; i++)
        if (strncmp(sm_spoils[i].name, name, len) == 0 && sm_spoils[i].name[len] == '\0')
            return &sm_spoils[i];
    return NULL;
}

bool sm_spoil_apply(void *ctx, uint8_t *mad)
{
    enum { DIRECTION_AT = 4, DIRECTION = 0x80 };
    const struct sm_spoil *s = ctx;

    if (!s || iba_madhdr_method(mad) != s->method || iba_madhdr_attributeid(mad) != s->attribute)
        return true;
    if (s->change) {
        s->change(mad);
        return true;
    }
    if (s->method == TRAP_REPRESS)
        return false;
    iba_madhdr_set_method(mad, SET - 1 + RESPONSE); /* GetResp */
    if (iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED)
        mad[DIRECTION_AT] |= DIRECTION;
    return false;
}
