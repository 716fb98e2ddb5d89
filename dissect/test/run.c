/* SPDX-License-Identifier: BSD-2-Clause */
#include "../run.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "command.h"

TestSuite(run, .init = command_begin, .fini = command_end);

enum { PATH = 512, MANY = 20000 };

static void put32(uint8_t *to, uint32_t v)
{
    memcpy(to, &v, sizeof v);
}

Test(run, how_many_packets)
{
    COMMAND(0, 14, "", "acknowledges.pcap");
    COMMAND(0, 14, "", "-c 15 acknowledges.pcap");
    COMMAND(0, 13, "", "-c 13 acknowledges.pcap");
    COMMAND(0, 1, "", "-c 1 acknowledges.pcap");
    COMMAND(0, 5, "", "-2 -c 5 acknowledges.pcap");
    COMMAND(0, 2, "", "-c 2 -Y infiniband.aeth.syndrome.opcode==3 acknowledges.pcap");
    COMMAND(0, 0, "", "-q -c 5 -w %s acknowledges.pcap", command_in("w"));
    COMMAND(0, 5, "", "%s", command_in("w"));
    COMMAND(0, 1, "", "-q -c 5 -T json -z icrc acknowledges.pcap");
    cr_expect(strstr(command_out, "\"good\":5,"), "%s", command_out);
    COMMAND(0, 3, "", "--from +0.05 --to +0.08 acknowledges.pcap");
    cr_expect(strstr(command_out, " 1  0.000000000 "), "packets before are not counted: %s", command_out);
    COMMAND(0, 14, "", "--from +0 acknowledges.pcap");
    COMMAND(0, 1, "", "--from +0.13 acknowledges.pcap");
    COMMAND(0, 1, "", "--to +0.01 acknowledges.pcap");
    COMMAND(0, 14 + 9, "", "acknowledges.pcap rxe-rping.pcap");
}

/* Exit code 3 where a packet that matches has a finding of this severity or a worse one. */
Test(run, what_findings_fail)
{
    static const struct {
        const char *words;
        int note, warn, error;
    } rows[] = {
        {"rxe-rping.pcap", 0, 0, 0},
        {"congestion.pcap", 3, 0, 0},
        {"rxe-reorder-rc.pcap", 3, 3, 0},
        {"acknowledges.pcap", 3, 3, 3},
        {"--jobs 2 -z perf rxe-rping.pcap", 0, 0, 0},
        {"--jobs 2 -z perf rxe-dup30-atomic.pcap", 3, 3, 0},
        {"-2 rxe-reorder-rc.pcap", 3, 3, 0},
        {"-Y frame.number<=6 acknowledges.pcap", 3, 3, 0},
        {"-Y frame.number==1 acknowledges.pcap", 0, 0, 0},
        {"-c 3 acknowledges.pcap", 0, 0, 0},
        {"acknowledges.pcap none", 2, 2, 2},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(command("-q --fail-on=note %s", rows[i].words), rows[i].note, "note %s", rows[i].words);
        cr_expect_eq(command("-q --fail-on=warn %s", rows[i].words), rows[i].warn, "warn %s", rows[i].words);
        cr_expect_eq(command("-q --fail-on=error %s", rows[i].words), rows[i].error, "error %s", rows[i].words);
    }
    cr_expect_eq(command("-q acknowledges.pcap"), 0);
}

/* Packets before the fault are printed, in a whole document. */
Test(run, link_types)
{
    static const struct {
        uint32_t link;
        bool user, known;
    } rows[] = {{COMMAND_ETHERNET, false, true},
                {105, false, false},
                {146, false, false},
                {147, true, false},
                {162, true, false},
                {163, false, false},
                {247, false, true},
                {276, false, true}};
    char says[1024];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_capture("x", rows[i].link, NULL, 3);
        (void)snprintf(says, sizeof says, "ibdissect: %s: packet 1: link type %u is not one ibdissect reads%s\n",
                       command_in("x"), rows[i].link,
                       rows[i].user ? "; say what it holds, for example -d user0,infiniband" : "");
        COMMAND(rows[i].known ? 0 : 2, rows[i].known ? 3 : 0, rows[i].known ? "" : says, "%s", command_in("x"));
    }
    command_capture("x", 162, NULL, 3);
    COMMAND(0, 3, "", "-d user15,eth %s", command_in("x"));
    command_capture("x", 105, NULL, 3);
    cr_expect_eq(command("-T json acknowledges.pcap %s", command_in("x")), 2);
    cr_expect(strcmp(command_out + command_out_bytes - 3, "\n]\n") == 0);
}

Test(run, captures_with_faults)
{
    size_t n;
    char says[1024];

    const char *const whole = command_all("acknowledges.pcap", &n);
    command_put("cut", whole, n - 1);
    (void)snprintf(says, sizeof says, "ibdissect: %s: cut in packet 14 at offset 0x40e: ", command_in("cut"));
    cr_expect_eq(command("%s", command_in("cut")), 2);
    cr_expect(strncmp(command_err, says, strlen(says)) == 0 && command_lines(command_err) == 1, "%s", command_err);
    cr_expect_eq(command_lines(command_out), 13);
    cr_expect_eq(command("-2 %s", command_in("cut")), 2);
    cr_expect_eq(command_lines(command_out), 13);
    cr_expect_eq(command("%s rxe-rping.pcap", command_in("cut")), 2);
    cr_expect_eq(command_lines(command_out), 13 + 9, "the other capture is read to its end");
    cr_expect(strncmp(command_err, says, strlen(says)) == 0 && command_lines(command_err) == 1, "%s", command_err);
    COMMAND(2, 14, "ibdissect: none: No such file or directory\n", "acknowledges.pcap none");
    COMMAND(2, 0, "ibdissect: none: No such file or directory\n", "none");
}

/* The message about a file has its whole path. */
static void report_to_a_long_path(void)
{
    char path[PATH] = "/dev", says[PATH + 64];

    for (unsigned i = 0; i < 20; i++)
        (void)strcat(path, "/../dev");
    (void)strcat(path, "/full");
    (void)snprintf(says, sizeof says, "ibdissect: %s: No space left on device\n", path);
    COMMAND(2, 0, says, "-q --report %s acknowledges.pcap", path);
}

/* Outputs that cannot be written: one message each, whatever else is written. */
Test(run, outputs_with_faults)
{
    int end[2];

    COMMAND(2, 0, "ibdissect: /dev/full: No space left on device\n", "-w /dev/full acknowledges.pcap");
    COMMAND(2, 0, "ibdissect: /dev/full: No space left on device\n", "-q --report /dev/full acknowledges.pcap");
    report_to_a_long_path();
    COMMAND(2, 0, "ibdissect: no/x: No such file or directory\n", "-w no/x acknowledges.pcap");
    COMMAND(2, 0, "ibdissect: no/x: No such file or directory\n", "-q --report no/x acknowledges.pcap");
    COMMAND(2, 0, "ibdissect: no/x: No such file or directory\n", "-q -w %s --report no/x acknowledges.pcap",
            command_in("w"));
    COMMAND(0, 0, "", "%s", command_in("w"));
    COMMAND(2, 0, "ibdissect: no/x: No such file or directory\n", "-q --summary no/x acknowledges.pcap");
    command_to = open("/dev/full", O_WRONLY);
    COMMAND(2, 0, "ibdissect: standard output: No space left on device\n", "acknowledges.pcap");
    command_to = open("/dev/full", O_WRONLY);
    COMMAND(2, 0, "ibdissect: -: No space left on device\n", "-w - acknowledges.pcap");
    for (unsigned i = 0; i < 3; i++) { /* nobody reads, which is no fault */
        static const char *const rows[] = {"acknowledges.pcap", "-w - acknowledges.pcap",
                                           "-l -T json acknowledges.pcap"};
        cr_assert_eq(pipe(end), 0);
        (void)close(end[0]);
        command_to = end[1];
        COMMAND(0, 0, "", "%s", rows[i]);
    }
}

Test(run, what_is_written_is_printed_on_demand)
{
    COMMAND(0, 0, "", "-w %s acknowledges.pcap", command_in("w"));
    COMMAND(0, 14, "", "-P -w %s acknowledges.pcap", command_in("w"));
    COMMAND(0, 0, "", "-q -P -w %s acknowledges.pcap", command_in("w"));
    cr_expect_eq(command("-w - acknowledges.pcap"), 0);
    cr_expect(memcmp(command_out, "\x0a\x0d\x0d\x0a", 4) == 0, "only the file is on the standard output");
    cr_expect_eq(command("-P -w - acknowledges.pcap"), 0);
    cr_expect(memcmp(command_out, "\x0a\x0d\x0d\x0a", 4) == 0 && !strstr(command_out + 4, "RC Ack"));
    cr_expect_eq(command("--report - acknowledges.pcap"), 0);
    cr_expect(strncmp(command_out, "<!DOCTYPE html>", 15) == 0);
    COMMAND(0, 0, "", "-w /dev/null -Y udp -q acknowledges.pcap");
    COMMAND(0, 14, "ibdissect: --no-sandbox: packets are parsed with all rights of this user\n",
            "--no-sandbox acknowledges.pcap");
}

/* Two ERF records that are shorter than their headers, and a good one. */
Test(run, records_that_cannot_be_written)
{
    uint8_t file[24 + 3 * 16 + 15 + 4 + 24] = {0}, *at = file + 24;
    static const uint32_t sizes[] = {15, 4, 24};
    char says[512];

    put32(file, 0xa1b2c3d4);
    put32(file + 4, 2 | 4 << 16);
    put32(file + 16, 65535);
    put32(file + 20, 197);
    for (unsigned i = 0; i < 3; at += 16 + sizes[i++]) {
        put32(at, 1);
        put32(at + 8, sizes[i]);
        put32(at + 12, sizes[i]);
    }
    command_put("x", file, sizeof file);
    (void)snprintf(says, sizeof says, "ibdissect: %s: lacks 2 ERF records that are shorter than an ERF header\n",
                   command_in("w"));
    COMMAND(2, 0, says, "-w %s %s", command_in("w"), command_in("x"));
    COMMAND(0, 1, "", "%s", command_in("w"));
}

static void feed(int fd, const char *name)
{
    static char bytes[1 << 16];
    const int from = open(name, O_RDONLY);
    const ssize_t n = read(from, bytes, sizeof bytes);

    cr_assert(n > 0 && write(fd, bytes, (size_t)n) == n && close(from) == 0);
}

/* -l: packets are printed while the next one is waited for. A signal ends the run, with a whole document. */
Test(run, a_pipe_that_stays_open)
{
    char line[PATH];
    int end[2];

    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(pipe2(end, O_CLOEXEC), 0);
        (void)snprintf(line, sizeof line, i ? "-l -T json -w %s -P -" : "-l -T json -", command_in("w"));
        command_from = end[0];
        const int process = command_start("%s", line);
        feed(end[1], "acknowledges.pcap");
        cr_expect(command_prints("\"frame.number\": \"14\""), "%s", command_out);
        if (i) {
            COMMAND(0, 14, "", "%s", command_in("w"));
            continue;
        }
        cr_assert_eq(kill(process, SIGTERM), 0);
        cr_expect_eq(command_wait(process), 0);
        cr_expect_str_eq(command_err, "");
        cr_expect(strcmp(command_out + command_out_bytes - 3, "\n]\n") == 0);
        (void)close(end[1]);
    }
}

/* A signal ends the run before the file ends: the result must not look like that of the whole file. */
Test(run, a_signal_in_the_middle_of_a_file)
{
    static const char *const rows[] = {"opcodes-roce2-v4.pcap", "opcodes-roce2-v4.pcap opcodes-roce2-v4.pcap"};
    static char text[1 << 16];
    const char *end_of;
    unsigned long read_to;

    for (unsigned i = 0; i < 2; i++) {
        int end[2], waiting = 0, before = -1;
        cr_assert(pipe2(end, O_CLOEXEC) == 0);
        command_to = end[1];
        const int process = command_start("-l -V %s", rows[i]);
        while (waiting == 0 || waiting != before) { /* until the pipe is full */
            before = waiting;
            (void)usleep(20000);
            cr_assert_eq(ioctl(end[0], FIONREAD, &waiting), 0);
        }
        cr_assert_eq(kill(process, SIGTERM), 0);
        while (read(end[0], text, sizeof text) > 0)
            ;
        cr_expect_eq(command_wait(process), 2);
        static const char says[] =
            "ibdissect: opcodes-roce2-v4.pcap: a signal ended the run; the packets up to number ";
        cr_expect(strncmp(command_err, says, sizeof says - 1) == 0 && command_lines(command_err) == 1, "%s",
                  command_err);
        read_to = strtoul(command_err + sizeof says - 1, (char **)&end_of, 10);
        cr_expect(read_to > 16 && read_to < 100 && strcmp(end_of, " were read\n") == 0, "%s", command_err);
        (void)close(end[0]);
    }
}

/* Reads a terminal until its text ends with `end`. The kernel may deliver a part of it after the program has exited. */
static size_t terminal_said(int own, char *said, size_t room, const char *end)
{
    struct pollfd more = {.fd = own, .events = POLLIN};
    size_t n = 0;

    while (n < strlen(end) || strcmp(said + n - strlen(end), end) != 0) {
        const ssize_t got = poll(&more, 1, 10000) == 1 ? read(own, said + n, room - 1 - n) : 0;
        if (got <= 0)
            break;
        n += (size_t)got;
        said[n] = '\0';
    }
    return n;
}

/* How far the run is, on a terminal, where no packets are printed on it. */
Test(run, progress)
{
    static char said[1 << 14];
    const int own = posix_openpt(O_RDWR | O_NOCTTY);
    unsigned packets = 0, percent = 0;

    cr_assert(own >= 0 && grantpt(own) == 0 && unlockpt(own) == 0);
    command_capture("many", COMMAND_ETHERNET, NULL, MANY);
    for (unsigned turn = 0; turn < 3; turn++) {
        command_to_err = open(ptsname(own), O_RDWR | O_NOCTTY);
        if (turn == 1)
            command_to = open(ptsname(own), O_RDWR | O_NOCTTY);
        cr_expect_eq(command(turn == 0 ? "-q -z icrc %s" : turn == 1 ? "-c 1 %s" : "%s", command_in("many")), 0);
        const size_t n = terminal_said(own, said, sizeof said, turn == 1 ? "\n" : "\r\033[K");
        said[n] = '\0';
        const char *const at = strstr(said, " packets, ") ? strchr(said, '\r') : NULL;
        cr_expect_eq(at != NULL, turn != 1, "turn %u: %s", turn, said);
        if (at) {
            cr_expect_eq(sscanf(at, "\r%u packets, %u %%\033[K", &packets, &percent), 2);
            cr_expect(packets >= 4096 && packets < 4096 + 16, "%u packets", packets);
            cr_expect(percent >= 4096 * 100 / MANY && percent <= 80, "%u %%", percent);
            cr_expect(n > 4 && strcmp(said + n - 4, "\r\033[K") == 0, "the line is cleared");
        } else
            cr_expect(!strstr(said, "\033[K"), "%s", said);
    }
    (void)close(own);
}

/* The message about a fault comes after the packets that were read before it. */
Test(run, packets_and_messages_in_one_file)
{
    static const char *const rows[] = {"", "-2 ", "rxe-rping.pcap ", "-2 rxe-rping.pcap "};
    size_t n;

    const char *const whole = command_all("acknowledges.pcap", &n);
    command_put("cut", whole, n - 1);
    for (unsigned i = 0; i < 4; i++) {
        const int both = open(command_in("both"), O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0666);
        command_to = both;
        command_to_err = dup(both);
        cr_expect_eq(command("%s%s", rows[i], command_in("cut")), 2);
        const char *const said = command_file("both", NULL);
        const char *const message = strstr(said, "ibdissect: ");
        cr_assert(message, "%s", said);
        cr_expect_eq(command_lines(said) - command_lines(message), 13, "%s: %s", rows[i], said);
    }
}

/* A pcapng file of a Simple Packet Block, which has no time, an Enhanced Packet Block of a second after 1970, and a
 * Simple Packet Block: no part of the time has the first and the last. */
Test(run, packets_without_a_time)
{
    static const uint32_t blocks[] = {
        0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28, /* section */
        1,          20, 1,          0, 20,                         /* interface, Ethernet */
        3,          32, 16,         0, 0,          0,          0,  32, 6,  48, 0, 0, 1000000, 16,
        16,         0,  0,          0, 0,          48,         3,  32, 16, 0,  0, 0, 0,       32, /* packets */
    };

    command_put("x", blocks, sizeof blocks);
    COMMAND(0, 3, "", "%s", command_in("x"));
    COMMAND(0, 1, "", "--from 0 %s", command_in("x"));
    COMMAND(0, 1, "", "--from +0 --to +1 %s", command_in("x"));
    COMMAND(0, 1, "", "--to 2 %s", command_in("x"));
    COMMAND(0, 0, "", "--to 1 %s", command_in("x"));
    COMMAND(0, 3, "", "-t e %s", command_in("x"));
}

/* All packets of a pair of hosts are in the sample or none, however many others are between them. */
Test(run, samples)
{
    size_t sum = 0;

    for (unsigned seed = 0; seed < 4; seed++) {
        cr_expect_eq(command("-T fields -e frame.number --sample 2,%u acknowledges.pcap connections.pcap", seed), 0);
        const size_t n = command_lines(command_out);
        cr_expect(n == 0 || n >= 9, "%zu", n);
        sum += n;
    }
    cr_expect_gt(sum, 0);
    command_capture("many", COMMAND_ETHERNET, NULL, 1000);
    COMMAND(0, 0, "", "--sample 2 %s", command_in("many"));
    cr_expect_eq(command("--sample 1 acknowledges.pcap"), 0);
    cr_expect_eq(command_lines(command_out), 14);
}
