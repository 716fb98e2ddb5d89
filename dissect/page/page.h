/* SPDX-License-Identifier: BSD-2-Clause */
/* --report: the findings as one page that loads no other file. Data are collected in bounded memory; the page is
 * written at the end. */
#ifndef DISSECT_PAGE_H
#define DISSECT_PAGE_H
#include "field/out.h"
#include "field/packet.h"
#include "judge/judge.h"

struct report;
struct sample;
struct summary;

/* Opens the report. The page appears at the path when it is complete (file_begin()); "-" is the standard output. NULL
 * on failure with one line in err. Owned: report_close(). sample: the sample that the packets are from; borrowed. */
struct report *report_open(const char *path, const struct sample *sample, char *err, size_t errlen);
/* Takes a packet with its verdict. */
void report_packet(struct report *r, const struct packet *p);
/* Takes a finding that does not belong to the current packet. */
void report_late(struct report *r, const struct iba_finding *f, const struct verdict_names *names);
void report_message(struct report *r, const struct iba_message *m);
/* Writes the page and frees. 0, or the errno value of the first failure. */
int report_close(struct report *r);

/* Writes the page of a summary, and sorts the summary: limits, findings, hosts, charts of merged numbers. False with
 * one line in err. */
bool report_merged(struct summary *s, struct out *o, char *err, size_t errlen);
#endif
