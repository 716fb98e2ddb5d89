/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines of ibdissect, played in a process of their own, which takes less time than a start of the program. */
#ifndef DISSECT_TEST_COMMAND_H
#define DISSECT_TEST_COMMAND_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "options.h"

enum { COMMAND_WORDS = 2200, COMMAND_TEXT = 1 << 16, COMMAND_OUT = 1 << 20, COMMAND_ETHERNET = 1 };

/* The output of the last command; both texts end with a zero. */
extern char command_out[COMMAND_OUT], command_err[COMMAND_TEXT];
extern size_t command_out_bytes;
/* A folder of the test that uses it, made and removed by these. */
extern char command_folder[256];
void command_begin(void);
void command_end(void);

/* Standard input, output and error of the next command, which closes them. -1: no bytes, command_out, command_err. */
extern int command_from, command_to, command_to_err;
/* A word of the command line is text without spaces. The working directory is pcaps/. Returns the exit code, or minus
 * the signal that ended the process. */
int command(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Plays the command several times in one process, without the sandbox. 0: after the first two, none keeps memory or
 * descriptors. */
int command_again(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As command(), in two steps: the process is the result of the first. */
int command_start(const char *format, ...) __attribute__((format(printf, 1, 2)));
int command_wait(int process);
/* Whether the command that was started has printed this text; waits for it, ten seconds at most. */
bool command_prints(const char *text);

/* Splits the text at its spaces; returns the number of words. The first word is the program's name. */
int command_words(char *text, char *words[COMMAND_WORDS]);
/* Runs the command, and expects this exit code, this number of lines on the standard output, and this text on the
 * standard error. */
#define COMMAND(code, lines, says, ...) command_expect(code, lines, says, command(__VA_ARGS__), #__VA_ARGS__)
void command_expect(int code, size_t lines, const char *says, int got, const char *what);
size_t command_lines(const char *text);

/* The path of a file of the folder; the last eight stay. */
const char *command_in(const char *name);
/* Writes a capture of packets of zeros of this link type, at these times in us from 2023-11-14 22:13:20 UTC on; NULL: a
 * microsecond after each other. */
void command_capture(const char *name, uint32_t link, const uint32_t *us, unsigned n);
/* A file of pcaps/, and one of the folder, as text. */
const char *command_all(const char *name, size_t *bytes);
const char *command_file(const char *name, size_t *bytes);
bool command_has_file(const char *name);
void command_put(const char *name, const void *bytes, size_t n);
#endif
