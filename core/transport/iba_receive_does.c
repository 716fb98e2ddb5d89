/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of what receivers and the RC responder do. */
#include "transport/iba_receive_does.h"
#include "wire/iba_does.h"

IBA_BEHAVIOURS(iba_receive_behaviours, "receivers", IBA_RECEIVE_DOES)
IBA_BEHAVIOURS(iba_respond_behaviours, "RC responder", IBA_RESPOND_DOES)
