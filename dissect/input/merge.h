/* SPDX-License-Identifier: BSD-2-Clause */
/* Several captures merged by time. */
#ifndef IBPROOF_DISSECT_INPUT_MERGE_H
#define IBPROOF_DISSECT_INPUT_MERGE_H

#include "capture.h"

enum { CAP_MERGE_MAX = 64 };

struct cap_merge;

/* Merges 1 to CAP_MERGE_MAX captures. The caller owns the captures, which must outlive the merge. NULL when out of
 * memory or when count is out of range. */
struct cap_merge *cap_merge_open(struct capture *const *captures, size_t count);

/* The next packet by time, and the index of its capture. Packets of one capture keep their order. Of packets with equal
 * times the capture with the lower index comes first. A packet without time counts as its predecessor in the same
 * capture. CAP_ERROR reports once that capture *source has failed (see its cap_error()), after its last packet; the
 * next call continues with the other captures. CAP_END is final. The packet is borrowed until the next call. */
enum cap_result cap_merge_next(struct cap_merge *m, struct cap_packet *p, size_t *source);

/* Frees the merge, not the captures; NULL is allowed. */
void cap_merge_close(struct cap_merge *m);

#endif
