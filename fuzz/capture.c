/* Any bytes as a capture file: pcap, pcapng, ERF, each also gzipped. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "input/capture.h"

const struct fuzz_target fuzz_target = {"capture", FUZZ_BYTES, NULL};

enum { MOST_PACKETS = 20000 }; /* a few kilobytes of gzip may hold millions */

static int file_of(const uint8_t *data, size_t n)
{
    const int fd = memfd_create("capture", 0);

    FUZZ_CHECK(fd >= 0 && write(fd, data, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
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
        FUZZ_CHECK(cap_next(c, &p) == got); /* it stands for ever */
}

int fuzz_one(const uint8_t *data, size_t n)
{
    char err[256] = "";
    struct capture *c = cap_open_fd(file_of(data, n), "x", err, sizeof err);

    FUZZ_CHECK((c == NULL) == (err[0] != '\0'));
    if (c)
        read_packets(c);
    cap_close(c);
    return 0;
}
