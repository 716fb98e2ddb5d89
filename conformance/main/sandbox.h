/* SPDX-License-Identifier: BSD-2-Clause */
/* The rights of a run that reads the frames of a device and the replies of its agent. */
#ifndef IBC_SANDBOX_H
#define IBC_SANDBOX_H
#include "dut.h"
#include "select.h"

/* Before the first answer of a live device: the process keeps its wires, its agent, its reports and evidence, and gives
 * up the rest, but for --no-sandbox. suite: its files can be read again for reports; NULL: none. Other targets are part
 * of this program, and change nothing. */
void sandbox_enter(const struct dut *d, const struct options *o, const struct ibc_suite *suite);
/* Before the first packet of a capture: the process keeps its open files, and gives up root and the rest. */
void sandbox_enter_check(void);
/* With --no-sandbox: a notice instead. */
void sandbox_without_check(void);
#endif
