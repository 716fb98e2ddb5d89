/* SPDX-License-Identifier: BSD-2-Clause */
/* The invariants of a CM, in one place. */
#include <assert.h>
#include "cm/iba_cm_input.h"

#ifdef NDEBUG
void iba_cm_check(const struct iba_cm *cm)
{
    (void)cm;
}
#else

/* The connection waits for the peer for a limited time, so a timer runs. In other states no timer runs: the user or the
 * peer acts next. */
static bool has_timer(uint8_t s)
{
    switch ((enum iba_cm_state)s) {
    case IBA_CMS_REQ_SENT:
    case IBA_CMS_MRA_REQ_RCVD:
    case IBA_CMS_REP_SENT:
    case IBA_CMS_MRA_REP_RCVD:
    case IBA_CMS_LAP_SENT:
    case IBA_CMS_MRA_LAP_RCVD:
    case IBA_CMS_DREQ_SENT:
    case IBA_CMS_TIMEWAIT:
    case IBA_CMS_SIDR_REQ_SENT: return true;
    default: return false;
    }
}

static void check_connection(const struct iba_cm *cm, const struct iba_cm_conn *c)
{
    const bool sidr = c->state >= IBA_CMS_SIDR_REQ_SENT;

    assert(iba_cm_by_id(cm, c->local_id) == c);
    assert(c->state != IBA_CMS_NONE && c->state < IBA_CMS_COUNT);
    assert((c->due != IBA_NEVER) == has_timer(c->state));
    assert(sidr == (c->service == IBA_CM_DATAGRAM));
    /* No queue pair of this end or of a peer has two connections (MD-73, MD-78). */
    assert(!c->local_qpn || iba_cm_by_local_qp(cm, c->local_qpn) == c);
    assert(!c->remote_qpn || sidr || iba_cm_by_remote_qp(cm, c->remote_guid, c->remote_qpn) == c);
    assert(!c->known || iba_cm_by_remote_id(cm, c->remote_guid, c->remote_id) == c);
    assert(c->has_rep || !iba_cm_is_up(c->state));
    assert(!c->has_rep || (c->local_qpn && c->known));
}

void iba_cm_check(const struct iba_cm *cm)
{
    uint32_t used = 0, timers = 0, waiting = 0;

    if (cm->broken)
        return;
    for (uint32_t i = 0; i < cm->cfg.n_conn; i++) {
        const struct iba_cm_conn *c = &cm->cfg.conn[i];
        if (!c->local_id)
            continue;
        used++;
        timers += c->due != IBA_NEVER;
        waiting += c->listener != IBA_CM_NO_LISTENER;
        check_connection(cm, c);
    }
    assert(used == cm->n_used && timers == cm->n_timer);
    for (uint32_t i = 0; i < timers; i++)
        assert(cm->cfg.conn[cm->cfg.heap[i]].heap_at == i);
    for (uint32_t i = 0; i < cm->cfg.n_listener; i++)
        waiting -= cm->cfg.listener[i].waiting;
    assert(waiting == 0);
}
#endif
