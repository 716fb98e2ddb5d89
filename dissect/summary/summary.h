/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a run that can be added to those of other runs: --summary writes them, `ibdissect merge` adds them.
 * docs/summary.md has the format.
 *
 * Adding is associative and commutative: the sum has no order. Every list is sorted before it is written, counts add
 * up, buckets of time are aligned and only become wider, and the parts of a connection stay apart. */
#ifndef DISSECT_SUMMARY_H
#define DISSECT_SUMMARY_H
#include "field/out.h"
#include "judge/judge.h"
#include "observer/iba_finding_kinds.h"
#include "observer/iba_message.h"
#include "stats/perf.h"
#include "stats/times.h"
#include "track/sample.h"
#include "wire/iba_endpoints.h"

/* clang-format off */
#define SUMMARY_COUNTS(C)                                                                                              \
    C(PACKETS,       "packets")                                                                                        \
    C(BYTES,         "bytes")                                                                                          \
    C(PAYLOAD,       "payload_bytes")                                                                                  \
    C(MESSAGES,      "messages")                                                                                       \
    C(AGAIN,         "sent_again")                                                                                     \
    C(ECN,           "ecn")                                                                                            \
    C(CNP,           "cnp")                                                                                            \
    C(ERRORS,        "errors")                                                                                         \
    C(WARNINGS,      "warnings")                                                                                       \
    C(NOTES,         "notes")                                                                                          \
    C(ICRC_GOOD,     "icrc_good")                                                                                      \
    C(ICRC_BAD,      "icrc_bad")                                                                                       \
    C(ICRC_UNKNOWN,  "icrc_not_checked")                                                                               \
    C(SEEN_TWICE,    "seen_twice")                                                                                     \
    C(UNTIMED,       "untimed")                                                                                        \
    C(NO_CONNECTION, "no_connection")                                                                                  \
    C(NOT_FOLLOWED,  "not_followed")
/* The first counts of the list; a bucket of time has only these. */
enum { SUMMARY_BUCKET_COUNTS = 10 };
#define SUMMARY_SIDE_COUNTS(C)                                                                                         \
    C(PACKETS,  "packets")                                                                                             \
    C(PAYLOAD,  "payload_bytes")                                                                                       \
    C(AGAIN,    "sent_again")                                                                                          \
    C(MESSAGES, "messages")                                                                                            \
    C(ANSWERED, "answered")                                                                                            \
    C(REFUSED,  "refused")                                                                                             \
    C(OPEN,     "open")                                                                                                \
    C(BYTES,    "message_bytes")
/* clang-format on */
#define SUMMARY_ID(id, key) SUMMARY_##id,
enum summary_count { SUMMARY_COUNTS(SUMMARY_ID) SUMMARY_COUNT };
#undef SUMMARY_ID
#define SUMMARY_ID(id, key) SUMMARY_SIDE_##id,
enum summary_side_count { SUMMARY_SIDE_COUNTS(SUMMARY_ID) SUMMARY_SIDE_COUNT };
#undef SUMMARY_ID
extern const char *const summary_count_keys[SUMMARY_COUNT];
extern const char *const summary_side_keys[SUMMARY_SIDE_COUNT];

enum {
    SUMMARY_VERSION = 1,
    SUMMARY_BUCKETS = BOUND(4096, 8), /* when there are more, each two neighbours become one */
    SUMMARY_FIRST = 5,                /* first packets that are kept of each finding */
    SUMMARY_CAPTURES = BOUND(1 << 20, 32),
    SUMMARY_PARTS = BOUND(1 << 23, 256),
    SUMMARY_LATENCIES = 64 /* classes, each twice as long as the one before: class i ends below 2^(i + 1) ns */
};

struct summary_bucket {
    uint64_t at; /* begin of the bucket since 1970, in units of its width */
    uint64_t count[SUMMARY_BUCKET_COUNTS];
};
struct summary_packet {
    uint64_t ns, number;
    uint32_t host, file; /* numbers of texts, from summary_text() */
};
struct summary_finding {
    uint64_t count;
    unsigned n;
    struct summary_packet first[SUMMARY_FIRST]; /* sorted by time, host, file, number */
};
struct summary_times {
    /* answered, refused, open: messages; shortest, longest: times in ns, valid when some messages were answered */
    uint64_t answered, refused, open, shortest, longest;
    uint64_t *count; /* TIMES_CLASSES of them; NULL: no message was answered */
};
struct summary_capture {
    uint32_t host, file, input; /* input: the number of the summary that the capture came from */
    bool whole;
    uint64_t packets, first_ns, last_ns; /* first_ns, last_ns: 0 if no packet has a time */
};

/* The ends of a connection as bytes that can be sorted: the kind of address and the service, then for each end its
 * address, whether its QP is known, and the QP. Numbers are big-endian. The end with the smaller bytes comes first. */
enum { SUMMARY_END = IBA_ADDR_MOST + 1 + 3, SUMMARY_ENDS = 2 + 2 * SUMMARY_END };
struct summary_ends {
    uint8_t key[SUMMARY_ENDS];
};
/* The numbers of both directions of a connection. Each number has a fixed place; most numbers are 0. */
enum {
    SUMMARY_AT_LIMIT = SUMMARY_SIDE_COUNT, /* times in ns, by enum perf_limit */
    SUMMARY_AT_LATENCY = SUMMARY_AT_LIMIT + PERF_LIMIT_COUNT,
    SUMMARY_AT_FOUND = SUMMARY_AT_LATENCY + SUMMARY_LATENCIES,
    SUMMARY_SIDE = SUMMARY_AT_FOUND + IBA_FINDING_COUNT
};
struct summary_sides {
    uint64_t at[2][SUMMARY_SIDE]; /* at[0]: the direction from the first end */
};
struct summary_value {
    uint32_t place;
    uint64_t value;
};
struct summary_part {
    struct summary_ends ends;
    uint32_t host, n_value;
    uint64_t first_ns, last_ns;
    size_t values; /* index of the first of the n_value values */
};

struct summary {
    uint64_t count[SUMMARY_COUNT], opcode[256];
    struct summary_capture *capture;
    size_t n_capture, room_capture;
    unsigned doublings; /* a bucket lasts 2^doublings seconds */
    size_t n_bucket, last_bucket;
    struct summary_bucket bucket[SUMMARY_BUCKETS + 1]; /* sorted by time */
    struct summary_finding finding[IBA_FINDING_COUNT];
    struct summary_times times[IBA_OPERATION_COUNT][TIMES_SIZES];
    struct summary_part *part;
    size_t n_part, room_part;
    struct summary_value *value;
    size_t n_value, room_value;
    char **text; /* names of hosts and files, each once */
    uint32_t n_text, room_text;
    uint32_t *text_slot; /* hash table of the indices of texts, plus 1 */
    size_t text_slots;
    struct sample sample; /* the sample of all packets that were added */
    bool any_sample;      /* false: nothing was added yet */
    bool failed;          /* out of memory, or a limit was exceeded */
};

/* ---- model.c ---- */
struct summary *summary_open(void);
/* Notes the sample of summaries that are added. False: earlier ones have another sample, and a sum of both has no
 * meaning. */
bool summary_take_sample(struct summary *s, const struct sample *sample);
/* Frees all lists and sets all counts to 0, as summary_open() does. */
void summary_clear(struct summary *s);
/* Frees the summary; NULL is allowed. */
void summary_free(struct summary *s);
/* The sum of two numbers. A sum that exceeds 64 bits becomes the largest number of 64 bits. */
static inline uint64_t summary_sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}
/* The number of a text. Equal texts have the same number. */
uint32_t summary_text(struct summary *s, const char *text);
void summary_add_capture(struct summary *s, const struct summary_capture *c);
/* Adds the counts of a bucket that lasts 2^doublings seconds and begins at `at` times this length. */
void summary_add_bucket(struct summary *s, unsigned doublings, uint64_t at,
                        const uint64_t count[SUMMARY_BUCKET_COUNTS]);
void summary_add_first(struct summary *s, unsigned kind, const struct summary_packet *p);
/* The classes of the times, made if there are none. NULL: out of memory. */
uint64_t *summary_classes(struct summary *s, struct summary_times *t);
void summary_add_part(struct summary *s, const struct summary_part *p, const struct summary_sides *sides);
void summary_sides_of(const struct summary *s, const struct summary_part *p, struct summary_sides *sides);
void summary_set_end(struct summary_ends *e, unsigned which, const uint8_t addr[IBA_ADDR_MOST], bool known,
                     uint32_t qpn);
/* Puts the smaller end first. True: the ends changed places. */
bool summary_ends_order(struct summary_ends *e);

/* ---- collect.c ---- */
struct summary_run;
/* Begins the summary of a run. NULL when out of memory. Owned: summary_run_close(). host: a name for all captures of
 * the run; sample: the sample of their packets; both borrowed. */
struct summary_run *summary_run_open(const char *host, const struct sample *sample);
void summary_run_packet(struct summary_run *r, const struct packet *p);
void summary_run_late(struct summary_run *r, const struct iba_finding *f, const struct verdict_names *names);
void summary_run_message(struct summary_run *r, const struct iba_message *m, const struct verdict_names *names);
/* Notes a capture of the run. source: as in packets. whole: the capture was read to its end. */
void summary_run_capture(struct summary_run *r, uint32_t source, const char *name, bool whole);
/* Packets of a capture since the run, or its current piece, began. */
uint64_t summary_run_packets(const struct summary_run *r, uint32_t source);
/* The summary of the run, or of a piece of it. over: no more packets come; otherwise summary_run_next() must be called
 * next. Borrowed until then, or until summary_run_close(). */
struct summary *summary_run_end(struct summary_run *r, bool over);
/* Begins the next piece: counts begin at 0, and what is known of connections stays. The sums of all pieces are those of
 * the run. renew: what is known of connections is forgotten, too. False: out of memory. */
bool summary_run_next(struct summary_run *r, bool renew);
/* Frees the run; NULL is allowed. */
void summary_run_close(struct summary_run *r);

/* ---- write.c ---- */
/* Sorts the lists. Captures are sorted, and the parts of each connection stand together, by time. False as in
 * summary_write(). */
bool summary_sort(struct summary *s, char *err, size_t errlen);
bool summary_same_connection(const struct summary *s, size_t i, size_t k);
/* Sorts the summary and writes it. False with a line in err: a capture is in two summaries, or s->failed. */
bool summary_write(struct summary *s, struct out *o, char *err, size_t errlen);
/* The number of connections with more than one part. */
uint64_t summary_split(struct summary *s);

/* ---- read.c ---- */
/* Reads a summary in JSON and adds it. input: another number for each summary. False with one line in err; then `s`
 * must not be used any more. */
bool summary_read(struct summary *s, const char *text, size_t n, uint32_t input, char *err, size_t errlen);
#endif
