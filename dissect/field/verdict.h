/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of judging one packet: its findings, and the request that it answers. judge/ makes it; fields and printers
 * read it. */
#ifndef DISSECT_VERDICT_H
#define DISSECT_VERDICT_H
#include "output/finding_text.h"
#include "observer/iba_finding.h"

enum { VERDICT_MOST = 8, VERDICT_COMMENT = VERDICT_MOST * 256 };

struct direction; /* judge/judge.h */

/* A finding's tag holds the number of a packet in its capture file, and the index of the file in this run. */
enum { VERDICT_SOURCE_BITS = 8 };
/* The files and directions that findings name by number. Lives as long as the judge. */
struct verdict_names {
    const char *file[1 << VERDICT_SOURCE_BITS]; /* NULL: no packet of this file was judged yet */
    const struct direction *direction;
    uint64_t now; /* frame of the packet that is being judged; 0: all packets were judged */
};
struct verdict {
    enum iba_severity worst; /* of the findings of this packet */
    unsigned n;              /* the first VERDICT_MOST are kept */
    bool again, late;        /* again: the packet was sent again; late: packets sent after it overtook it */
    struct iba_finding finding[VERDICT_MOST];
    const struct verdict_names *names;
    uint64_t request_in, response_in, same_as; /* frames; 0: not known. same_as: this packet in another capture */
    int64_t time_ns;                           /* since the request; valid with request_in */
    const struct direction *direction;         /* NULL: the packet belongs to no connection */
};

/* Adds a finding. The flow of the finding is not kept, since it is valid during the report only. */
void verdict_add(struct verdict *v, const struct iba_finding *f);
/* The finding as a sentence, which is valid until the next call. */
const char *verdict_text(const struct iba_finding *f, const struct verdict_names *names);
/* The name of the file that the tag names. */
static inline const char *verdict_file(const struct verdict_names *names, uint64_t tag)
{
    return names->file[tag & ((1U << VERDICT_SOURCE_BITS) - 1)];
}
static inline uint64_t verdict_file_number(uint64_t tag)
{
    return tag >> VERDICT_SOURCE_BITS;
}

/* The sections of the statements that findings of this kind cite: "9.7.5.1 C9-105, 9.8.2"; "" if unknown. Valid until
 * the next call. */
const char *verdict_sections(unsigned kind);
/* The clauses of this kind and their sections: "RR-04, C9-80". Valid until the next call. */
const char *verdict_cited(unsigned kind);

/* Writes all findings in one line: "warn: retransmission: SENTENCE [CLAUSE, SECTION]". False when there is none, or `v`
 * is NULL. */
bool verdict_comment(const struct verdict *v, char to[VERDICT_COMMENT]);
/* Whether the packet has findings. `v` may be NULL in this function and in those below. */
static inline bool verdict_any(const struct verdict *v)
{
    return v && (v->n > 0 || v->request_in != 0 || v->response_in != 0 || v->same_as != 0);
}
/* Whether the packet of this frame is a second record of a packet that another capture point recorded before. */
static inline bool verdict_is_twin(const struct verdict *v, uint64_t frame)
{
    return v->same_as != 0 && v->same_as < frame;
}
/* The number of findings that are kept. */
static inline unsigned verdict_kept(const struct verdict *v)
{
    return !v ? 0 : v->n < VERDICT_MOST ? v->n : (unsigned)VERDICT_MOST;
}

/* Fields below infiniband.analysis that may have several values in a packet, by the contents of the values. */
enum verdict_field {
    VERDICT_OF_KIND, /* the kinds whose findings go by this name: "RETRY_NAK" of infiniband.analysis.retransmission */
    VERDICT_FINDING, /* every kind */
    VERDICT_MESSAGE,
    VERDICT_CLAUSE,
    VERDICT_SECTION, /* the sections of the clauses, where known */
    VERDICT_CAUSE    /* a frame: field.c has its values */
};
/* The text of finding `i` in such a field; NULL when the finding has none there. `kind` is used for VERDICT_OF_KIND:
 * the first kind that has the field's name. */
const char *verdict_value(const struct verdict *v, unsigned i, enum verdict_field what, unsigned kind);
/* The first kind that has the same field name as `kind`. */
unsigned verdict_first_kind(unsigned kind);
#endif
