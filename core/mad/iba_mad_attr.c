/* SPDX-License-Identifier: BSD-2-Clause */
/* The known attributes of each class: MD-13, MD-31, MD-54, MD-92, MD-102, MD-115. The identifiers ascend within a
 * class. */
#include "iba_mad_layout.h"

/* clang-format off */
/* group, identifier, name, components, parts: layout, offset, how many */
#define IBA_MAD_ATTRS(A, P)                                                                                                     \
        A(SMP, 0x0002, "Notice", NULL, P(notice, 0, 1) P(notice_data, 10, 1))                                                   \
        A(SMP, 0x0010, "NodeDescription", NULL, P(nodedescription, 0, 1))                                                       \
        A(SMP, 0x0011, "NodeInfo", NULL, P(nodeinfo, 0, 1))                                                                     \
        A(SMP, 0x0012, "SwitchInfo", NULL, P(switchinfo, 0, 1))                                                                 \
        A(SMP, 0x0014, "GUIDInfo", NULL, P(guidinfo, 0, 8))                                                                     \
        A(SMP, 0x0015, "PortInfo", NULL, P(portinfo, 0, 1))                                                                     \
        A(SMP, 0x0016, "P_KeyTable", NULL, P(p_keyblock, 0, 1) P(p_keytable, 0, 32))                                            \
        A(SMP, 0x0017, "SLtoVLMappingTable", NULL, P(sltovl, 0, 8))                                                             \
        A(SMP, 0x0018, "VLArbitrationTable", NULL, P(vlarbitration, 0, 32))                                                     \
        A(SMP, 0x0019, "LinearForwardingTable", NULL, P(lft, 0, 64))                                                            \
        A(SMP, 0x001a, "RandomForwardingTable", NULL, P(rft, 0, 16))                                                            \
        A(SMP, 0x001b, "MulticastForwardingTable", NULL, P(mft, 0, 32))                                                         \
        A(SMP, 0x001c, "LinkSpeedWidthPairsTable", NULL, P(speedwidth, 0, 1))                                                   \
        A(SMP, 0x001d, "VendorSpecificMadsTable", NULL, P(vendormads, 0, 1))                                                    \
        A(SMP, 0x001e, "HierarchyInfo", NULL, P(hierarchyinfo, 0, 1))                                                           \
        A(SMP, 0x0020, "SMInfo", NULL, P(sminfo, 0, 1))                                                                         \
        A(SMP, 0x0030, "VendorDiag", NULL, P(vendordiag, 0, 1))                                                                 \
        A(SMP, 0x0031, "LedInfo", NULL, P(ledinfo, 0, 1))                                                                       \
        A(SMP, 0x0032, "CableInfo", NULL, P(cableinfo, 0, 1))                                                                   \
        A(SMP, 0x0033, "PortInfoExtended", NULL, P(portinfoext, 0, 1))                                                          \
        A(SMP, 0xff60, "CableInfo (vendor)", NULL, P(cableinfo, 0, 1))                                                          \
        A(SMP, 0xff90, "MlnxExtPortInfo", NULL, P(mlnxportinfo, 0, 1))                                                          \
        A(SA,  0x0001, "ClassPortInfo", NULL, P(classportinfo, 0, 1))                                                           \
        A(SA,  0x0002, "Notice", NULL, P(notice, 0, 1) P(notice_data, 10, 1) P(notice_issuer, 64, 1))                           \
        A(SA,  0x0003, "InformInfo",                                                                                            \
          "GID LIDRangeBegin LIDRangeEnd - IsGeneric Subscribe Type TrapNumber QPN - RespTimeValue - ProducerType",             \
          P(informinfo, 0, 1))                                                                                                  \
        A(SA,  0x0011, "NodeRecord",                                                                                            \
          "LID - BaseVersion ClassVersion NodeType NumPorts SystemImageGUID NodeGUID PortGUID PartitionCap DeviceID "           \
          "Revision LocalPortNum VendorID NodeDescription",                                                                     \
          P(rid_lid, 0, 1) P(nodeinfo, 4, 1) P(nodedescription, 44, 1))                                                         \
        A(SA,  0x0012, "PortInfoRecord",                                                                                        \
          "EndportLID PortNum Options M_Key GidPrefix LID MasterSMLID CapabilityMask DiagCode M_KeyLeasePeriod "                \
          "LocalPortNum LinkWidthEnabled LinkWidthSupported LinkWidthActive LinkSpeedSupported PortState "                      \
          "PortPhysicalState LinkDownDefaultState M_KeyProtectBits - LMC LinkSpeedActive LinkSpeedEnabled "                     \
          "NeighborMTU MasterSMSL VLCap InitType VLHighLimit VLArbitrationHighCap VLArbitrationLowCap InitTypeReply "           \
          "MTUCap VLStallCount HOQLife OperationalVLs PartitionEnforcementInbound PartitionEnforcementOutbound "                \
          "FilterRawInbound FilterRawOutbound M_KeyViolations P_KeyViolations Q_KeyViolations GUIDCap "                         \
          "ClientReregister - SubnetTimeOut - RespTimeValue LocalPhyErrors OverrunErrors MaxCreditHint",                        \
          P(rid_port, 0, 1) P(portinfo, 4, 1))                                                                                  \
        A(SA,  0x0013, "SLtoVLMappingTableRecord",                                                                              \
          "LID InputPortNum OutputPortNum",                                                                                     \
          P(rid_sltovl, 0, 1) P(sltovl, 8, 8))                                                                                  \
        A(SA,  0x0014, "SwitchInfoRecord",                                                                                      \
          "LID - LinearFDBCap RandomFDBCap MulticastFDBCap LinearFDBTop DefaultPort DefaultMulticastPrimaryPort "               \
          "DefaultMulticastNotPrimaryPort LifeTimeValue PortStateChange OptimizedSLtoVLMappingProgramming "                     \
          "LIDsPerPort PartitionEnforcementCap InboundEnforcementCap OutboundEnforcementCap FilterRawInboundCap "               \
          "FilterRawOutboundCap EnhancedPortZero",                                                                              \
          P(rid_lid, 0, 1) P(switchinfo, 4, 1))                                                                                 \
        A(SA,  0x0015, "LinearForwardingTableRecord",                                                                           \
          "LID BlockNum",                                                                                                       \
          P(rid_lft, 0, 1) P(lft, 8, 64))                                                                                       \
        A(SA,  0x0016, "RandomForwardingTableRecord",                                                                           \
          "LID BlockNum",                                                                                                       \
          P(rid_lft, 0, 1) P(rft, 8, 16))                                                                                       \
        A(SA,  0x0017, "MulticastForwardingTableRecord",                                                                        \
          "LID Position - BlockNum",                                                                                            \
          P(rid_mft, 0, 1) P(mft, 8, 32))                                                                                       \
        A(SA,  0x0018, "SMInfoRecord",                                                                                          \
          "LID - GUID SM_Key ActCount Priority SMState",                                                                        \
          P(rid_lid, 0, 1) P(sminfo, 4, 1))                                                                                     \
        A(SA,  0x0019, "LinkSpeedWidthPairsTableRecord",                                                                        \
          "LID",                                                                                                                \
          P(rid_lid, 0, 1) P(speedwidth, 4, 1))                                                                                 \
        A(SA,  0x0020, "LinkRecord",                                                                                            \
          "FromLID FromPort ToPort ToLID",                                                                                      \
          P(linkrecord, 0, 1))                                                                                                  \
        A(SA,  0x0030, "GuidInfoRecord",                                                                                        \
          "LID BlockNum - - GID0 GID1 GID2 GID3 GID4 GID5 GID6 GID7",                                                           \
          P(rid_guid, 0, 1) P(guidinfo, 8, 8))                                                                                  \
        A(SA,  0x0031, "ServiceRecord",                                                                                         \
          "ServiceID ServiceGID ServiceP_Key - ServiceLease ServiceKey ServiceName ServiceData8.1 ServiceData8.2 "              \
          "ServiceData8.3 ServiceData8.4 ServiceData8.5 ServiceData8.6 ServiceData8.7 ServiceData8.8 ServiceData8.9 "           \
          "ServiceData8.10 ServiceData8.11 ServiceData8.12 ServiceData8.13 ServiceData8.14 ServiceData8.15 "                    \
          "ServiceData8.16 ServiceData16.1 ServiceData16.2 ServiceData16.3 ServiceData16.4 ServiceData16.5 "                    \
          "ServiceData16.6 ServiceData16.7 ServiceData16.8 ServiceData32.1 ServiceData32.2 ServiceData32.3 "                    \
          "ServiceData32.4 ServiceData64.1 ServiceData64.2",                                                                    \
          P(servicerecord, 0, 1))                                                                                               \
        A(SA,  0x0033, "P_KeyTableRecord",                                                                                      \
          "LID BlockNum PortNum",                                                                                               \
          P(rid_pkey, 0, 1) P(p_keyblock, 8, 1) P(p_keytable, 8, 32))                                                           \
        A(SA,  0x0035, "PathRecord",                                                                                            \
          "ServiceIDHigh ServiceIDLow DGID SGID DLID SLID RawTraffic - FlowLabel HopLimit TClass Reversible NumbPath "          \
          "P_Key QoSClass SL MTUSelector MTU RateSelector Rate PacketLifeTimeSelector PacketLifeTime Preference",               \
          P(pathrecord, 0, 1))                                                                                                  \
        A(SA,  0x0036, "VLArbitrationTableRecord",                                                                              \
          "LID OutputPortNum BlockNum",                                                                                         \
          P(rid_vlarb, 0, 1) P(vlarbitration, 8, 32))                                                                           \
        A(SA,  0x0038, "MCMemberRecord",                                                                                        \
          "MGID PortGID Q_Key MLID MTUSelector MTU TClass P_Key RateSelector Rate PacketLifeTimeSelector "                      \
          "PacketLifeTime SL FlowLabel HopLimit Scope JoinState ProxyJoin",                                                     \
          P(mcmemberrecord, 0, 1))                                                                                              \
        A(SA,  0x0039, "TraceRecord",                                                                                           \
          "GidPrefix IDGeneration - NodeType NodeID ChassisID EntryPortID ExitPortID EntryPort ExitPort",                       \
          P(tracerecord, 0, 1))                                                                                                 \
        A(SA,  0x003a, "MultiPathRecord",                                                                                       \
          "RawTraffic - FlowLabel HopLimit TClass Reversible NumbPath P_Key QoSClass SL MTUSelector MTU RateSelector "          \
          "Rate PacketLifeTimeSelector PacketLifeTime ServiceIDHigh IndependenceSelector GIDScope SGIDCount "                   \
          "DGIDCount ServiceIDLow SDGID",                                                                                       \
          P(multipathrecord, 0, 1))                                                                                             \
        A(SA,  0x003b, "ServiceAssociationRecord",                                                                              \
          "ServiceKey ServiceName",                                                                                             \
          P(serviceassociation, 0, 1))                                                                                          \
        A(SA,  0x00f3, "InformInfoRecord",                                                                                      \
          "SubscriberGID Enum - GID LIDRangeBegin LIDRangeEnd - IsGeneric Subscribe Type TrapNumber QPN - "                     \
          "RespTimeValue - ProducerType",                                                                                       \
          P(informrecord, 0, 1) P(informinfo, 24, 1))                                                                           \
        A(PM,  0x0001, "ClassPortInfo", NULL, P(classportinfo, 0, 1))                                                           \
        A(PM,  0x0002, "Notice", NULL, P(notice, 0, 1) P(notice_data, 10, 1) P(notice_issuer, 64, 1))                           \
        A(PM,  0x0010, "PortSamplesControl", NULL, P(pm_samples_control, 0, 1))                                                 \
        A(PM,  0x0011, "PortSamplesResult", NULL, P(pm_samples_result, 0, 1) P(pm_sample, 4, 15))                               \
        A(PM,  0x0012, "PortCounters", NULL, P(portcounters, 0, 1))                                                             \
        A(PM,  0x0015, "PortRcvErrorDetails", NULL, P(pm_select, 0, 1) P(pm_rcv_errors, 4, 1))                                  \
        A(PM,  0x0016, "PortXmitDiscardDetails", NULL, P(pm_select, 0, 1) P(pm_xmit_discards, 4, 1))                            \
        A(PM,  0x0017, "PortOpRcvCounters", NULL, P(pm_select, 0, 1) P(pm_op_rcv, 4, 1))                                        \
        A(PM,  0x0018, "PortFlowCtlCounters", NULL, P(pm_select, 0, 1) P(pm_flow_ctl, 4, 1))                                    \
        A(PM,  0x0019, "PortVLOpPackets", NULL, P(pm_select, 0, 1) P(pm_vl_op_packets, 4, 16))                                  \
        A(PM,  0x001a, "PortVLOpData", NULL, P(pm_select, 0, 1) P(pm_vl_op_data, 4, 16))                                        \
        A(PM,  0x001b, "PortVLXmitFlowCtlUpdateErrors", NULL, P(pm_select, 0, 1) P(pm_vl_update, 4, 4))                         \
        A(PM,  0x001c, "PortVLXmitWaitCounters", NULL, P(pm_select, 0, 1) P(pm_vl_wait, 4, 16))                                 \
        A(PM,  0x001d, "PortCountersExtended", NULL, P(portcounters_ext, 0, 1))                                                 \
        A(PM,  0x001e, "PortSamplesResultExtended", NULL, P(pm_samples_result_ext, 0, 1) P(pm_sample_ext, 8, 15))               \
        A(PM,  0x001f, "PortExtendedSpeedsCounters", NULL, P(pm_speeds, 0, 1) P(pm_lane_errors, 20, 12) P(pm_lane_corrected, 44, 12) P(pm_lane_uncorrected, 92, 12))\
        A(PM,  0x0030, "SwPortVLCongestion", NULL, P(pm_select, 0, 1) P(pm_vl_congestion, 4, 16))                               \
        A(PM,  0x0031, "PortRcvConCtrl", NULL, P(pm_select, 0, 1) P(pm_con_ctrl, 4, 1))                                         \
        A(PM,  0x0032, "PortSLRcvFECN", NULL, P(pm_select, 0, 1) P(pm_sl_fecn, 4, 16))                                          \
        A(PM,  0x0033, "PortSLRcvBECN", NULL, P(pm_select, 0, 1) P(pm_sl_becn, 4, 16))                                          \
        A(PM,  0x0034, "PortXmitConCtrl", NULL, P(pm_select, 0, 1) P(pm_xmit_con, 4, 1))                                        \
        A(PM,  0x0035, "PortVLXmitTimeCong", NULL, P(pm_select, 0, 1) P(pm_vl_time, 4, 15))                                     \
        A(PM,  0x0036, "PortXmitDataSL", NULL, P(pm_select, 0, 1) P(pm_xmit_sl, 4, 16))                                         \
        A(PM,  0x0037, "PortRcvDataSL", NULL, P(pm_select, 0, 1) P(pm_rcv_sl, 4, 16))                                           \
        A(DM,  0x0001, "ClassPortInfo", NULL, P(classportinfo, 0, 1))                                                           \
        A(DM,  0x0002, "Notice", NULL, P(notice, 0, 1) P(notice_data, 10, 1) P(notice_issuer, 64, 1))                           \
        A(DM,  0x0010, "IOUnitInfo", NULL, P(dm_unit, 0, 1))                                                                    \
        A(DM,  0x0011, "IOControllerProfile", NULL, P(dm_profile, 0, 1))                                                        \
        A(DM,  0x0012, "ServiceEntries", NULL, P(dm_entry, 0, 4))                                                               \
        A(CM,  0x0001, "ClassPortInfo", NULL, P(classportinfo, 0, 1))                                                           \
        A(CM,  IBA_CM_ID_REQ, "REQ", NULL, P(cm_req, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_MRA, "MRA", NULL, P(cm_mra, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_REJ, "REJ", NULL, P(cm_rej, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_REP, "REP", NULL, P(cm_rep, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_RTU, "RTU", NULL, P(cm_rtu, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_DREQ, "DREQ", NULL, P(cm_dreq, 0, 1))                                                                  \
        A(CM,  IBA_CM_ID_DREP, "DREP", NULL, P(cm_drep, 0, 1))                                                                  \
        A(CM,  IBA_CM_ID_SIDR_REQ, "SIDR_REQ", NULL, P(cm_sidr_req, 0, 1))                                                      \
        A(CM,  IBA_CM_ID_SIDR_REP, "SIDR_REP", NULL, P(cm_sidr_rep, 0, 1))                                                      \
        A(CM,  IBA_CM_ID_LAP, "LAP", NULL, P(cm_lap, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_APR, "APR", NULL, P(cm_apr, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_SAP, "SAP", NULL, P(cm_sap, 0, 1))                                                                     \
        A(CM,  IBA_CM_ID_SPR, "SPR", NULL, P(cm_spr, 0, 1))                                                                     \
        A(CC,  0x0001, "ClassPortInfo", NULL, P(classportinfo, 32, 1))                                                          \
        A(CC,  0x0002, "Notice", NULL, P(notice, 32, 1) P(notice_data, 42, 1) P(notice_issuer, 96, 1))                          \
        A(CC,  0x0011, "CongestionInfo", NULL, P(cc_info, 32, 1))                                                               \
        A(CC,  0x0012, "CongestionKeyInfo", NULL, P(cc_key_info, 32, 1))                                                        \
        A(CC,  0x0013, "CongestionLog", NULL, P(cc_log, 0, 1))                                                                  \
        A(CC,  0x0014, "SwitchCongestionSetting", NULL, P(cc_switch, 32, 1))                                                    \
        A(CC,  0x0015, "SwitchPortCongestionSetting", NULL, P(cc_switch_port, 32, 32))                                          \
        A(CC,  0x0016, "CACongestionSetting", NULL, P(cc_ca, 32, 1) P(cc_ca_entry, 36, 16))                                     \
        A(CC,  0x0017, "CongestionControlTable", NULL, P(cc_table, 32, 1) P(cc_table_entry, 36, 64))                            \
        A(CC,  0x0018, "TimeStamp", NULL, P(cc_timestamp, 32, 1))                                                               \
        A(BM,  0x0001, "ClassPortInfo", NULL, P(classportinfo, 0, 1))                                                           \
        A(BM,  0x0002, "Notice", NULL, P(notice, 0, 1) P(notice_data, 10, 1) P(notice_issuer, 64, 1))                           \
        A(BM,  0x0010, "BKeyInfo", NULL, P(bm_key_info, 0, 1))
/* clang-format on */

#define PART(layout, at, n) {IBA_M_##layout, at, n},
#define ATTR(group, id, name, components, ...) {name, components, id, IBA_GROUP_##group, {__VA_ARGS__}},
const struct iba_mad_attr iba_mad_attrs[] = {IBA_MAD_ATTRS(ATTR, PART)};
const size_t iba_mad_attr_count = sizeof iba_mad_attrs / sizeof *iba_mad_attrs;
