/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits the rights of a run that reads the frames of a device and the replies of its agent. */
#ifndef IBC_SANDBOX_H
#define IBC_SANDBOX_H
#include "dut.h"
#include "select.h"

/* Called before the first answer of a live device: the process keeps its wires, its agent, its reports and its
 * evidence, and gives up all other rights unless --no-sandbox is given. suite: its files can be read again for
 * reports; NULL: none. Other targets are part of this program, so nothing changes for them. */
void sandbox_enter(const struct dut *d, const struct options *o, const struct ibc_suite *suite);
/* Called before the first packet of a capture is read: the process keeps its open files, and gives up root and all
 * other rights. */
void sandbox_enter_check(void);
/* Prints a notice instead, for --no-sandbox. */
void sandbox_without_check(void);
#endif
