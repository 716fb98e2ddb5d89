/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what a port does. */
#include "iba_port_does.h"
#include "wire/iba_does.h"

IBA_BEHAVIOURS(iba_port_behaviours, "port", IBA_PORT_DOES)
