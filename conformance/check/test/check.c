/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures judged: exit codes, files that cannot be read, and each line of text and JSON (check.golden, see
 * test/golden.h). */
#include "check.h"
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../../targets/test/held.h"
#include "system/signals.h"
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

/* A run that a signal ends says so, and nothing of packets that it has not read. */
Test(check, a_signal)
{
    cr_assert(signals_mind(NULL) && raise(SIGTERM) == 0);
    struct said s = expect(HARMED, NULL, true, IBC_CHECK_UNREADABLE, NULL, "ibconform: a signal ended the run\n");
    cr_expect_str_eq(s.out, "0 packets of 0 connections: 0 errors, 0 warnings, 0 notes\n", "%s", s.out);
    done(&s);
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

static void begin_capture(struct made *m, uint32_t dlt)
{
    const uint32_t header[] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, dlt};

    m->n = 0;
    add(m, header, sizeof header);
}

/* A packet of 10.0.0.1, or of 10.0.0.2 if `back` is set. */
struct sent {
    uint8_t opcode;
    bool back;
    uint32_t qpn, psn, at; /* at: seconds */
    bool damaged;
};

/* Adds a packet of raw IP. */
static void add_packet(struct made *m, const struct sent *is)
{
    enum { ETHERNET = 14, HOST = 0x0a000001 };
    uint8_t frame[256];
    size_t n;
    struct iba_recipe r;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, is->opcode);
    iba_ipv4_set_src(iba_recipe_part(&r, IBA_H_ipv4), HOST + is->back);
    iba_ipv4_set_dst(iba_recipe_part(&r, IBA_H_ipv4), HOST + !is->back);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), is->qpn);
    iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), is->psn);
    iba_bth_set_a(iba_recipe_part(&r, IBA_H_bth), is->opcode == IBA_RC_SEND_ONLY);
    r.icrc_mode = is->damaged ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &n), IBA_OK);
    const uint32_t record[] = {is->at, 0, (uint32_t)n - ETHERNET, (uint32_t)n - ETHERNET};
    add(m, record, sizeof record);
    add(m, frame + ETHERNET, n - ETHERNET);
}

static struct said judge_packets(const struct sent *sent, size_t n, bool json, bool verbose)
{
    begin_capture(&made[0], 101);
    for (size_t i = 0; i < n; i++)
        add_packet(&made[0], &sent[i]);
    struct said s = judge((const char *const[]){kept(&made[0])}, 1, json, verbose);
    (void)close(made[0].fd);
    return s;
}

static unsigned times(const char *text, const char *what)
{
    unsigned n = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* When there are more connections than there is room for, some are forgotten, which a note says. They are printed and
 * counted like the others. */
Test(check, more_connections_than_there_is_room_for)
{
    enum { OVER = 100, MANY = 4096 + OVER };
    static struct sent sent[MANY];

    for (uint32_t i = 0; i < MANY; i++)
        sent[i] = (struct sent){.opcode = IBA_UC_SEND_ONLY, .qpn = 0x100 + i, .at = i};
    for (unsigned verbose = 0; verbose < 2; verbose++) {
        char want[128];
        struct said s = judge_packets(sent, MANY, false, verbose);
        snprintf(want, sizeof want, "\n%u packets of %u connections: 0 errors, 0 warnings, %u notes\n", MANY, MANY,
                 OVER);
        cr_expect_eq(s.rc, IBC_CHECK_CLEAN, "%d %s", s.rc, s.err);
        cr_expect_eq(times(s.out, "\n"), OVER + 1 + (verbose ? MANY : 0), "%u lines", times(s.out, "\n"));
        cr_expect(strstr(s.out, want), "%s", s.out + (strlen(s.out) > 200 ? strlen(s.out) - 200 : 0));
        done(&s);
    }
}

/* The same for connections with two directions, each of which is forgotten alone. A request that is sent again at the
 * end makes its connection one with a finding. */
Test(check, connections_that_are_forgotten)
{
    enum { MANY = 2100, EACH = 3 };
    static struct sent sent[EACH * MANY];

    for (uint32_t i = 0; i < MANY; i++) {
        const bool again = i == 0 || i == MANY - 1;
        sent[EACH * i] = (struct sent){.opcode = IBA_RC_SEND_ONLY, .qpn = 0x10000 + i, .psn = 7, .at = i};
        sent[EACH * i + 1] =
            again ? sent[EACH * i] : (struct sent){.opcode = IBA_UC_SEND_ONLY, .qpn = 0x20000, .psn = i, .at = i};
        sent[EACH * i + 2] =
            (struct sent){.opcode = IBA_RC_ACKNOWLEDGE, .back = true, .qpn = 0x30000 + i, .psn = 7, .at = i};
    }
    struct said s = judge_packets(sent, EACH * MANY, false, true), few = judge_packets(sent, EACH * MANY, false, false);
    cr_expect(strstr(s.out, "\n6300 packets of 2101 connections: "), "%s", s.out + strlen(s.out) - 100);
    cr_expect_eq(times(s.out, "\nRC 10.0.0.1 "), MANY, "%u requests", times(s.out, "\nRC 10.0.0.1 "));
    cr_expect_eq(times(s.out, "\nRC 10.0.0.2 "), MANY, "%u answers", times(s.out, "\nRC 10.0.0.2 "));
    cr_expect(strstr(few.out, "\n6300 packets of 2101 connections: "));
    cr_expect_eq(times(few.out, "\nRC 10.0.0.1 "), 2, "%u requests", times(few.out, "\nRC 10.0.0.1 "));
    /* the answers of the first connection are forgotten after its requests, and have no finding of their own */
    cr_expect_eq(times(few.out, "\nRC 10.0.0.2 "), 1, "%u answers", times(few.out, "\nRC 10.0.0.2 "));
    done(&s);
    done(&few);
    s = judge_packets(sent, EACH * MANY, true, true);
    cr_expect_eq(times(s.out, "{\"type\":\"connection\",\"service\":\"RC\""), 2 * MANY);
    cr_expect_eq(times(s.out, "{\"type\":\"connection\",\"service\":\"UC\""), 1);
    cr_expect(strstr(s.out, "{\"type\":\"totals\",\"packets\":6300,"), "%s", s.out + strlen(s.out) - 300);
    cr_expect(strstr(s.out, ",\"connections\":2101,"), "%s", s.out + strlen(s.out) - 300);
    done(&s);
}

/* A direction without findings is printed, too, when it is forgotten before the one that has some. */
Test(check, an_answer_that_is_forgotten_first)
{
    enum { FIRST = 4, MANY = FIRST + 4200 };
    static struct sent sent[MANY] = {
        {.opcode = IBA_RC_ACKNOWLEDGE, .back = true, .qpn = 0x202, .psn = 6, .at = 1},
        {.opcode = IBA_RC_SEND_ONLY, .qpn = 0x101, .psn = 7, .at = 2},
        {.opcode = IBA_RC_ACKNOWLEDGE, .back = true, .qpn = 0x202, .psn = 7, .at = 3},
        {.opcode = IBA_RC_SEND_ONLY, .qpn = 0x101, .psn = 7, .at = 4}, /* again, which is a finding */
    };

    for (uint32_t i = FIRST; i < MANY; i++)
        sent[i] = (struct sent){.opcode = IBA_UC_SEND_ONLY, .qpn = 0x1000 + i, .at = i};
    struct said s = judge_packets(sent, MANY, false, false);
    cr_expect_eq(times(s.out, "\nRC 10.0.0.1 "), 1, "%u requests", times(s.out, "\nRC 10.0.0.1 "));
    cr_expect_eq(times(s.out, "\nRC 10.0.0.2 "), 1, "%u answers", times(s.out, "\nRC 10.0.0.2 "));
    cr_expect_eq(times(s.out, "\nUC "), 0);
    done(&s);
}

/* Both directions of a connection are printed together, the one that began first before the other one, also if only
 * one of them has findings. */
Test(check, directions)
{
    static const struct sent request = {.opcode = IBA_RC_SEND_ONLY, .qpn = 0x101, .psn = 7, .at = 1},
                             answer = {.opcode = IBA_RC_ACKNOWLEDGE, .back = true, .qpn = 0x202, .psn = 7, .at = 2},
                             at_once = {.opcode = IBA_RC_ACKNOWLEDGE, .back = true, .qpn = 0x202, .psn = 7, .at = 1},
                             again = {.opcode = IBA_RC_SEND_ONLY, .qpn = 0x101, .psn = 7, .at = 3},
                             other = {.opcode = IBA_UC_SEND_ONLY, .qpn = 0x303, .at = 4};
    const struct {
        struct sent sent[4];
        size_t n;
        bool verbose;
        unsigned requests, answers, others; /* lines about these directions */
        bool answer_first;
    } rows[] = {
        {{request, answer, other}, 3, true, 1, 1, 1, false},
        {{request, at_once, other}, 3, true, 1, 1, 1, false},
        {{at_once, again, other}, 3, true, 1, 1, 1, true},
        {{request, answer, other}, 3, false, 0, 0, 0, false},
        {{request, again, answer, other}, 4, false, 1, 1, 0, false},
        {{request, at_once, again, other}, 4, false, 1, 1, 0, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct said s = judge_packets(rows[i].sent, rows[i].n, false, rows[i].verbose);
        const char *const one = strstr(s.out, "RC 10.0.0.1 "), *const two = strstr(s.out, "RC 10.0.0.2 ");
        cr_expect_eq(times(s.out, "RC 10.0.0.1 "), rows[i].requests, "row %zu: %s", i, s.out);
        cr_expect_eq(times(s.out, "RC 10.0.0.2 "), rows[i].answers, "row %zu: %s", i, s.out);
        cr_expect_eq(times(s.out, "UC "), rows[i].others, "row %zu: %s", i, s.out);
        cr_expect(!one || !two || (two < one) == rows[i].answer_first, "row %zu: %s", i, s.out);
        done(&s);
    }
}

/* The time of a finding is counted from the first packet. Time does not go back, though the clock of the capture may.
 */
Test(check, times_of_findings)
{
    static const struct sent sent[] = {
        {.opcode = IBA_UC_SEND_ONLY, .qpn = 0x101, .psn = 1, .at = 10, .damaged = true},
        {.opcode = IBA_UC_SEND_ONLY, .qpn = 0x101, .psn = 2, .at = 5, .damaged = true},
        {.opcode = IBA_UC_SEND_ONLY, .qpn = 0x101, .psn = 3, .at = 12, .damaged = true},
    };
    struct said s = judge_packets(sent, 3, true, false);

    cr_expect_eq(s.rc, IBC_CHECK_FOUND);
    cr_expect(strstr(s.out, "\"frame\":1,\"time\":0,"), "%s", s.out);
    cr_expect(strstr(s.out, "\"frame\":2,\"time\":0,"), "%s", s.out);
    cr_expect(strstr(s.out, "\"frame\":3,\"time\":2,"), "%s", s.out);
    cr_expect_eq(times(s.out, "\"type\":\"totals\",\"packets\":3"), 1, "%s", s.out);
    done(&s);
}

/* A LID has two bytes. */
Test(check, long_identifiers)
{
    uint8_t frame[256];
    size_t n;
    struct iba_recipe r;

    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UC_SEND_ONLY);
    iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), 0x1234);
    iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), 0x00ff);
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &n), IBA_OK);
    const uint32_t record[] = {1, 0, (uint32_t)n, (uint32_t)n};
    begin_capture(&made[0], 247);
    add(&made[0], record, sizeof record);
    add(&made[0], frame, n);
    struct said s = judge((const char *const[]){kept(&made[0])}, 1, false, true);
    cr_expect(strstr(s.out, "UC LID 4660 QP ? -> LID 255 QP "), "%s", s.out);
    done(&s);
    (void)close(made[0].fd);
}

/* A finding names the capture of an earlier packet: here a NAK that of its request. Its text is cut after 191
 * characters, and the line goes on. */
Test(check, long_names)
{
    enum { MOST_TEXT = 191, STEPS = 90, LENGTH_AT = HEADER_BYTES + 8 };
    char path[2 * STEPS + 32] = "/proc/self/", want[256];
    uint32_t first;

    cr_assert_eq(chdir(IBPROOF_SOURCE_DIR "/pcaps"), 0);
    read_as(&made[0], HARMED, 1);
    memcpy(&first, made[0].bytes + LENGTH_AT, sizeof first);
    first += HEADER_BYTES + RECORD_BYTES; /* the second packet begins here */
    made[1].n = 0;
    add(&made[1], made[0].bytes, HEADER_BYTES);
    add(&made[1], made[0].bytes + first, made[0].n - first);
    made[0].n = first;
    (void)kept(&made[1]);
    (void)kept(&made[0]);
    for (unsigned i = 0; i < STEPS; i++)
        strcat(path, "./");
    strcat(path, strstr(made[0].path, "fd/"));
    struct said s = judge((const char *const[]){path, made[1].path}, 2, false, false);
    const char *const at = strstr(s.out, "nak: PSN 0x111111 "), *const end = at ? strstr(at, " [RQ-51]\n") : NULL;
    cr_assert(end, "%s", s.out);
    cr_expect_eq(end - at, (int)strlen("nak: ") + MOST_TEXT, "%td: %s", end - at, s.out);
    (void)snprintf(want, sizeof want, " (%.100s", path);
    cr_expect(strstr(at, want), "%s", s.out);
    done(&s);
    (void)close(made[0].fd);
    (void)close(made[1].fd);
}

/* Judges a capture beside one that cannot be read. */
static void as_text(void)
{
    struct said s = judge((const char *const[]){HARMED, "none.pcap"}, 2, false, true);

    done(&s);
}

static void as_json(void)
{
    struct said s = judge((const char *const[]){HARMED, "none.pcap"}, 2, true, true);

    done(&s);
}

/* Returns the bytes of the heap that more rounds of the work take, once freed blocks are used again. */
static size_t taken(void (*work)(void))
{
    enum { ROUNDS = 40 };
    size_t before = 0, after;

    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        if (i == 2 * ROUNDS)
            before = mallinfo2().uordblks;
        work();
    }
    after = mallinfo2().uordblks;
    return after > before ? (after - before) / ROUNDS : 0;
}

/* The C library keeps some of the freed blocks for itself, and counts them. The texts of JSON have many lengths. */
Test(check, nothing_is_left)
{
    enum { TEXT = 16, JSON = 200 };
    const unsigned before = held_descriptors();
    size_t n = taken(as_text);

    cr_expect_lt(n, TEXT, "%zu bytes", n);
    n = taken(as_json);
    cr_expect_lt(n, JSON, "%zu bytes", n);
    cr_expect_eq(held_descriptors(), before);
}

/* A caller may leave out the function that is called when all captures are open. */
Test(check, without_a_function)
{
    static const char *const file[] = {HARMED};
    struct said s = {0};
    size_t n_out, n_err;
    FILE *out = open_memstream(&s.out, &n_out), *err = open_memstream(&s.err, &n_err);

    cr_assert_eq(chdir(IBPROOF_SOURCE_DIR "/pcaps"), 0);
    cr_expect_eq(ibc_check(&(struct ibc_check_options){file, 1, false, false, NULL}, out, err), IBC_CHECK_FOUND);
    (void)fclose(out);
    (void)fclose(err);
    struct said told = judge(file, 1, false, false);
    cr_expect_str_eq(s.out, told.out);
    done(&told);
    done(&s);
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
