/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of tshark and tcpdump that ibdissect does not have, each with the option of ibdissect that does the same. */
#ifndef DISSECT_ELSEWHERE_H
#define DISSECT_ELSEWHERE_H
/* The hint for an option by its letter. NULL: neither tshark nor tcpdump has an option of this letter that people would
 * try here. */
const char *elsewhere_of(int letter);
/* The hint for an option by its name, given without "--". */
const char *elsewhere_called(const char *name);
#endif
