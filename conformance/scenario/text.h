/* SPDX-License-Identifier: BSD-2-Clause */
/* A file as lines of words. Blanks separate, '#' after a blank begins a comment, "..." may contain both. */
#ifndef IBC_TEXT_H
#define IBC_TEXT_H
#include "arena.h"
#include "fault.h"

enum { IBC_MAX_FILE = 64 * 1024, IBC_MAX_LINE = 1000 };

struct ibc_word {
    const char *s;          /* without the quotes */
    uint16_t column, value; /* of its first byte, and of the byte after its first '=', from 1 */
    bool dollar, quoted;    /* contains a variable; contained quotes */
};
struct ibc_text {
    const char *text; /* without indentation and comment */
    struct ibc_word *word;
    uint32_t line;
    uint16_t n_word, column;
    bool dollar;
    uint8_t form; /* enum ibc_form: what the line is */
    uint8_t kind; /* of step or object */
    uint8_t many; /* packets: '?', '*' or 0 */
    uint8_t says; /* of an alternative */
    bool alternative;
    uint8_t skip;    /* words before the event of an alternative */
    const char *why; /* of an alternative, or NULL */
    unsigned end;    /* of a repeat: index of the line that ends it */
};

/* The lines that are not empty. False with the fault of the first line that is no text. */
bool ibc_text_read(struct ibc_arena *a, struct ibc_fault *f, const char *text, size_t len, struct ibc_text **line,
                   unsigned *n);
/* Splits `s` into words; n: in, space; out, their number (also if larger). False: a quote without an end, its column in
 * *n. Words are in the arena or point into `s`; their columns count from `column`. */
bool ibc_text_words(struct ibc_arena *a, const char *s, size_t len, unsigned column, struct ibc_word *word,
                    unsigned *n);
#endif
