/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures judged: exit codes, files that cannot be read, and each line of text and JSON (check.golden, see
 * test/golden.h). */
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>
#include "test/golden.h"

#define CLEAN "rxe-rping-v6.pcap"
#define HARMED "rxe-agent-bad-rkey-read.pcap"

static unsigned opened;

static void note_opened(void)
{
    opened++;
}

struct said {
    int rc;
    char *out, *err;
};

static struct said judge(const char *const *file, size_t n, bool json, bool verbose)
{
    struct said s = {0};
    size_t n_out, n_err;
    FILE *out = open_memstream(&s.out, &n_out), *err = open_memstream(&s.err, &n_err);

    cr_assert_eq(chdir(IBPROOF_SOURCE_DIR "/pcaps"), 0);
    opened = 0;
    s.rc = ibc_check(&(struct ibc_check_options){file, n, json, verbose, note_opened}, out, err);
    (void)fclose(out);
    (void)fclose(err);
    return s;
}

static void done(struct said *s)
{
    free(s->out);
    free(s->err);
}

/* Compares the program's output with these; NULL is not compared. Returns the output, which the caller frees. */
static struct said expect(const char *first, const char *second, bool verbose, int rc, const char *out, const char *err)
{
    const char *const file[] = {first, second};
    struct said s = judge(file, second ? 2 : 1, false, verbose);

    cr_expect_eq(s.rc, rc, "%s: %d", first, s.rc);
    cr_expect(!out || strcmp(s.out, out) == 0, "%s: %s", first, s.out);
    cr_expect(!err || strcmp(s.err, err) == 0, "%s: %s", first, s.err);
    return s;
}

Test(check, exit_codes)
{
    struct said s = expect(CLEAN, NULL, false, IBC_CHECK_CLEAN, "", "");
    cr_expect_eq(opened, 1);
    done(&s);
    s = expect(CLEAN, NULL, true, IBC_CHECK_CLEAN, NULL, "");
    cr_expect_gt(strlen(s.out), 0, "with -v a capture without findings has its connections");
    done(&s);
    s = expect(HARMED, NULL, false, IBC_CHECK_FOUND, NULL, "");
    cr_expect(strstr(s.out, "NAK_ACCESS"), "%s", s.out);
    done(&s);
}

Test(check, files_that_cannot_be_read)
{
    struct said s = expect("none.pcap", NULL, false, IBC_CHECK_UNREADABLE, "", NULL);
    cr_expect(strstr(s.err, "none.pcap") && strchr(s.err, '\n') == s.err + strlen(s.err) - 1, "%s", s.err);
    cr_expect_eq(opened, 0);
    done(&s);
    s = expect("README.md", NULL, false, IBC_CHECK_UNREADABLE, "", NULL);
    done(&s);
    s = expect("none.pcap", HARMED, false, IBC_CHECK_UNREADABLE, NULL, NULL); /* the other one is judged */
    cr_expect(strstr(s.out, "NAK_ACCESS"), "%s", s.out);
    cr_expect(strstr(s.err, "none.pcap"), "%s", s.err);
    cr_expect_eq(opened, 1);
    done(&s);
    s = expect("none.pcap", "nothing.pcap", false, IBC_CHECK_UNREADABLE, "", NULL);
    cr_expect(strstr(s.err, "none.pcap") && strstr(s.err, "nothing.pcap"), "%s", s.err);
    done(&s);
}

/* A capture that ends in the middle of a packet is judged up to that packet. */
Test(check, a_file_that_is_cut)
{
    char path[32], bytes[4096];
    FILE *in = fopen(IBPROOF_SOURCE_DIR "/pcaps/" HARMED, "r");
    const int fd = memfd_create("cut", 0);
    cr_assert(in && fd >= 0);
    const size_t n = fread(bytes, 1, sizeof bytes, in);
    cr_assert_eq(write(fd, bytes, n - 7), (ssize_t)(n - 7));
    (void)fclose(in);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct said s = expect(path, NULL, true, IBC_CHECK_UNREADABLE, NULL, NULL);
    cr_expect_gt(strlen(s.out), 0);
    cr_expect(strstr(s.err, path) && strchr(s.err, '\n') == s.err + strlen(s.err) - 1, "%s", s.err);
    done(&s);
    (void)close(fd);
}

static const char *const samples[][2] = {
    {HARMED},
    {CLEAN},
    {"acknowledges.pcap"},
    {"cm-messages.pcap"},
    {"congestion.pcap"},
    {"connections.pcap"},
    {"damaged.pcap"},
    {"damaged-not-missing.pcap"},
    {"field-bugs-order.pcap"},
    {"field-bugs-path.pcap"},
    {"ib-native.pcap"},
    {"cut-90.pcap"},
    {"rxe-counted-loss-write.pcap"},
    {"rxe-reorder-rc.pcap"},
    {"xrc.pcap"},
    {HARMED, "rxe-reorder-rc.pcap"},
};

/* Adds the size and a digest of the text to the golden file, and the first 12 lines if the output is text. */
static void pin(struct golden *g, const char *name, const char *form, const char *text)
{
    char line[GOLDEN_LINE];
    const char *const more = strlen(text) > 3000 ? " ..." : "";

    snprintf(line, sizeof line, "%s %s: %zu bytes %08" PRIx32 "\n", name, form, strlen(text),
             golden_short(golden_text(GOLDEN_EMPTY, text)));
    golden_line(g, line);
    if (strcmp(form, "text") != 0)
        return;
    for (unsigned i = 0; *text && i < 12; i++) {
        const size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "    %.*s\n", (int)(n < 400 ? n : 400), text);
        golden_line(g, line);
        text += n + (text[n] == '\n');
    }
    if (*more)
        golden_line(g, "    ...\n");
}

Test(check, samples)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/conformance/check/test/check.golden");

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (unsigned form = 0; form < 4; form++) {
            static const char *const forms[] = {"text", "json", "text -v", "json -v"};
            char name[128];
            const size_t n = samples[i][1] ? 2 : 1;
            struct said s = judge(samples[i], n, form % 2, form / 2);
            snprintf(name, sizeof name, "%s%s%s exit %d", samples[i][0], n > 1 ? " " : "", n > 1 ? samples[i][1] : "",
                     s.rc);
            pin(&g, name, forms[form], s.out);
            done(&s);
        }
    golden_close(&g);
}
