/* SPDX-License-Identifier: BSD-2-Clause */
/* A file as lines of words. Blanks separate words, '#' after a blank begins a comment, and "..." may contain both. */
#ifndef IBC_TEXT_H
#define IBC_TEXT_H
#include "arena.h"
#include "fault.h"

enum { IBC_MAX_FILE = 64 * 1024, IBC_MAX_LINE = 1000 };

struct ibc_word {
    const char *s;          /* without the quotes */
    uint16_t column, value; /* column of its first byte, and of the byte after its first '=', both from 1 */
    bool dollar, quoted;    /* the word has a variable; the word was in quotes */
};
struct ibc_text {
    const char *text; /* without indentation and comment */
    struct ibc_word *word;
    uint32_t line;
    uint16_t n_word, column;
    bool dollar;
    uint8_t form; /* enum ibc_form: what the line is */
    uint8_t kind; /* kind of the step or object */
    uint8_t many; /* packets: '?', '*' or 0 */
    uint8_t says; /* verdict of an alternative */
    bool alternative;
    uint8_t skip;    /* words before the event of an alternative */
    const char *why; /* text of an alternative, or NULL */
    unsigned end;    /* of a repeat: index of the line that ends the repeat */
};

/* Reads all lines that are not empty. False: the fault of the first line that is not text was reported. */
bool ibc_text_read(struct ibc_arena *a, struct ibc_fault *f, const char *text, size_t len, struct ibc_text **line,
                   unsigned *n);
/* Splits `s` into words. *n: before the call the space for words, after it their number, which may be larger than
 * the space. False: a quote has no end, and *n is its column. Words are in the arena or point into `s`; their
 * columns count from `column`. */
bool ibc_text_words(struct ibc_arena *a, const char *s, size_t len, unsigned column, struct ibc_word *word,
                    unsigned *n);
#endif
