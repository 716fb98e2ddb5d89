/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what a port does. */
#include "deviations_port.h"
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_port_behaviours, "port", IBA_PORT_BEHAVIOURS)
