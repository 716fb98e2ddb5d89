/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of judging one packet: findings, and the request it answers. Made by judge/, read by fields and
 * printers. */
#ifndef DISSECT_VERDICT_H
#define DISSECT_VERDICT_H
#include "output/finding_text.h"
#include "observer/iba_finding.h"

enum { VERDICT_MOST = 8, VERDICT_COMMENT = VERDICT_MOST * 256 };

struct direction; /* judge/judge.h */

/* A finding's tag is the number of a packet in its capture file, and the file among those of this run. */
enum { VERDICT_SOURCE_BITS = 8 };
/* The files and directions that findings name by number. Lives as long as the judge. */
struct verdict_names {
    const char *file[1 << VERDICT_SOURCE_BITS]; /* NULL: no packet of it was judged yet */
    const struct direction *direction;
    uint64_t now; /* frame of the packet that is judged; 0: all were, this is the end */
};
struct verdict {
    enum iba_severity worst; /* of the findings of this packet */
    unsigned n;              /* the first VERDICT_MOST are kept */
    bool again, late;        /* it was sent again; packets sent after it overtook it */
    struct iba_finding finding[VERDICT_MOST];
    const struct verdict_names *names;
    uint64_t request_in, response_in, same_as; /* frames; 0: not known. same_as: this packet in another capture */
    int64_t time_ns;                           /* since the request; valid with request_in */
    const struct direction *direction;         /* NULL: of no connection */
};

/* One more finding. Its flow, which is valid during the report only, is not kept. */
void verdict_add(struct verdict *v, const struct iba_finding *f);
/* The finding as a sentence, valid until the next call. */
const char *verdict_text(const struct iba_finding *f, const struct verdict_names *names);
/* The name of the file of this tag, and the number of the packet in it. */
static inline const char *verdict_file(const struct verdict_names *names, uint64_t tag)
{
    return names->file[tag & ((1U << VERDICT_SOURCE_BITS) - 1)];
}
static inline uint64_t verdict_file_number(uint64_t tag)
{
    return tag >> VERDICT_SOURCE_BITS;
}

/* "9.7.5.1 C9-105, 9.8.2": sections of the statements that the finding cites; "" if unknown. Valid until the next
 * call. */
const char *verdict_sections(unsigned kind);
/* "RR-04, C9-80": the ids, then the same. Valid until the next call. */
const char *verdict_cited(unsigned kind);

/* Every finding in a line: "warn: retransmission: SENTENCE [CLAUSE, SECTION]". False when there is none, or `v` is
 * NULL. */
bool verdict_comment(const struct verdict *v, char to[VERDICT_COMMENT]);
/* Whether the packet has findings; `v` may be NULL, here and below. */
static inline bool verdict_any(const struct verdict *v)
{
    return v && (v->n > 0 || v->request_in != 0 || v->response_in != 0 || v->same_as != 0);
}
/* Whether the packet, `frame`, repeats one that another capture point gave before. */
static inline bool verdict_is_twin(const struct verdict *v, uint64_t frame)
{
    return v->same_as != 0 && v->same_as < frame;
}
/* How many findings are kept. */
static inline unsigned verdict_kept(const struct verdict *v)
{
    return !v ? 0 : v->n < VERDICT_MOST ? v->n : (unsigned)VERDICT_MOST;
}

/* Fields below infiniband.analysis that a packet may have several values of. Their contents: */
enum verdict_field {
    VERDICT_OF_KIND, /* the kinds whose findings go by this name: "RETRY_NAK" of infiniband.analysis.retransmission */
    VERDICT_FINDING, /* every kind */
    VERDICT_MESSAGE,
    VERDICT_CLAUSE,
    VERDICT_SECTION, /* of the clauses, where known */
    VERDICT_CAUSE    /* a frame: field.c has its values */
};
/* The text of finding `i` in such a field, NULL when it has none there. `kind`, of VERDICT_OF_KIND: the first that goes
 * by the name. */
const char *verdict_value(const struct verdict *v, unsigned i, enum verdict_field what, unsigned kind);
/* The first kind that goes by the same name as `kind`. */
unsigned verdict_first_kind(unsigned kind);
#endif
