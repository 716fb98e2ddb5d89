/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of what verbs, states, events and queues do; that of the transitions is with their table. */
#include "transport/deviations_qp.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_modify_behaviours, "modify QP", IBA_MODIFY_BEHAVIOURS)
IBA_BEHAVIOURS(iba_attr_behaviours, "attribute values", IBA_ATTR_BEHAVIOURS)
IBA_BEHAVIOURS(iba_state_behaviours, "queue pair states", IBA_STATE_BEHAVIOURS)
IBA_BEHAVIOURS(iba_verb_behaviours, "objects", IBA_VERB_BEHAVIOURS)
IBA_BEHAVIOURS(iba_event_behaviours, "events", IBA_EVENT_BEHAVIOURS)
IBA_BEHAVIOURS(iba_queue_behaviours, "queues", IBA_QUEUE_BEHAVIOURS)
