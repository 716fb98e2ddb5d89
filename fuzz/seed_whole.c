/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeds of `whole`. A capture that is small enough becomes a seed with a few of the command lines. The packets of a
 * larger one are divided among seeds, so that the corpus has every kind of packet. */
#include <string.h>
#include "command.h"
#include "seed.h"

enum { MOST = 2000, PIECES = 64, FORMS = 7 };

static void save_piece(const char *base, unsigned i, uint8_t *all, size_t n)
{
    char name[160];

    memset(all, 0, FUZZ_HEAD);
    all[0] = (uint8_t)(i % FORMS);
    (void)snprintf(name, sizeof name, "%s-piece-%u", base, i);
    seed_save("whole", name, all, FUZZ_HEAD + n);
}

/* Of a pcap file in this machine's byte order. */
static void save_pieces(const char *base, FILE *f)
{
    enum { HEADER = 24, RECORD = 16, LENGTH_AT = 8, EACH = MOST / 2 };
    uint8_t all[FUZZ_HEAD + MOST], *const file = all + FUZZ_HEAD;
    size_t n = HEADER;
    uint32_t magic, len;
    unsigned pieces = 0;

    rewind(f);
    if (fread(file, 1, HEADER, f) != HEADER)
        return;
    memcpy(&magic, file, sizeof magic);
    while ((magic == 0xa1b2c3d4 || magic == 0xa1b23c4d) && pieces < PIECES && fread(file + n, 1, RECORD, f) == RECORD) {
        memcpy(&len, file + n + LENGTH_AT, sizeof len);
        if (len > EACH - RECORD) {
            if (fseek(f, (long)len, SEEK_CUR) != 0)
                return;
            continue;
        }
        if (fread(file + n + RECORD, 1, len, f) != len)
            return;
        n += RECORD + len;
        if (n <= EACH)
            continue;
        save_piece(base, pieces++, all, n);
        n = HEADER;
    }
}

void seed_whole(const char *path)
{
    enum { LENGTH = 2 };
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    uint8_t all[FUZZ_HEAD + LENGTH + 2 * MOST];
    char name[160];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(all + FUZZ_HEAD, 1, MOST + 1, f) : 0;

    if (f && n > MOST)
        save_pieces(base, f);
    if (f)
        fclose(f);
    if (n == 0 || n > MOST)
        return;
    for (unsigned form = 0; form < FORMS; form++) {
        const uint8_t plain[FUZZ_HEAD] = {(uint8_t)form},
                      most[FUZZ_HEAD] = {(uint8_t)(form | COMMAND_HEX | COMMAND_HOLD | COMMAND_ANYWAY),
                                         COMMAND_GZIP | COMMAND_WRITE | COMMAND_PAGE | COMMAND_STATS | COMMAND_COLOR,
                                         (uint8_t)(form * 33 + 9),
                                         (uint8_t)form,
                                         (uint8_t)(form * 37),
                                         3,
                                         COMMAND_NO_STATISTIC,
                                         COMMAND_PAGE_TOO};
        memcpy(all, plain, sizeof plain);
        (void)snprintf(name, sizeof name, "%s-%u", base, form);
        seed_save("whole", name, all, FUZZ_HEAD + n);
        memcpy(all, most, sizeof most);
        (void)snprintf(name, sizeof name, "%s-%u-most", base, form);
        seed_save("whole", name, all, FUZZ_HEAD + n);
    }
    memmove(all + FUZZ_HEAD + LENGTH, all + FUZZ_HEAD, n);
    all[0] = 0;
    all[1] = COMMAND_MERGE | COMMAND_STDIN;
    all[FUZZ_HEAD] = all[FUZZ_HEAD + 1] = 0;
    (void)snprintf(name, sizeof name, "%s-twice", base);
    seed_save("whole", name, all, FUZZ_HEAD + LENGTH + n);
    all[FUZZ_HEAD] = (uint8_t)n;
    all[FUZZ_HEAD + 1] = (uint8_t)(n >> 8);
    memcpy(all + FUZZ_HEAD + LENGTH + n, all + FUZZ_HEAD + LENGTH, n);
    (void)snprintf(name, sizeof name, "%s-two", base);
    if (n < MOST / 2)
        seed_save("whole", name, all, FUZZ_HEAD + LENGTH + 2 * n);
}
