/* SPDX-License-Identifier: BSD-2-Clause */
#include "../outputs.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "system/confine.h"

TestSuite(outputs, .init = command_begin, .fini = command_end);

/* Of two outputs that are one file, or of an output that is an input, nothing is opened. */
Test(outputs, files_that_are_one)
{
    static const struct {
        const char *words, *says; /* %F: a file that exists */
    } rows[] = {
        {"-w %F.n --report %F.n", "%F.n: -w and --report are the same file"},
        {"-w %F.n --summary %F.n", "%F.n: -w and --summary are the same file"},
        {"-w %F.n --metrics %F.n", "%F.n: -w and --metrics are the same file"},
        {"--report %F.n --summary %F.n", "%F.n: --report and --summary are the same file"},
        {"--report %F --metrics %F", "%F: --report and --metrics are the same file"},
        {"--summary %F --metrics %F", "%F: --summary and --metrics are the same file"},
        {"-w none --report ./none", "none: -w and --report are the same file"},
        {"-w %F %F", "%F: is the input; -w would destroy it"},
        {"--report %F %F", "%F: is the input; --report would destroy it"},
        {"-w %F.n %F.n", "%F.n: is the input; -w would destroy it"},
        {"--summary %F %F", "%F: is the input; --summary would destroy it"},
        {"--metrics %F README.md %F", "%F: is the input; --metrics would destroy it"},
        {"-w - --report -", "only one of -w and --report can be the standard output"},
        {"-w - --summary -", "only one of -w and --summary can be the standard output"},
        {"--report - --summary -", "only one of --report and --summary can be the standard output"},
        {"-w - -z icrc", "-w -: the standard output cannot take the statistics of -z, too"},
        {"--report - -z icrc", "--report -: the standard output cannot take the statistics of -z, too"},
        {"--summary - -z icrc", "--summary -: the standard output cannot take the statistics of -z, too"},
    };
    char words[2048], says[2048];

    command_put("F", "was", 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const from[] = {rows[i].words, rows[i].says};
        char *const to[] = {words, says};
        for (unsigned k = 0; k < 2; k++) {
            to[k][0] = '\0';
            strcat(to[k], k ? "ibdissect: " : "");
            for (const char *s = from[k]; *s; s++)
                if (strncmp(s, "%F", 2) == 0) {
                    strcat(to[k], command_in("F"));
                    s++;
                } else
                    strncat(to[k], s, 1);
            strcat(to[k], k ? "\n" : "");
        }
        COMMAND(2, 0, says, "-q %s acknowledges.pcap", words);
        cr_expect_str_eq(command_file("F", NULL), "was");
        cr_expect_not(command_has_file("F.n"));
    }
}

static int append(const char *name)
{
    return open(command_in(name), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

static const char *same(const char *what, const char *name)
{
    static char says[1024];

    (void)snprintf(says, sizeof says, "ibdissect: %s: %s and standard output are the same file\n", command_in(name),
                   what);
    return says;
}

/* The standard output is an output if something is printed on it. */
Test(outputs, standard_output)
{
    size_t n;
    char says[1024];

    command_to = append("F");
    COMMAND(2, 0, same("-w", "F"), "-P -w %s acknowledges.pcap", command_in("F"));
    command_to = append("F");
    COMMAND(2, 0, same("--report", "F"), "--report %s acknowledges.pcap", command_in("F"));
    command_to = append("F");
    COMMAND(2, 0, same("--report", "F"), "-q -z icrc --report %s acknowledges.pcap", command_in("F"));
    (void)command_file("F", &n);
    cr_expect_eq(n, 0);
    command_to = append("F");
    COMMAND(0, 0, "", "-w %s acknowledges.pcap", command_in("F"));
    (void)command_file("F", &n);
    cr_expect_gt(n, 1000);
    command_to = append("F");
    COMMAND(2, 0, "ibdissect: -: is the input; standard output would destroy it\n", "%s", command_in("F"));
    command_to = append("F");
    COMMAND(0, 0, "", "-q %s", command_in("F"));
    command_from = append("F");
    (void)snprintf(says, sizeof says, "ibdissect: %s: is the input; -w would destroy it\n", command_in("F"));
    COMMAND(2, 0, says, "-w %s -", command_in("F"));
    command_from = append("F");
    COMMAND(0, 14, "", "-");
    COMMAND(0, 0, "", "-q -w /dev/null --report /dev/null acknowledges.pcap");
}

Test(outputs, who_takes_the_standard_output)
{
    cr_expect_not(outputs_take_standard(&(struct options){0}));
    cr_expect_not(outputs_take_standard(&(struct options){.write_path = "a", .report_path = "b", .summary_path = "c"}));
    cr_expect(outputs_take_standard(&(struct options){.write_path = "-", .report_path = "b"}));
    cr_expect(outputs_take_standard(&(struct options){.report_path = "-"}));
    cr_expect(outputs_take_standard(&(struct options){.write_path = "a", .summary_path = "-"}));
}

/* ---- confinement ---- */

enum { MAY_CREATE = 1, MAY_RENAME = 2, MAY_READ = 4, MAY_START = 8, STAYS_ROOT = 16 };

static void *nothing(void *of)
{
    return of;
}

/* The rights of a process after confinement. */
static unsigned rights(const struct options *opt, bool threads, const char *created, const char *from, const char *to)
{
    unsigned may = 0;
    pthread_t thread;

    outputs_confine(opt, threads);
    may |= geteuid() == 0 ? STAYS_ROOT : 0;
    may |= open(created, O_WRONLY | O_CREAT, 0600) >= 0 ? MAY_CREATE : 0;
    may |= rename(from, to) == 0 ? MAY_RENAME : 0;
    may |= open("README.md", O_RDONLY) >= 0 ? MAY_READ : 0;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) {
        (void)pthread_join(thread, NULL);
        may |= MAY_START;
    }
    return may;
}

static unsigned rights_with(const struct options *opt, bool threads, char *said, size_t room)
{
    int end[2], status;

    command_put("from", "x", 1);
    (void)unlink(command_in("created"));
    cr_assert_eq(pipe(end), 0);
    const char *const created = command_in("created"), *const from = command_in("from"), *const to = command_in("to");
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(end[1], STDERR_FILENO);
        _exit((int)rights(opt, threads, created, from, to));
    }
    (void)close(end[1]);
    const ssize_t n = read(end[0], said, room - 1);
    said[n > 0 ? n : 0] = '\0';
    (void)close(end[0]);
    cr_assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "%d", status);
    return (unsigned)WEXITSTATUS(status);
}

/* A run keeps what its outputs need, and no more. The files of a page that is renamed, of intervals and of metrics are
 * in the folder of the test, whose owner is the user who runs it. */
Test(outputs, rights_that_stay)
{
    const bool root = geteuid() == 0;
    char page[512], said[256];

    if (!strstr(confine_offer(), "seccomp") || !strstr(confine_offer(), "Landlock"))
        return; /* this build or this kernel lacks one, so nothing is confined */
    (void)snprintf(page, sizeof page, "%s/page", command_folder);
    const struct {
        struct options opt;
        bool threads;
        unsigned may;
    } rows[] = {
        {{.jobs = 1}, false, 0},
        {{.jobs = 2}, true, MAY_START},
        {{.report_path = page}, false, MAY_RENAME | STAYS_ROOT},
        {{.report_path = page}, true, MAY_RENAME | MAY_START | STAYS_ROOT},
        {{.report_path = "-"}, false, 0},
        {{.summary_path = page, .write_path = page}, false, 0},
        {{.summary_path = command_folder, .every_s = 1}, false, MAY_CREATE | MAY_RENAME | STAYS_ROOT},
        {{.metrics_path = page}, false, MAY_CREATE | MAY_RENAME | STAYS_ROOT},
        {{.metrics_path = "/dev/null", .every_s = 1}, false, STAYS_ROOT},
        {{.iface = "lo"}, false, STAYS_ROOT},
        {{.iface = "lo", .report_path = page}, false, MAY_RENAME | STAYS_ROOT},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned may = rights_with(&rows[i].opt, rows[i].threads, said, sizeof said);
        cr_expect_eq(may, root ? rows[i].may : rows[i].may & ~(unsigned)STAYS_ROOT, "row %zu: %u", i, may);
        cr_expect_str_eq(said, "");
    }
    const unsigned all = MAY_CREATE | MAY_RENAME | MAY_READ | MAY_START | (root ? STAYS_ROOT : 0);
    cr_expect_eq(rights_with(&(struct options){.no_sandbox = true}, false, said, sizeof said), all);
    cr_expect_str_eq(said, "ibdissect: --no-sandbox: packets are parsed with all rights of this user\n");
}
