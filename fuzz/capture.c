/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arbitrary bytes as a capture file: pcap, pcapng or ERF, each also gzipped. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "input/capture.h"

const struct fuzz_target fuzz_target = {"capture", FUZZ_FILE, NULL};

enum { MOST_PACKETS = 20000 }; /* a few kilobytes of gzip may hold millions */
/* The pipe has to hold all pieces at once. A write occupies whole pages of 4096 bytes. */
enum { PIECE = 4096, MOST_PIECES = 200, ROOM = 256 * PIECE };

static int file_of(const uint8_t *data, size_t n)
{
    const int fd = memfd_create("capture", 0);

    FUZZ_CHECK(fd >= 0 && write(fd, data, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

/* Writes the same bytes to a pipe, a few at a time, so that the reader has to assemble records from pieces. */
static int pieces_of(const uint8_t *data, size_t n)
{
    const size_t piece = n / MOST_PIECES + 1;
    int end[2];

    FUZZ_CHECK(pipe2(end, O_DIRECT) == 0 && fcntl(end[1], F_SETPIPE_SZ, ROOM) >= ROOM);
    for (size_t at = 0; at < n; at += piece) {
        const size_t k = n - at < piece ? n - at : piece;
        FUZZ_CHECK(write(end[1], data + at, k) == (ssize_t)k);
    }
    close(end[1]);
    return end[0];
}

static void read_packets(struct capture *c)
{
    enum cap_result got = CAP_PACKET;
    struct cap_packet p;
    uint64_t number = 0;

    while (number < MOST_PACKETS && (got = cap_next(c, &p)) == CAP_PACKET) {
        FUZZ_CHECK(p.number == ++number && p.caplen <= p.len && p.caplen <= CAP_MAX_RECORD);
        fuzz_note_bytes(p.data, p.caplen);
        fuzz_note(p.ts_ns);
        fuzz_note((uint64_t)p.dlt << 32 | p.iface);
        if (p.comment)
            fuzz_note_bytes(p.comment, strlen(p.comment));
    }
    FUZZ_CHECK((got == CAP_ERROR) == (cap_error(c)[0] != '\0'));
    if (got != CAP_PACKET)
        FUZZ_CHECK(cap_next(c, &p) == got); /* a call after the end or a fault has the same result */
}

/* Returns a hash of everything that was read. Of a fault it has only that there is one, since the message may depend on
 * the pieces. */
static uint64_t read_all(int fd)
{
    char err[256] = "";
    struct capture *c = cap_open_fd(fd, "x", err, sizeof err);

    fuzz_trace = FUZZ_TRACE_START;
    FUZZ_CHECK((c == NULL) == (err[0] != '\0'));
    if (c)
        read_packets(c);
    cap_close(c);
    return fuzz_trace;
}

int fuzz_one(const uint8_t *data, size_t n)
{
    const uint64_t whole = read_all(file_of(data, n));

    if (n % 4 == 0 && n < (size_t)MOST_PIECES * PIECE) /* this is slow, so only a quarter of the inputs gets it */
        FUZZ_CHECK(read_all(pieces_of(data, n)) == whole);
    return 0;
}
