/* SPDX-License-Identifier: BSD-2-Clause */
#include "../summaries.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command.h"

TestSuite(summaries, .init = command_begin, .fini = command_end);

enum { MS = 1000, TEXT = 1 << 16 };

/* Writes the names in a folder, sorted, each with the number of packets that the summary has. */
static const char *intervals(const char *folder)
{
    static char told[TEXT];
    struct dirent **name;
    const int n = scandir(command_in(folder), &name, NULL, alphasort);
    size_t at = 0;

    cr_assert(n >= 0);
    told[0] = '\0';
    for (int i = 0; i < n; i++) {
        char path[512];
        if (name[i]->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", folder, name[i]->d_name);
            const char *counts = strstr(command_file(path, NULL), "\"counts\":{\"packets\":");
            at += (size_t)snprintf(told + at, sizeof told - at, "%s %lu\n", name[i]->d_name,
                                   counts ? strtoul(counts + 20, NULL, 10) : 0);
        }
        free(name[i]);
    }
    free(name);
    return told;
}

/* The capture begins at 22:13:20. Intervals begin at multiples of their length; one without packets has no file. */
Test(summaries, of_each_interval)
{
    static const struct {
        const char *every;
        uint32_t ms[6];
        const char *has;
    } rows[] = {
        {"1",
         {0, 200, 999, 1000, 1001, 5000},
         "20231114T221320Z.json 3\n20231114T221321Z.json 2\n20231114T221325Z.json 1\n"},
        {"60",
         {0, 200, 39999, 40000, 99999, 100000},
         "20231114T221300Z.json 3\n20231114T221400Z.json 2\n20231114T221500Z.json 1\n"},
        {"86400", {0, 0, 0, 0, 0, 0}, "20231114T000000Z.json 6\n"},
        /* times step back: by an interval at most, and by more, as if the clock were set back */
        {"1", {10500, 9800, 9000, 10600, 10700, 10800}, "20231114T221330Z.json 6\n"},
        {"1",
         {10500, 8999, 8900, 8800, 10700, 10800},
         "20231114T221328Z.json 3\n20231114T221330Z-1.json 2\n20231114T221330Z.json 1\n"},
    };
    char folder[16];

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t us[6];
        for (unsigned k = 0; k < 6; k++)
            us[k] = rows[i].ms[k] * MS;
        command_capture("x", COMMAND_ETHERNET, us, 6);
        (void)snprintf(folder, sizeof folder, "d%u", i);
        COMMAND(0, 0, "", "-q --every %s --summary %s %s", rows[i].every, command_in(folder), command_in("x"));
        cr_expect_str_eq(intervals(folder), rows[i].has, "%s: %s", folder, intervals(folder));
    }
    COMMAND(0, 0, "", "-q --every 1 --summary %s %s", command_in("d4"), command_in("x"));
    cr_expect_str_eq(intervals("d4"),
                     "20231114T221328Z-1.json 3\n20231114T221328Z.json 3\n20231114T221330Z-1.json 2\n"
                     "20231114T221330Z-2.json 1\n20231114T221330Z-3.json 2\n20231114T221330Z.json 1\n",
                     "%s", intervals("d4"));
}

/* The parts of a sample that is left out end intervals, too, and are in none. */
Test(summaries, of_each_interval_of_a_sample)
{
    static const uint32_t us[] = {0, 1100 * MS, 2200 * MS};

    command_capture("x", COMMAND_ETHERNET, us, 3);
    COMMAND(0, 0, "", "-q --every 1 --sample 2 --summary %s %s", command_in("d"), command_in("x"));
    cr_expect_str_eq(intervals("d"), "", "packets without addresses are in no sample");
}

Test(summaries, metrics_count_all_intervals)
{
    static const uint32_t us[] = {0, 1100 * MS, 1200 * MS, 7000 * MS};

    command_capture("x", COMMAND_ETHERNET, us, 4);
    COMMAND(0, 0, "", "-q --every 1 --metrics %s %s", command_in("m"), command_in("x"));
    cr_expect(strstr(command_file("m", NULL), "\nibdissect_packets_total 4\n"));
    COMMAND(0, 0, "", "-q --every 1 --metrics %s --summary %s %s", command_in("m"), command_in("d"), command_in("x"));
    cr_expect(strstr(command_file("m", NULL), "\nibdissect_packets_total 4\n"));
    cr_expect_str_eq(intervals("d"), "20231114T221320Z.json 1\n20231114T221321Z.json 2\n20231114T221327Z.json 1\n");
    COMMAND(0, 0, "", "-q --metrics %s --summary %s acknowledges.pcap", command_in("m"), command_in("s"));
    cr_expect(strstr(command_file("m", NULL), "\nibdissect_packets_total 14\n"));
    cr_expect(strstr(command_file("s", NULL), "\"counts\":{\"packets\":14,"));
    COMMAND(0, 4, "", "--metrics %s %s", command_in("m"), command_in("x"));
    cr_expect(strstr(command_file("m", NULL), "\nibdissect_packets_total 4\n"));
}

/* The folder vanishes during the run: the summaries of two intervals are lost; their packets are still in the metrics.
 */
Test(summaries, a_folder_that_vanishes)
{
    enum { HEAD = 24, RECORD = 16 + 62 };
    static const uint32_t us[] = {0, 1100 * MS, 2200 * MS};
    char says[1024], line[512];
    int end[2];
    size_t n;

    command_capture("x", COMMAND_ETHERNET, us, 3);
    const char *const bytes = command_file("x", &n);
    cr_assert_eq(n, HEAD + 3 * RECORD);
    cr_assert_eq(pipe2(end, O_CLOEXEC), 0);
    command_from = end[0];
    const int process = command_start("-q --every 1 --metrics %s --summary %s -", command_in("m"), command_in("d"));
    cr_assert_eq(write(end[1], bytes, HEAD + 2 * RECORD), HEAD + 2 * RECORD);
    for (unsigned i = 0; i < 10000 && !command_has_file("d/20231114T221320Z.json"); i++)
        (void)usleep(1000);
    (void)snprintf(line, sizeof line, "rm -r '%s'", command_in("d"));
    cr_assert_eq(system(line), 0);
    cr_assert_eq(write(end[1], bytes + HEAD + 2 * RECORD, RECORD), RECORD);
    (void)close(end[1]);
    (void)snprintf(says, sizeof says,
                   "ibdissect: %s/20231114T221321Z.json: No such file or directory\n"
                   "ibdissect: %s/20231114T221322Z.json: No such file or directory\n",
                   command_in("d"), command_in("d"));
    command_expect(2, 0, says, command_wait(process), "a folder that vanishes");
    cr_expect(strstr(command_file("m", NULL), "\nibdissect_packets_total 3\n"));
}

/* Files and folders have all rights that the umask leaves. */
Test(summaries, rights_of_files)
{
    static const struct {
        const char *name;
        mode_t mode;
    } rows[] = {{"d", 0777}, {"d/20231114T221320Z.json", 0666}, {"s", 0666}, {"r", 0777}, {"r/messages.ndjson", 0666}};
    struct stat st;

    (void)umask(0);
    COMMAND(0, 0, "", "-q --every 1 --summary %s acknowledges.pcap", command_in("d"));
    COMMAND(0, 0, "", "-q --summary %s --rows %s acknowledges.pcap", command_in("s"), command_in("r"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(stat(command_in(rows[i].name), &st), 0);
        cr_expect_eq(st.st_mode & 07777, rows[i].mode, "%s: %o", rows[i].name, st.st_mode);
    }
}

Test(summaries, places_that_cannot_be_written)
{
    static const struct {
        const char *words, *says;
    } rows[] = {
        {"--summary no/x", "no/x: No such file or directory"},
        {"--summary /dev/full", "/dev/full: No space left on device"},
        {"--metrics no/x", "no/x: No such file or directory"},
        {"--metrics /dev/full", "/dev/full: No space left on device"},
        {"--every 1 --summary no/x", "no/x: No such file or directory"},
        {"--every 1 --summary README.md", "README.md: Not a directory"},
        {"--rows no/x", "no/x: No such file or directory"},
        {"--rows gen", "gen: File exists"},
    };
    char says[1024];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(says, sizeof says, "ibdissect: %s\n", rows[i].says);
        COMMAND(2, 0, says, "-q %s acknowledges.pcap", rows[i].words);
    }
    command_to = open("/dev/full", O_WRONLY | O_CLOEXEC);
    COMMAND(2, 0, "ibdissect: -: No space left on device\n", "-q --summary - acknowledges.pcap");
    int end[2];
    cr_assert(pipe(end) == 0 && close(end[0]) == 0);
    command_to = end[1];
    COMMAND(0, 0, "", "-q --summary - acknowledges.pcap");
}

/* The longest path of a folder leaves room for the names of the files in it. */
Test(summaries, long_paths)
{
    enum { MOST = 4096 - 64 };
    static char path[MOST + 8];

    for (unsigned more = 0; more < 2; more++) {
        const int n = snprintf(path, sizeof path, "%s/%s", command_folder, more ? "d" : "");
        size_t at = (size_t)n;
        while (at < MOST + more - 1)
            path[at++] = '/';
        path[at++] = 'e';
        path[at] = '\0';
        if (more)
            cr_assert_eq(mkdir(command_in("d"), 0777), 0);
        cr_assert_eq(strlen(path), MOST + more);
        cr_expect_eq(command("-q --every 1 --summary %s acknowledges.pcap", path), more ? 2 : 0, "%s", command_err);
    }
}

/* A summary says which captures were read to their end, and whose they are. */
Test(summaries, captures)
{
    size_t n;

    const char *const whole = command_all("acknowledges.pcap", &n);
    command_put("cut", whole, n - 1);
    cr_expect_eq(command("-q --summary - --host h1 %s", command_in("cut")), 2);
    cr_expect(strstr(command_out, "{\"host\":\"h1\",\"file\":\""));
    cr_expect(strstr(command_out, "cut\",\"whole\":false,\"packets\":13,"), "%s", command_out);
    cr_expect_eq(command("-q --summary - acknowledges.pcap rxe-rping.pcap"), 0);
    cr_expect(strstr(command_out, "{\"host\":\"\",\"file\":\"acknowledges.pcap\",\"whole\":true,\"packets\":14,"));
    cr_expect(strstr(command_out, "{\"host\":\"\",\"file\":\"rxe-rping.pcap\",\"whole\":true,\"packets\":9,"));
    cr_expect_eq(command("--summary - acknowledges.pcap"), 0);
    cr_expect_eq(command_out[0], '{', "no packets are printed before it");
    COMMAND(0, 14, "", "--summary %s --rows %s acknowledges.pcap", command_in("s"), command_in("r"));
    cr_expect_eq(command_lines(command_file("r/findings.ndjson", NULL)), 11);
    command_capture("x", 105, NULL, 2);
    cr_expect_eq(command("-q --summary - %s", command_in("x")), 2);
    cr_expect(strstr(command_out, "\"whole\":false,\"packets\":0,"), "%s", command_out);
}
