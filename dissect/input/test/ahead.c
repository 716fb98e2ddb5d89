/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that inflates gzip gives what the reader itself would inflate. */
#include "bytes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads the bytes with and without the thread. */
static struct outcome same(const struct bytes *z)
{
    const struct outcome alone = read_all(z->b, z->n), ahead = read_all_ahead(z->b, z->n);
    cr_assert_eq(ahead.packets, alone.packets);
    cr_assert_eq(ahead.sum, alone.sum);
    cr_assert_str_eq(ahead.line, alone.line);
    return ahead;
}

static struct bytes noisy_gzip(uint32_t packets)
{
    struct bytes f = noisy_pcap(packets), z = {0};
    put_gzip(&z, f.b, f.n);
    bytes_free(&f);
    return z;
}

Test(ahead, gives_the_same_packets)
{
    static const uint32_t packets[] = {500, 1100, 5000, 20000}; /* less than a block, and many */
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        struct bytes z = noisy_gzip(packets[i]);
        cr_assert_eq(same(&z).packets, packets[i]);
        bytes_free(&z);
    }
}

Test(ahead, goes_through_many_members)
{
    struct bytes f = noisy_pcap(5000), z = {0};
    for (size_t at = 0; at < f.n; at += 10000)
        put_gzip(&z, f.b + at, f.n - at < 10000 ? f.n - at : 10000);
    put_fill(&z, 0, 512);
    cr_assert_eq(same(&z).packets, 5000);
    put_fill(&z, 'x', 3);
    cr_assert_not_null(strstr(same(&z).line, "bytes that are not gzip follow the gzip stream"));
    bytes_free(&f);
    bytes_free(&z);
}

Test(ahead, gives_what_a_cut_file_has)
{
    struct bytes z = noisy_gzip(5000);
    for (size_t whole = z.n; z.n > whole / 2; z.n -= 9973) {
        const struct outcome o = same(&z);
        cr_assert(z.n == whole || strstr(o.line, " (the gzip stream is cut)"));
    }
    bytes_free(&z);
}

Test(ahead, gives_what_a_damaged_file_has)
{
    struct bytes z = noisy_gzip(5000);
    uint64_t seed = 24;
    z.b[z.n - 8] ^= 1;
    cr_assert_not_null(strstr(same(&z).line, "bad gzip data: incorrect data check"));
    z.b[z.n - 8] ^= 1;
    for (int i = 0; i < 100; i++) {
        uint8_t *at = &z.b[40000 + next_random(&seed) % (z.n - 40000)];
        const uint8_t bits = (uint8_t)(1 + next_random(&seed) % 255);
        *at ^= bits;
        same(&z);
        *at ^= bits;
    }
    bytes_free(&z);
}

Test(ahead, ends_with_its_capture)
{
    struct bytes z = noisy_gzip(20000);
    for (int packets = 0; packets < 3; packets++) {
        char err[512];
        struct cap_packet p;
        struct capture *c = open_bytes(z.b, z.n, err, sizeof err);
        cap_ahead(c);
        for (int i = 0; i < packets; i++)
            cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cap_close(c);
    }
    bytes_free(&z);
}

static bool can(int fd)
{
    char err[512];
    struct capture *c = cap_open_fd(fd, "f", err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    const bool it_can = cap_can_ahead(c);
    cap_ahead(c);
    cap_close(c);
    return it_can;
}

/* A pipe gives each packet as soon as it is complete, and a signal ends the wait: its reader inflates. */
Test(ahead, needs_a_long_gzip_file)
{
    struct bytes f = noisy_pcap(5000), z = noisy_gzip(5000), few = noisy_gzip(50);
    const struct {
        const struct bytes *b;
        bool can;
    } files[] = {{&f, false}, {&few, false}, {&z, true}};
    for (size_t i = 0; i < 3; i++) {
        FILE *file = tmpfile();
        cr_assert(file && fwrite(files[i].b->b, 1, files[i].b->n, file) == files[i].b->n && fflush(file) == 0);
        cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
        cr_assert_eq(can(dup(fileno(file))), files[i].can);
        (void)fclose(file);
    }
    int pair[2];
    cr_assert(pipe(pair) == 0 && write(pair[1], z.b, 60000) == 60000);
    close(pair[1]);
    cr_assert_not(can(pair[0]));
    bytes_free(&f);
    bytes_free(&z);
    bytes_free(&few);
}
