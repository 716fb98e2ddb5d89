/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations of captures: pcap, pcapng, ERF, each also gzipped. They know records, so that a change of one keeps the
 * others readable. */
#ifndef FUZZ_MUTATOR_FILE_H
#define FUZZ_MUTATOR_FILE_H
#include "fuzz.h"
#include "sim/iba_random.h"

/* One change to the n bytes (at least 1) at `data`, which has room for `most`. Returns the new length, 1..most. */
size_t fuzz_mutate_file(struct iba_random *r, uint8_t *data, size_t n, size_t most);

/* ---- the records of a file ---- */
enum file_kind { FILE_UNKNOWN, FILE_PCAP, FILE_PCAPNG, FILE_ERF };
enum { FILE_MOST_RECORDS = 128 };
struct file_record {
    size_t at, bytes;        /* of all of it */
    size_t data, data_bytes; /* its packet; data_bytes 0: it has none */
};
struct file_records {
    enum file_kind kind;
    bool big;     /* the byte order of its numbers */
    uint32_t dlt; /* of its packets, of the first interface of a pcapng file */
    size_t n;
    struct file_record record[FILE_MOST_RECORDS];
};
/* Up to the first one that is broken. */
void file_records(struct file_records *f, const uint8_t *data, size_t n);
#endif
