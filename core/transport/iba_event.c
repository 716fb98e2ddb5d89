/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous events: the adapter reports them to its user. */
#include "transport/deviations_qp.h"

static bool is_reported(const struct iba_ca *ca, enum iba_event_kind kind)
{
#define EVENT_ROW(name, ...) [IBA_EVENT_##name] = IBA_ROW_event_##name,
    static const uint8_t row[IBA_EVENT_COUNT] = {IBA_EVENT_BEHAVIOURS(EVENT_ROW)};

    return iba_keeps(ca->change, &iba_event_behaviours, row[kind]);
}

void iba_raise(struct iba_ca *ca, enum iba_event_kind kind, uint8_t port, uint32_t object, uint32_t a, uint32_t b)
{
    const struct iba_event e = {.kind = (uint8_t)kind, .port = port, .object = object, .a = a, .b = b};

    if (ca->event && is_reported(ca, kind))
        ca->event(ca->ctx, &e);
}
