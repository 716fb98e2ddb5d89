/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tests of parts of ibconform: they read the printed text, pretend to be on a terminal, and stop the clock.
 */
#ifndef IBC_MAIN_TEST_PARTS_H
#define IBC_MAIN_TEST_PARTS_H
#include <stdbool.h>
#include <stdint.h>

extern char parts_said[1 << 16]; /* standard output and error, as it was printed */

/* The text that is printed between the two calls becomes parts_said. */
void parts_listen(void);
void parts_hear(void);
/* The monotonic clock stands at this time in ns, which is returned; 0: it goes. */
uint64_t parts_clock(uint64_t ns);
/* The processor time of this process and its children grows by `ns` each time it is read; 0: it is the true one. */
void parts_processor(uint64_t ns);
/* Whether every descriptor is a terminal's. */
extern bool parts_terminal;
/* Makes a folder for one test, and removes it with its files. */
const char *parts_folder(void);
void parts_remove(void);
/* Returns the path of a file of that folder, valid until the eighth call after. */
const char *parts_file(const char *name);
/* Writes a file of that folder, and returns its path; reads one. */
const char *parts_write(const char *name, const char *text);
const char *parts_read(const char *name);
#endif
