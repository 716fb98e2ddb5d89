/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of subnet administration: RMPP, the class header, records. The lists have the same form as those of
 * smp_fields.h. Sources: catalogue MD-37..MD-53, MD-87..MD-101. */
#ifndef SA_FIELDS_H
#define SA_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define IBA_RMPP(F, V, h)                                                                                                              \
        F(h, U8,  rmppversion,          8, X2,   N, NONE,      ALWAYS,                  "rmppversion", "RMPP Version")                 \
        F(h, U8,  rmpptype,             8, X2,   N, RMPP_TYPE, ALWAYS,                  "rmpptype", "RMPP Type")                       \
        F(h, U8,  rresptime,            5, X2,   N, NONE,      ALWAYS,                  "rresptime", "R Resp Time")                    \
        V(h, rmppflag_last,             3, X2,   N, NONE,      ALWAYS,                  "rmppflags", "RMPP Flags")                     \
        F(h, U8,  rmppflag_last,        1, FLAG, N, NONE,      ALWAYS,                  "rmppflags.last", "Last")                      \
        F(h, U8,  rmppflag_first,       1, FLAG, N, NONE,      ALWAYS,                  "rmppflags.first", "First")                    \
        F(h, U8,  rmppflag_active,      1, FLAG, N, NONE,      ALWAYS,                  "rmppflags.active", "Active")                  \
        F(h, U8,  rmppstatus,           8, X2,   N, RMPP_STATUS, ALWAYS,                  "rmppstatus", "RMPP Status")                 \
        F(h, U32, data1,               32, X8,   H, NONE,      ALWAYS,                  "data1.raw", "RMPP Data 1")                    \
        V(h, data1,                    32, X8,   N, NONE,      WHEN(h, rmpptype, LT, 1), "data1", "RMPP Data 1")                       \
        V(h, data1,                    32, N8,   N, NONE,      WHEN(h, rmpptype, EQ, 1), "segmentnumber", "Segment Number")            \
        V(h, data1,                    32, N8,   N, NONE,      WHEN(h, rmpptype, EQ, 2), "segmentnumber", "Segment Number")            \
        F(h, U32, data2,               32, X8,   H, NONE,      ALWAYS,                  "data2.raw", "RMPP Data 2")                    \
        V(h, data2,                    32, X8,   N, NONE,      WHEN(h, rmpptype, LT, 1), "data2", "RMPP Data 2")                       \
        V(h, data2,                    32, N8,   N, NONE,      WHEN(h, rmpptype, EQ, 1), "payloadlength", "Payload Length")            \
        V(h, data2,                    32, N8,   N, NONE,      WHEN(h, rmpptype, EQ, 2), "newwindowlast", "New Window Last")
#define IBA_RMPP_DATA(F, V, h)                                                                                                         \
        F(h, B,   transferred,       1760, BYTES, H, NONE,      ALWAYS,                  "transferreddata", "Transferred Data")
#define IBA_RMPP_ERROR(F, V, h)                                                                                                        \
        F(h, B,   extended,          1760, BYTES, H, NONE,      ALWAYS,                  "extendederrordata", "Optional Extended Error Data")
#define IBA_SA(F, V, h)                                                                                                                \
        F(h, U64, smkey,               64, X16,  N, NONE,      ALWAYS,                  "smkey", "SM_Key (Verification Key)")          \
        F(h, U16, attributeoffset,     16, N4,   N, NONE,      ALWAYS,                  "attributeoffset", "Attribute Offset (8-byte units)") \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U64, componentmask,       64, X16,  N, NONE,      ALWAYS,                  "componentmask", "Component Mask")
#define IBA_SA_DATA(F, V, h)                                                                                                           \
        F(h, B,   drdlid,            1600, BYTES, H, NONE,      ALWAYS,                  "drdlid", "Subnet Admin Data (tshark's name)")
#define IBA_SA_UNKNOWN(F, V, h)                                                                                                        \
        F(h, B,   subnetadmindata,   1600, BYTES, N, NONE,      ALWAYS,                  "subnetadmindata", "Subnet Admin Data")
#define IBA_RID_LID(F, V, h)                                                                                                           \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")
#define IBA_RID_PORT(F, V, h)                                                                                                          \
        F(h, U16, endportlid,          16, N4,   N, NONE,      ALWAYS,                  "endportlid", "EndportLID")                    \
        F(h, U8,  portnum,              8, N2,   N, NONE,      ALWAYS,                  "portnum", "PortNum")                          \
        F(h, U8,  options,              8, X2,   N, NONE,      ALWAYS,                  "options", "Options")
#define IBA_RID_SLTOVL(F, V, h)                                                                                                        \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U8,  inputportnum,         8, N2,   N, NONE,      ALWAYS,                  "inputportnum", "InputPortNum")                \
        F(h, U8,  outputportnum,        8, N2,   N, NONE,      ALWAYS,                  "outputportnum", "OutputPortNum")              \
        F(h, U32, reserved1,           32, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bits)")
#define IBA_RID_LFT(F, V, h)                                                                                                           \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U16, blocknum,            16, N4,   N, NONE,      ALWAYS,                  "blocknum_sixteenbit", "BlockNum")             \
        F(h, U32, reserved1,           32, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bits)")
#define IBA_RID_MFT(F, V, h)                                                                                                           \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U8,  position,             4, N2,   N, NONE,      ALWAYS,                  "position", "Position")                        \
        F(h, U8,  reserved1,            3, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (3 bits)")              \
        F(h, U16, blocknum,             9, N4,   N, NONE,      ALWAYS,                  "blocknum_ninebit", "BlockNum")                \
        F(h, U32, reserved2,           32, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (32 bits)")
#define IBA_RID_GUID(F, V, h)                                                                                                          \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U8,  blocknum,             8, N2,   N, NONE,      ALWAYS,                  "blocknum_eightbit", "BlockNum")               \
        F(h, B,   reserved1,           40, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (5 bytes)")
#define IBA_RID_PKEY(F, V, h)                                                                                                          \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U16, blocknum,            16, N4,   N, NONE,      ALWAYS,                  "blocknum_sixteenbit", "BlockNum")             \
        F(h, U8,  portnum,              8, N2,   N, NONE,      ALWAYS,                  "portnum", "PortNum")                          \
        F(h, U32, reserved1,           24, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (24 bits)")
#define IBA_RID_VLARB(F, V, h)                                                                                                         \
        F(h, U16, lid,                 16, N4,   N, NONE,      ALWAYS,                  "lid", "LID")                                  \
        F(h, U8,  outputportnum,        8, N2,   N, NONE,      ALWAYS,                  "outputportnum", "OutputPortNum")              \
        F(h, U8,  blocknum,             8, N2,   N, NONE,      ALWAYS,                  "blocknum_eightbit", "BlockNum")               \
        F(h, U32, reserved1,           32, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bits)")
#define IBA_LINKRECORD(F, V, h)                                                                                                        \
        F(h, U16, fromlid,             16, N4,   N, NONE,      ALWAYS,                  "fromlid", "FromLID")                          \
        F(h, U8,  fromport,             8, N2,   N, NONE,      ALWAYS,                  "fromport", "FromPort")                        \
        F(h, U8,  toport,               8, N2,   N, NONE,      ALWAYS,                  "toport", "ToPort")                            \
        F(h, U16, tolid,               16, N4,   N, NONE,      ALWAYS,                  "tolid", "ToLID")                              \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")
#define IBA_SERVICERECORD(F, V, h)                                                                                                     \
        F(h, U64, serviceid,           64, X16,  N, NONE,      ALWAYS,                  "serviceid", "ServiceID")                      \
        F(h, B,   servicegid,         128, IP6,  N, NONE,      ALWAYS,                  "servicegid", "ServiceGID")                    \
        F(h, U16, servicep_key,        16, X4,   N, NONE,      ALWAYS,                  "servicep_key", "ServiceP_Key")                \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U32, servicelease,        32, X8,   N, NONE,      ALWAYS,                  "servicelease", "ServiceLease")                \
        F(h, B,   servicekey,         128, BYTES, N, NONE,      ALWAYS,                  "servicekey", "ServiceKey")                   \
        F(h, B,   servicename,        512, BYTES, N, NONE,      ALWAYS,                  "servicename", "ServiceName")                 \
        V(h, servicename,             512, TEXT, N, NONE,      ALWAYS,                  "servicename.text", "ServiceName")             \
        F(h, B,   servicedata8,       128, BYTES, N, NONE,      ALWAYS,                  "servicedata", "ServiceData8")                \
        F(h, B,   servicedata16,      128, BYTES, N, NONE,      ALWAYS,                  "servicedata", "ServiceData16")               \
        F(h, B,   servicedata32,      128, BYTES, N, NONE,      ALWAYS,                  "servicedata", "ServiceData32")               \
        F(h, B,   servicedata64,      128, BYTES, N, NONE,      ALWAYS,                  "servicedata", "ServiceData64")
#define IBA_PATHRECORD(F, V, h)                                                                                                        \
        F(h, U64, serviceid,           64, X16,  N, NONE,      ALWAYS,                  "serviceid", "ServiceID")                      \
        F(h, B,   dgid,               128, IP6,  N, NONE,      ALWAYS,                  "dgid", "DGID")                                \
        F(h, B,   sgid,               128, IP6,  N, NONE,      ALWAYS,                  "sgid", "SGID")                                \
        F(h, U16, dlid,                16, N4,   N, NONE,      ALWAYS,                  "dlid", "DLID")                                \
        F(h, U16, slid,                16, N4,   N, NONE,      ALWAYS,                  "slid", "SLID")                                \
        F(h, U8,  rawtraffic,           1, X2,   N, NONE,      ALWAYS,                  "rawtraffic", "RawTraffic")                    \
        F(h, U8,  reserved1,            3, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (3 bits)")              \
        F(h, U32, flowlabel,           20, X6,   N, NONE,      ALWAYS,                  "flowlabel", "FlowLabel")                      \
        F(h, U8,  hoplimit,             8, N2,   N, NONE,      ALWAYS,                  "hoplimit", "HopLimit")                        \
        F(h, U8,  tclass,               8, N2,   N, NONE,      ALWAYS,                  "tclass", "TClass")                            \
        F(h, U8,  reversible,           1, X2,   N, NONE,      ALWAYS,                  "reversible", "Reversible")                    \
        F(h, U8,  numbpath,             7, N2,   N, NONE,      ALWAYS,                  "numbpath", "NumbPath")                        \
        F(h, U16, p_key,               16, X4,   N, NONE,      ALWAYS,                  "p_key", "P_Key")                              \
        F(h, U16, qosclass,            12, X4,   N, NONE,      ALWAYS,                  "qosclass", "QoSClass")                        \
        F(h, U8,  sl,                   4, N4,   N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U8,  mtuselector,          2, X2,   N, SELECTOR,  ALWAYS,                  "mtuselector", "MTUSelector")                  \
        F(h, U8,  mtu,                  6, X2,   N, MTU,       ALWAYS,                  "mtu", "MTU")                                  \
        F(h, U8,  rateselector,         2, X2,   N, SELECTOR,  ALWAYS,                  "rateselector", "RateSelector")                \
        F(h, U8,  rate,                 6, X2,   N, RATE,      ALWAYS,                  "rate", "Rate")                                \
        F(h, U8,  packetlifetimeselector,    2, X2,   N, SELECTOR,  ALWAYS,                  "packetlifetimeselector", "PacketLifeTimeSelector") \
        F(h, U8,  packetlifetime,       6, X2,   N, TIMEOUT,   ALWAYS,                  "packetlifetime", "PacketLifeTime")            \
        F(h, U8,  preference,           8, N2,   N, NONE,      ALWAYS,                  "preference", "Preference")                    \
        F(h, B,   reserved2,           48, BYTES, R, NONE,      ALWAYS,                  "reserved2", "Reserved (6 bytes)")
#define IBA_MCMEMBERRECORD(F, V, h)                                                                                                    \
        F(h, B,   mgid,               128, IP6,  N, NONE,      ALWAYS,                  "mgid", "MGID")                                \
        F(h, B,   portgid,            128, IP6,  N, NONE,      ALWAYS,                  "portgid", "PortGID")                          \
        F(h, U32, q_key,               32, X8,   N, NONE,      ALWAYS,                  "q_key", "Q_Key")                              \
        F(h, U16, mlid,                16, N4,   N, NONE,      ALWAYS,                  "mlid", "MLID")                                \
        F(h, U8,  mtuselector,          2, X2,   N, SELECTOR,  ALWAYS,                  "mtuselector", "MTUSelector")                  \
        F(h, U8,  mtu,                  6, X2,   N, MTU,       ALWAYS,                  "mtu", "MTU")                                  \
        F(h, U8,  tclass,               8, N2,   N, NONE,      ALWAYS,                  "tclass", "TClass")                            \
        F(h, U16, p_key,               16, X4,   N, NONE,      ALWAYS,                  "p_key", "P_Key")                              \
        F(h, U8,  rateselector,         2, X2,   N, SELECTOR,  ALWAYS,                  "rateselector", "RateSelector")                \
        F(h, U8,  rate,                 6, X2,   N, RATE,      ALWAYS,                  "rate", "Rate")                                \
        F(h, U8,  packetlifetimeselector,    2, X2,   N, SELECTOR,  ALWAYS,                  "packetlifetimeselector", "PacketLifeTimeSelector") \
        F(h, U8,  packetlifetime,       6, X2,   N, TIMEOUT,   ALWAYS,                  "packetlifetime", "PacketLifeTime")            \
        F(h, U8,  sl,                   4, N2,   N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U32, flowlabel,           20, X6,   N, NONE,      ALWAYS,                  "flowlabel", "FlowLabel")                      \
        F(h, U8,  hoplimit,             8, N2,   N, NONE,      ALWAYS,                  "hoplimit", "HopLimit")                        \
        F(h, U8,  scope,                4, X2,   N, GID_SCOPE, ALWAYS,                  "scope", "Scope")                              \
        V(h, join_sendonlyfull,         4, X2,   N, NONE,      ALWAYS,                  "joinstate", "JoinState")                      \
        F(h, U8,  join_sendonlyfull,    1, FLAG, N, NONE,      ALWAYS,                  "joinstate.sendonlyfullmember", "Send Only Full Member") \
        F(h, U8,  join_sendonly,        1, FLAG, N, NONE,      ALWAYS,                  "joinstate.sendonlynonmember", "Send Only Non-Member") \
        F(h, U8,  join_non,             1, FLAG, N, NONE,      ALWAYS,                  "joinstate.nonmember", "Non-Member")           \
        F(h, U8,  join_full,            1, FLAG, N, NONE,      ALWAYS,                  "joinstate.fullmember", "Full Member")         \
        F(h, U8,  proxyjoin,            1, X2,   N, NONE,      ALWAYS,                  "proxyjoin", "ProxyJoin")                      \
        F(h, U32, reserved1,           23, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (23 bits)")
#define IBA_TRACERECORD(F, V, h)                                                                                                       \
        F(h, U64, gidprefix,           64, X16,  N, NONE,      ALWAYS,                  "gidprefix", "GidPrefix")                      \
        F(h, U16, idgeneration,        16, X4,   N, NONE,      ALWAYS,                  "idgeneration", "IDGeneration")                \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U8,  nodetype,             8, X2,   N, NODE_TYPE, ALWAYS,                  "nodetype", "NodeType")                        \
        F(h, U64, nodeid,              64, X16,  N, NONE,      ALWAYS,                  "nodeid", "NodeID")                            \
        F(h, U64, chassisid,           64, X16,  N, NONE,      ALWAYS,                  "chassisid", "ChassisID")                      \
        F(h, U64, entryportid,         64, X16,  N, NONE,      ALWAYS,                  "entryportid", "EntryPortID")                  \
        F(h, U64, exitportid,          64, X16,  N, NONE,      ALWAYS,                  "exitportid", "ExitPortID")                    \
        F(h, U8,  entryport,            8, N2,   N, NONE,      ALWAYS,                  "entryport", "EntryPort")                      \
        F(h, U8,  exitport,             8, N2,   N, NONE,      ALWAYS,                  "exitport", "ExitPort")
#define IBA_MULTIPATHRECORD(F, V, h)                                                                                                   \
        F(h, U8,  rawtraffic,           1, X2,   N, NONE,      ALWAYS,                  "rawtraffic", "RawTraffic")                    \
        F(h, U8,  reserved1,            3, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (3 bits)")              \
        F(h, U32, flowlabel,           20, X6,   N, NONE,      ALWAYS,                  "flowlabel", "FlowLabel")                      \
        F(h, U8,  hoplimit,             8, N2,   N, NONE,      ALWAYS,                  "hoplimit", "HopLimit")                        \
        F(h, U8,  tclass,               8, N2,   N, NONE,      ALWAYS,                  "tclass", "TClass")                            \
        F(h, U8,  reversible,           1, X2,   N, NONE,      ALWAYS,                  "reversible", "Reversible")                    \
        F(h, U8,  numbpath,             7, N2,   N, NONE,      ALWAYS,                  "numbpath", "NumbPath")                        \
        F(h, U16, p_key,               16, X4,   N, NONE,      ALWAYS,                  "p_key", "P_Key")                              \
        F(h, U16, qosclass,            12, X4,   N, NONE,      ALWAYS,                  "qosclass", "QoSClass")                        \
        F(h, U8,  sl,                   4, N2,   N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U8,  mtuselector,          2, X2,   N, SELECTOR,  ALWAYS,                  "mtuselector", "MTUSelector")                  \
        F(h, U8,  mtu,                  6, X2,   N, MTU,       ALWAYS,                  "mtu", "MTU")                                  \
        F(h, U8,  rateselector,         2, X2,   N, SELECTOR,  ALWAYS,                  "rateselector", "RateSelector")                \
        F(h, U8,  rate,                 6, X2,   N, RATE,      ALWAYS,                  "rate", "Rate")                                \
        F(h, U8,  packetlifetimeselector,    2, X2,   N, SELECTOR,  ALWAYS,                  "packetlifetimeselector", "PacketLifeTimeSelector") \
        F(h, U8,  packetlifetime,       6, X2,   N, TIMEOUT,   ALWAYS,                  "packetlifetime", "PacketLifeTime")            \
        F(h, U8,  serviceid_high,       8, X2,   N, NONE,      ALWAYS,                  "serviceid.high", "ServiceID, first byte")     \
        F(h, U8,  independenceselector,    2, X2,   N, NONE,      ALWAYS,                  "independenceselector", "IndependenceSelector") \
        F(h, U8,  gidscope,             6, X2,   N, NONE,      ALWAYS,                  "gidscope", "GIDScope")                        \
        F(h, U8,  sgidcount,            8, N2,   N, NONE,      ALWAYS,                  "sgidcount", "SGIDCount")                      \
        F(h, U8,  dgidcount,            8, N2,   N, NONE,      ALWAYS,                  "dgidcount", "DGIDCount")                      \
        F(h, U64, serviceid_low,       56, X16,  N, NONE,      ALWAYS,                  "serviceid.low", "ServiceID, last 7 bytes")
#define IBA_MULTIPATH_GID(F, V, h)                                                                                                     \
        F(h, B,   sdgid,              128, IP6,  N, NONE,      ALWAYS,                  "sdgid", "SDGID")
#define IBA_SERVICEASSOCIATION(F, V, h)                                                                                                \
        F(h, B,   servicekey,         128, BYTES, N, NONE,      ALWAYS,                  "servicekey", "ServiceKey")                   \
        F(h, B,   servicename,        512, TEXT, N, NONE,      ALWAYS,                  "servicename", "ServiceName")
#define IBA_INFORMINFO(F, V, h)                                                                                                        \
        F(h, B,   gid,                128, IP6,  N, NONE,      ALWAYS,                  "gid", "GID")                                  \
        F(h, U16, lidrangebegin,       16, N4,   N, NONE,      ALWAYS,                  "lidrangebegin", "LIDRangeBegin")              \
        F(h, U16, lidrangeend,         16, N4,   N, NONE,      ALWAYS,                  "lidrangeend", "LIDRangeEnd")                  \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U8,  isgeneric,            8, X2,   N, NONE,      ALWAYS,                  "isgeneric", "IsGeneric")                      \
        F(h, U8,  subscribe,            8, X2,   N, NONE,      ALWAYS,                  "subscribe", "Subscribe")                      \
        F(h, U16, type,                16, X4,   N, NONE,      ALWAYS,                  "type", "Type")                                \
        F(h, U16, trapnumber,          16, X4,   N, NONE,      ALWAYS,                  "trapnumberdeviceid", "TrapNumberDeviceID")    \
        F(h, U32, qpn,                 24, X6,   N, NONE,      ALWAYS,                  "qpn", "QPN")                                  \
        F(h, U8,  reserved2,            3, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (3 bits)")              \
        F(h, U8,  resptimevalue,        5, X2,   N, TIMEOUT,   ALWAYS,                  "resptimevalue", "RespTimeValue")              \
        F(h, U8,  reserved3,            8, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (8 bits)")              \
        F(h, U32, producer,            24, X6,   N, NONE,      ALWAYS,                  "producertypevendorid", "ProducerTypeVendorID")
#define IBA_INFORMRECORD(F, V, h)                                                                                                      \
        F(h, B,   subscribergid,      128, IP6,  N, NONE,      ALWAYS,                  "subscribergid", "SubscriberGID")              \
        F(h, U16, enumeration,         16, X4,   N, NONE,      ALWAYS,                  "enum", "Enum")                                \
        F(h, B,   reserved1,           48, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (6 bytes)")

/*        list                          name                   bytes prefix, title */
#define IBA_SA_LAYOUTS(H)                                                                                                              \
        H(IBA_RMPP,                    rmpp,                     12, "infiniband.rmpp", "RMPP - Reliable Multi-Packet Transaction Protocol") \
        H(IBA_RMPP_DATA,               rmpp_data,               220, "infiniband.rmpp", "RMPP data")                                   \
        H(IBA_RMPP_ERROR,              rmpp_error,              220, "infiniband.rmpp", "RMPP STOP or ABORT")                          \
        H(IBA_SA,                      sa,                       20, "infiniband.sa", "SA - Subnet Administration Header")             \
        H(IBA_SA_DATA,                 sa_data,                 200, "infiniband.sa", "SA data")                                       \
        H(IBA_SA_UNKNOWN,              sa_unknown,              200, "infiniband.sa", "Record that is not known")                      \
        H(IBA_RID_LID,                 rid_lid,                   4, "infiniband.sa", "Record of a LID")                               \
        H(IBA_RID_PORT,                rid_port,                  4, "infiniband.sa", "Record of an end port")                         \
        H(IBA_RID_SLTOVL,              rid_sltovl,                8, "infiniband.sa", "Record of an SLtoVL mapping table")             \
        H(IBA_RID_LFT,                 rid_lft,                   8, "infiniband.sa", "Record of a block of a forwarding table")       \
        H(IBA_RID_MFT,                 rid_mft,                   8, "infiniband.sa", "Record of a block of a multicast forwarding table") \
        H(IBA_RID_GUID,                rid_guid,                  8, "infiniband.sa", "Record of a block of GUIDs")                    \
        H(IBA_RID_PKEY,                rid_pkey,                  8, "infiniband.sa", "Record of a block of a P_Key table")            \
        H(IBA_RID_VLARB,               rid_vlarb,                 8, "infiniband.sa", "Record of a block of a VL arbitration table")   \
        H(IBA_LINKRECORD,              linkrecord,                8, "infiniband.linkrecord", "LinkRecord")                            \
        H(IBA_SERVICERECORD,           servicerecord,           176, "infiniband.linkrecord", "ServiceRecord")                         \
        H(IBA_PATHRECORD,              pathrecord,               64, "infiniband.pathrecord", "PathRecord")                            \
        H(IBA_MCMEMBERRECORD,          mcmemberrecord,           52, "infiniband.mcmemberrecord", "MCMemberRecord")                    \
        H(IBA_TRACERECORD,             tracerecord,              46, "infiniband.tracerecord", "TraceRecord")                          \
        H(IBA_MULTIPATHRECORD,         multipathrecord,          24, "infiniband.multipathrecord", "MultiPathRecord")                  \
        H(IBA_MULTIPATH_GID,           multipath_gid,            16, "infiniband.multipathrecord", "GID")                              \
        H(IBA_SERVICEASSOCIATION,      serviceassociation,       80, "infiniband.serviceassociationrecord", "ServiceAssociationRecord") \
        H(IBA_INFORMINFO,              informinfo,               36, "infiniband.informinfo", "InformInfo")                            \
        H(IBA_INFORMRECORD,            informrecord,             24, "infiniband.informinforecord", "InformInfoRecord")
/* clang-format on */
#endif
