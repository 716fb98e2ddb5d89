/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of management datagrams: the common header, subnet management, notices. The lists have the same form as those
 * of wire/iba_fields.h; each list is the layout of a part of a datagram, at the offset that struct iba_mad_part gives.
 * Sources: catalogue MD-01..MD-36, MD-109..MD-113, KM-34; filter names are Wireshark's if Wireshark has the field. */
#ifndef SMP_FIELDS_H
#define SMP_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define IBA_MADHDR(F, V, h)                                                                                                            \
        F(h, U8,  baseversion,          8, X2,   N, NONE,      ALWAYS,                  "baseversion", "Base Version")                 \
        F(h, U8,  mgmtclass,            8, X2,   N, MGMT_CLASS, ALWAYS,                  "mgmtclass", "Management Class")              \
        F(h, U8,  classversion,         8, X2,   N, NONE,      ALWAYS,                  "classversion", "Class Version")               \
        F(h, U8,  method,               8, X2,   N, MAD_METHOD, ALWAYS,                  "method", "Method")                           \
        V(h, status_class,             16, X4,   N, NONE,      ALWAYS,                  "status", "Status")                            \
        F(h, U8,  status_class,         8, X2,   H, NONE,      ALWAYS,                  "status.high", "Class Specific Status, D of directed routes") \
        V(h, status_class,              8, X2,   N, NONE,      WHEN(h, mgmtclass, LT, 128), "status.class_specific", "Class Specific Status") \
        V(h, status_class,              8, X2,   N, SA_STATUS, WHEN(h, mgmtclass, EQ, 3), "status.sa", "SA Status")                    \
        F(h, U8,  status_res,           3, DEC,  R, NONE,      ALWAYS,                  "status.reserved", "Reserved (3 bits)")        \
        F(h, U8,  status_code,          3, DEC,  N, MAD_STATUS, ALWAYS,                  "status.code", "Status Code")                 \
        F(h, U8,  redirect,             1, FLAG, N, NONE,      ALWAYS,                  "status.redirect", "Redirection Required")     \
        F(h, U8,  busy,                 1, FLAG, N, NONE,      ALWAYS,                  "status.busy", "Busy")                         \
        F(h, U16, classspecific,       16, X4,   N, NONE,      ALWAYS,                  "classspecific", "Class Specific")             \
        F(h, U64, transactionid,       64, X16,  N, NONE,      ALWAYS,                  "transactionid", "Transaction ID")             \
        F(h, U16, attributeid,         16, X4,   N, NONE,      ALWAYS,                  "attributeid", "Attribute ID")                 \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U32, attributemodifier,   32, X8,   N, NONE,      ALWAYS,                  "attributemodifier", "Attribute Modifier")
#define IBA_MAD_DATA(F, V, h)                                                                                                          \
        F(h, B,   data,              1856, BYTES, H, NONE,      ALWAYS,                  "data", "MAD Data Payload")
#define IBA_MAD_UNKNOWN(F, V, h)                                                                                                       \
        F(h, B,   data,              1856, BYTES, N, NONE,      ALWAYS,                  "data", "Data")
#define IBA_SMPLID(F, V, h)                                                                                                            \
        F(h, U64, mkey,                64, X16,  N, NONE,      ALWAYS,                  "mkey", "M_Key")                               \
        F(h, B,   reserved1,          256, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bytes)")
#define IBA_SMPDIRECTED(F, V, h)                                                                                                       \
        F(h, U8,  d,                    1, X16,  N, DIRECTION, ALWAYS,                  "d", "D (Direction Bit)")                      \
        F(h, U16, smpstatus,           15, X4,   N, NONE,      ALWAYS,                  "smpstatus", "Status")                         \
        F(h, U8,  hoppointer,           8, N2,   N, NONE,      ALWAYS,                  "hoppointer", "Hop Pointer")                   \
        F(h, U8,  hopcount,             8, N2,   N, NONE,      ALWAYS,                  "hopcount", "Hop Count")
#define IBA_SMP_ROUTE(F, V, h)                                                                                                         \
        F(h, U64, mkey,                64, X16,  N, NONE,      ALWAYS,                  "=infiniband.smplid.mkey", "M_Key")            \
        F(h, U16, drslid,              16, N4,   N, NONE,      ALWAYS,                  "drslid", "DrSLID")                            \
        F(h, U16, drdlid,              16, N4,   N, NONE,      ALWAYS,                  "drdlid", "DrDLID")                            \
        F(h, B,   reserved1,          224, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (28 bytes)")
#define IBA_SMP_DATA(F, V, h)                                                                                                          \
        F(h, B,   smpdata,            512, BYTES, H, NONE,      ALWAYS,                  "=infiniband.smplid.smpdata", "SMP Data")
#define IBA_SMP_PATHS(F, V, h)                                                                                                         \
        F(h, B,   initialpath,        512, BYTES, H, NONE,      ALWAYS,                  "=infiniband.smpdirected.initialpath", "Initial Path") \
        F(h, B,   returnpath,         512, BYTES, H, NONE,      ALWAYS,                  "=infiniband.smpdirected.returnpath", "Return Path")
#define IBA_INITIAL_PATH(F, V, h)                                                                                                      \
        F(h, U8,  port,                 8, DEC,  N, NONE,      ALWAYS,                  "port", "Port")
#define IBA_RETURN_PATH(F, V, h)                                                                                                       \
        F(h, U8,  port,                 8, DEC,  N, NONE,      ALWAYS,                  "port", "Port")
#define IBA_NODEDESCRIPTION(F, V, h)                                                                                                   \
        F(h, B,   nodestring,         512, TEXT, N, NONE,      ALWAYS,                  "nodestring", "NodeString")
#define IBA_NODEINFO(F, V, h)                                                                                                          \
        F(h, U8,  baseversion,          8, X2,   N, NONE,      ALWAYS,                  "baseversion", "BaseVersion")                  \
        F(h, U8,  classversion,         8, X2,   N, NONE,      ALWAYS,                  "classversion", "ClassVersion")                \
        F(h, U8,  nodetype,             8, X2,   N, NODE_TYPE, ALWAYS,                  "nodetype", "NodeType")                        \
        F(h, U8,  numports,             8, N2,   N, NONE,      ALWAYS,                  "numports", "NumPorts")                        \
        F(h, U64, systemimageguid,     64, X16,  N, NONE,      ALWAYS,                  "systemimageguid", "SystemImageGUID")          \
        F(h, U64, nodeguid,            64, X16,  N, NONE,      ALWAYS,                  "nodeguid", "NodeGUID")                        \
        F(h, U64, portguid,            64, X16,  N, NONE,      ALWAYS,                  "portguid", "PortGUID")                        \
        F(h, U16, partitioncap,        16, N4,   N, NONE,      ALWAYS,                  "partitioncap", "PartitionCap")                \
        F(h, U16, deviceid,            16, X4,   N, NONE,      ALWAYS,                  "deviceid", "DeviceID")                        \
        F(h, U32, revision,            32, X8,   N, NONE,      ALWAYS,                  "revision", "Revision")                        \
        F(h, U8,  localportnum,         8, N2,   N, NONE,      ALWAYS,                  "localportnum", "LocalPortNum")                \
        F(h, U32, vendorid,            24, X6,   N, NONE,      ALWAYS,                  "vendorid", "VendorID")
#define IBA_SWITCHINFO(F, V, h)                                                                                                        \
        F(h, U16, linearfdbcap,        16, N4,   N, NONE,      ALWAYS,                  "linearfdbcap", "LinearFDBCap")                \
        F(h, U16, randomfdbcap,        16, N4,   N, NONE,      ALWAYS,                  "randomfdbcap", "RandomFDBCap")                \
        F(h, U16, multicastfdbcap,     16, N4,   N, NONE,      ALWAYS,                  "multicastfdbcap", "MulticastFDBCap")          \
        F(h, U16, linearfdbtop,        16, N4,   N, NONE,      ALWAYS,                  "linearfdbtop", "LinearFDBTop")                \
        F(h, U8,  defaultport,          8, N2,   N, NONE,      ALWAYS,                  "defaultport", "DefaultPort")                  \
        F(h, U8,  defaultmulticastprimaryport,    8, N2,   N, NONE,      ALWAYS,                  "defaultmulticastprimaryport", "DefaultMulticastPrimaryPort") \
        F(h, U8,  defaultmulticastnotprimaryport,    8, N2,   N, NONE,      ALWAYS,                  "defaultmulticastnotprimaryport", "DefaultMulticastNotPrimaryPort") \
        F(h, U8,  lifetimevalue,        5, N2,   N, NONE,      ALWAYS,                  "lifetimevalue", "LifeTimeValue")              \
        F(h, U8,  portstatechange,      1, X2,   N, NONE,      ALWAYS,                  "portstatechange", "PortStateChange")          \
        F(h, U8,  optimizedsltovlmappingprogramming,    2, X2,   N, NONE,      ALWAYS,                  "optimizedsltovlmappingprogramming", "OptimizedSLtoVLMappingProgramming") \
        F(h, U16, lidsperport,         16, N4,   N, NONE,      ALWAYS,                  "lidsperport", "LIDsPerPort")                  \
        F(h, U16, partitionenforcementcap,   16, N4,   N, NONE,      ALWAYS,                  "partitionenforcementcap", "PartitionEnforcementCap") \
        F(h, U8,  inboundenforcementcap,    1, X2,   N, NONE,      ALWAYS,                  "inboundenforcementcap", "InboundEnforcementCap") \
        F(h, U8,  outboundenforcementcap,    1, X2,   N, NONE,      ALWAYS,                  "outboundenforcementcap", "OutboundEnforcementCap") \
        F(h, U8,  filterrawinboundcap,    1, X2,   N, NONE,      ALWAYS,                  "filterrawinboundcap", "FilterRawInboundCap") \
        F(h, U8,  filterrawoutboundcap,    1, X2,   N, NONE,      ALWAYS,                  "filterrawoutboundcap", "FilterRawOutboundCap") \
        F(h, U8,  enhancedportzero,     1, X2,   N, NONE,      ALWAYS,                  "enhancedportzero", "EnhancedPortZero")        \
        F(h, U8,  reserved1,            3, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (3 bits)")              \
        F(h, U8,  reserved2,            8, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (8 bits)")              \
        F(h, U16, multicastfdbtop,     16, N4,   N, NONE,      ALWAYS,                  "multicastfdbtop", "MulticastFDBTop")
#define IBA_GUIDINFO(F, V, h)                                                                                                          \
        F(h, U64, guid,                64, X16,  N, NONE,      ALWAYS,                  "=infiniband.switchinfo.guid", "GUID")
#define IBA_PORTINFO(F, V, h)                                                                                                          \
        F(h, U64, m_key,               64, X16,  N, NONE,      ALWAYS,                  "m_key", "M_Key")                              \
        F(h, U64, guid,                64, X16,  N, NONE,      ALWAYS,                  "guid", "GidPrefix")                           \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U16, mastersmlid,         16, N4,   N, NONE,      ALWAYS,                  "mastersmlid", "MasterSMLID")                  \
        V(h, cap_hierarchy,            32, X8,   N, NONE,      ALWAYS,                  "capabilitymask", "CapabilityMask")            \
        F(h, U8,  cap_hierarchy,        1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.hierarchyinfosupported", "HierarchyInfoSupported") \
        F(h, U8,  cap_mcast_top,        1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.multicastfdbtopsupported", "MulticastFDBTopSupported") \
        F(h, U8,  cap_mcast_pkey,       1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.multicastpkeytrapsuppressionsupported", "MulticastPKeyTrapSuppressionSupported") \
        F(h, U8,  cap_vendor_mads,      1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.vendorspecificmadstablesupported", "VendorSpecificMadsTableSupported") \
        F(h, U8,  cap_pairs,            1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.linkspeedwidthpairstablesupported", "LinkSpeedWidthPairsTableSupported") \
        F(h, U8,  cap_other_local,      1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.otherlocalchangesnoticesupported", "OtherLocalChangesNoticeSupported") \
        F(h, U8,  cap_client_rereg,     1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.clientregistrationsupported", "ClientReregistrationSupported") \
        F(h, U8,  cap_latency,          1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.linkroundtriplatencysupported", "LinkRoundTripLatencySupported") \
        F(h, U8,  cap_boot,             1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.bootmanagementsupported", "BootManagementSupported") \
        F(h, U8,  cap_mask_notice,      1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.capabilitymasknoticesupported", "CapabilityMaskNoticeSupported") \
        F(h, U8,  cap_dr_notice,        1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.drnoticesupported", "DRNoticeSupported") \
        F(h, U8,  cap_vendor_class,     1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.vendorclasssupported", "VendorClassSupported") \
        F(h, U8,  cap_device,           1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.devicemanagementsupported", "DeviceManagementSupported") \
        F(h, U8,  cap_reinit,           1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.reinitsupported", "ReinitSupported") \
        F(h, U8,  cap_snmp,             1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.snmptunnelingsupported", "SNMPTunnelingSupported") \
        F(h, U8,  cap_cm,               1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.communicationmanagementsupported", "CommunicationManagementSupported") \
        F(h, U8,  cap_mask2,            1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.capabilitymask2supported", "CapabilityMask2Supported") \
        F(h, U8,  cap_ext_speeds,       1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.extendedspeedssupported", "ExtendedSpeedsSupported") \
        F(h, U8,  cap_cable,            1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.cableinfosupported", "CableInfoSupported") \
        F(h, U8,  cap_pkey_trap,        1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.pkeyswitchexternalporttrapsupported", "PKeySwitchExternalPortTrapSupported") \
        F(h, U8,  cap_sysguid,          1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.systemimageguidsupported", "SystemImageGUIDSupported") \
        F(h, U8,  cap_sm_disabled,      1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.smdisabled", "SMdisabled")     \
        F(h, U8,  cap_led,              1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.ledinfosupported", "LEDInfoSupported") \
        F(h, U8,  cap_pkey_nvram,       1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.pkeynvram", "PKeyNVRAM")       \
        F(h, U8,  cap_mkey_nvram,       1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.mkeynvram", "MKeyNVRAM")       \
        F(h, U8,  cap_sl_map,           1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.slmappingsupported", "SLMappingSupported") \
        F(h, U8,  cap_migration,        1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.automaticmigrationsupported", "AutomaticMigrationSupported") \
        F(h, U8,  cap_ipd,              1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.optionalipdsupported", "OptionalIPDSupported") \
        F(h, U8,  cap_trap,             1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.trapsupported", "TrapSupported") \
        F(h, U8,  cap_notice,           1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.noticesupported", "NoticeSupported") \
        F(h, U8,  cap_sm,               1, X8,   N, NONE,      ALWAYS,                  "capabilitymask.issm", "SM")                   \
        F(h, U8,  cap_reserved,         1, DEC,  R, NONE,      ALWAYS,                  "capabilitymask.reserved", "Reserved (1 bit)") \
        F(h, U16, diagcode,            16, X4,   N, NONE,      ALWAYS,                  "diagcode", "DiagCode")                        \
        F(h, U16, m_keyleaseperiod,    16, N4,   N, NONE,      ALWAYS,                  "m_keyleaseperiod", "M_KeyLeasePeriod")        \
        F(h, U8,  localportnum,         8, N2,   N, NONE,      ALWAYS,                  "localportnum", "LocalPortNum")                \
        F(h, U8,  linkwidthenabled,     8, X2,   N, WIDTH,     ALWAYS,                  "linkwidthenabled", "LinkWidthEnabled")        \
        F(h, U8,  linkwidthsupported,    8, X2,   N, WIDTH,     ALWAYS,                  "linkwidthsupported", "LinkWidthSupported")   \
        F(h, U8,  linkwidthactive,      8, X2,   N, WIDTH,     ALWAYS,                  "linkwidthactive", "LinkWidthActive")          \
        F(h, U8,  linkspeedsupported,    4, X2,   N, SPEEDS,    ALWAYS,                  "linkspeedsupported", "LinkSpeedSupported")   \
        F(h, U8,  portstate,            4, X2,   N, PORT_STATE, ALWAYS,                  "portstate", "PortState")                     \
        F(h, U8,  portphysicalstate,    4, X2,   N, PHYS_STATE, ALWAYS,                  "portphysicalstate", "PortPhysicalState")     \
        F(h, U8,  linkdowndefaultstate,    4, X2,   N, DOWN_STATE, ALWAYS,                  "linkdowndefaultstate", "LinkDownDefaultState") \
        F(h, U8,  m_keyprotectbits,     2, X2,   N, NONE,      ALWAYS,                  "m_keyprotectbits", "M_KeyProtectBits")        \
        F(h, U8,  reserved1,            3, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (3 bits)")              \
        F(h, U8,  lmc,                  3, N2,   N, NONE,      ALWAYS,                  "lmc", "LMC")                                  \
        F(h, U8,  linkspeedactive,      4, X2,   N, SPEEDS,    ALWAYS,                  "linkspeedactive", "LinkSpeedActive")          \
        F(h, U8,  linkspeedenabled,     4, X2,   N, SPEEDS,    ALWAYS,                  "linkspeedenabled", "LinkSpeedEnabled")        \
        F(h, U8,  neighbormtu,          4, X2,   N, MTU,       ALWAYS,                  "neighbormtu", "NeighborMTU")                  \
        F(h, U8,  mastersmsl,           4, N2,   N, NONE,      ALWAYS,                  "mastersmsl", "MasterSMSL")                    \
        F(h, U8,  vlcap,                4, X2,   N, VLS,       ALWAYS,                  "vlcap", "VLCap")                              \
        F(h, U8,  inittype,             4, X2,   N, NONE,      ALWAYS,                  "inittype", "InitType")                        \
        F(h, U8,  vlhighlimit,          8, N2,   N, NONE,      ALWAYS,                  "vlhighlimit", "VLHighLimit")                  \
        F(h, U8,  vlarbitrationhighcap,    8, N2,   N, NONE,      ALWAYS,                  "vlarbitrationhighcap", "VLArbitrationHighCap") \
        F(h, U8,  vlarbitrationlowcap,    8, N2,   N, NONE,      ALWAYS,                  "vlarbitrationlowcap", "VLArbitrationLowCap") \
        F(h, U8,  inittypereply,        4, X2,   N, NONE,      ALWAYS,                  "inittypereply", "InitTypeReply")              \
        F(h, U8,  mtucap,               4, X2,   N, MTU,       ALWAYS,                  "mtucap", "MTUCap")                            \
        F(h, U8,  vlstallcount,         3, N2,   N, NONE,      ALWAYS,                  "vlstallcount", "VLStallCount")                \
        F(h, U8,  hoqlife,              5, N2,   N, NONE,      ALWAYS,                  "hoqlife", "HOQLife")                          \
        F(h, U8,  operationalvls,       4, X2,   N, VLS,       ALWAYS,                  "operationalvls", "OperationalVLs")            \
        F(h, U8,  partitionenforcementinbound,    1, X2,   N, NONE,      ALWAYS,                  "partitionenforcementinbound", "PartitionEnforcementInbound") \
        F(h, U8,  partitionenforcementoutbound,    1, X2,   N, NONE,      ALWAYS,                  "partitionenforcementoutbound", "PartitionEnforcementOutbound") \
        F(h, U8,  filterrawinbound,     1, X2,   N, NONE,      ALWAYS,                  "filterrawinbound", "FilterRawInbound")        \
        F(h, U8,  filterrawoutbound,    1, X2,   N, NONE,      ALWAYS,                  "filterrawoutbound", "FilterRawOutbound")      \
        F(h, U16, m_keyviolations,     16, N4,   N, NONE,      ALWAYS,                  "m_keyviolations", "M_KeyViolations")          \
        F(h, U16, p_keyviolations,     16, N4,   N, NONE,      ALWAYS,                  "p_keyviolations", "P_KeyViolations")          \
        F(h, U16, q_keyviolations,     16, N4,   N, NONE,      ALWAYS,                  "q_keyviolations", "Q_KeyViolations")          \
        F(h, U8,  guidcap,              8, N2,   N, NONE,      ALWAYS,                  "guidcap", "GUIDCap")                          \
        F(h, U8,  clientreregister,     1, X2,   N, NONE,      ALWAYS,                  "clientreregister", "ClientReregister")        \
        F(h, U8,  multicastpkeytrapsuppression,    2, X2,   N, NONE,      ALWAYS,                  "multicastpkeytrapsuppression", "MulticastPKeyTrapSuppressionEnabled") \
        F(h, U8,  subnettimeout,        5, X2,   N, TIMEOUT,   ALWAYS,                  "subnettimeout", "SubnetTimeOut")              \
        F(h, U8,  reserved2,            3, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (3 bits)")              \
        F(h, U8,  resptimevalue,        5, X2,   N, TIMEOUT,   ALWAYS,                  "resptimevalue", "RespTimeValue")              \
        F(h, U8,  localphyerrors,       4, N2,   N, NONE,      ALWAYS,                  "localphyerrors", "LocalPhyErrors")            \
        F(h, U8,  overrunerrors,        4, N2,   N, NONE,      ALWAYS,                  "overrunerrors", "OverrunErrors")              \
        F(h, U16, maxcredithint,       16, N4,   N, NONE,      ALWAYS,                  "maxcredithint", "MaxCreditHint")              \
        F(h, U8,  reserved3,            8, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (8 bits)")              \
        F(h, U32, linkroundtriplatency,   24, N6,   N, NONE,      ALWAYS,                  "linkroundtriplatency", "LinkRoundTripLatency") \
        V(h, cap2_reserved,            16, X4,   N, NONE,      ALWAYS,                  "capabilitymask2", "CapabilityMask2")          \
        F(h, U8,  cap2_reserved,        3, DEC,  R, NONE,      ALWAYS,                  "capabilitymask2.reserved", "Reserved (3 bits)") \
        F(h, U8,  cap2_xdr,             1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.linkspeedxdrsupported", "LinkSpeedXDRSupported") \
        F(h, U8,  cap2_ext2,            1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.extendedspeeds2supported", "ExtendedSpeeds2Supported") \
        F(h, U8,  cap2_ndr,             1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.linkspeedndrsupported", "LinkSpeedNDRSupported") \
        F(h, U8,  cap2_other,           4, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.bits6to9", "Bits 6 to 9")     \
        F(h, U8,  cap2_hdr,             1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.linkspeedhdrsupported", "LinkSpeedHDRSupported") \
        F(h, U8,  cap2_width2x,         1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.linkwidth2xsupported", "LinkWidth2xSupported") \
        F(h, U8,  cap2_switchport,      1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.switchportstatetablesupported", "SwitchPortStateTableSupported") \
        F(h, U8,  cap2_virt,            1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.virtualizationsupported", "VirtualizationSupported") \
        F(h, U8,  cap2_ext,             1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.portinfoextendedsupported", "PortInfoExtendedSupported") \
        F(h, U8,  cap2_desc,            1, X4,   N, NONE,      ALWAYS,                  "capabilitymask2.setnodedescriptionsupported", "SetNodeDescriptionSupported") \
        F(h, U8,  linkspeedextactive,    4, X2,   N, EXT_SPEEDS, ALWAYS,                  "linkspeedextactive", "LinkSpeedExtActive")  \
        F(h, U8,  linkspeedextsupported,    4, X2,   N, EXT_SPEEDS, ALWAYS,                  "linkspeedextsupported", "LinkSpeedExtSupported") \
        F(h, U8,  reserved4,            3, DEC,  R, NONE,      ALWAYS,                  "reserved4", "Reserved (3 bits)")              \
        F(h, U8,  linkspeedextenabled,    5, X2,   N, EXT_ENABLED, ALWAYS,                  "linkspeedextenabled", "LinkSpeedExtEnabled")
#define IBA_PORTINFOEXT(F, V, h)                                                                                                       \
        F(h, U32, capmask,             32, X8,   N, NONE,      ALWAYS,                  "capabilitymask", "CapabilityMask")            \
        F(h, U16, fecactive,           16, X4,   N, FEC,       ALWAYS,                  "fecmodeactive", "FECModeActive")              \
        F(h, U16, fdrsupported,        16, X4,   N, NONE,      ALWAYS,                  "fdrfecmodesupported", "FDRFECModeSupported")  \
        F(h, U16, fdrenabled,          16, X4,   N, NONE,      ALWAYS,                  "fdrfecmodeenabled", "FDRFECModeEnabled")      \
        F(h, U16, edrsupported,        16, X4,   N, NONE,      ALWAYS,                  "edrfecmodesupported", "EDRFECModeSupported")  \
        F(h, U16, edrenabled,          16, X4,   N, NONE,      ALWAYS,                  "edrfecmodeenabled", "EDRFECModeEnabled")      \
        F(h, U16, hdrsupported,        16, X4,   N, NONE,      ALWAYS,                  "hdrfecmodesupported", "HDRFECModeSupported")  \
        F(h, U16, hdrenabled,          16, X4,   N, NONE,      ALWAYS,                  "hdrfecmodeenabled", "HDRFECModeEnabled")      \
        F(h, B,   reserved1,          368, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (46 bytes)")
#define IBA_P_KEYTABLE(F, V, h)                                                                                                        \
        F(h, U8,  membershiptype,       1, X2,   N, MEMBERSHIP, ALWAYS,                  "membershiptype", "MembershipType")           \
        F(h, U16, p_keybase,           15, X4,   N, NONE,      ALWAYS,                  "p_keybase", "P_KeyBase")
#define IBA_P_KEYBLOCK(F, V, h)                                                                                                        \
        F(h, B,   block,              512, BYTES, H, NONE,      ALWAYS,                  "p_keytableblock", "P_KeyTableBlock")
#define IBA_SLTOVL(F, V, h)                                                                                                            \
        F(h, U8,  high,                 4, N2,   N, NONE,      ALWAYS,                  "sltovlhighbits", "VL of the even SL")         \
        F(h, U8,  low,                  4, N2,   N, NONE,      ALWAYS,                  "sltovllowbits", "VL of the odd SL")
#define IBA_VLARBITRATION(F, V, h)                                                                                                     \
        F(h, U8,  reserved1,            4, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (4 bits)")              \
        F(h, U8,  vl,                   4, N2,   N, NONE,      ALWAYS,                  "vl", "VL")                                    \
        F(h, U8,  weight,               8, N2,   N, NONE,      ALWAYS,                  "weight", "Weight")
#define IBA_LFT(F, V, h)                                                                                                               \
        F(h, U8,  port,                 8, N2,   N, NO_PORT,   ALWAYS,                  "port", "Port")
#define IBA_RFT(F, V, h)                                                                                                               \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U8,  valid,                1, X2,   N, NONE,      ALWAYS,                  "valid", "Valid")                              \
        F(h, U8,  lmc,                  3, N2,   N, NONE,      ALWAYS,                  "lmc", "LMC")                                  \
        F(h, U8,  reserved1,            4, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (4 bits)")              \
        F(h, U8,  port,                 8, N2,   N, NONE,      ALWAYS,                  "port", "Port")
#define IBA_MFT(F, V, h)                                                                                                               \
        F(h, U16, portmask,            16, X4,   N, NONE,      ALWAYS,                  "portmask", "PortMask")
#define IBA_SPEEDWIDTH(F, V, h)                                                                                                        \
        F(h, U8,  numtables,            8, N2,   N, NONE,      ALWAYS,                  "numtables", "NumTables")                      \
        F(h, B,   portmask,           256, BYTES, N, NONE,      ALWAYS,                  "portmask", "PortMask")                       \
        F(h, U8,  speed2_5,             8, X2,   N, NONE,      ALWAYS,                  "width2_5", "Widths at 2.5 Gbps")              \
        F(h, U8,  speed5,               8, X2,   N, NONE,      ALWAYS,                  "width5", "Widths at 5 Gbps")                  \
        F(h, U8,  speed10,              8, X2,   N, NONE,      ALWAYS,                  "width10", "Widths at 10 Gbps")
#define IBA_VENDORMADS(F, V, h)                                                                                                        \
        F(h, B,   data,               512, BYTES, N, NONE,      ALWAYS,                  "data", "Data")
#define IBA_HIERARCHYINFO(F, V, h)                                                                                                     \
        F(h, B,   data,               512, BYTES, N, NONE,      ALWAYS,                  "data", "Data")
#define IBA_SMINFO(F, V, h)                                                                                                            \
        F(h, U64, guid,                64, X16,  N, NONE,      ALWAYS,                  "guid", "GUID")                                \
        F(h, U64, sm_key,              64, X16,  N, NONE,      ALWAYS,                  "sm_key", "SM_Key")                            \
        F(h, U32, actcount,            32, N8,   N, NONE,      ALWAYS,                  "actcount", "ActCount")                        \
        F(h, U8,  priority,             4, N2,   N, NONE,      ALWAYS,                  "priority", "Priority")                        \
        F(h, U8,  smstate,              4, X2,   N, SM_STATE,  ALWAYS,                  "smstate", "SMState")
#define IBA_VENDORDIAG(F, V, h)                                                                                                        \
        F(h, U16, nextindex,           16, X4,   N, NONE,      ALWAYS,                  "nextindex", "NextIndex")                      \
        F(h, B,   diagdata,           496, BYTES, N, NONE,      ALWAYS,                  "diagdata", "DiagData")
#define IBA_LEDINFO(F, V, h)                                                                                                           \
        F(h, U8,  ledmask,              1, X2,   N, NONE,      ALWAYS,                  "ledmask", "LedMask")                          \
        F(h, U8,  reserved1,            7, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (7 bits)")              \
        F(h, U32, reserved2,           24, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (24 bits)")
#define IBA_CABLEINFO(F, V, h)                                                                                                         \
        F(h, B,   data,               512, BYTES, N, NONE,      ALWAYS,                  "data", "Data")
#define IBA_MLNXPORTINFO(F, V, h)                                                                                                      \
        F(h, U32, reserved1,           24, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (24 bits)")             \
        F(h, U8,  statechangeenable,    8, X2,   N, NONE,      ALWAYS,                  "statechangeenable", "StateChangeEnable")      \
        F(h, U32, reserved2,           24, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (24 bits)")             \
        F(h, U8,  linkspeedsupported,    8, X2,   N, MLNX_SPEED, ALWAYS,                  "linkspeedsupported", "LinkSpeedSupported")  \
        F(h, U32, reserved3,           24, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (24 bits)")             \
        F(h, U8,  linkspeedenabled,     8, X2,   N, MLNX_SPEED, ALWAYS,                  "linkspeedenabled", "LinkSpeedEnabled")       \
        F(h, U32, reserved4,           24, DEC,  R, NONE,      ALWAYS,                  "reserved4", "Reserved (24 bits)")             \
        F(h, U8,  linkspeedactive,      8, X2,   N, MLNX_SPEED, ALWAYS,                  "linkspeedactive", "LinkSpeedActive")         \
        F(h, B,   reserved5,          384, BYTES, R, NONE,      ALWAYS,                  "reserved5", "Reserved (48 bytes)")
#define IBA_NOTICE(F, V, h)                                                                                                            \
        F(h, U8,  isgeneric,            1, X2,   N, NONE,      ALWAYS,                  "isgeneric", "IsGeneric")                      \
        F(h, U8,  type,                 7, X2,   N, NOTICE_TYPE, ALWAYS,                  "type", "Type")                              \
        F(h, U32, producer,            24, X6,   N, NONE,      ALWAYS,                  "producertypevendorid", "ProducerTypeVendorID") \
        F(h, U16, trap,                16, X4,   N, NONE,      ALWAYS,                  "trapnumberdeviceid", "TrapNumberDeviceID")    \
        V(h, trap,                     16, DEC,  N, TRAP,      WHEN(h, isgeneric, EQ, 1), "trap", "Trap")                              \
        F(h, U16, issuerlid,           16, N4,   N, NONE,      ALWAYS,                  "issuerlid", "IssuerLID")                      \
        F(h, U8,  noticetoggle,         1, X2,   N, NONE,      ALWAYS,                  "noticetoggle", "NoticeToggle")                \
        F(h, U16, noticecount,         15, N4,   N, NONE,      ALWAYS,                  "noticecount", "NoticeCount")
#define IBA_NOTICE_DATA(F, V, h)                                                                                                       \
        F(h, B,   datadetails,        432, BYTES, H, NONE,      ALWAYS,                  "datadetails", "DataDetails")
#define IBA_NOTICE_ISSUER(F, V, h)                                                                                                     \
        F(h, B,   issuergid,          128, IP6,  N, NONE,      ALWAYS,                  "issuergid", "IssuerGID")
#define IBA_TRAP_GID(F, V, h)                                                                                                          \
        F(h, B,   reserved1,           48, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (6 bytes)")            \
        F(h, B,   gidaddr,            128, IP6,  N, NONE,      ALWAYS,                  "gidaddr", "GIDADDR")                          \
        F(h, B,   reserved2,          256, BYTES, R, NONE,      ALWAYS,                  "reserved2", "Reserved (32 bytes)")
#define IBA_TRAP_REPATH(F, V, h)                                                                                                       \
        F(h, U64, path_compmask,       64, X16,  N, NONE,      ALWAYS,                  "comp_mask", "COMP_MASK")                      \
        F(h, U8,  waitforrepath,        1, X2,   N, NONE,      ALWAYS,                  "wait_for_repath", "WAIT_FOR_REPATH")          \
        F(h, U8,  reserved1,            7, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (7 bits)")              \
        F(h, B,   path,               360, BYTES, N, NONE,      ALWAYS,                  "path_rec", "PATH_REC")
#define IBA_TRAP_SWITCH(F, V, h)                                                                                                       \
        F(h, U16, lidaddr,             16, N4,   N, NONE,      ALWAYS,                  "lidaddr", "LIDADDR")                          \
        F(h, B,   reserved1,          416, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (52 bytes)")
#define IBA_TRAP_PORT(F, V, h)                                                                                                         \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U16, lidaddr,             16, N4,   N, NONE,      ALWAYS,                  "lidaddr", "LIDADDR")                          \
        F(h, U8,  portno,               8, N2,   N, NONE,      ALWAYS,                  "portno", "PORTNO")                            \
        F(h, B,   reserved2,          392, BYTES, R, NONE,      ALWAYS,                  "reserved2", "Reserved (49 bytes)")
#define IBA_TRAP_LOCAL(F, V, h)                                                                                                        \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U16, lidaddr,             16, N4,   N, NONE,      ALWAYS,                  "lidaddr", "LIDADDR")                          \
        F(h, U16, reserved2,           15, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (15 bits)")             \
        F(h, U8,  otherlocalchanges,    1, X2,   N, NONE,      ALWAYS,                  "otherlocalchanges", "OtherLocalChanges")      \
        F(h, U32, capabilitymask,      32, X8,   N, NONE,      ALWAYS,                  "capabilitymask", "CAPABILITYMASK")            \
        F(h, U16, reserved3,           10, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (10 bits)")             \
        F(h, U8,  capmask2change,       1, X2,   N, NONE,      ALWAYS,                  "capabilitymask2change", "CapabilityMask2Change") \
        F(h, U8,  hierarchychange,      1, X2,   N, NONE,      ALWAYS,                  "hierarchyinfochange", "HierarchyInfoChange")  \
        F(h, U8,  smprioritychange,     1, X2,   N, NONE,      ALWAYS,                  "smprioritychange", "SMPriorityChange")        \
        F(h, U8,  linkspeedchange,      1, X2,   N, NONE,      ALWAYS,                  "linkspeecenabledchange", "LinkSpeedEnabledChange") \
        F(h, U8,  linkwidthchange,      1, X2,   N, NONE,      ALWAYS,                  "linkwidthenabledchange", "LinkWidthEnabledChange") \
        F(h, U8,  descriptionchange,    1, X2,   N, NONE,      ALWAYS,                  "nodedescriptionchange", "NodeDescriptionChange") \
        F(h, U16, capabilitymask2,     16, X4,   N, NONE,      ALWAYS,                  "capabilitymask2", "CAPABILITYMASK2")          \
        F(h, B,   reserved4,          304, BYTES, R, NONE,      ALWAYS,                  "reserved4", "Reserved (38 bytes)")
#define IBA_TRAP_SYSGUID(F, V, h)                                                                                                      \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U16, lidaddr,             16, N4,   N, NONE,      ALWAYS,                  "lidaddr", "LIDADDR")                          \
        F(h, U16, reserved2,           16, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (16 bits)")             \
        F(h, U64, systemimageguid,     64, X16,  N, NONE,      ALWAYS,                  "systemimageguid", "SYSTEMIMAGEGUID")          \
        F(h, B,   reserved3,          320, BYTES, R, NONE,      ALWAYS,                  "reserved3", "Reserved (40 bytes)")
#define IBA_TRAP_MKEY(F, V, h)                                                                                                         \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U16, lidaddr,             16, N4,   N, NONE,      ALWAYS,                  "lidaddr", "LIDADDR")                          \
        F(h, U16, drslid,              16, N4,   N, NONE,      ALWAYS,                  "drslid", "DRSLID")                            \
        F(h, U8,  method,               8, X2,   N, MAD_METHOD, ALWAYS,                  "method", "METHOD")                           \
        F(h, U8,  reserved2,            8, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (8 bits)")              \
        F(h, U16, attributeid,         16, X4,   N, NONE,      ALWAYS,                  "attributeid", "ATTRIBUTEID")                  \
        F(h, U32, attributemodifier,   32, X8,   N, NONE,      ALWAYS,                  "attributemodifier", "ATTRIBUTEMODIFIER")      \
        F(h, U64, mkey,                64, X16,  N, NONE,      ALWAYS,                  "mkey", "MKEY")                                \
        F(h, U8,  reserved3,            8, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (8 bits)")              \
        F(h, U8,  drnotice,             1, X2,   N, NONE,      ALWAYS,                  "drnotice", "DRNotice")                        \
        F(h, U8,  drpathtruncated,      1, X2,   N, NONE,      ALWAYS,                  "drpathtruncated", "DRPathTruncated")          \
        F(h, U8,  drhopcount,           6, N2,   N, NONE,      ALWAYS,                  "drhopcount", "DRHopCount")                    \
        F(h, B,   returnpath,         240, BYTES, N, NONE,      ALWAYS,                  "drnoticereturnpath", "DRNoticeReturnPath")
#define IBA_TRAP_KEY(F, V, h)                                                                                                          \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U16, lidaddr1,            16, N4,   N, NONE,      ALWAYS,                  "lidaddr1", "LIDADDR1")                        \
        F(h, U16, lidaddr2,            16, N4,   N, NONE,      ALWAYS,                  "lidaddr2", "LIDADDR2")                        \
        F(h, U32, key,                 32, X8,   N, NONE,      ALWAYS,                  "key", "KEY")                                  \
        F(h, U8,  sl,                   4, X2,   N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U8,  reserved2,            4, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (4 bits)")              \
        F(h, U32, qp1,                 24, X6,   N, NONE,      ALWAYS,                  "qp1", "QP1")                                  \
        F(h, U8,  reserved3,            8, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (8 bits)")              \
        F(h, U32, qp2,                 24, X6,   N, NONE,      ALWAYS,                  "qp2", "QP2")                                  \
        F(h, B,   gidaddr1,           128, IP6,  N, NONE,      ALWAYS,                  "gidaddr1", "GIDADDR1")                        \
        F(h, B,   gidaddr2,           128, IP6,  N, NONE,      ALWAYS,                  "gidaddr2", "GIDADDR2")                        \
        F(h, U32, reserved4,           32, DEC,  R, NONE,      ALWAYS,                  "reserved4", "Reserved (32 bits)")
#define IBA_TRAP_SWITCH_PKEY(F, V, h)                                                                                                  \
        F(h, U16, valid,               16, X4,   N, NONE,      ALWAYS,                  "datavalid.mask", "DataValid")                 \
        F(h, U16, lidaddr1,            16, N4,   N, NONE,      ALWAYS,                  "lidaddr1", "LIDADDR1")                        \
        F(h, U16, lidaddr2,            16, N4,   N, NONE,      ALWAYS,                  "lidaddr2", "LIDADDR2")                        \
        F(h, U16, pkey,                16, X4,   N, NONE,      ALWAYS,                  "pkey", "PKEY")                                \
        F(h, U8,  sl,                   4, X2,   N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U8,  reserved1,            4, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (4 bits)")              \
        F(h, U32, qp1,                 24, X6,   N, NONE,      ALWAYS,                  "qp1", "QP1")                                  \
        F(h, U8,  reserved2,            8, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (8 bits)")              \
        F(h, U32, qp2,                 24, X6,   N, NONE,      ALWAYS,                  "qp2", "QP2")                                  \
        F(h, B,   gidaddr1,           128, IP6,  N, NONE,      ALWAYS,                  "gidaddr1", "GIDADDR1")                        \
        F(h, B,   gidaddr2,           128, IP6,  N, NONE,      ALWAYS,                  "gidaddr2", "GIDADDR2")                        \
        F(h, U16, swlid,               16, N4,   N, NONE,      ALWAYS,                  "swlidaddr.lid", "SWLIDADDR")                  \
        F(h, U8,  portno,               8, N2,   N, NONE,      ALWAYS,                  "portno", "PORTNO")                            \
        F(h, U32, reserved3,           24, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (24 bits)")
#define IBA_CLASSPORTINFO(F, V, h)                                                                                                     \
        F(h, U8,  baseversion,          8, X2,   N, NONE,      ALWAYS,                  "baseversion", "BaseVersion")                  \
        F(h, U8,  classversion,         8, X2,   N, NONE,      ALWAYS,                  "classversion", "ClassVersion")                \
        F(h, U16, capabilitymask,      16, X4,   N, NONE,      ALWAYS,                  "capabilitymask", "CapabilityMask")            \
        F(h, U32, capabilitymask2,     27, X8,   N, NONE,      ALWAYS,                  "capabilitymask2", "CapabilityMask2")          \
        F(h, U8,  resptimevalue,        5, X2,   N, TIMEOUT,   ALWAYS,                  "resptimevalue", "RespTimeValue")              \
        F(h, B,   redirectgid,        128, IP6,  N, NONE,      ALWAYS,                  "redirectgid", "RedirectGID")                  \
        F(h, U8,  redirecttc,           8, X2,   N, NONE,      ALWAYS,                  "redirecttc", "RedirectTC")                    \
        F(h, U8,  redirectsl,           4, X2,   N, NONE,      ALWAYS,                  "redirectsl", "RedirectSL")                    \
        F(h, U32, redirectfl,          20, X6,   N, NONE,      ALWAYS,                  "redirectfl", "RedirectFL")                    \
        F(h, U16, redirectlid,         16, N4,   N, NONE,      ALWAYS,                  "redirectlid", "RedirectLID")                  \
        F(h, U16, redirectpkey,        16, X4,   N, NONE,      ALWAYS,                  "redirectpkey", "RedirectP_Key")               \
        F(h, U8,  reserved,             8, X2,   N, NONE,      ALWAYS,                  "reserved", "Reserved")                        \
        F(h, U32, redirectqp,          24, X6,   N, NONE,      ALWAYS,                  "redirectqp", "RedirectQP")                    \
        F(h, U32, redirectqkey,        32, X8,   N, NONE,      ALWAYS,                  "redirectqkey", "RedirectQ_Key")               \
        F(h, B,   trapgid,            128, IP6,  N, NONE,      ALWAYS,                  "trapgid", "TrapGID")                          \
        F(h, U8,  traptc,               8, X2,   N, NONE,      ALWAYS,                  "traptc", "TrapTC")                            \
        F(h, U8,  trapsl,               4, X2,   N, NONE,      ALWAYS,                  "trapsl", "TrapSL")                            \
        F(h, U32, trapfl,              20, X6,   N, NONE,      ALWAYS,                  "trapfl", "TrapFL")                            \
        F(h, U16, traplid,             16, N4,   N, NONE,      ALWAYS,                  "traplid", "TrapLID")                          \
        F(h, U16, trappkey,            16, X4,   N, NONE,      ALWAYS,                  "trappkey", "TrapP_Key")                       \
        F(h, U8,  traphoplimit,         8, DEC,  N, NONE,      ALWAYS,                  "traphl", "TrapHL")                            \
        V(h, traphoplimit,              8, X2,   H, NONE,      ALWAYS,                  "=infiniband.classportinfo.reserved", "TrapHL (tshark takes it for reserved)") \
        F(h, U32, trapqp,              24, X6,   N, NONE,      ALWAYS,                  "trapqp", "TrapQP")                            \
        F(h, U32, trapqkey,            32, X8,   N, NONE,      ALWAYS,                  "trapqkey", "TrapQ_Key")

/*        list                          name                   bytes prefix, title */
#define IBA_SMP_LAYOUTS(H)                                                                                                             \
        H(IBA_MADHDR,                  madhdr,                   24, "infiniband.mad", "MAD - Management Datagram Common Header")      \
        H(IBA_MAD_DATA,                mad_data,                232, "infiniband.mad", "MAD Data")                                     \
        H(IBA_MAD_UNKNOWN,             mad_unknown,             232, "infiniband.mad.unknown", "Attribute that is not known")          \
        H(IBA_SMPLID,                  smplid,                   40, "infiniband.smplid", "SMP - Subnet Management Packet (LID Routed)") \
        H(IBA_SMPDIRECTED,             smpdirected,               4, "infiniband.smpdirected", "SMP - Subnet Management Packet (Directed Route)") \
        H(IBA_SMP_ROUTE,               smp_route,                40, "infiniband.smpdirected", "Directed Route")                       \
        H(IBA_SMP_DATA,                smp_data,                 64, "infiniband.smp.data", "SMP Data")                                \
        H(IBA_SMP_PATHS,               smp_paths,               128, "infiniband.smp.paths", "Paths")                                  \
        H(IBA_INITIAL_PATH,            initial_path,              1, "infiniband.smpdirected.initialpath", "Initial Path, port of each hop") \
        H(IBA_RETURN_PATH,             return_path,               1, "infiniband.smpdirected.returnpath", "Return Path, port of each hop") \
        H(IBA_NODEDESCRIPTION,         nodedescription,          64, "infiniband.nodedescription", "NodeDescription")                  \
        H(IBA_NODEINFO,                nodeinfo,                 40, "infiniband.nodeinfo", "NodeInfo")                                \
        H(IBA_SWITCHINFO,              switchinfo,               20, "infiniband.switchinfo", "SwitchInfo")                            \
        H(IBA_GUIDINFO,                guidinfo,                  8, "infiniband.guidinfo", "GUIDInfo entry")                          \
        H(IBA_PORTINFO,                portinfo,                 64, "infiniband.portinfo", "PortInfo")                                \
        H(IBA_PORTINFOEXT,             portinfoext,              64, "infiniband.portinfoext", "PortInfoExtended")                     \
        H(IBA_P_KEYTABLE,              p_keytable,                2, "infiniband.p_keytable", "P_KeyTable entry")                      \
        H(IBA_P_KEYBLOCK,              p_keyblock,               64, "infiniband.p_keytable", "P_KeyTable")                            \
        H(IBA_SLTOVL,                  sltovl,                    1, "infiniband.sltovlmappingtable", "SLtoVLMappingTable, two SLs")   \
        H(IBA_VLARBITRATION,           vlarbitration,             2, "infiniband.vlarbitrationtable", "VLArbitrationTable entry")      \
        H(IBA_LFT,                     lft,                       1, "infiniband.linearforwardingtable", "LinearForwardingTable entry") \
        H(IBA_RFT,                     rft,                       4, "infiniband.randomforwardingtable", "RandomForwardingTable entry") \
        H(IBA_MFT,                     mft,                       2, "infiniband.multicastforwardingtable", "MulticastForwardingTable entry") \
        H(IBA_SPEEDWIDTH,              speedwidth,               36, "infiniband.linkspeedwidthpairstable", "LinkSpeedWidthPairsTable") \
        H(IBA_VENDORMADS,              vendormads,               64, "infiniband.vendorspecificmadstable", "VendorSpecificMadsTable")  \
        H(IBA_HIERARCHYINFO,           hierarchyinfo,            64, "infiniband.hierarchyinfo", "HierarchyInfo")                      \
        H(IBA_SMINFO,                  sminfo,                   21, "infiniband.sminfo", "SMInfo")                                    \
        H(IBA_VENDORDIAG,              vendordiag,               64, "infiniband.vendordiag", "VendorDiag")                            \
        H(IBA_LEDINFO,                 ledinfo,                   4, "infiniband.ledinfo", "LedInfo")                                  \
        H(IBA_CABLEINFO,               cableinfo,                64, "infiniband.cableinfo", "CableInfo")                              \
        H(IBA_MLNXPORTINFO,            mlnxportinfo,             64, "infiniband.mlnxextportinfo", "MlnxExtPortInfo")                  \
        H(IBA_NOTICE,                  notice,                   10, "infiniband.notice", "Notice")                                    \
        H(IBA_NOTICE_DATA,             notice_data,              54, "infiniband.notice", "Data Details")                              \
        H(IBA_NOTICE_ISSUER,           notice_issuer,            16, "infiniband.notice", "Issuer")                                    \
        H(IBA_TRAP_GID,                trap_gid,                 54, "infiniband.trap", "Data Details: the subject's GID")             \
        H(IBA_TRAP_REPATH,             trap_repath,              54, "infiniband.trap", "Data Details: paths changed")                 \
        H(IBA_TRAP_SWITCH,             trap_switch,              54, "infiniband.trap", "Data Details: switch")                        \
        H(IBA_TRAP_PORT,               trap_port,                54, "infiniband.trap", "Data Details: port")                          \
        H(IBA_TRAP_LOCAL,              trap_local,               52, "infiniband.trap", "Data Details: local change")                  \
        H(IBA_TRAP_SYSGUID,            trap_sysguid,             54, "infiniband.trap", "Data Details: system image GUID")             \
        H(IBA_TRAP_MKEY,               trap_mkey,                54, "infiniband.trap", "Data Details: bad M_Key")                     \
        H(IBA_TRAP_KEY,                trap_key,                 54, "infiniband.trap", "Data Details: bad P_Key or Q_Key")            \
        H(IBA_TRAP_SWITCH_PKEY,        trap_switch_pkey,         54, "infiniband.trap", "Data Details: bad P_Key at a switch")         \
        H(IBA_CLASSPORTINFO,           classportinfo,            72, "infiniband.classportinfo", "ClassPortInfo")
/* clang-format on */
#endif
