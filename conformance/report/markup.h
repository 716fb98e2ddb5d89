/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the page's writers: elements, links, embedded files. */
#ifndef IBC_REPORT_MARKUP_H
#define IBC_REPORT_MARKUP_H
#include <inttypes.h>
#include "common.h"

extern const unsigned char ibc_page_css[], ibc_page_js[];
extern const size_t ibc_page_css_bytes, ibc_page_js_bytes;

/* Writes <name class="c">text</name>; `c` may be NULL. */
void html_text(struct out *o, const char *name, const char *c, const char *s, size_t n);
void html_str(struct out *o, const char *name, const char *c, const char *s);
void html_number(struct out *o, const char *name, const char *c, uint64_t n);
/* Writes " href=..." to a case of this page. */
void html_case_link(struct out *o, const char *id);
/* Writes " href=..." from the report to another file, relative where the paths can be resolved. */
void html_file_link(struct out *o, const char *report, const char *file);
/* Writes counts such as "12 passed, 1 failed". */
void html_counts(struct out *o, const unsigned count[IBC_IS_COUNT]);
/* Returns the style class of a verdict: "good", "bad", "warn", "note", "off". */
const char *html_tone(enum ibc_verdict v);
/* Writes a duration such as "1.5 ms". */
void html_duration(struct out *o, uint64_t ns);

/* ---- parts of the page ---- */
void html_coverage(struct out *o, const struct rep *p); /* coverage.c */
/* Writes at most *room packets of an evidence file: those around the judged packet, or the first. Subtracts their
 * number from *room. */
void html_ladder(struct out *o, const struct rep_case *c, size_t *room);                    /* ladder.c */
void html_case(struct out *o, const struct rep *p, const struct rep_case *c, size_t *room); /* case.c */
#endif
