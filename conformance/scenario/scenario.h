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
    IBC_MAX_OBJECTS = 32, /* a play, repeats unrolled */
    IBC_MAX_STEPS = 4096, /* a play, repeats unrolled */
    IBC_MAX_ARGS = 24,    /* a line */
    IBC_MAX_ALTS = 6,     /* x|y|z of one value */
    IBC_MAX_VARIATIONS = 512,
    IBC_ANY_OPCODE = 0x100,
    IBC_RAW_OPCODE = 0x101,  /* no BTH: packets of raw QPs */
    IBC_FLOW_OPCODE = 0x102, /* a flow-control packet */
    IBC_NO_OP = 0xffff,
    IBC_H_MAD = 0xff, /* arg.hdr */
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
enum { IBC_A_ITSELF = IBC_A_COUNT }; /* attr of a REF that means the object itself, not one of its numbers */
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
    const struct iba_field *field; /* for fields that several headers have (hop, ecn) that of the first; `everywhere` */
    const char *name;              /* as written in the file */
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
    uint8_t many; /* '<?': '?', '<*': '*', else 0 */
    uint8_t says; /* alternatives: enum ibc_verdict_word */
    uint8_t n_arg;
    uint16_t object; /* index into play->object; UINT16_MAX: none */
    uint16_t op; /* packets: opcode with the service's bits, IBC_ANY_OPCODE or IBC_RAW_OPCODE; post and completion: enum
                    iba_wr_op; IBC_NO_OP: not given */
    uint16_t message; /* of a connection manager: attribute ID; of an agent: ibc_smp_find(); 0: none */
    uint8_t method;   /* of a datagram to or from an agent */
    bool asks;        /* a request made from a line `get` or `set`: fields of the attribute are those of its answer */
    uint16_t alternative; /* index of the next alternative of this event in play->step, 0: none */
    bool is_alternative;  /* only reached through the line before it */
    uint32_t line;
    const char *text, *why; /* the line; the text of an alternative, or NULL */
    const struct ibc_arg *arg;
};

/* Verbs of a connection manager, and the message that each sends; its fields are the verb's words. */
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
    char *hazard;                /* which known device it crashed, and how; NULL: none */
    const char *drawn;           /* why its expectation goes beyond its statement: it only DEVIATES; or NULL */
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

/* Loads and checks one file: every variation of every service is bound once. NULL with one line
 * "FILE:LINE:COLUMN: what is wrong; did you mean NEAREST?" in err. Owned: ibc_free(). */
struct ibc_scenario *ibc_load(const char *path, const char *id, char *err, size_t errlen);
struct ibc_scenario *ibc_load_text(const char *text, size_t len, const char *path, const char *id, char *err,
                                   size_t errlen);
void ibc_free(struct ibc_scenario *s);
/* Never NULL for a scenario that loaded. Owned: ibc_play_free(). */
struct ibc_play *ibc_bind(const struct ibc_scenario *s, enum iba_qp_type service, unsigned variation);
void ibc_play_free(struct ibc_play *p);

/* All scenarios below `dir` whose id matches, sorted by id. If a file does not load, the whole call fails: `err` has a
 * line for each fault, as far as it has space. */
struct ibc_suite {
    struct ibc_scenario **s;
    size_t n;
};
bool ibc_suite_load(struct ibc_suite *out, const char *dir, char *err, size_t errlen);
void ibc_suite_free(struct ibc_suite *suite);
/* Glob over ids: '*' also crosses dots; a pattern without wildcard also matches the group it names ("rc.responder"),
 * and a statement id ("RR-04", "RR-*") the scenarios that cite it. */
bool ibc_id_matches(const struct ibc_scenario *s, const char *pattern);
/* In the header, because reports do not link the loader. */
static inline bool ibc_cites(const struct ibc_scenario *s, const char *statement)
{
    for (unsigned i = 0; i < s->n_spec; i++)
        if (strcmp(s->spec[i], statement) == 0)
            return true;
    return false;
}

/* The argument of that key, or NULL. */
const struct ibc_arg *ibc_arg(const struct ibc_arg *arg, unsigned n, enum ibc_key key);
/* Its first number, or `otherwise`. */
uint64_t ibc_arg_n(const struct ibc_arg *arg, unsigned n, enum ibc_key key, uint64_t otherwise);

/* Byte i of pattern `letter`: never changes between versions. */
uint8_t ibc_pattern(char letter, uint64_t i);
enum { IBC_PATTERN_ROW = 65536 };
/* Bytes `at` to `at` + `n` of it, computed once; NULL: no small letter, or beyond IBC_PATTERN_ROW. */
const uint8_t *ibc_pattern_row(char letter, uint64_t at, uint64_t n);
/* The most similar of n names to `word`, or NULL when none is similar, or when the word is one of them. */
const char *ibc_nearest(const char *word, const char *(*name)(size_t i, const void *ctx), size_t n, const void *ctx);
#endif
