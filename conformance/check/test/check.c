/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures judged: exit codes, files that cannot be read, and each line of text and JSON (check.golden, see
 * test/golden.h). */
#include "check.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "test/golden.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

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

/* ---- captures that a test makes ---- */

enum { HEADER_BYTES = 24, RECORD_BYTES = 16, DLT_AT = 20, MOST_BYTES = 1 << 20 };

static struct made {
    uint8_t bytes[MOST_BYTES];
    size_t n;
    char path[32];
    int fd;
} made[2];

static void add(struct made *m, const void *bytes, size_t n)
{
    cr_assert_leq(m->n + n, sizeof m->bytes);
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

/* Reads a capture of pcaps/, and gives it another link type. */
static void read_as(struct made *m, const char *name, uint32_t dlt)
{
    FILE *f = fopen(name, "r");

    cr_assert(f != NULL, "%s", name);
    m->n = fread(m->bytes, 1, sizeof m->bytes, f);
    (void)fclose(f);
    memcpy(m->bytes + DLT_AT, &dlt, sizeof dlt);
}

static const char *kept(struct made *m)
{
    m->fd = memfd_create("capture", 0);
    cr_assert(m->fd >= 0 && write(m->fd, m->bytes, m->n) == (ssize_t)m->n);
    snprintf(m->path, sizeof m->path, "/proc/self/fd/%d", m->fd);
    return m->path;
}

/* The link types of raw IP are those of BSD, OpenBSD and tcpdump, and of IPv4 and IPv6 alone. The packets of a capture
 * say the same in each of them. */
Test(check, link_types_of_ip)
{
    static const uint32_t same[] = {12, 14, 101, 228, 229}, other[] = {0, 2, 13, 102, 105, 227, 230};
    struct said first = judge((const char *const[]){"raw-ip.pcap"}, 1, false, true);
    const char *const totals = strstr(first.out, "packets of ");

    cr_assert(totals && first.rc != IBC_CHECK_UNREADABLE, "%s", first.out);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        read_as(&made[0], "raw-ip.pcap", same[i]);
        struct said s = judge((const char *const[]){kept(&made[0])}, 1, false, true);
        const char *is = strstr(s.out, "packets of ");
        cr_expect(is && strcmp(is, totals) == 0, "link type %u: %s", same[i], s.out);
        cr_expect_eq(s.rc, first.rc, "link type %u", same[i]);
        cr_expect_str_eq(s.err, "");
        done(&s);
        (void)close(made[0].fd);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char want[256];
        read_as(&made[0], "raw-ip.pcap", other[i]);
        read_as(&made[1], "raw-ip.pcap", other[i]);
        const char *const file[] = {kept(&made[0]), kept(&made[1])};
        struct said s = judge(file, 2, false, false);
        cr_expect_eq(s.rc, IBC_CHECK_UNREADABLE);
        cr_expect_str_eq(s.out, "");
        /* each file complains once, though it has several packets */
        snprintf(want, sizeof want,
                 "ibconform: %s: packet 1: link type %u is none that can be judged\n"
                 "ibconform: %s: packet 1: link type %u is none that can be judged\n",
                 file[0], other[i], file[1], other[i]);
        cr_expect_str_eq(s.err, want, "%s", s.err);
        done(&s);
        (void)close(made[0].fd);
        (void)close(made[1].fd);
    }
    done(&first);
}

/* Adds a packet of raw IP to that QP. */
static void add_packet(struct made *m, uint32_t qpn, uint32_t seconds)
{
    enum { ETHERNET = 14 };
    uint8_t frame[256];
    size_t n;
    struct iba_recipe r;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_UC_SEND_ONLY);
    iba_ipv4_set_src(iba_recipe_part(&r, IBA_H_ipv4), 0x0a000001);
    iba_ipv4_set_dst(iba_recipe_part(&r, IBA_H_ipv4), 0x0a000002);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), qpn);
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &n), IBA_OK);
    const uint32_t record[] = {seconds, 0, (uint32_t)n - ETHERNET, (uint32_t)n - ETHERNET};
    add(m, record, sizeof record);
    add(m, frame + ETHERNET, n - ETHERNET);
}

/* When there are more connections than there is room for, some are forgotten, which a note says. They are printed and
 * counted like the others. */
Test(check, more_connections_than_there_is_room_for)
{
    enum { OVER = 100, MANY = 4096 + OVER };
    static const uint32_t header[] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 101};

    for (unsigned verbose = 0; verbose < 2; verbose++) {
        unsigned lines = 0;
        char want[128];
        made[0].n = 0;
        add(&made[0], header, sizeof header);
        for (uint32_t i = 0; i < MANY; i++)
            add_packet(&made[0], 0x100 + i, i);
        struct said s = judge((const char *const[]){kept(&made[0])}, 1, false, verbose);
        for (const char *at = s.out; *at; at++)
            lines += *at == '\n';
        snprintf(want, sizeof want, "\n%u packets of %u connections: 0 errors, 0 warnings, %u notes\n", MANY, MANY,
                 OVER);
        cr_expect_eq(s.rc, IBC_CHECK_CLEAN, "%d %s", s.rc, s.err);
        cr_expect_eq(lines, OVER + 1 + (verbose ? MANY : 0), "%u lines", lines);
        cr_expect(strstr(s.out, want), "%s", s.out + (strlen(s.out) > 200 ? strlen(s.out) - 200 : 0));
        done(&s);
        (void)close(made[0].fd);
    }
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
    {"cooked.pcap"},
    {"cooked2.pcap"},
    {"ib-native-erf.pcap"},
    {"ipoib.pcap"},
    {"raw-ip.pcap"},
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
