/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations of captures: pcap, pcapng, ERF, each also gzipped. They know where records begin, so that after a
 * change of one record the others can still be read. */
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
    size_t at, bytes;        /* offset and length of the record */
    size_t data, data_bytes; /* offset and length of its packet; data_bytes 0: it has none */
};
struct file_records {
    enum file_kind kind;
    bool big;     /* its numbers are big-endian */
    uint32_t dlt; /* link type of its packets; in pcapng that of the first interface */
    size_t n;
    struct file_record record[FILE_MOST_RECORDS];
};
/* Finds the records up to the first broken one. */
void file_records(struct file_records *f, const uint8_t *data, size_t n);
#endif
