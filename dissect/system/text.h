/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that somebody else wrote: an agent, a kernel's log, a packet, the name of a file. Decides which of its
 * characters a terminal or XML can take, and how the others are written. */
#ifndef SYSTEM_TEXT_H
#define SYSTEM_TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_BROKEN = 0xfffd }; /* U+FFFD stands for bytes that are no UTF-8 */

/* Reads the first character of the n > 0 bytes at s. Returns the number of its bytes, or 0 when they are no UTF-8 (RFC
 * 3629). *code: the character, or TEXT_BROKEN. */
size_t text_char(const char *s, size_t n, uint32_t *code);

/* False for characters that a terminal executes, or that make a line look like another line: control characters (C0,
 * DEL, C1), line and paragraph separators (U+2028, U+2029), and characters that change the direction of writing
 * (U+202A..U+202E, U+2066..U+2069). */
bool text_is_plain(uint32_t code);

/* Whether XML 1.0 allows the character (clause 2.2, Char). */
bool text_is_xml(uint32_t code);

/* Writes the first character for a terminal: unchanged, or as \n \r \t \\, or each of its bytes as \ooo. `quote` gets a
 * backslash, too ('\0': no quote does). Returns the bytes written; *taken: the bytes of s that were read. */
enum { TEXT_ESCAPED = 16 };
size_t text_escape(char out[TEXT_ESCAPED], const char *s, size_t n, char quote, size_t *taken);

/* Writes text for people to `to`, escaped as above, except that a backslash stays single. */
void text_print(FILE *to, const char *s, size_t n);

/* The number of characters that text_print() writes. */
unsigned text_columns(const char *s, size_t n);

/* Writes one line: the formatted text as text_print() writes it, and a line feed. */
void text_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes "PROGRAM: " and then the text as text_line() does. */
void text_complain(FILE *to, const char *program, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
#endif
