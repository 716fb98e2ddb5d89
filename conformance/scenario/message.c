/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in messages of a connection manager: those of core's layouts, and a few short names. */
#include <string.h>
#include "field.h"

static const char *const names[IBC_MESSAGES] = {"REQ",      "MRA",      "REJ", "REP", "RTU", "DREQ", "DREP",
                                                "SIDR_REQ", "SIDR_REP", "LAP", "APR", "SAP", "SPR"};

uint16_t ibc_message_find(const char *name)
{
    for (unsigned i = 0; i < IBC_MESSAGES; i++)
        if (strcmp(names[i], name) == 0)
            return (uint16_t)(IBA_CM_ID_REQ + i);
    return 0;
}

const char *ibc_message_name(size_t i, const void *unused)
{
    (void)unused;
    return names[i];
}

/* The layouts of each message, and the byte after the header of the datagram where each begins. */
static const struct {
    uint8_t layout, at;
} parts[IBC_MESSAGES][3] = {
    /* NOLINTNEXTLINE(misc-redundant-expression) */
    [IBA_CM_ID_REQ -
     IBA_CM_ID_REQ] = {{IBA_M_cm_req, 0}, {IBA_M_cm_req_private, IBA_BYTES_cm_req}, {IBA_M_ip_cm, IBA_BYTES_cm_req}},
    [IBA_CM_ID_MRA - IBA_CM_ID_REQ] = {{IBA_M_cm_mra, 0}},
    [IBA_CM_ID_REJ - IBA_CM_ID_REQ] = {{IBA_M_cm_rej, 0}},
    [IBA_CM_ID_REP - IBA_CM_ID_REQ] = {{IBA_M_cm_rep, 0}},
    [IBA_CM_ID_RTU - IBA_CM_ID_REQ] = {{IBA_M_cm_rtu, 0}},
    [IBA_CM_ID_DREQ - IBA_CM_ID_REQ] = {{IBA_M_cm_dreq, 0}},
    [IBA_CM_ID_DREP - IBA_CM_ID_REQ] = {{IBA_M_cm_drep, 0}},
    [IBA_CM_ID_SIDR_REQ - IBA_CM_ID_REQ] = {{IBA_M_cm_sidr_req, 0}, {IBA_M_cm_sidr_private, IBA_BYTES_cm_sidr_req}},
    [IBA_CM_ID_SIDR_REP - IBA_CM_ID_REQ] = {{IBA_M_cm_sidr_rep, 0}},
    [IBA_CM_ID_LAP - IBA_CM_ID_REQ] = {{IBA_M_cm_lap, 0}},
    [IBA_CM_ID_APR - IBA_CM_ID_REQ] = {{IBA_M_cm_apr, 0}},
    [IBA_CM_ID_SAP - IBA_CM_ID_REQ] = {{IBA_M_cm_sap, 0}},
    [IBA_CM_ID_SPR - IBA_CM_ID_REQ] = {{IBA_M_cm_spr, 0}},
};

/* Short names of fields, and names of fields in the header of the datagram. */
static const struct {
    const char *name, *core;
} aliases[] = {{"sid", "serviceid"}, {"psn", "startpsn"}};
static const struct {
    const char *name;
    uint16_t at;
} header[] = {{"tid", IBA_AT_madhdr_transactionid}, {"version", IBA_AT_madhdr_classversion},
              {"method", IBA_AT_madhdr_method},     {"class", IBA_AT_madhdr_mgmtclass},
              {"base", IBA_AT_madhdr_baseversion},  {"attribute", IBA_AT_madhdr_attributeid}};

/* Whether the field has that name. Core's tables give two fields a complete name with '=', so they are named here:
 * the communication ID that begins a REQ or REP, and the QPN of a DREQ. */
static bool is_called(const struct iba_field *f, const char *name)
{
    const char *own = f->name;

    if (*own == '=')
        own = f->at == 0 ? "localcommid" : "remoteqpn";
    return strcmp(own, name) == 0;
}

static const struct iba_field *in_layout(const struct iba_hdr_info *l, const char *name)
{
    for (unsigned i = 0; i < l->n_field; i++)
        if (l->field[i].mem_size > 0 && is_called(&l->field[i], name))
            return &l->field[i];
    return NULL;
}

static const struct iba_field *in_header(const char *name)
{
    const struct iba_hdr_info *l = &iba_mad_layouts[IBA_M_madhdr];

    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        for (unsigned k = 0; k < l->n_field; k++)
            if (strcmp(header[i].name, name) == 0 && l->field[k].at == header[i].at && l->field[k].mem_size > 0)
                return &l->field[k];
    return NULL;
}

const struct iba_field *ibc_message_field(uint16_t message, const char *name, uint32_t *at)
{
    const struct iba_field *f = in_header(name);

    *at = 0;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, name) == 0)
            name = aliases[i].core;
    for (unsigned i = 0; f == NULL && i < 3; i++) {
        const uint8_t layout = parts[message - IBA_CM_ID_REQ][i].layout;
        if (layout == 0 && i > 0)
            break;
        f = in_layout(&iba_mad_layouts[layout], name);
        *at = IBA_BYTES_madhdr + (uint32_t)parts[message - IBA_CM_ID_REQ][i].at;
    }
    return f;
}
