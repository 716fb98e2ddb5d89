/* SPDX-License-Identifier: BSD-2-Clause */
/* The layouts against those of OpenSM: sizes and offsets of its structures, masks of components, numbers of attributes.
 * Nothing here was derived from our tables. */
#include <infiniband/iba/ib_types.h>
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

#define AT(h, field) (IBA_AT_##h##_##field)
#define SAME_SIZE(h, type) cr_assert_eq((size_t)IBA_BYTES_##h, sizeof(type), #h " has other bytes than " #type)
/* Checks that our field begins at the offset of OpenSM's member. */
#define SAME_PLACE(h, field, type, member)                                                                             \
    cr_assert_eq((size_t)AT(h, field), 8 * offsetof(type, member),                                                     \
                 #h "." #field " is not where " #type "." #member " is")

Test(opensm, sizes_of_attributes)
{
    SAME_SIZE(nodeinfo, ib_node_info_t);
    SAME_SIZE(portinfo, ib_port_info_t);
    SAME_SIZE(portinfoext, ib_port_info_ext_t);
    SAME_SIZE(mlnxportinfo, ib_mlnx_ext_port_info_t);
    SAME_SIZE(switchinfo, ib_switch_info_t);
    SAME_SIZE(sminfo, ib_sm_info_t);
    SAME_SIZE(classportinfo, ib_class_port_info_t);
    SAME_SIZE(pathrecord, ib_path_rec_t);
    SAME_SIZE(servicerecord, ib_service_record_t);
    SAME_SIZE(linkrecord, ib_link_record_t);
    SAME_SIZE(informinfo, ib_inform_info_t);
    SAME_SIZE(portcounters, ib_port_counters_t);
    SAME_SIZE(portcounters_ext, ib_port_counters_ext_t);
    SAME_SIZE(cc_switch, ib_sw_cong_setting_t);
    SAME_SIZE(cc_switch_port, ib_sw_port_cong_setting_element_t);
    SAME_SIZE(cc_ca_entry, ib_ca_cong_entry_t);
    SAME_SIZE(cc_event_switch, ib_cong_log_event_sw_t);
    SAME_SIZE(cc_event_ca, ib_cong_log_event_ca_t);
    SAME_SIZE(dm_profile, ib_ioc_profile_t);
    SAME_SIZE(dm_entry, ib_svc_entry_t);
    cr_assert_eq((size_t)IBA_BYTES_notice + IBA_BYTES_notice_data + IBA_BYTES_notice_issuer,
                 sizeof(ib_mad_notice_attr_t));
}

Test(opensm, places_in_headers)
{
    SAME_PLACE(madhdr, method, ib_mad_t, method);
    SAME_PLACE(madhdr, status_class, ib_mad_t, status);
    SAME_PLACE(madhdr, transactionid, ib_mad_t, trans_id);
    SAME_PLACE(madhdr, attributeid, ib_mad_t, attr_id);
    SAME_PLACE(madhdr, attributemodifier, ib_mad_t, attr_mod);
    cr_assert_eq(24 + AT(smp_route, mkey) / 8, offsetof(ib_smp_t, m_key));
    cr_assert_eq(24 + AT(smp_route, drslid) / 8, offsetof(ib_smp_t, dr_slid));
    cr_assert_eq(24 + AT(smp_route, drdlid) / 8, offsetof(ib_smp_t, dr_dlid));
    cr_assert_eq(64, offsetof(ib_smp_t, data));
    cr_assert_eq(128, offsetof(ib_smp_t, initial_path));
    cr_assert_eq(192, offsetof(ib_smp_t, return_path));
    cr_assert_eq(24 + AT(rmpp, rmpptype) / 8, offsetof(ib_sa_mad_t, rmpp_type));
    cr_assert_eq(24 + AT(rmpp, rmppstatus) / 8, offsetof(ib_sa_mad_t, rmpp_status));
    cr_assert_eq(24 + AT(rmpp, data1) / 8, offsetof(ib_sa_mad_t, seg_num));
    cr_assert_eq(24 + AT(rmpp, data2) / 8, offsetof(ib_sa_mad_t, paylen_newwin));
    cr_assert_eq(36 + AT(sa, smkey) / 8, offsetof(ib_sa_mad_t, sm_key));
    cr_assert_eq(36 + AT(sa, attributeoffset) / 8, offsetof(ib_sa_mad_t, attr_offset));
    cr_assert_eq(36 + AT(sa, componentmask) / 8, offsetof(ib_sa_mad_t, comp_mask));
    cr_assert_eq(56, offsetof(ib_sa_mad_t, data));
    cr_assert_eq(24, offsetof(ib_cc_mad_t, cc_key));
    cr_assert_eq(32, offsetof(ib_cc_mad_t, log_data));
    cr_assert_eq(64, offsetof(ib_cc_mad_t, mgt_data));
}

Test(opensm, places_in_subnet_management)
{
    SAME_PLACE(nodeinfo, portguid, ib_node_info_t, port_guid);
    SAME_PLACE(nodeinfo, localportnum, ib_node_info_t, port_num_vendor_id);
    SAME_PLACE(portinfo, cap_hierarchy, ib_port_info_t, capability_mask);
    SAME_PLACE(portinfo, linkspeedsupported, ib_port_info_t, state_info1);
    SAME_PLACE(portinfo, m_keyprotectbits, ib_port_info_t, mkey_lmc);
    SAME_PLACE(portinfo, vlstallcount, ib_port_info_t, vl_stall_life);
    SAME_PLACE(portinfo, clientreregister, ib_port_info_t, subnet_timeout);
    SAME_PLACE(portinfo, maxcredithint, ib_port_info_t, max_credit_hint);
    SAME_PLACE(portinfo, cap2_reserved, ib_port_info_t, capability_mask2);
    SAME_PLACE(portinfo, linkspeedextactive, ib_port_info_t, link_speed_ext);
    SAME_PLACE(portinfoext, hdrenabled, ib_port_info_ext_t, hdr_fec_mode_enable);
    SAME_PLACE(mlnxportinfo, linkspeedactive, ib_mlnx_ext_port_info_t, link_speed_active);
    SAME_PLACE(switchinfo, lifetimevalue, ib_switch_info_t, life_state);
    SAME_PLACE(switchinfo, inboundenforcementcap, ib_switch_info_t, flags);
    SAME_PLACE(switchinfo, multicastfdbtop, ib_switch_info_t, mcast_top);
    SAME_PLACE(sminfo, priority, ib_sm_info_t, pri_state);
    SAME_PLACE(notice, trap, ib_mad_notice_attr_t, g_or_v.generic.trap_num);
    SAME_PLACE(notice, issuerlid, ib_mad_notice_attr_t, issuer_lid);
    cr_assert_eq(IBA_BYTES_notice, offsetof(ib_mad_notice_attr_t, data_details));
    cr_assert_eq(64, offsetof(ib_mad_notice_attr_t, issuer_gid));
#define SAME_DETAIL(h, field, member)                                                                                  \
    cr_assert_eq((size_t)AT(h, field), 8 * (offsetof(ib_mad_notice_attr_t, data_details.member) - IBA_BYTES_notice),   \
                 #h "." #field)
    SAME_DETAIL(trap_gid, gidaddr, ntc_64_67.gid);
    SAME_DETAIL(trap_switch, lidaddr, ntc_128.sw_lid);
    SAME_DETAIL(trap_port, portno, ntc_129_131.port_num);
    SAME_DETAIL(trap_local, otherlocalchanges - 7, ntc_144.local_changes);
    SAME_DETAIL(trap_local, capabilitymask, ntc_144.new_cap_mask);
    SAME_DETAIL(trap_local, capabilitymask2, ntc_144.cap_mask2);
    SAME_DETAIL(trap_sysguid, systemimageguid, ntc_145.new_sys_guid);
    SAME_DETAIL(trap_mkey, attributemodifier, ntc_256.attr_mod);
    SAME_DETAIL(trap_mkey, drnotice, ntc_256.dr_trunc_hop);
    SAME_DETAIL(trap_mkey, returnpath, ntc_256.dr_rtn_path);
    SAME_DETAIL(trap_key, qp1 - 8, ntc_257_258.qp1);
    SAME_DETAIL(trap_key, gidaddr2, ntc_257_258.gid2);
    SAME_DETAIL(trap_switch_pkey, pkey, ntc_259.pkey);
    SAME_DETAIL(trap_switch_pkey, swlid, ntc_259.sw_lid);
    SAME_DETAIL(trap_switch_pkey, portno, ntc_259.port_no);
}

/* A one-bit field of ours, as a bit of the 16 or 32 bits that OpenSM has for it. */
#define BIT(h, field, bits) (UINT64_C(1) << ((bits)-1 - AT(h, field) % (bits)))

Test(opensm, bits_of_masks)
{
#define SAME_CAP(field, bit) cr_assert_eq(BIT(portinfo, field, 32), cl_ntoh32(bit), #field)
    SAME_CAP(cap_sm, IB_PORT_CAP_IS_SM);
    SAME_CAP(cap_trap, IB_PORT_CAP_HAS_TRAP);
    SAME_CAP(cap_migration, IB_PORT_CAP_HAS_AUTO_MIG);
    SAME_CAP(cap_sl_map, IB_PORT_CAP_HAS_SL_MAP);
    SAME_CAP(cap_led, IB_PORT_CAP_HAS_LED_INFO);
    SAME_CAP(cap_cable, IB_PORT_CAP_HAS_CABLE_INFO);
    SAME_CAP(cap_ext_speeds, IB_PORT_CAP_HAS_EXT_SPEEDS);
    SAME_CAP(cap_mask2, IB_PORT_CAP_HAS_CAP_MASK2);
    SAME_CAP(cap_cm, IB_PORT_CAP_HAS_COM_MGT);
    SAME_CAP(cap_dr_notice, IB_PORT_CAP_HAS_DR_NTC);
    SAME_CAP(cap_client_rereg, IB_PORT_CAP_HAS_CLIENT_REREG);
    SAME_CAP(cap_other_local, IB_PORT_CAP_HAS_OTHER_LOCAL_CHANGES_NTC);
    SAME_CAP(cap_mcast_top, IB_PORT_CAP_HAS_MCAST_FDB_TOP);
    SAME_CAP(cap_hierarchy, IB_PORT_CAP_HAS_HIER_INFO);
#define SAME_CAP2(field, bit) cr_assert_eq(BIT(portinfo, field, 16), cl_ntoh16(bit), #field)
    SAME_CAP2(cap2_desc, IB_PORT_CAP2_IS_SET_NODE_DESC_SUPPORTED);
    SAME_CAP2(cap2_ext, IB_PORT_CAP2_IS_PORT_INFO_EXT_SUPPORTED);
    SAME_CAP2(cap2_virt, IB_PORT_CAP2_IS_VIRT_SUPPORTED);
    SAME_CAP2(cap2_switchport, IB_PORT_CAP2_IS_SWITCH_PORT_STATE_TBL_SUPP);
    SAME_CAP2(cap2_width2x, IB_PORT_CAP2_IS_LINK_WIDTH_2X_SUPPORTED);
    SAME_CAP2(cap2_hdr, IB_PORT_CAP2_IS_LINK_SPEED_HDR_SUPPORTED);
#define SAME_CHANGE(field, bit) cr_assert_eq(BIT(trap_local, field, 16), cl_ntoh16(bit), #field)
    SAME_CHANGE(descriptionchange, TRAP_144_MASK_NODE_DESCRIPTION_CHANGE);
    SAME_CHANGE(linkwidthchange, TRAP_144_MASK_LINK_WIDTH_ENABLE_CHANGE);
    SAME_CHANGE(linkspeedchange, TRAP_144_MASK_LINK_SPEED_ENABLE_CHANGE);
    SAME_CHANGE(smprioritychange, TRAP_144_MASK_SM_PRIORITY_CHANGE);
    SAME_CHANGE(hierarchychange, TRAP_144_MASK_HIERARCHY_INFO_CHANGE);
    SAME_CHANGE(capmask2change, TRAP_144_MASK_CAPABILITY_MASK2_CHANGE);
}

static void same_component(uint16_t attribute, uint64_t mask, const char *name)
{
    unsigned bit = 0;
    size_t n;

    while (!(cl_ntoh64(mask) >> bit & 1))
        bit++;
    const char *ours = iba_mad_component(iba_mad_attr(IBA_CLASS_SA, attribute), bit, &n);
    cr_assert(ours && n == strlen(name) && strncmp(ours, name, n) == 0, "%04x bit %u is %s", attribute, bit, name);
}

Test(opensm, components_of_records)
{
    static const struct {
        ib_net16_t attribute;
        uint64_t mask;
        const char *name;
    } known[] = {
        {IB_MAD_ATTR_PATH_RECORD, IB_PR_COMPMASK_SGID, "SGID"},
        {IB_MAD_ATTR_PATH_RECORD, IB_PR_COMPMASK_NUMBPATH, "NumbPath"},
        {IB_MAD_ATTR_PATH_RECORD, IB_PR_COMPMASK_SL, "SL"},
        {IB_MAD_ATTR_PATH_RECORD, IB_PR_COMPMASK_PKTLIFETIME, "PacketLifeTime"},
        {IB_MAD_ATTR_NODE_RECORD, IB_NR_COMPMASK_NODEGUID, "NodeGUID"},
        {IB_MAD_ATTR_NODE_RECORD, IB_NR_COMPMASK_NODEDESC, "NodeDescription"},
        {IB_MAD_ATTR_PORTINFO_RECORD, IB_PIR_COMPMASK_PORTNUM, "PortNum"},
        {IB_MAD_ATTR_PORTINFO_RECORD, IB_PIR_COMPMASK_BASELID, "LID"},
        {IB_MAD_ATTR_PORTINFO_RECORD, IB_PIR_COMPMASK_PORTSTATE, "PortState"},
        {IB_MAD_ATTR_PORTINFO_RECORD, IB_PIR_COMPMASK_GUIDCAP, "GUIDCap"},
        {IB_MAD_ATTR_PORTINFO_RECORD, IB_PIR_COMPMASK_OVERRUNERR, "OverrunErrors"},
        {IB_MAD_ATTR_MCMEMBER_RECORD, IB_MCR_COMPMASK_MGID, "MGID"},
        {IB_MAD_ATTR_MCMEMBER_RECORD, IB_MCR_COMPMASK_JOIN_STATE, "JoinState"},
        {IB_MAD_ATTR_MCMEMBER_RECORD, IB_MCR_COMPMASK_PROXY, "ProxyJoin"},
        {IB_MAD_ATTR_SERVICE_RECORD, IB_SR_COMPMASK_SNAME, "ServiceName"},
        {IB_MAD_ATTR_SERVICE_RECORD, IB_SR_COMPMASK_SDATA64_1, "ServiceData64.2"},
        {IB_MAD_ATTR_LINK_RECORD, IB_LR_COMPMASK_TO_LID, "ToLID"},
        {IB_MAD_ATTR_LFT_RECORD, IB_LFTR_COMPMASK_BLOCK, "BlockNum"},
        {IB_MAD_ATTR_PKEY_TBL_RECORD, IB_PKEY_COMPMASK_PORT, "PortNum"},
        {IB_MAD_ATTR_VLARB_RECORD, IB_VLA_COMPMASK_BLOCK, "BlockNum"},
        {IB_MAD_ATTR_SLVL_RECORD, IB_SLVL_COMPMASK_OUT_PORT, "OutputPortNum"},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        same_component(cl_ntoh16(known[i].attribute), known[i].mask, known[i].name);
}

Test(opensm, places_in_records)
{
    SAME_PLACE(pathrecord, sgid, ib_path_rec_t, sgid);
    SAME_PLACE(pathrecord, rawtraffic, ib_path_rec_t, hop_flow_raw);
    SAME_PLACE(pathrecord, qosclass, ib_path_rec_t, qos_class_sl);
    SAME_PLACE(pathrecord, preference, ib_path_rec_t, preference);
    SAME_PLACE(mcmemberrecord, mlid, ib_member_rec_t, mlid);
    SAME_PLACE(mcmemberrecord, sl, ib_member_rec_t, sl_flow_hop);
    SAME_PLACE(mcmemberrecord, scope, ib_member_rec_t, scope_state);
    SAME_PLACE(multipathrecord, sgidcount, ib_multipath_rec_t, sgid_count);
    SAME_PLACE(multipathrecord, serviceid_low, ib_multipath_rec_t, service_id_56lsb);
    cr_assert_eq(IBA_BYTES_multipathrecord, offsetof(ib_multipath_rec_t, gids));
    SAME_PLACE(servicerecord, servicename, ib_service_record_t, service_name);
    SAME_PLACE(servicerecord, servicedata64, ib_service_record_t, service_data64);
    SAME_PLACE(informinfo, trapnumber, ib_inform_info_t, g_or_v.generic.trap_num);
    SAME_PLACE(informinfo, producer, ib_inform_info_t, g_or_v.generic.node_type_msb);
    cr_assert_eq(24, offsetof(ib_inform_info_record_t, inform_info));
    cr_assert_eq(4, offsetof(ib_node_record_t, node_info));
    cr_assert_eq(44, offsetof(ib_node_record_t, node_desc));
    cr_assert_eq(4, offsetof(ib_portinfo_record_t, port_info));
    cr_assert_eq(8, offsetof(ib_lft_record_t, lft));
    cr_assert_eq(8, offsetof(ib_mft_record_t, mft));
    cr_assert_eq(8, offsetof(ib_guidinfo_record_t, guid_info));
    cr_assert_eq(8, offsetof(ib_pkey_table_record_t, pkey_tbl));
    SAME_PLACE(rid_pkey, portnum, ib_pkey_table_record_t, port_num);
    SAME_PLACE(rid_vlarb, blocknum, ib_vl_arb_table_record_t, block_num);
    SAME_PLACE(portcounters, locallinkintegrityerrors, ib_port_counters_t, link_int_buffer_overrun);
    SAME_PLACE(portcounters, qp1dropped, ib_port_counters_t, qp1_dropped);
    SAME_PLACE(portcounters, vl15dropped, ib_port_counters_t, vl15_dropped);
    SAME_PLACE(portcounters_ext, portmulticastrcvpkts, ib_port_counters_ext_t, multicast_rcv_pkts);
    SAME_PLACE(cc_switch, packetsize, ib_sw_cong_setting_t, packet_size);
    cr_assert_eq((size_t)IBA_BYTES_cc_log + IBA_BYTES_cc_log_switch,
                 offsetof(ib_cong_log_t, log_details.log_sw.entry_list));
    cr_assert_eq((size_t)IBA_BYTES_cc_log + IBA_BYTES_cc_log_ca, offsetof(ib_cong_log_t, log_details.log_ca.log_event));
    SAME_PLACE(dm_profile, idstring, ib_ioc_profile_t, id_string);
}
