/* SPDX-License-Identifier: BSD-2-Clause */
/* Arbitrary bytes come from an agent in pieces. The channel returns them as complete lines, in order, and then one
 * fault. */
#include "targets/live_channel.h"
#include <sys/socket.h>
#include <unistd.h>
#include "fuzz.h"

const struct fuzz_target fuzz_target = {"live_channel", FUZZ_BYTES, NULL};

/* Takes the lines that have arrived, and returns the offset of the first byte after them. */
static size_t receive(struct channel *c, const uint8_t *data, size_t n, size_t at)
{
    const char *line;
    size_t len;

    while ((line = channel_receive(c, &len, 0, NULL))) {
        FUZZ_CHECK(len < CHANNEL_LINE && at + len + 1 <= n);
        FUZZ_CHECK(memcmp(line, data + at, len) == 0 && data[at + len] == '\n' && !memchr(line, '\n', len));
        at += len + 1;
        fuzz_note(len);
    }
    FUZZ_CHECK(c->fault[0] && memchr(c->fault, '\0', sizeof c->fault) && !strchr(c->fault, '\n'));
    fuzz_note_bytes(c->fault, strlen(c->fault));
    return at;
}

int fuzz_one(const uint8_t *data, size_t n)
{
    enum { MOST_PIECES = 4 };
    static struct channel c;
    const size_t piece = n / (n % MOST_PIECES + 1) + 1;
    size_t at = 0;
    int end[2];

    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
    c.fd = end[0];
    c.have = c.given = 0;
    for (size_t sent = 0; sent < n; sent += piece) {
        const size_t k = n - sent < piece ? n - sent : piece;
        FUZZ_CHECK(write(end[1], data + sent, k) == (ssize_t)k);
        c.fault[0] = '\0';
        at = receive(&c, data, n, at);
    }
    close(end[1]);
    FUZZ_CHECK(receive(&c, data, n, at) == at);
    FUZZ_CHECK(n - at > CHANNEL_LINE || !memchr(data + at, '\n', n - at));
    channel_close(&c);
    return 0;
}
