/* SPDX-License-Identifier: BSD-2-Clause */
/* The layouts against libibmad: for each field that libibmad encodes we read the same bits, and no others. */
#include <infiniband/mad.h>
#include <infiniband/umad_cm.h>
#include <infiniband/umad_types.h>
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

enum { ROOM = 256 };

/* libibmad writes ones into a field of zeros, and we write ones into the same field of ours. Then all 256 bytes must be
 * equal. */
static void same(const char *name, unsigned at, unsigned bits, enum MAD_FIELDS theirs)
{
    uint8_t a[ROOM] = {0}, b[ROOM] = {0}, ones[ROOM];
    const struct iba_field row = {.at = (uint16_t)at, .bits = (uint16_t)bits};

    memset(ones, 0xff, sizeof ones);
    if (bits > 64) {
        mad_set_array(a, 0, theirs, ones);
        memset(b + at / 8, 0xff, bits / 8);
    } else {
        if (bits == 64)
            mad_set_field64(a, 0, theirs, UINT64_MAX);
        else
            mad_set_field(a, 0, theirs, (uint32_t)iba_field_max(&row));
        iba_field_put(&row, b, iba_field_max(&row));
    }
    cr_assert(memcmp(a, b, sizeof a) == 0, "%s (core/mad/*_fields.h) is not where libibmad encodes it", name);
}
/* Compares a field whose libibmad offset counts from `base` bytes into our header. */
#define SAME_IN(base, h, field, theirs)                                                                                \
    same(#h "." #field, 8 * (base) + IBA_AT_##h##_##field, IBA_W_##h##_##field, theirs)
#define SAME(h, field, theirs) SAME_IN(0, h, field, theirs)

Test(libibmad, headers)
{
    SAME(madhdr, baseversion, IB_MAD_BASEVER_F);
    SAME(madhdr, mgmtclass, IB_MAD_MGMTCLASS_F);
    SAME(madhdr, classversion, IB_MAD_CLASSVER_F);
    SAME(madhdr, transactionid, IB_MAD_TRID_F);
    SAME(madhdr, attributeid, IB_MAD_ATTRID_F);
    SAME(madhdr, attributemodifier, IB_MAD_ATTRMOD_F);
}

Test(libibmad, subnet_management)
{
    SAME_IN(4, smpdirected, hoppointer, IB_DRSMP_HOPPTR_F);
    SAME_IN(4, smpdirected, hopcount, IB_DRSMP_HOPCNT_F);
    SAME_IN(4, smpdirected, smpstatus, IB_DRSMP_STATUS_F);
    SAME_IN(4, smpdirected, d, IB_DRSMP_DIRECTION_F);
    SAME_IN(24, smp_route, mkey, IB_MAD_MKEY_F);
    SAME_IN(24, smp_route, drslid, IB_DRSMP_DRSLID_F);
    SAME_IN(24, smp_route, drdlid, IB_DRSMP_DRDLID_F);
    SAME(portinfo, m_key, IB_PORT_MKEY_F);
    SAME(portinfo, guid, IB_PORT_GID_PREFIX_F);
    SAME(portinfo, lid, IB_PORT_LID_F);
    SAME(portinfo, mastersmlid, IB_PORT_SMLID_F);
    SAME(portinfo, diagcode, IB_PORT_DIAG_F);
    SAME(portinfo, m_keyleaseperiod, IB_PORT_MKEY_LEASE_F);
    SAME(portinfo, localportnum, IB_PORT_LOCAL_PORT_F);
    SAME(portinfo, linkwidthenabled, IB_PORT_LINK_WIDTH_ENABLED_F);
    SAME(portinfo, linkwidthsupported, IB_PORT_LINK_WIDTH_SUPPORTED_F);
    SAME(portinfo, linkwidthactive, IB_PORT_LINK_WIDTH_ACTIVE_F);
    SAME(portinfo, linkspeedsupported, IB_PORT_LINK_SPEED_SUPPORTED_F);
    SAME(portinfo, portstate, IB_PORT_STATE_F);
    SAME(portinfo, portphysicalstate, IB_PORT_PHYS_STATE_F);
    SAME(portinfo, linkdowndefaultstate, IB_PORT_LINK_DOWN_DEF_F);
    SAME(portinfo, m_keyprotectbits, IB_PORT_MKEY_PROT_BITS_F);
    SAME(portinfo, lmc, IB_PORT_LMC_F);
    SAME(portinfo, linkspeedactive, IB_PORT_LINK_SPEED_ACTIVE_F);
    SAME(portinfo, linkspeedenabled, IB_PORT_LINK_SPEED_ENABLED_F);
    SAME(portinfo, neighbormtu, IB_PORT_NEIGHBOR_MTU_F);
    SAME(portinfo, mastersmsl, IB_PORT_SMSL_F);
    SAME(portinfo, vlcap, IB_PORT_VL_CAP_F);
    SAME(portinfo, inittype, IB_PORT_INIT_TYPE_F);
    SAME(portinfo, vlhighlimit, IB_PORT_VL_HIGH_LIMIT_F);
    SAME(portinfo, vlarbitrationhighcap, IB_PORT_VL_ARBITRATION_HIGH_CAP_F);
    SAME(portinfo, vlarbitrationlowcap, IB_PORT_VL_ARBITRATION_LOW_CAP_F);
    SAME(portinfo, inittypereply, IB_PORT_INIT_TYPE_REPLY_F);
    SAME(portinfo, mtucap, IB_PORT_MTU_CAP_F);
    SAME(portinfo, vlstallcount, IB_PORT_VL_STALL_COUNT_F);
    SAME(portinfo, hoqlife, IB_PORT_HOQ_LIFE_F);
    SAME(portinfo, operationalvls, IB_PORT_OPER_VLS_F);
    SAME(portinfo, partitionenforcementinbound, IB_PORT_PART_EN_INB_F);
    SAME(portinfo, partitionenforcementoutbound, IB_PORT_PART_EN_OUTB_F);
    SAME(portinfo, filterrawinbound, IB_PORT_FILTER_RAW_INB_F);
    SAME(portinfo, filterrawoutbound, IB_PORT_FILTER_RAW_OUTB_F);
    SAME(portinfo, m_keyviolations, IB_PORT_MKEY_VIOL_F);
    SAME(portinfo, p_keyviolations, IB_PORT_PKEY_VIOL_F);
    SAME(portinfo, q_keyviolations, IB_PORT_QKEY_VIOL_F);
    SAME(portinfo, guidcap, IB_PORT_GUID_CAP_F);
    SAME(portinfo, clientreregister, IB_PORT_CLIENT_REREG_F);
    SAME(portinfo, multicastpkeytrapsuppression, IB_PORT_MCAST_PKEY_SUPR_ENAB_F);
    SAME(portinfo, subnettimeout, IB_PORT_SUBN_TIMEOUT_F);
    SAME(portinfo, resptimevalue, IB_PORT_RESP_TIME_VAL_F);
    SAME(portinfo, localphyerrors, IB_PORT_LOCAL_PHYS_ERR_F);
    SAME(portinfo, overrunerrors, IB_PORT_OVERRUN_ERR_F);
    SAME(portinfo, maxcredithint, IB_PORT_MAX_CREDIT_HINT_F);
    SAME(portinfo, linkroundtriplatency, IB_PORT_LINK_ROUND_TRIP_F);
    SAME(portinfo, linkspeedextactive, IB_PORT_LINK_SPEED_EXT_ACTIVE_F);
    SAME(portinfo, linkspeedextsupported, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F);
    SAME(portinfo, linkspeedextenabled, IB_PORT_LINK_SPEED_EXT_ENABLED_F);
}

Test(libibmad, nodes_switches_managers_notices)
{
    SAME(nodeinfo, baseversion, IB_NODE_BASE_VERS_F);
    SAME(nodeinfo, classversion, IB_NODE_CLASS_VERS_F);
    SAME(nodeinfo, nodetype, IB_NODE_TYPE_F);
    SAME(nodeinfo, numports, IB_NODE_NPORTS_F);
    SAME(nodeinfo, systemimageguid, IB_NODE_SYSTEM_GUID_F);
    SAME(nodeinfo, nodeguid, IB_NODE_GUID_F);
    SAME(nodeinfo, portguid, IB_NODE_PORT_GUID_F);
    SAME(nodeinfo, partitioncap, IB_NODE_PARTITION_CAP_F);
    SAME(nodeinfo, deviceid, IB_NODE_DEVID_F);
    SAME(nodeinfo, revision, IB_NODE_REVISION_F);
    SAME(nodeinfo, localportnum, IB_NODE_LOCAL_PORT_F);
    SAME(nodeinfo, vendorid, IB_NODE_VENDORID_F);
    SAME(switchinfo, linearfdbcap, IB_SW_LINEAR_FDB_CAP_F);
    SAME(switchinfo, randomfdbcap, IB_SW_RANDOM_FDB_CAP_F);
    SAME(switchinfo, multicastfdbcap, IB_SW_MCAST_FDB_CAP_F);
    SAME(switchinfo, linearfdbtop, IB_SW_LINEAR_FDB_TOP_F);
    SAME(switchinfo, defaultport, IB_SW_DEF_PORT_F);
    SAME(switchinfo, defaultmulticastprimaryport, IB_SW_DEF_MCAST_PRIM_F);
    SAME(switchinfo, defaultmulticastnotprimaryport, IB_SW_DEF_MCAST_NOT_PRIM_F);
    SAME(switchinfo, lifetimevalue, IB_SW_LIFE_TIME_F);
    SAME(switchinfo, portstatechange, IB_SW_STATE_CHANGE_F);
    SAME(switchinfo, optimizedsltovlmappingprogramming, IB_SW_OPT_SLTOVL_MAPPING_F);
    SAME(switchinfo, lidsperport, IB_SW_LIDS_PER_PORT_F);
    SAME(switchinfo, partitionenforcementcap, IB_SW_PARTITION_ENFORCE_CAP_F);
    SAME(switchinfo, inboundenforcementcap, IB_SW_PARTITION_ENF_INB_F);
    SAME(switchinfo, outboundenforcementcap, IB_SW_PARTITION_ENF_OUTB_F);
    SAME(switchinfo, filterrawinboundcap, IB_SW_FILTER_RAW_INB_F);
    SAME(switchinfo, filterrawoutboundcap, IB_SW_FILTER_RAW_OUTB_F);
    SAME(switchinfo, enhancedportzero, IB_SW_ENHANCED_PORT0_F);
    SAME(switchinfo, multicastfdbtop, IB_SW_MCAST_FDB_TOP_F);
    SAME(sminfo, guid, IB_SMINFO_GUID_F);
    SAME(sminfo, sm_key, IB_SMINFO_KEY_F);
    SAME(sminfo, actcount, IB_SMINFO_ACT_F);
    SAME(sminfo, priority, IB_SMINFO_PRIO_F);
    SAME(sminfo, smstate, IB_SMINFO_STATE_F);
    SAME(notice, isgeneric, IB_NOTICE_IS_GENERIC_F);
    SAME(notice, type, IB_NOTICE_TYPE_F);
    SAME(notice, producer, IB_NOTICE_PRODUCER_F);
    SAME(notice, trap, IB_NOTICE_TRAP_NUMBER_F);
    SAME(notice, issuerlid, IB_NOTICE_ISSUER_LID_F);
    SAME(notice, noticetoggle, IB_NOTICE_TOGGLE_F);
    SAME(notice, noticecount, IB_NOTICE_COUNT_F);
}

Test(libibmad, class_port_info)
{
    SAME(classportinfo, baseversion, IB_CPI_BASEVER_F);
    SAME(classportinfo, classversion, IB_CPI_CLASSVER_F);
    SAME(classportinfo, capabilitymask, IB_CPI_CAPMASK_F);
    SAME(classportinfo, capabilitymask2, IB_CPI_CAPMASK2_F);
    SAME(classportinfo, resptimevalue, IB_CPI_RESP_TIME_VALUE_F);
    SAME(classportinfo, redirecttc, IB_CPI_REDIRECT_TC_F);
    SAME(classportinfo, redirectsl, IB_CPI_REDIRECT_SL_F);
    SAME(classportinfo, redirectfl, IB_CPI_REDIRECT_FL_F);
    SAME(classportinfo, redirectlid, IB_CPI_REDIRECT_LID_F);
    SAME(classportinfo, redirectpkey, IB_CPI_REDIRECT_PKEY_F);
    SAME(classportinfo, redirectqp, IB_CPI_REDIRECT_QP_F);
    SAME(classportinfo, redirectqkey, IB_CPI_REDIRECT_QKEY_F);
    SAME(classportinfo, traptc, IB_CPI_TRAP_TC_F);
    SAME(classportinfo, trapsl, IB_CPI_TRAP_SL_F);
    SAME(classportinfo, trapfl, IB_CPI_TRAP_FL_F);
    SAME(classportinfo, traplid, IB_CPI_TRAP_LID_F);
    SAME(classportinfo, trappkey, IB_CPI_TRAP_PKEY_F);
    SAME(classportinfo, traphoplimit, IB_CPI_TRAP_HL_F);
    SAME(classportinfo, trapqp, IB_CPI_TRAP_QP_F);
    SAME(classportinfo, trapqkey, IB_CPI_TRAP_QKEY_F);
}

Test(libibmad, subnet_administration)
{
    SAME_IN(24, rmpp, rmppversion, IB_SA_RMPP_VERS_F);
    SAME_IN(24, rmpp, rmpptype, IB_SA_RMPP_TYPE_F);
    SAME_IN(24, rmpp, rresptime, IB_SA_RMPP_RESP_F);
    SAME_IN(24, rmpp, rmppstatus, IB_SA_RMPP_STATUS_F);
    SAME_IN(24, rmpp, data1, IB_SA_RMPP_D1_F);
    SAME_IN(24, rmpp, data2, IB_SA_RMPP_D2_F);
    SAME_IN(36, sa, smkey, IB_SA_MKEY_F);
    SAME_IN(36, sa, attributeoffset, IB_SA_ATTROFFS_F);
    SAME_IN(36, sa, componentmask, IB_SA_COMPMASK_F);
    SAME(pathrecord, dgid, IB_SA_PR_DGID_F);
    SAME(pathrecord, sgid, IB_SA_PR_SGID_F);
    SAME(pathrecord, dlid, IB_SA_PR_DLID_F);
    SAME(pathrecord, slid, IB_SA_PR_SLID_F);
    SAME(pathrecord, numbpath, IB_SA_PR_NPATH_F);
    SAME(pathrecord, sl, IB_SA_PR_SL_F);
    SAME(mcmemberrecord, mgid, IB_SA_MCM_MGID_F);
    SAME(mcmemberrecord, portgid, IB_SA_MCM_PORTGID_F);
    SAME(mcmemberrecord, q_key, IB_SA_MCM_QKEY_F);
    SAME(mcmemberrecord, mlid, IB_SA_MCM_MLID_F);
    SAME(mcmemberrecord, sl, IB_SA_MCM_SL_F);
    SAME(mcmemberrecord, mtu, IB_SA_MCM_MTU_F);
    SAME(mcmemberrecord, rate, IB_SA_MCM_RATE_F);
    SAME(mcmemberrecord, tclass, IB_SA_MCM_TCLASS_F);
    SAME(mcmemberrecord, p_key, IB_SA_MCM_PKEY_F);
    SAME(mcmemberrecord, flowlabel, IB_SA_MCM_FLOW_LABEL_F);
    SAME(mcmemberrecord, proxyjoin, IB_SA_MCM_PROXY_JOIN_F);
    SAME(servicerecord, serviceid, IB_SA_SR_ID_F);
    SAME(servicerecord, servicegid, IB_SA_SR_GID_F);
    SAME(servicerecord, servicep_key, IB_SA_SR_PKEY_F);
    SAME(servicerecord, servicelease, IB_SA_SR_LEASE_F);
    SAME(servicerecord, servicekey, IB_SA_SR_KEY_F);
    SAME(servicerecord, servicename, IB_SA_SR_NAME_F);
    SAME(multipathrecord, numbpath, IB_SA_MP_NPATH_F);
    SAME(multipathrecord, sgidcount, IB_SA_MP_NSRC_F);
    SAME(multipathrecord, dgidcount, IB_SA_MP_NDEST_F);
    SAME_IN(36, vendor_oui, oui, IB_VEND2_OUI_F);
}

Test(libibmad, performance_management)
{
    SAME(portcounters, portselect, IB_PC_PORT_SELECT_F);
    SAME(portcounters, counterselect, IB_PC_COUNTER_SELECT_F);
    SAME(portcounters, symbolerrorcounter, IB_PC_ERR_SYM_F);
    SAME(portcounters, linkerrorrecoverycounter, IB_PC_LINK_RECOVERS_F);
    SAME(portcounters, linkdownedcounter, IB_PC_LINK_DOWNED_F);
    SAME(portcounters, portrcverrors, IB_PC_ERR_RCV_F);
    SAME(portcounters, portrcvremotephysicalerrors, IB_PC_ERR_PHYSRCV_F);
    SAME(portcounters, portrcvswitchrelayerrors, IB_PC_ERR_SWITCH_REL_F);
    SAME(portcounters, portxmitdiscards, IB_PC_XMT_DISCARDS_F);
    SAME(portcounters, portxmitconstrainterrors, IB_PC_ERR_XMTCONSTR_F);
    SAME(portcounters, portrcvconstrainterrors, IB_PC_ERR_RCVCONSTR_F);
    SAME(portcounters, counterselect2, IB_PC_COUNTER_SELECT2_F);
    SAME(portcounters, locallinkintegrityerrors, IB_PC_ERR_LOCALINTEG_F);
    SAME(portcounters, excessivebufferoverrunerrors, IB_PC_ERR_EXCESS_OVR_F);
    SAME(portcounters, vl15dropped, IB_PC_VL15_DROPPED_F);
    SAME(portcounters, portxmitdata, IB_PC_XMT_BYTES_F);
    SAME(portcounters, portrcvdata, IB_PC_RCV_BYTES_F);
    SAME(portcounters, portxmitpkts, IB_PC_XMT_PKTS_F);
    SAME(portcounters, portrcvpkts, IB_PC_RCV_PKTS_F);
    SAME(portcounters, portxmitwait, IB_PC_XMT_WAIT_F);
    SAME(portcounters_ext, portselect, IB_PC_EXT_PORT_SELECT_F);
    SAME(portcounters_ext, counterselect, IB_PC_EXT_COUNTER_SELECT_F);
    SAME(portcounters_ext, portxmitdata, IB_PC_EXT_XMT_BYTES_F);
    SAME(portcounters_ext, portrcvdata, IB_PC_EXT_RCV_BYTES_F);
    SAME(portcounters_ext, portxmitpkts, IB_PC_EXT_XMT_PKTS_F);
    SAME(portcounters_ext, portrcvpkts, IB_PC_EXT_RCV_PKTS_F);
    SAME(portcounters_ext, portunicastxmitpkts, IB_PC_EXT_XMT_UPKTS_F);
    SAME(portcounters_ext, portunicastrcvpkts, IB_PC_EXT_RCV_UPKTS_F);
    SAME(portcounters_ext, portmulticastxmitpkts, IB_PC_EXT_XMT_MPKTS_F);
    SAME(portcounters_ext, portmulticastrcvpkts, IB_PC_EXT_RCV_MPKTS_F);
    SAME(portcounters_ext, symbolerrorcounter, IB_PC_EXT_ERR_SYM_F);
    SAME(portcounters_ext, linkdownedcounter, IB_PC_EXT_LINK_DOWNED_F);
    SAME(portcounters_ext, portrcverrors, IB_PC_EXT_ERR_RCV_F);
    SAME(portcounters_ext, portxmitdiscards, IB_PC_EXT_XMT_DISCARDS_F);
    SAME(portcounters_ext, locallinkintegrityerrors, IB_PC_EXT_ERR_LOCALINTEG_F);
    SAME(portcounters_ext, vl15dropped, IB_PC_EXT_VL15_DROPPED_F);
    SAME(portcounters_ext, portxmitwait, IB_PC_EXT_XMT_WAIT_F);
    SAME(portcounters_ext, qp1dropped, IB_PC_EXT_QP1_DROP_F);
    SAME(pm_samples_control, opcode, IB_PSC_OPCODE_F);
    SAME(pm_samples_control, portselect, IB_PSC_PORT_SELECT_F);
    SAME(pm_samples_control, tick, IB_PSC_TICK_F);
    SAME(pm_samples_control, counterwidth, IB_PSC_COUNTER_WIDTH_F);
    SAME(pm_samples_control, countermask0, IB_PSC_COUNTER_MASK0_F);
    SAME(pm_samples_control, countermasks1to9, IB_PSC_COUNTER_MASKS1TO9_F);
    SAME(pm_samples_control, countermasks10to14, IB_PSC_COUNTER_MASKS10TO14_F);
    SAME(pm_samples_control, samplemechanisms, IB_PSC_SAMPLE_MECHS_F);
    SAME(pm_samples_control, samplestatus, IB_PSC_SAMPLE_STATUS_F);
    SAME(pm_samples_control, optionmask, IB_PSC_OPTION_MASK_F);
    SAME(pm_samples_control, vendormask, IB_PSC_VENDOR_MASK_F);
    SAME(pm_samples_control, samplestart, IB_PSC_SAMPLE_START_F);
    SAME(pm_samples_control, sampleinterval, IB_PSC_SAMPLE_INTVL_F);
    SAME(pm_samples_control, tag, IB_PSC_TAG_F);
    SAME(pm_samples_control, counterselect0, IB_PSC_COUNTER_SEL0_F);
    SAME(pm_samples_control, counterselect14, IB_PSC_COUNTER_SEL14_F);
    SAME(pm_samples_control, samplesonlyoptionmask, IB_PSC_SAMPLES_ONLY_OPT_MASK_F);
}

Test(libibmad, optional_counters)
{
    SAME_IN(4, pm_rcv_errors, portlocalphysicalerrors, IB_PC_RCV_LOCAL_PHY_ERR_F);
    SAME_IN(4, pm_rcv_errors, portloopingerrors, IB_PC_RCV_LOOPING_ERR_F);
    SAME_IN(4, pm_xmit_discards, portinactivediscards, IB_PC_XMT_INACT_DISC_F);
    SAME_IN(4, pm_xmit_discards, portswhoqlifetimelimitdiscards, IB_PC_XMT_SW_HOL_DISC_F);
    SAME_IN(4, pm_op_rcv, portoprcvdata, IB_PC_PORT_OP_RCV_DATA_F);
    SAME_IN(4, pm_flow_ctl, portrcvflowpkts, IB_PC_PORT_RCV_FLOW_PKTS_F);
    SAME_IN(4, pm_vl_op_packets, counter, IB_PC_PORT_VL_OP_PACKETS0_F);
    SAME_IN(34, pm_vl_op_packets, counter, IB_PC_PORT_VL_OP_PACKETS15_F);
    SAME_IN(64, pm_vl_op_data, counter, IB_PC_PORT_VL_OP_DATA15_F);
    SAME_IN(34, pm_vl_wait, counter, IB_PC_PORT_VL_XMIT_WAIT15_F);
    SAME_IN(34, pm_vl_congestion, counter, IB_PC_SW_PORT_VL_CONGESTION15_F);
    SAME_IN(4, pm_con_ctrl, portpktrcvbecn, IB_PC_RCV_CON_CTRL_PKT_RCV_BECN_F);
    SAME_IN(64, pm_sl_fecn, counter, IB_PC_SL_RCV_FECN15_F);
    SAME_IN(64, pm_sl_becn, counter, IB_PC_SL_RCV_BECN15_F);
    SAME_IN(4, pm_xmit_con, portxmittimecong, IB_PC_XMIT_CON_CTRL_TIME_CONG_F);
    SAME_IN(4, pm_vl_time, counter, IB_PC_VL_XMIT_TIME_CONG0_F);
    SAME_IN(64, pm_xmit_sl, counter, IB_PC_XMT_DATA_SL15_F);
    SAME_IN(64, pm_rcv_sl, counter, IB_PC_RCV_DATA_SL15_F);
    SAME_IN(0, pm_speeds, portselect, IB_PESC_PORT_SELECT_F);
    SAME_IN(0, pm_speeds, counterselect, IB_PESC_COUNTER_SELECT_F);
    SAME_IN(0, pm_speeds, syncheadererrorcounter, IB_PESC_SYNC_HDR_ERR_CTR_F);
    SAME_IN(0, pm_speeds, unknownblockcounter, IB_PESC_UNK_BLOCK_CTR_F);
    SAME_IN(20, pm_lane_errors, errordetectioncounter, IB_PESC_ERR_DET_CTR_LANE0_F);
    SAME_IN(42, pm_lane_errors, errordetectioncounter, IB_PESC_ERR_DET_CTR_LANE11_F);
    SAME_IN(44, pm_lane_corrected, correctable, IB_PESC_FEC_CORR_BLOCK_CTR_LANE0_F);
    SAME_IN(92, pm_lane_uncorrected, uncorrectable, IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE0_F);
    SAME_IN(136, pm_lane_uncorrected, uncorrectable, IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE11_F);
}

/* libibmad 44 encodes QP1Dropped at the place of VL15Dropped. OpenSM and we encode QP1Dropped two bytes earlier
 * (MD-103). */
Test(libibmad, qp1_dropped_is_misplaced_there)
{
    uint8_t a[ROOM] = {0}, b[ROOM] = {0};

    mad_set_field(a, 0, IB_PC_QP1_DROP_F, 0xffff);
    mad_set_field(b, 0, IB_PC_VL15_DROPPED_F, 0xffff);
    cr_assert(memcmp(a, b, sizeof a) == 0);
    cr_assert_eq(iba_portcounters_vl15dropped(a), 0xffff);
}

Test(libibmad, numbers_of_classes_and_attributes)
{
    cr_assert_eq((int)IBA_CLASS_SA, (int)UMAD_CLASS_SUBN_ADM);
    cr_assert_eq((int)IBA_CLASS_CM, (int)UMAD_CLASS_CM);
    cr_assert_eq((int)IBA_CLASS_DIRECTED, (int)UMAD_CLASS_SUBN_DIRECTED_ROUTE);
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_CM, UMAD_CM_ATTR_REQ)->name, "REQ");
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_CM, UMAD_CM_ATTR_MRA)->name, "MRA");
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_CM, UMAD_CM_ATTR_DREP)->name, "DREP");
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_CM, UMAD_CM_ATTR_SIDR_REP)->name, "SIDR_REP");
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_CM, UMAD_CM_ATTR_APR)->name, "APR");
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_CM, UMAD_CM_ATTR_SPR)->name, "SPR");
    cr_assert_str_eq(iba_mad_attr(4, IB_GSI_PORT_COUNTERS_EXT)->name, "PortCountersExtended");
    cr_assert_str_eq(iba_mad_attr(4, IB_GSI_PORT_EXT_SPEEDS_COUNTERS)->name, "PortExtendedSpeedsCounters");
    cr_assert_str_eq(iba_mad_attr(IBA_CLASS_SA, IB_SA_ATTR_MULTIPATH)->name, "MultiPathRecord");
    cr_assert_str_eq(iba_mad_attr(1, IB_ATTR_MLNX_EXT_PORT_INFO)->name, "MlnxExtPortInfo");
}
