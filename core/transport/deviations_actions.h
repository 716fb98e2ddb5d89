/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of rule tables as a broken device has them. Each does the same as the engine's action of that name, except
 * for the row that the device has changed. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_ACTIONS_H
#define IBA_DEVIATIONS_ACTIONS_H
#include "transport/iba_receiver.h"

/* deviations_responder.c */
iba_then iba_changed_send_invalidate, iba_changed_swap, iba_changed_add, iba_changed_replay;
/* deviations_requester.c */
iba_then iba_changed_resend, iba_changed_ask_again, iba_changed_wait, iba_changed_store_atomic;
#endif
