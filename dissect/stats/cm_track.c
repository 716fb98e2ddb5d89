#include "stats/cm_track.h"
#include "mad/iba_mad.h"

struct message {
    const struct packet *p;
    const struct iba_mad *m;
    struct stat_addrs addrs;
    int64_t ns;
};

const char *cm_state_name(enum cm_state s)
{
    static const char *const name[CM_STATES] = {"requested", "replied",   "established",
                                                "rejected",  "releasing", "released"};
    return name[s];
}

static uint16_t *bucket_of(struct cm_track *t, uint32_t active_id)
{
    return &t->bucket[(active_id ^ active_id >> 12 ^ active_id >> 20) % CM_CONNECTIONS];
}

static void forget(struct cm_track *t, struct cm_connection *c)
{
    uint16_t *at = bucket_of(t, c->active.comm_id);
    const uint16_t self = (uint16_t)(c - t->connection + 1);

    while (*at && *at != self)
        at = &t->connection[*at - 1].next;
    if (*at)
        *at = c->next;
    t->forgotten++;
}

static struct cm_connection *begin(struct cm_track *t, const struct message *in, uint32_t id)
{
    struct cm_connection *c = &t->connection[t->begun++ % CM_CONNECTIONS];
    uint16_t *bucket = bucket_of(t, id);

    if (c->used)
        forget(t, c);
    *c = (struct cm_connection){.used = true, .kind = in->addrs.kind, .next = *bucket};
    *bucket = (uint16_t)(c - t->connection + 1);
    memcpy(c->active.addr, in->addrs.src, sizeof c->active.addr);
    memcpy(c->passive.addr, in->addrs.dst, sizeof c->passive.addr);
    c->active.comm_id = id;
    c->begin_frame = in->p->number;
    c->begin_ns = in->ns;
    return c;
}

static bool between(const struct cm_connection *c, const struct message *in, bool from_active)
{
    const uint8_t *src = from_active ? c->active.addr : c->passive.addr;
    const uint8_t *dst = from_active ? c->passive.addr : c->active.addr;

    return c->kind == in->addrs.kind && memcmp(src, in->addrs.src, 16) == 0 && memcmp(dst, in->addrs.dst, 16) == 0;
}

/* The connection with this identifier at its active end, between the message's ends. */
static struct cm_connection *find(struct cm_track *t, const struct message *in, uint32_t active_id, bool from_active,
                                  bool sidr)
{
    for (uint16_t at = *bucket_of(t, active_id); at; at = t->connection[at - 1].next) {
        struct cm_connection *c = &t->connection[at - 1];
        if (c->active.comm_id == active_id && c->sidr == sidr && between(c, in, from_active))
            return c;
    }
    return NULL;
}

/* Of a message with both identifiers, from whichever end. */
static struct cm_connection *find_either(struct cm_track *t, const struct message *in, uint32_t local, uint32_t remote,
                                         bool *from_active)
{
    struct cm_connection *c = find(t, in, local, true, false);

    *from_active = c && (!c->passive.known || remote == 0 || c->passive.comm_id == remote);
    if (*from_active)
        return c;
    c = find(t, in, remote, false, false);
    if (!c)
        t->stray++;
    return c;
}

static void request(struct cm_track *t, const struct message *in, const uint8_t *w)
{
    struct cm_connection *c = find(t, in, iba_cm_req_localcommid(w), true, false);

    if (c && c->active.qpn == iba_cm_req_localqpn(w) && c->service_id == iba_cm_req_serviceid(w) &&
        c->active.psn == iba_cm_req_startpsn(w)) {
        c->again++; /* MD-68 */
        return;
    }
    c = begin(t, in, iba_cm_req_localcommid(w));
    c->active.known = true;
    c->active.qpn = iba_cm_req_localqpn(w);
    c->active.psn = iba_cm_req_startpsn(w);
    c->active.reads = iba_cm_req_initdepth(w);
    c->active.flow_control = iba_cm_req_e2eflowctrl(w);
    c->passive.reads = iba_cm_req_responderres(w);
    c->passive.rnr_retries = iba_cm_req_rnrretrcount(w); /* what the one asks of the other */
    c->service_id = iba_cm_req_serviceid(w);
    c->service = iba_cm_req_transpsvctype(w);
    c->mtu_code = iba_cm_req_pppmtu(w);
    c->ack_timeout = iba_cm_req_prim_localacktout(w);
    c->retries = iba_cm_req_retrcount(w);
    c->cm_timeout = iba_cm_req_remoteresptout(w);
}

static void answered(struct cm_connection *c, const struct message *in, enum cm_state s)
{
    if (c->answer_frame == 0) {
        c->answer_frame = in->p->number;
        c->answer_ns = in->ns;
    } else
        c->again++;
    c->state = (uint8_t)s;
}

static void reply(struct cm_track *t, const struct message *in, const uint8_t *w)
{
    struct cm_connection *c = find(t, in, iba_cm_rep_remotecommid(w), false, false);

    if (!c) {
        t->stray++;
        return;
    }
    answered(c, in, c->state > CM_REPLIED ? (enum cm_state)c->state : CM_REPLIED);
    c->passive.known = true;
    c->passive.comm_id = iba_cm_rep_localcommid(w);
    c->passive.qpn = iba_cm_rep_localqpn(w);
    c->passive.psn = iba_cm_rep_startpsn(w);
    c->passive.reads = iba_cm_rep_initdepth(w); /* MD-62 */
    c->passive.flow_control = iba_cm_rep_e2eflowctrl(w);
    c->active.reads = iba_cm_rep_respres(w);
    c->active.rnr_retries = iba_cm_rep_rnrretrcount(w);
}

static void reject(struct cm_track *t, const struct message *in, const uint8_t *w)
{
    bool from_active;
    struct cm_connection *c = find_either(t, in, iba_cm_rej_localcommid(w), iba_cm_rej_remotecommid(w), &from_active);

    if (!c)
        return;
    if (!from_active)
        answered(c, in, CM_REJECTED);
    c->state = CM_REJECTED;
    c->reason = iba_cm_rej_reason(w);
    c->end_frame = in->p->number;
}

/* What changes the state only. All of these begin with both identifiers. */
static void step(struct cm_track *t, const struct message *in, const uint8_t *w, uint16_t attribute)
{
    enum { MRA = 0x11, RTU = 0x14, DREQ = 0x15, DREP = 0x16 };
    bool from_active;
    struct cm_connection *c = find_either(t, in, iba_cm_rtu_localcommid(w), iba_cm_rtu_remotecommid(w), &from_active);

    if (!c)
        return;
    if (attribute == MRA)
        c->mras++;
    else if (attribute == RTU && c->state == CM_REPLIED)
        c->state = CM_ESTABLISHED;
    else if (attribute == DREQ && c->state < CM_RELEASED)
        c->state = CM_RELEASING;
    else if (attribute == DREP) {
        c->state = CM_RELEASED;
        c->end_frame = in->p->number;
    }
}

static void resolution(struct cm_track *t, const struct message *in)
{
    const uint8_t *req = iba_mad_layout_at(in->m, IBA_M_cm_sidr_req),
                  *rep = iba_mad_layout_at(in->m, IBA_M_cm_sidr_rep);
    struct cm_connection *c;

    if (req) {
        c = find(t, in, iba_cm_sidr_req_requestid(req), true, true);
        if (c && c->state == CM_REQUESTED) {
            c->again++;
            return;
        }
        c = begin(t, in, iba_cm_sidr_req_requestid(req));
        c->sidr = true;
        c->service_id = iba_cm_sidr_req_serviceid(req);
        return;
    }
    c = rep ? find(t, in, iba_cm_sidr_rep_requestid(rep), false, true) : NULL;
    if (!c) {
        t->stray += rep != NULL;
        return;
    }
    answered(c, in, iba_cm_sidr_rep_status(rep) ? CM_REJECTED : CM_REPLIED);
    c->reason = iba_cm_sidr_rep_status(rep);
    c->passive.known = true;
    c->passive.qpn = iba_cm_sidr_rep_qpn(rep);
}

void cm_track_packet(struct cm_track *t, const struct packet *p)
{
    enum { HEADER = IBA_BYTES_madhdr, BOTH_IDS = 8 };
    struct iba_mad m;
    struct message in = {.p = p, .m = &m, .ns = (int64_t)(p->cap->ts_ns - p->first_ns)};
    const uint8_t *w;

    if (!iba_mad_of(&m, &p->view) || !m.attr || m.attr->group != IBA_GROUP_CM || p->view.icrc == IBA_CHECK_BAD ||
        m.captured < HEADER + BOTH_IDS || !stat_addrs_get(&in.addrs, &p->view))
        return;
    if ((w = iba_mad_layout_at(&m, IBA_M_cm_req)))
        request(t, &in, w);
    else if ((w = iba_mad_layout_at(&m, IBA_M_cm_rep)))
        reply(t, &in, w);
    else if ((w = iba_mad_layout_at(&m, IBA_M_cm_rej)))
        reject(t, &in, w);
    else if (iba_mad_layout_at(&m, IBA_M_cm_sidr_req) || iba_mad_layout_at(&m, IBA_M_cm_sidr_rep))
        resolution(t, &in);
    else if (m.part[m.n_part - 1].layout != IBA_M_classportinfo)
        step(t, &in, m.wire + HEADER, m.attr->id);
}

static bool end_is(const struct cm_end *e, const uint8_t *addr, const uint32_t *qpn)
{
    return e->known && memcmp(e->addr, addr, sizeof e->addr) == 0 && (!qpn || *qpn == e->qpn);
}

const struct cm_connection *cm_track_find(const struct cm_track *t, uint8_t kind, const uint8_t *src,
                                          const uint32_t *src_qpn, const uint8_t *dst, uint32_t dst_qpn, bool *active)
{
    const size_t n = t->begun < CM_CONNECTIONS ? (size_t)t->begun : CM_CONNECTIONS;

    for (size_t i = n; i-- > 0;) {
        const struct cm_connection *c = cm_track_nth(t, i);
        if (c->kind != kind || c->sidr)
            continue;
        *active = end_is(&c->active, src, src_qpn) && end_is(&c->passive, dst, &dst_qpn);
        if (*active || (end_is(&c->passive, src, src_qpn) && end_is(&c->active, dst, &dst_qpn)))
            return c;
    }
    return NULL;
}

const struct cm_connection *cm_track_nth(const struct cm_track *t, size_t n)
{
    if (n >= CM_CONNECTIONS || n >= t->begun)
        return NULL;
    return &t->connection[t->begun <= CM_CONNECTIONS ? n : (t->begun + n) % CM_CONNECTIONS];
}

/* Ports of the IP CM service that everyone uses for one thing (IANA). */
static const char *port_owner(uint32_t port)
{
    static const struct {
        uint16_t port;
        const char *name;
    } known[] = {{445, "SMB Direct"}, {987, "LNet"}, {3260, "iSER"}, {4420, "NVMe/RDMA"}, {20049, "RPC-over-RDMA"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].port == port)
            return known[i].name;
    return NULL;
}

void cm_owner(struct out *o, uint64_t service_id)
{
    enum { TCP = 6, UDP = 17, PS_IB = 0x3f, PORT = 0xffff, QPN = 0xffffff };
    const uint64_t port = service_id & PORT, protocol = service_id >> 16 & 0xff;

    if (service_id >> 16 == 1) { /* Annex A4 */
        OUT_LIT(o, "SDP port ");
        out_u64(o, port);
    } else if (service_id >> 24 == UINT64_C(0x1000000000)) { /* RFC 4755 */
        OUT_LIT(o, "IPoIB QP ");
        out_hex(o, service_id & QPN, 6);
    } else if (iba_mad_is_ip_service(service_id) && (protocol == TCP || protocol == UDP)) {
        const char *name = protocol == TCP ? port_owner((uint32_t)port) : NULL;
        out_str(o, name ? name : protocol == TCP ? "TCP port " : "UDP port ");
        if (!name)
            out_u64(o, port);
    } else if (iba_mad_is_ip_service(service_id) && protocol == PS_IB) {
        OUT_LIT(o, "librdmacm, port space IB, ");
        out_u64(o, port);
    }
}
