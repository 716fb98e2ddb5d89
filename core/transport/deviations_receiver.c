/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of what receivers and the RC responder do. */
#include "transport/deviations_receiver.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_receive_behaviours, "receivers", IBA_RECEIVE_BEHAVIOURS)
IBA_BEHAVIOURS(iba_respond_behaviours, "RC responder", IBA_RESPOND_BEHAVIOURS)
