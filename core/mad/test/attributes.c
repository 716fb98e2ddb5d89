/* SPDX-License-Identifier: BSD-2-Clause */
/* Number, name and parts of every attribute against headers that we did not write: numbers, offsets and counts of
 * OpenSM's ib_types.h, names of libibumad (umad_attribute_str), numbers of messages of umad_cm.h. The parts are those
 * that iba_mad_parse() finds in a datagram of zeros. */
#include <infiniband/iba/ib_types.h>
#include <infiniband/umad_cm.h>
#include <infiniband/umad_str.h>
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

enum { SMP = 0x01, SA = 0x03, PM = 0x04, BM = 0x05, DM = 0x06, CM = 0x07, CC = 0x21, DIRECTED = 0x81, PARTS = 3 };

/* Returns where the attributes of a class begin in a datagram. */
static size_t data_at(uint8_t mgmt_class)
{
    switch (mgmt_class) {
    case SMP:
    case DIRECTED: return offsetof(ib_smp_t, data);
    case SA: return offsetof(ib_sa_mad_t, data);
    case CM: return sizeof(ib_mad_t);
    case CC: return offsetof(ib_cc_mad_t, log_data);
    default: return offsetof(ib_dm_mad_t, data);
    }
}

struct wanted {
    uint8_t mgmt_class;
    ib_net16_t id;
    const char *name; /* NULL: the name that libibumad has */
    struct {
        uint8_t layout;
        size_t at, n;
    } part[PARTS];
};
#define WHOLE(layout)                                                                                                  \
    {                                                                                                                  \
        {                                                                                                              \
            IBA_M_##layout, 0, 1                                                                                       \
        }                                                                                                              \
    }
/* Identifier and contents of a record of subnet administration. The offset of each member is the one in OpenSM's
 * structure. */
#define RECORD(type, id, layout, member, n)                                                                            \
    {                                                                                                                  \
        {IBA_M_##id, 0, 1},                                                                                            \
        {                                                                                                              \
            IBA_M_##layout, offsetof(type, member), n                                                                  \
        }                                                                                                              \
    }
#define BYTES_IN(type, member) sizeof(((type *)0)->member)
#define NOTICE(at)                                                                                                     \
    {                                                                                                                  \
        {IBA_M_notice, at, 1}, {IBA_M_notice_data, (at) + offsetof(ib_mad_notice_attr_t, data_details), 1},            \
        {                                                                                                              \
            IBA_M_notice_issuer, (at) + offsetof(ib_mad_notice_attr_t, issuer_gid), 1                                  \
        }                                                                                                              \
    }
#define SETTINGS (offsetof(ib_cc_mad_t, mgt_data) - offsetof(ib_cc_mad_t, log_data))
#define MESSAGE(name, layout)                                                                                          \
    {                                                                                                                  \
        CM, CL_HTON16(UMAD_CM_ATTR_##name), #name, WHOLE(layout)                                                       \
    }

static const struct wanted every[] = {
    {SMP, IB_MAD_ATTR_NOTICE, NULL, {{IBA_M_notice, 0, 1}, {IBA_M_notice_data, 10, 1}}},
    {SMP, IB_MAD_ATTR_NODE_DESC, NULL, WHOLE(nodedescription)},
    {SMP, IB_MAD_ATTR_NODE_INFO, NULL, WHOLE(nodeinfo)},
    {SMP, IB_MAD_ATTR_SWITCH_INFO, NULL, WHOLE(switchinfo)},
    {SMP, IB_MAD_ATTR_GUID_INFO, NULL, {{IBA_M_guidinfo, 0, GUID_TABLE_MAX_ENTRIES}}},
    {SMP, IB_MAD_ATTR_PORT_INFO, NULL, WHOLE(portinfo)},
    {SMP,
     IB_MAD_ATTR_P_KEY_TABLE,
     NULL,
     {{IBA_M_p_keyblock, 0, 1}, {IBA_M_p_keytable, 0, IB_NUM_PKEY_ELEMENTS_IN_BLOCK}}},
    {SMP, IB_MAD_ATTR_SLVL_TABLE, NULL, {{IBA_M_sltovl, 0, sizeof(ib_slvl_table_t)}}},
    {SMP, IB_MAD_ATTR_VL_ARBITRATION, NULL, {{IBA_M_vlarbitration, 0, IB_NUM_VL_ARB_ELEMENTS_IN_BLOCK}}},
    {SMP, IB_MAD_ATTR_LIN_FWD_TBL, NULL, {{IBA_M_lft, 0, IB_SMP_DATA_SIZE}}},
    {SMP, IB_MAD_ATTR_RND_FWD_TBL, NULL, {{IBA_M_rft, 0, IB_SMP_DATA_SIZE / 4}}}, /* LID, LMC and port: 4 bytes */
    {SMP, IB_MAD_ATTR_MCAST_FWD_TBL, NULL, {{IBA_M_mft, 0, IB_MCAST_BLOCK_SIZE}}},
    {SMP, CL_HTON16(0x1c), NULL, WHOLE(speedwidth)},
    {SMP, CL_HTON16(0x1d), NULL, WHOLE(vendormads)},
    {SMP, CL_HTON16(0x1e), NULL, WHOLE(hierarchyinfo)},
    {SMP, IB_MAD_ATTR_SM_INFO, NULL, WHOLE(sminfo)},
    {SMP, IB_MAD_ATTR_VENDOR_DIAG, NULL, WHOLE(vendordiag)},
    {SMP, IB_MAD_ATTR_LED_INFO, NULL, WHOLE(ledinfo)},
    {SMP, CL_HTON16(0x32), NULL, WHOLE(cableinfo)},
    {SMP, CL_HTON16(0x33), NULL, WHOLE(portinfoext)},
    {SMP, IB_MAD_ATTR_MLNX_EXTENDED_PORT_INFO, "MlnxExtPortInfo", WHOLE(mlnxportinfo)},
    {SA, IB_MAD_ATTR_CLASS_PORT_INFO, NULL, WHOLE(classportinfo)},
    {SA, IB_MAD_ATTR_NOTICE, NULL, NOTICE(0)},
    {SA, IB_MAD_ATTR_INFORM_INFO, NULL, WHOLE(informinfo)},
    {SA,
     IB_MAD_ATTR_NODE_RECORD,
     NULL,
     {{IBA_M_rid_lid, 0, 1},
      {IBA_M_nodeinfo, offsetof(ib_node_record_t, node_info), 1},
      {IBA_M_nodedescription, offsetof(ib_node_record_t, node_desc), 1}}},
    {SA, IB_MAD_ATTR_PORTINFO_RECORD, NULL, RECORD(ib_portinfo_record_t, rid_port, portinfo, port_info, 1)},
    {SA, IB_MAD_ATTR_SLVL_RECORD, NULL,
     RECORD(ib_slvl_table_record_t, rid_sltovl, sltovl, slvl_tbl, BYTES_IN(ib_slvl_table_record_t, slvl_tbl))},
    {SA, IB_MAD_ATTR_SWITCH_INFO_RECORD, NULL, RECORD(ib_switch_info_record_t, rid_lid, switchinfo, switch_info, 1)},
    {SA, IB_MAD_ATTR_LFT_RECORD, NULL, RECORD(ib_lft_record_t, rid_lft, lft, lft, BYTES_IN(ib_lft_record_t, lft))},
    {SA, CL_HTON16(0x16), NULL, RECORD(ib_lft_record_t, rid_lft, rft, lft, BYTES_IN(ib_lft_record_t, lft) / 4)},
    {SA, IB_MAD_ATTR_MFT_RECORD, NULL, RECORD(ib_mft_record_t, rid_mft, mft, mft, IB_MCAST_BLOCK_SIZE)},
    {SA, IB_MAD_ATTR_SMINFO_RECORD, NULL, RECORD(ib_sminfo_record_t, rid_lid, sminfo, sm_info, 1)},
    {SA, CL_HTON16(0x19), NULL, {{IBA_M_rid_lid, 0, 1}, {IBA_M_speedwidth, 4, 1}}},
    {SA, IB_MAD_ATTR_LINK_RECORD, NULL, WHOLE(linkrecord)},
    {SA, IB_MAD_ATTR_GUIDINFO_RECORD, NULL,
     RECORD(ib_guidinfo_record_t, rid_guid, guidinfo, guid_info, GUID_TABLE_MAX_ENTRIES)},
    {SA, IB_MAD_ATTR_SERVICE_RECORD, NULL, WHOLE(servicerecord)},
    {SA,
     IB_MAD_ATTR_PKEY_TBL_RECORD,
     NULL,
     {{IBA_M_rid_pkey, 0, 1},
      {IBA_M_p_keyblock, offsetof(ib_pkey_table_record_t, pkey_tbl), 1},
      {IBA_M_p_keytable, offsetof(ib_pkey_table_record_t, pkey_tbl), IB_NUM_PKEY_ELEMENTS_IN_BLOCK}}},
    {SA, IB_MAD_ATTR_PATH_RECORD, NULL, WHOLE(pathrecord)},
    {SA, IB_MAD_ATTR_VLARB_RECORD, NULL,
     RECORD(ib_vl_arb_table_record_t, rid_vlarb, vlarbitration, vl_arb_tbl, IB_NUM_VL_ARB_ELEMENTS_IN_BLOCK)},
    {SA, IB_MAD_ATTR_MCMEMBER_RECORD, NULL, WHOLE(mcmemberrecord)},
    {SA, IB_MAD_ATTR_TRACE_RECORD, NULL, WHOLE(tracerecord)},
    {SA, IB_MAD_ATTR_MULTIPATH_RECORD, NULL, WHOLE(multipathrecord)},
    {SA, IB_MAD_ATTR_SVC_ASSOCIATION_RECORD, NULL, WHOLE(serviceassociation)},
    {SA, IB_MAD_ATTR_INFORM_INFO_RECORD, NULL,
     RECORD(ib_inform_info_record_t, informrecord, informinfo, inform_info, 1)},
    {PM, IB_MAD_ATTR_CLASS_PORT_INFO, NULL, WHOLE(classportinfo)},
    {PM, IB_MAD_ATTR_NOTICE, NULL, NOTICE(0)},
    {PM, IB_MAD_ATTR_PORT_SMPL_CTRL, "PortSamplesControl", WHOLE(pm_samples_control)},
    {PM,
     IB_MAD_ATTR_PORT_SMPL_RSLT,
     "PortSamplesResult",
     {{IBA_M_pm_samples_result, 0, 1}, {IBA_M_pm_sample, 4, 15}}}, /* 15 counters: MD-103; test/libibmad.c */
    {PM, IB_MAD_ATTR_PORT_CNTRS, "PortCounters", WHOLE(portcounters)},
    {PM, IB_MAD_ATTR_PORT_CNTRS_EXT, "PortCountersExtended", WHOLE(portcounters_ext)},
    {DM, IB_MAD_ATTR_CLASS_PORT_INFO, NULL, WHOLE(classportinfo)},
    {DM, IB_MAD_ATTR_NOTICE, NULL, NOTICE(0)},
    {DM, IB_MAD_ATTR_IO_UNIT_INFO, "IOUnitInfo", WHOLE(dm_unit)},
    {DM, IB_MAD_ATTR_IO_CONTROLLER_PROFILE, "IOControllerProfile", WHOLE(dm_profile)},
    {DM, IB_MAD_ATTR_SERVICE_ENTRIES, "ServiceEntries", {{IBA_M_dm_entry, 0, SVC_ENTRY_COUNT}}},
    {CM, IB_MAD_ATTR_CLASS_PORT_INFO, NULL, WHOLE(classportinfo)},
    {CM,
     CL_HTON16(UMAD_CM_ATTR_REQ),
     "REQ",
     {{IBA_M_cm_req, 0, 1}, {IBA_M_cm_req_private, 140, 1}}}, /* MD-55: 92 bytes of private data end the datagram */
    MESSAGE(MRA, cm_mra),
    MESSAGE(REJ, cm_rej),
    MESSAGE(REP, cm_rep),
    MESSAGE(RTU, cm_rtu),
    MESSAGE(DREQ, cm_dreq),
    MESSAGE(DREP, cm_drep),
    {CM, CL_HTON16(UMAD_CM_ATTR_SIDR_REQ), "SIDR_REQ", {{IBA_M_cm_sidr_req, 0, 1}, {IBA_M_cm_sidr_private, 16, 1}}},
    MESSAGE(SIDR_REP, cm_sidr_rep),
    MESSAGE(LAP, cm_lap),
    MESSAGE(APR, cm_apr),
    MESSAGE(SAP, cm_sap),
    MESSAGE(SPR, cm_spr),
    {CC, IB_MAD_ATTR_CLASS_PORT_INFO, NULL, {{IBA_M_classportinfo, SETTINGS, 1}}},
    {CC, IB_MAD_ATTR_NOTICE, NULL, NOTICE(SETTINGS)},
    {CC, IB_MAD_ATTR_CONG_INFO, "CongestionInfo", {{IBA_M_cc_info, SETTINGS, 1}}},
    {CC, IB_MAD_ATTR_CONG_KEY_INFO, "CongestionKeyInfo", {{IBA_M_cc_key_info, SETTINGS, 1}}},
    {CC, IB_MAD_ATTR_CONG_LOG, "CongestionLog", WHOLE(cc_log)},
    {CC, IB_MAD_ATTR_SW_CONG_SETTING, "SwitchCongestionSetting", {{IBA_M_cc_switch, SETTINGS, 1}}},
    {CC,
     IB_MAD_ATTR_SW_PORT_CONG_SETTING,
     "SwitchPortCongestionSetting",
     {{IBA_M_cc_switch_port, SETTINGS,
       BYTES_IN(ib_sw_port_cong_setting_t, block) / sizeof(ib_sw_port_cong_setting_element_t)}}},
    {CC,
     IB_MAD_ATTR_CA_CONG_SETTING,
     "CACongestionSetting",
     {{IBA_M_cc_ca, SETTINGS, 1},
      {IBA_M_cc_ca_entry, SETTINGS + offsetof(ib_ca_cong_setting_t, entry_list), IB_CA_CONG_ENTRY_DATA_SIZE}}},
    {CC,
     IB_MAD_ATTR_CC_TBL,
     "CongestionControlTable",
     {{IBA_M_cc_table, SETTINGS, 1},
      {IBA_M_cc_table_entry, SETTINGS + offsetof(ib_cc_tbl_t, entry_list), IB_CC_TBL_ENTRY_LIST_MAX}}},
    {CC, IB_MAD_ATTR_TIME_STAMP, "TimeStamp", {{IBA_M_cc_timestamp, SETTINGS, 1}}},
    {BM, IB_MAD_ATTR_CLASS_PORT_INFO, "ClassPortInfo", WHOLE(classportinfo)},
    {BM, IB_MAD_ATTR_NOTICE, "Notice", NOTICE(0)},
};

/* Returns whether the names are equal without blanks: "Class Port Info" is ClassPortInfo. */
static bool same_name(const char *ours, const char *theirs)
{
    for (;; theirs++) {
        if (*theirs == ' ')
            continue;
        if (*ours != *theirs)
            return false;
        if (!*ours++)
            return true;
    }
}

static void parse(struct iba_mad *m, uint8_t mgmt_class, uint16_t id)
{
    static uint8_t w[IBA_MAD_BYTES];

    memset(w, 0, sizeof w);
    iba_madhdr_set_mgmtclass(w, mgmt_class);
    iba_madhdr_set_attributeid(w, id);
    cr_assert(iba_mad_parse(m, w, sizeof w, sizeof w));
}

/* Returns the index of the attribute's first part. The parts of a record are marked as such; those of other attributes
 * follow the parts that a datagram with an unknown attribute has. */
static unsigned first_of_attribute(const struct iba_mad *m, uint8_t mgmt_class)
{
    struct iba_mad unknown;
    unsigned i = 0;

    parse(&unknown, mgmt_class, 0xfffe);
    cr_assert_null(unknown.attr);
    while (i < m->n_part && i + 1 < unknown.n_part && m->part[i].layout == unknown.part[i].layout)
        i++;
    return i;
}

static void check(const struct wanted *e, uint8_t mgmt_class)
{
    struct iba_mad m;
    unsigned first, n = 0;

    parse(&m, mgmt_class, cl_ntoh16(e->id));
    cr_assert_not_null(m.attr, "class %02x has no attribute %04x", mgmt_class, cl_ntoh16(e->id));
    cr_expect(same_name(m.attr->name, e->name ? e->name : umad_attribute_str(mgmt_class, e->id)),
              "class %02x, attribute %04x is %s", mgmt_class, cl_ntoh16(e->id), m.attr->name);
    first = first_of_attribute(&m, mgmt_class);
    for (; n < PARTS && e->part[n].n > 0; n++) {
        const struct iba_mad_part *p = &m.part[first + n];
        cr_assert_lt(first + n, m.n_part, "%s lacks part %u", m.attr->name, n);
        cr_expect(p->layout == e->part[n].layout && p->at == data_at(mgmt_class) + e->part[n].at &&
                      p->n == e->part[n].n && p->stride == iba_mad_layouts[p->layout].bytes,
                  "%s: part %u is %u times %s at %u", m.attr->name, n, p->n, iba_mad_layouts[p->layout].name, p->at);
        cr_expect_eq(p->record, mgmt_class == SA, "%s: part %u is of record %u", m.attr->name, n, p->record);
    }
    cr_expect_eq(first + n, m.n_part, "%s has %u parts more", m.attr->name, m.n_part - first - n);
    cr_expect_eq(m.n_record, mgmt_class == SA);
}

Test(attributes, number_name_and_parts_are_those_of_other_headers)
{
    for (size_t i = 0; i < COUNT(every); i++) {
        check(&every[i], every[i].mgmt_class);
        if (every[i].mgmt_class == SMP)
            check(&every[i], DIRECTED);
    }
}

/* Management classes, in the order of enum iba_mad_group. */
static const uint8_t class_of_group[] = {SMP, SA, PM, DM, CM, CC, BM};

/* The other attributes of performance management are compared in libibmad.c. Three have no second source on this
 * machine: CableInfo as a vendor attribute (0xff60), PortSamplesResultExtended, and BKeyInfo. */
Test(attributes, all_are_compared)
{
    enum { ELSEWHERE = 18 + 2 };
    unsigned elsewhere = 0;

    for (size_t k = 0; k < iba_mad_attr_count; k++) {
        const struct iba_mad_attr *a = &iba_mad_attrs[k];
        bool found = false;
        for (size_t i = 0; i < COUNT(every); i++)
            found |= every[i].mgmt_class == class_of_group[a->group] && cl_ntoh16(every[i].id) == a->id;
        cr_expect(found || a->group == IBA_GROUP_PM || a->group == IBA_GROUP_BM || a->id == 0xff60,
                  "attribute %s (0x%04x) is not in core/mad/test/attributes.c", a->name, a->id);
        elsewhere += !found;
    }
    cr_assert_eq(elsewhere, ELSEWHERE, "core/mad/test/attributes.c: %u attributes have no row, and %u should have none",
                 elsewhere, ELSEWHERE);
    cr_assert_eq(iba_mad_attr_count, COUNT(every) + elsewhere);
}

Test(attributes, other_classes_have_none)
{
    static const uint8_t classes[] = {0x00, 0x02, 0x08, 0x20, 0x22, 0x2f, 0x30, 0x4f, 0x50, 0x80, 0x82, 0xff};
    struct iba_mad m;

    for (size_t c = 0; c < COUNT(classes); c++)
        for (size_t i = 0; i < iba_mad_attr_count; i++) {
            parse(&m, classes[c], iba_mad_attrs[i].id);
            cr_expect_null(m.attr, "class %02x has attribute %s", classes[c], iba_mad_attrs[i].name);
        }
}
