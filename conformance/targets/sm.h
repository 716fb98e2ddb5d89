/* SPDX-License-Identifier: BSD-2-Clause */
/* Subnet managers as targets: programs that speak to a simulated subnet through libumad2sim, such as OpenSM, or through
 * libibfabric-umad.so if their command begins with "umad:". */
#ifndef IBC_SM_H
#define IBC_SM_H
#include "target.h"

/* Opens "sm:COMMAND", or "spoiled:ROW:COMMAND" (sm_spoil.h). NULL: err has one line. */
struct ibc_target *ibc_sm_open(const char *spec, char *err, size_t errlen);
bool ibc_sm_is(const char *spec); /* whether the name of a target begins so */
#endif
