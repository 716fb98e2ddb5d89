/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that somebody else wrote: an agent, a kernel's log, a packet, the name of a file. Which of its characters a
 * terminal or XML can take, and how the others are written. */
#ifndef SYSTEM_TEXT_H
#define SYSTEM_TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_BROKEN = 0xfffd }; /* U+FFFD stands for bytes that are no UTF-8 */

/* The first character of the n > 0 bytes at s: its bytes, or 0 when they are no UTF-8 (RFC 3629). *code: the character,
 * or TEXT_BROKEN. */
size_t text_char(const char *s, size_t n, uint32_t *code);

/* False for characters that a terminal executes, or that make a line look like another: control characters (C0, DEL,
 * C1), line and paragraph separators (U+2028, U+2029), and what changes the direction of writing (U+202A..U+202E,
 * U+2066..U+2069). */
bool text_is_plain(uint32_t code);

/* XML 1.0 clause 2.2, Char. */
bool text_is_xml(uint32_t code);

/* Writes the first character for a terminal: as it is, or escaped: \n \r \t \\ and else each byte as \ooo. Also `quote`
 * gets a backslash ('\0': none does). Returns the bytes written; *taken: the bytes of s that they stand for. */
enum { TEXT_ESCAPED = 16 };
size_t text_escape(char out[TEXT_ESCAPED], const char *s, size_t n, char quote, size_t *taken);

/* Writes text to `to` escaped as above, except that a backslash stays single: for messages to people. */
void text_print(FILE *to, const char *s, size_t n);

/* The characters that text_print() writes. */
unsigned text_columns(const char *s, size_t n);

/* One line: the formatted text as text_print() writes it, and a line feed. */
void text_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, after "PROGRAM: ". */
void text_complain(FILE *to, const char *program, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
#endif
