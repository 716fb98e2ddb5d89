/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/computed.h"
#include "field/verdict.h"

const struct computed_info computed_fields[COMPUTED_COUNT] = {
#define COMPUTED_ROW(id, name, type, show, label) [COMPUTED_##id] = {name, label, FIELD_##type, IBA_SHOW_##show},
    COMPUTED_FIELDS(COMPUTED_ROW)};

typedef bool get(const struct packet *p, struct value *v);

static bool number(struct value *v, uint64_t u)
{
    v->u = u;
    return true;
}

static bool text(struct value *v, const char *s)
{
    if (!s)
        return false;
    v->bytes = (const uint8_t *)s;
    v->len = strlen(s);
    return true;
}

static bool instant(const struct packet *p, struct value *v, uint64_t since)
{
    v->ns = (int64_t)(p->cap->ts_ns - since);
    return p->cap->has_ts;
}

static bool get_frame(const struct packet *p, struct value *v)
{
    v->bytes = packet_bytes(p);
    v->len = packet_caplen(p);
    return true;
}
static bool get_frame_number(const struct packet *p, struct value *v)
{
    return number(v, p->number);
}
static bool get_frame_len(const struct packet *p, struct value *v)
{
    return number(v, packet_len(p));
}
static bool get_frame_cap_len(const struct packet *p, struct value *v)
{
    return number(v, packet_caplen(p));
}
static bool get_frame_time_epoch(const struct packet *p, struct value *v)
{
    return instant(p, v, 0);
}
static bool get_frame_time_ns(const struct packet *p, struct value *v)
{
    return number(v, p->cap->ts_ns) && p->cap->has_ts;
}
static bool get_frame_time_relative(const struct packet *p, struct value *v)
{
    return instant(p, v, p->first_ns);
}
static bool get_frame_time_delta(const struct packet *p, struct value *v)
{
    return instant(p, v, p->prev_ns);
}
static bool get_frame_file(const struct packet *p, struct value *v)
{
    return text(v, p->source_name);
}
static bool get_frame_file_number(const struct packet *p, struct value *v)
{
    return number(v, p->cap->number);
}
static bool get_frame_interface(const struct packet *p, struct value *v)
{
    return number(v, p->cap->iface);
}
static bool get_frame_interface_id(const struct packet *p, struct value *v)
{
    return get_frame_interface(p, v);
}
static bool get_frame_interface_name(const struct packet *p, struct value *v)
{
    return text(v, p->cap->iface_name);
}
static bool get_frame_comment(const struct packet *p, struct value *v)
{
    return text(v, p->cap->comment);
}
static bool get_infiniband(const struct packet *p, struct value *v)
{
    v->len = 0;
    return p->view.proto != IBA_PROTO_NONE && p->view.proto != IBA_PROTO_UNDECIDED;
}
static bool get_encapsulation(const struct packet *p, struct value *v)
{
    static const char *const name[] = {
        [IBA_PROTO_NONE] = NULL,       [IBA_PROTO_UNDECIDED] = NULL,    [IBA_PROTO_IB] = "InfiniBand",
        [IBA_PROTO_IB_RAW] = "IB raw", [IBA_PROTO_IB_LINK] = "IB link", [IBA_PROTO_ROCE1] = "RoCEv1",
        [IBA_PROTO_ROCE2] = "RoCEv2",
    };
    return text(v, name[p->view.proto]);
}
static bool get_service(const struct packet *p, struct value *v)
{
    if (!iba_view_has_bth(&p->view))
        return false;
    return text(v, iba_svc_name((enum iba_svc)(iba_bth_opcode(iba_view_bth(&p->view)) >> 5)));
}
static bool get_payload(const struct packet *p, struct value *v)
{
    v->bytes = p->view.wire + p->view.payload_at;
    v->len = iba_view_has_bth(&p->view) ? iba_view_payload_captured(&p->view) : 0;
    return v->len > 0;
}
static bool get_payload_len(const struct packet *p, struct value *v)
{
    return iba_view_has_bth(&p->view) && number(v, p->view.payload_len);
}

/* CRC fields are read as big-endian numbers, as Wireshark shows them. */
static bool get_icrc(const struct packet *p, struct value *v)
{
    const uint8_t *at = p->view.wire + p->view.end - IBA_ICRC_BYTES;

    if (p->view.icrc == IBA_CHECK_ABSENT || p->view.icrc == IBA_CHECK_TRUNCATED)
        return false;
    return number(v, iba_bits_get(at, 0, 32));
}
static bool get_icrc_calculated(const struct packet *p, struct value *v)
{
    uint8_t wire[IBA_ICRC_BYTES];

    if (p->view.icrc == IBA_CHECK_ABSENT || p->view.icrc == IBA_CHECK_TRUNCATED)
        return false;
    iba_put_le32(wire, iba_view_icrc(&p->view));
    return number(v, iba_bits_get(wire, 0, 32));
}
static bool is_native(const struct packet *p)
{
    return p->view.proto == IBA_PROTO_IB || p->view.proto == IBA_PROTO_IB_RAW;
}
static bool get_vcrc(const struct packet *p, struct value *v)
{
    if (!is_native(p) || p->view.vcrc == IBA_CHECK_ABSENT || p->view.vcrc == IBA_CHECK_TRUNCATED)
        return false;
    return number(v, iba_bits_get(p->view.wire + p->view.end, 0, 16));
}
static bool get_icrc_status(const struct packet *p, struct value *v)
{
    if (p->view.proto == IBA_PROTO_NONE || p->view.proto == IBA_PROTO_IB_RAW || p->view.proto == IBA_PROTO_IB_LINK)
        return false;
    return text(v, iba_check_name(p->view.icrc));
}
static bool get_vcrc_status(const struct packet *p, struct value *v)
{
    return is_native(p) && text(v, iba_check_name(p->view.vcrc));
}
static bool get_lpcrc_status(const struct packet *p, struct value *v)
{
    return p->view.proto == IBA_PROTO_IB_LINK && text(v, iba_check_name(p->view.vcrc));
}
static bool get_truncated(const struct packet *p, struct value *v)
{
    return p->view.truncated && number(v, 1);
}
static bool get_fault(const struct packet *p, struct value *v)
{
    return p->view.err != IBA_OK && text(v, iba_strerror(p->view.err));
}
static bool frame_known(struct value *v, uint64_t frame)
{
    return frame != 0 && number(v, frame);
}
static bool get_mad_response_to(const struct packet *p, struct value *v)
{
    return frame_known(v, p->mad_context.response_to);
}
static bool get_mad_response_in(const struct packet *p, struct value *v)
{
    return frame_known(v, p->mad_context.response_in);
}
static bool get_mad_time(const struct packet *p, struct value *v)
{
    v->ns = p->mad_context.time_ns;
    return p->mad_context.response_to != 0 && p->mad_context.has_time;
}
static bool get_cm_srcqp(const struct packet *p, struct value *v)
{
    return p->mad_context.has_source_qp && number(v, p->mad_context.source_qp);
}
static bool get_cm_serviceid(const struct packet *p, struct value *v)
{
    return p->mad_context.setup_in != 0 && number(v, p->mad_context.service_id);
}
static bool get_cm_owner(const struct packet *p, struct value *v)
{
    static char owner[OWNER_BYTES];

    if (p->mad_context.setup_in == 0)
        return false;
    owner_text(owner, p->mad_context.service_id, p->mad_context.upper);
    return owner[0] != '\0' && text(v, owner);
}
static bool get_cm_setup_in(const struct packet *p, struct value *v)
{
    return frame_known(v, p->mad_context.setup_in);
}
static bool get_cm_why(const struct packet *p, struct value *v)
{
    return p->mad_context.why && text(v, p->mad_context.why);
}
static bool get_analysis(const struct packet *p, struct value *v)
{
    v->len = 0;
    return p->verdict && p->verdict->n > 0;
}
static bool get_analysis_severity(const struct packet *p, struct value *v)
{
    return p->verdict && p->verdict->n > 0 && text(v, iba_severity_name(p->verdict->worst));
}
static bool get_analysis_request_in(const struct packet *p, struct value *v)
{
    return p->verdict && frame_known(v, p->verdict->request_in);
}
static bool get_analysis_response_in(const struct packet *p, struct value *v)
{
    return p->verdict && frame_known(v, p->verdict->response_in);
}
static bool get_analysis_same_as(const struct packet *p, struct value *v)
{
    return p->verdict && frame_known(v, p->verdict->same_as);
}
static bool get_analysis_time(const struct packet *p, struct value *v)
{
    if (!p->verdict || p->verdict->request_in == 0)
        return false;
    v->ns = p->verdict->time_ns;
    return true;
}

bool computed_value(enum computed c, const struct packet *p, struct value *v)
{
#define COMPUTED_GET(id, ...) [COMPUTED_##id] = get_##id,
    static get *const gets[COMPUTED_COUNT] = {COMPUTED_FIELDS(COMPUTED_GET)};
    /* The format of values that are not plain decimal numbers. */
    static const struct iba_field forms[IBA_SHOW_COUNT] = {[IBA_SHOW_X4] = {.show = IBA_SHOW_X4},
                                                           [IBA_SHOW_X6] = {.show = IBA_SHOW_X6},
                                                           [IBA_SHOW_X8] = {.show = IBA_SHOW_X8},
                                                           [IBA_SHOW_X16] = {.show = IBA_SHOW_X16}};

    *v = (struct value){.type = (enum field_type)computed_fields[c].type};
    if (computed_fields[c].show != IBA_SHOW_DEC)
        v->row = &forms[computed_fields[c].show];
    return gets[c](p, v);
}
