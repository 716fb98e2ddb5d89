/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of what verbs, states, events and queues do; that of the transitions is with their table. */
#include "transport/iba_qp_does.h"
#include "wire/iba_does.h"

IBA_BEHAVIOURS(iba_modify_behaviours, "modify QP", IBA_MODIFY_DOES)
IBA_BEHAVIOURS(iba_attr_behaviours, "attribute values", IBA_ATTR_DOES)
IBA_BEHAVIOURS(iba_state_behaviours, "queue pair states", IBA_STATE_DOES)
IBA_BEHAVIOURS(iba_verb_behaviours, "objects", IBA_VERB_DOES)
IBA_BEHAVIOURS(iba_event_behaviours, "events", IBA_EVENT_DOES)
IBA_BEHAVIOURS(iba_queue_behaviours, "queues", IBA_QUEUE_DOES)
