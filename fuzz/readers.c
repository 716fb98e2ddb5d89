/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads further files that users name: waivers, mutants' matrices, tokens, and captures for `ibconform check`. A reader
 * accepts a file, or refuses it by one line without control characters. The first byte selects the reader. */
#include <sys/mman.h>
#include <unistd.h>
#include "agent/listen.h"
#include "check/check.h"
#include "main/matrix.h"
#include "run/run.h"
#include "written.h"

const struct fuzz_target fuzz_target = {"readers", FUZZ_BYTES, NULL};

enum { WAIVERS, TOKEN, MATRIX, CHECK, CHECK_JSON, READERS };
enum { PATH = 32 };

static void check_line(const char *err)
{
    const size_t n = strlen(err);

    FUZZ_CHECK(n > 0 && !memchr(err, '\n', n));
    fuzz_note_bytes(err, n);
}

static void read_waivers(const char *path)
{
    struct ibc_waivers w = {0};
    char err[512] = "", word[64];

    if (!ibc_waivers_load(&w, path, "2026-01-01", err, sizeof err)) {
        check_line(err);
        return;
    }
    for (size_t i = 0; i < w.n; i++) {
        FUZZ_CHECK(w.w[i].pattern && w.w[i].reason);
        for (size_t k = 0; ibc_waiver_word(w.w[i].pattern, k, word, sizeof word); k++)
            FUZZ_CHECK(strlen(word) < sizeof word);
    }
    fuzz_note(w.n);
    ibc_waivers_free(&w);
}

static void read_token(const char *path)
{
    char token[AG_TEXT], err[512] = "";

    if (ag_read_token(token, path, err, sizeof err))
        FUZZ_CHECK(memchr(token, '\0', sizeof token) && token[0] && !strchr(token, '\n'));
    else
        check_line(err);
}

static void read_matrix(const char *path)
{
    static const struct ibc_suite nothing;
    const char *mutant = NULL, *scenario = NULL;
    char *text = NULL;
    size_t n = 0;
    FILE *const own = stderr, *const buffer = open_memstream(&text, &n);

    FUZZ_CHECK(buffer);
    stderr = buffer;
    cJSON *matrix = matrix_read(path);
    stderr = own;
    FUZZ_CHECK(fclose(buffer) == 0 && (matrix == NULL) == (n > 0));
    written_text(text, n, false);
    free(text);
    if (matrix)
        FUZZ_CHECK(!matrix_shows(matrix, &nothing, "RR-04", &mutant, &scenario));
    cJSON_Delete(matrix);
}

static void check_capture(const char *path, bool json)
{
    const char *const file[] = {path};
    char *out = NULL, *err = NULL;
    size_t n_out = 0, n_err = 0;
    FILE *const to = open_memstream(&out, &n_out), *const faults = open_memstream(&err, &n_err);

    FUZZ_CHECK(to && faults);
    const int rc =
        ibc_check(&(struct ibc_check_options){.file = file, .n_file = 1, .json = json, .verbose = true}, to, faults);
    FUZZ_CHECK(fclose(to) == 0 && fclose(faults) == 0);
    FUZZ_CHECK(rc >= IBC_CHECK_CLEAN && rc <= IBC_CHECK_UNREADABLE && (rc == IBC_CHECK_UNREADABLE) == (n_err > 0));
    written_text(err, n_err, false);
    if (json)
        written_json_lines(out, n_out);
    else
        written_text(out, n_out, false);
    fuzz_note_bytes(out, n_out);
    free(out);
    free(err);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static int fd = -1;
    char path[PATH];

    if (n == 0)
        return 0;
    if (fd < 0)
        fd = memfd_create("readers", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data + 1, n - 1, 0) == (ssize_t)n - 1);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    switch (data[0] % READERS) {
    case WAIVERS: read_waivers(path); break;
    case TOKEN: read_token(path); break;
    case MATRIX: read_matrix(path); break;
    case CHECK: check_capture(path, false); break;
    default: check_capture(path, true); break;
    }
    return 0;
}
