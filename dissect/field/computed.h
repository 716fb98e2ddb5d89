/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields that no header has: facts about the packet from the capture, and results of ibdissect. */
#ifndef DISSECT_COMPUTED_H
#define DISSECT_COMPUTED_H
#include "field/field.h"

/*                id            filter name                      type   shown      label */
#define COMPUTED_FIELDS(C)                                                                                             \
    C(frame, "frame", PRESENCE, DEC, "Frame, its bytes")                                                               \
    C(frame_number, "frame.number", UINT, DEC, "Frame Number")                                                         \
    C(frame_len, "frame.len", UINT, DEC, "Frame length on the wire")                                                   \
    C(frame_cap_len, "frame.cap_len", UINT, DEC, "Frame length stored into the capture file")                          \
    C(frame_time_epoch, "frame.time_epoch", TIME, DEC, "Epoch Time")                                                   \
    C(frame_time_ns, "frame.time_ns", UINT, DEC, "Epoch Time in nanoseconds")                                          \
    C(frame_time_relative, "frame.time_relative", TIME, DEC, "Time since first frame")                                 \
    C(frame_time_delta, "frame.time_delta", TIME, DEC, "Time delta from previous captured frame")                      \
    C(frame_file, "frame.file", TEXT, DEC, "File the frame came from")                                                 \
    C(frame_file_number, "frame.file_number", UINT, DEC, "Frame Number in its file")                                   \
    C(frame_interface, "frame.interface", UINT, DEC, "Interface index in its file")                                    \
    C(frame_interface_id, "frame.interface_id", UINT, DEC, "Interface index in its file, by tshark's name")            \
    C(frame_interface_name, "frame.interface_name", TEXT, DEC, "Interface name")                                       \
    C(frame_comment, "frame.comment", TEXT, DEC, "Comment")                                                            \
    C(infiniband, "infiniband", PRESENCE, DEC, "InfiniBand")                                                           \
    C(encapsulation, "infiniband.encapsulation", TEXT, DEC, "Protocol that carries the packet")                        \
    C(service, "infiniband.bth.service", TEXT, DEC, "Transport Service")                                               \
    C(payload, "infiniband.payload", BYTES, DEC, "Payload (pad removed)")                                              \
    C(payload_len, "infiniband.payload.length", UINT, DEC, "Payload Length (pad removed)")                             \
    C(icrc, "infiniband.invariant.crc", UINT, X8, "Invariant CRC")                                                     \
    C(vcrc, "infiniband.variant.crc", UINT, X4, "Variant CRC")                                                         \
    C(icrc_status, "infiniband.icrc.status", TEXT, DEC, "ICRC Status")                                                 \
    C(icrc_calculated, "infiniband.icrc.calculated", UINT, X8, "ICRC as computed")                                     \
    C(vcrc_status, "infiniband.vcrc.status", TEXT, DEC, "VCRC Status")                                                 \
    C(lpcrc_status, "infiniband_link.lpcrc.status", TEXT, DEC, "Link Packet CRC Status")                               \
    C(truncated, "infiniband.truncated", BOOL, DEC, "Cut by the capture")                                              \
    C(fault, "infiniband.fault", TEXT, DEC, "What is malformed")                                                       \
    C(mad_response_to, "infiniband.mad.response_to", UINT, DEC, "Response to the request in frame")                    \
    C(mad_response_in, "infiniband.mad.response_in", UINT, DEC, "Response in frame")                                   \
    C(mad_time, "infiniband.mad.time", TIME, DEC, "Time since the request")                                            \
    C(cm_srcqp, "infiniband.cm.srcqp", UINT, X6, "Source Queue Pair, as the connection manager says")                  \
    C(cm_serviceid, "infiniband.cm.serviceid", UINT, X16, "ServiceID of the connection")                               \
    C(cm_owner, "infiniband.cm.owner", TEXT, DEC, "Owner of the connection, as its ServiceID tells")                   \
    C(cm_setup_in, "infiniband.cm.setup_in", UINT, DEC, "Connection set up from frame")                                \
    C(cm_why, "infiniband.cm.why", TEXT, DEC, "How the connection stands")                                             \
    C(analysis, "infiniband.analysis", PRESENCE, DEC, "Analysis: the packet has a finding")                            \
    C(analysis_severity, "infiniband.analysis.severity", TEXT, DEC, "Worst severity of the findings")                  \
    C(analysis_request_in, "infiniband.analysis.request_in", UINT, DEC, "Answers the request in frame")                \
    C(analysis_response_in, "infiniband.analysis.response_in", UINT, DEC, "Answered in frame")                         \
    C(analysis_time, "infiniband.analysis.time", TIME, DEC, "Time since the request")                                  \
    C(analysis_same_as, "infiniband.analysis.same_as", UINT, DEC, "Same packet at another capture point, in frame")

enum computed {
#define COMPUTED_ID(id, ...) COMPUTED_##id,
    COMPUTED_FIELDS(COMPUTED_ID) COMPUTED_COUNT,
    COMPUTED_MAD =
        COMPUTED_mad_response_to, /* the first of the fields that have no value where mad_context_any() is false */
    COMPUTED_MAD_END = COMPUTED_cm_why + 1
};
struct computed_info {
    const char *name, *label;
    uint8_t type, show;
};
extern const struct computed_info computed_fields[COMPUTED_COUNT];

/* The field's value in this packet; false when the packet has none. A computed field has at most one value. */
bool computed_value(enum computed c, const struct packet *p, struct value *v);
#endif
