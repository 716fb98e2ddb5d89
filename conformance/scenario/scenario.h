/* SPDX-License-Identifier: BSD-2-Clause */
/* A scenario as data: what the text file says, names resolved through core's tables, values typed.
 *
 *     struct ibc_scenario *s = ibc_load(path, id, err, sizeof err);       text, checked for every variation
 *     for (v = 0; v < s->n_variation; v++) {
 *         struct ibc_play *p = ibc_bind(s, service, v);                   steps with $names filled in, repeats unrolled
 *         ... p->object[], p->step[] ...
 *     }
 *
 * The language is described in docs/scenarios.md. The loader knows words and types; what a step does is run/'s. */
#ifndef IBC_SCENARIO_H
#define IBC_SCENARIO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "cm/iba_cm.h"
#include "transport/iba_verbs.h"
#include "wire/iba_build.h"
#include "words.h"

enum {
    IBC_NAME = 32,        /* bytes of an object's or variable's name, with its 0 */
    IBC_MAX_OBJECTS = 32, /* of a play with its repeats unrolled */
    IBC_MAX_STEPS = 4096, /* of a play with its repeats unrolled */
    IBC_MAX_ARGS = 24,    /* of a line */
    IBC_MAX_ALTS = 6,     /* alternatives x|y|z of one value */
    IBC_MAX_VARIATIONS = 512,
    IBC_ANY_OPCODE = 0x100,
    IBC_RAW_OPCODE = 0x101,  /* packets of raw QPs, which have no BTH */
    IBC_FLOW_OPCODE = 0x102, /* a flow-control packet */
    IBC_NO_OP = 0xffff,
    IBC_H_MAD = 0xff, /* in arg.hdr: the field belongs to a management datagram or message */
};

/* ---- values ---- */
enum ibc_value_kind {
    IBC_V_NUMBER,   /* n; `mask`: the bits that are compared (syndrome=ack: the kind only) */
    IBC_V_RELATIVE, /* n (signed) from the first PSN of the direction */
    IBC_V_REF,      /* attribute `attr` of object `object`, then `op` n */
    IBC_V_RANGE,    /* n..hi */
    IBC_V_ANY,
    IBC_V_BYTES,   /* bytes, n_bytes */
    IBC_V_PATTERN, /* letter in n, offset in hi */
    IBC_V_WORD,    /* text: a name that the step resolves (an object not yet created, as=NAME) */
    IBC_V_TIME,    /* ns in n */
};
/* The values of keys that are not a plain NUMBER:
 *   state cur_state          enum iba_qp_state; a step's `state` is IBC_K_value
 *   type (qp)                enum iba_qp_type; of mw: 1, 2 or 3 (2A)
 *   access                   enum iba_access, or-ed
 *   without                  enum iba_qp_attr_mask, or-ed
 *   mig                      enum iba_path_mig
 *   status                   enum iba_wc_status; NUMBER or ANY
 *   via, then                enum iba_encap, enum ibc_then
 *   from dest av alt, to of packets    enum ibc_party, or REF of a group
 *   sig                      1: all
 *   pmtu mtu                 bytes
 *   icrc vcrc                WORD with enum iba_crc_mode in n, or NUMBER
 *   payload                  NUMBER (how many) or BYTES
 *   fill                     PATTERN
 *   error                    WORD: the enumerator in small letters without IBA_VERB_ ("state"), of iba_mem_err without
 *                            IBA_ ("mem_busy"); or ANY
 *   pd scq rcq srq peer mw mr, group of attach (IBC_K_value)    REF of the object itself
 *   at to va iova, place of memory, write, page (IBC_K_value)   REF (IBC_A_va) or NUMBER
 *   route                    LID in arg.at, port
 *   one other                REF of a wire
 *   sge                      address as `at`, length in arg.at
 *   insert poke              arg.at and BYTES; remove: arg.at and NUMBER
 *   as same, name of counter WORD; delta: NUMBER or RANGE
 *   event, score (IBC_K_value)         enum iba_event_kind, enum ibc_score
 *   FIELD                    NUMBER, RELATIVE (bth.psn), REF, RANGE, ANY; BYTES where the row is of bytes */
enum { IBC_A_ITSELF = IBC_A_COUNT }; /* attr of a REF that means the object itself, and not one of its numbers */
struct ibc_value {
    uint8_t kind;
    bool negated;         /* !x */
    char op;              /* REF: '+', '-', '^', or 0 */
    uint8_t attr;         /* REF: enum ibc_attr */
    uint16_t object;      /* REF: index into play->object */
    uint64_t n, hi, mask; /* mask: UINT64_MAX when all bits count */
    uint32_t n_bytes;
    const uint8_t *bytes;
    const char *text;
};
struct ibc_arg {
    uint8_t key; /* enum ibc_key; IBC_K_FIELD: `hdr` and `field` */
    uint8_t hdr; /* enum iba_hdr, or IBC_H_MAD: the field is in the message, its part begins at `at` */
    uint8_t n;   /* values: 1, or the alternatives of an expectation */
    uint32_t at; /* for poke, insert, remove, pkey[I], sge */
    /* if several headers have the field (hop, ecn), that of the first; `everywhere` in run/field.c lists them */
    const struct iba_field *field;
    const char *name; /* as written in the file */
    struct ibc_value v[IBC_MAX_ALTS];
};

/* ---- objects and steps ---- */
struct ibc_object {
    char name[IBC_NAME];
    uint8_t kind; /* enum ibc_object_kind */
    uint8_t n_arg;
    const struct ibc_arg *arg;
    uint32_t line; /* 0: implicit (pd, m, l) */
};
enum ibc_verdict_word { IBC_SAYS_PASS, IBC_SAYS_TOLERATED, IBC_SAYS_FAIL, IBC_SAYS_DONE };
struct ibc_step {
    uint8_t kind; /* enum ibc_step_kind */
    uint8_t many; /* '?' for '<?', '*' for '<*', otherwise 0 */
    uint8_t says; /* alternatives: enum ibc_verdict_word */
    uint8_t n_arg;
    uint16_t object; /* index into play->object; UINT16_MAX: none */
    uint16_t op; /* packets: opcode with the service's bits, IBC_ANY_OPCODE or IBC_RAW_OPCODE; post and completion: enum
                    iba_wr_op; IBC_NO_OP: not given */
    uint16_t message; /* of a connection manager: attribute ID; of a management agent: ibc_smp_find(); 0: none */
    uint8_t method;   /* method of a datagram to or from a management agent */
    bool asks; /* the request of a `get` or `set` line: the line's fields of the attribute are those of the response */
    uint16_t alternative; /* index of the next alternative of this event in play->step, 0: none */
    bool is_alternative;  /* the step is only reached through the line before it */
    uint32_t line;
    const char *text, *why; /* the line; the text of an alternative, or NULL */
    const struct ibc_arg *arg;
};

/* Verbs of a connection manager, and the message that each sends. A line of a verb may name the fields of its
 * message. */
/* clang-format off */
#define IBC_CM_VERBS(V)                                                                                                \
    V(listen, REQ) V(connect, REQ) V(accept, REP) V(confirm, RTU) V(reject, REJ) V(delay, MRA) V(established, RTU)     \
    V(disconnect, DREQ) V(abandon, RTU) V(load, LAP) V(loaded, APR) V(suggest, SAP) V(suggested, SPR)                  \
    V(resolve, SIDR_REQ) V(resolved, SIDR_REP) V(unlisten, RTU)
/* clang-format on */
enum ibc_cm_verb {
#define IBC_CM_VERB_ID(name, message) IBC_CM_##name,
    IBC_CM_VERBS(IBC_CM_VERB_ID) IBC_CM_VERB_COUNT
};

/* One variation of a scenario for one service, ready to be played. It owns its memory. */
struct ibc_play {
    const struct ibc_scenario *scenario;
    enum iba_qp_type service;
    const char *variation; /* "pmtu=256 epsn=0x7fffff"; "" */
    uint16_t n_object, n_step;
    struct ibc_object *object;
    struct ibc_step *step;
    void *arena;
};

struct ibc_place {
    uint32_t line, column;
};
struct ibc_scenario {
    char *id, *path, *title, *note;
    char *hazard; /* which known device the scenario crashed, and how; NULL: none */
    /* why the scenario expects more than its statement requires, so that a failure only DEVIATES; or NULL */
    const char *drawn;
    const char **spec, **covers; /* statement ids; outside references */
    unsigned n_spec, n_covers;
    uint8_t klass, role;   /* enum ibc_class (UINT8_MAX: the statement's), enum ibc_role */
    uint32_t services;     /* 1 << enum iba_qp_type */
    uint32_t links;        /* 1 << enum ibc_link; 0: any */
    uint64_t needs;        /* 1 << enum ibc_capability */
    unsigned n_variation;  /* per service */
    struct ibc_text *text; /* the lines, as loaded */
    unsigned n_line;
    const struct ibc_place *spec_at; /* the position of each of `spec` */
    const char **see;
    unsigned n_see;
};

/* Loads and checks one file: every variation of every service is built once. NULL: err has one line
 * "FILE:LINE:COLUMN: what is wrong; did you mean NEAREST?". The caller owns the result: ibc_free(). */
struct ibc_scenario *ibc_load(const char *path, const char *id, char *err, size_t errlen);
struct ibc_scenario *ibc_load_text(const char *text, size_t len, const char *path, const char *id, char *err,
                                   size_t errlen);
void ibc_free(struct ibc_scenario *s);
/* Builds one variation for one service. Never NULL for a scenario that loaded. The caller owns the result:
 * ibc_play_free(). */
struct ibc_play *ibc_bind(const struct ibc_scenario *s, enum iba_qp_type service, unsigned variation);
void ibc_play_free(struct ibc_play *p);

/* All scenarios below `dir` whose id matches, sorted by id. If one file does not load, the call fails, and `err`
 * has a line for each fault, as far as it has space. */
struct ibc_suite {
    struct ibc_scenario **s;
    size_t n;
};
bool ibc_suite_load(struct ibc_suite *out, const char *dir, char *err, size_t errlen);
void ibc_suite_free(struct ibc_suite *suite);
/* Whether the scenario matches a pattern. '*' also matches dots. A pattern without wildcard also matches the group
 * of that name ("rc.responder"). A statement id ("RR-04", "RR-*") matches the scenarios that cite the statement. */
bool ibc_id_matches(const struct ibc_scenario *s, const char *pattern);
/* Whether the scenario cites the statement. The function is in the header, because reports do not link the loader. */
static inline bool ibc_cites(const struct ibc_scenario *s, const char *statement)
{
    for (unsigned i = 0; i < s->n_spec; i++)
        if (strcmp(s->spec[i], statement) == 0)
            return true;
    return false;
}

/* Returns the argument with that key; NULL: there is none. */
const struct ibc_arg *ibc_arg(const struct ibc_arg *arg, unsigned n, enum ibc_key key);
/* Returns the first number of the argument with that key; without such an argument, `otherwise`. */
uint64_t ibc_arg_n(const struct ibc_arg *arg, unsigned n, enum ibc_key key, uint64_t otherwise);

/* Returns byte i of pattern `letter`, which is the same in all versions. */
uint8_t ibc_pattern(char letter, uint64_t i);
enum { IBC_PATTERN_ROW = 65536 };
/* Returns bytes `at` to `at` + `n` of the pattern from a row that is computed once. NULL: the letter is no small
 * letter, or the bytes go beyond IBC_PATTERN_ROW. */
const uint8_t *ibc_pattern_row(char letter, uint64_t at, uint64_t n);
/* Returns the name that is most similar to `word`. NULL: none of the n names is similar, or the word is one of
 * them. */
const char *ibc_nearest(const char *word, const char *(*name)(size_t i, const void *ctx), size_t n, const void *ctx);
#endif
