/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of tshark and tcpdump that ibdissect does not have, and what does the same. */
#ifndef DISSECT_ELSEWHERE_H
#define DISSECT_ELSEWHERE_H
/* NULL: neither has an option of this letter that people would try here. */
const char *elsewhere_of(int letter);
/* The same of an option by name, without "--". */
const char *elsewhere_called(const char *name);
#endif
