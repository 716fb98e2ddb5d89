/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints of the kernel during the test: Linux' log, if this process may read it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs_device.h"

enum {
    RECORD = 8192, /* bytes of one record, as the kernel formats it */
    MOST_RECORDS = 100000,
    LEVEL = 7, /* bits of the level in a record's first number; all other bits are its facility */
    LEVEL_CRITICAL = 2,
};

/* Reads the next record as a text. False: there is none. */
static bool next_record(int fd, char record[RECORD + 1])
{
    for (unsigned i = 0; i < MOST_RECORDS; i++) {
        const ssize_t got = read(fd, record, RECORD);
        if (got > 0) {
            record[got] = '\0';
            return true;
        }
        if (got == 0 ||
            errno != EPIPE) /* EPIPE: records were overwritten before they were read; the next one is available */
            return false;
    }
    return false;
}

/* Returns the number of the record after this one. A record's number is the second of its words and counts from 0. */
static uint64_t after(const char *record)
{
    const char *comma = strchr(record, ',');

    return comma ? strtoull(comma + 1, NULL, 10) + 1 : 0;
}

/* Opens the log at its end, since earlier messages do not belong to this test. */
void verbs_log_open(struct verbs *v)
{
    char record[RECORD + 1];

    v->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    for (unsigned i = 0; v->kmsg >= 0 && i < MOST_RECORDS && next_record(v->kmsg, record); i++)
        v->log_at = after(record);
}

/* Returns the text of a record ("6,339,5140900,-;text") that is a complaint: a critical message, or one in which the
 * kernel reports a fault of its own. A driver's messages about refused requests are no complaints. */
static const char *complaint(char *record)
{
    static const char *const words[] = {"WARNING:", "BUG:", "kernel BUG", "UBSAN:", "KASAN:", "refcount_t:"};
    char *text = strchr(record, ';');
    const unsigned long level = strtoul(record, NULL, 10) & LEVEL;
    bool bad = level <= LEVEL_CRITICAL;

    if (!text)
        return NULL;
    text++;
    text[strcspn(text, "\n")] = '\0';
    for (size_t i = 0; !bad && i < sizeof words / sizeof *words; i++)
        bad = strncmp(text, words[i], strlen(words[i])) == 0;
    return bad ? text : NULL;
}

/* Continues where the tester stopped reading while it used another process of this agent. */
static void go_back(const struct verbs *v, uint64_t since)
{
    if (since > 0 && since < v->log_at)
        (void)lseek(v->kmsg, 0, SEEK_SET);
}

enum ibc_rc verbs_log(struct ibc_target *t, unsigned d, char *text, size_t n)
{
    struct verbs *v = verbs_of(t);
    const uint64_t since = t->log_at;
    char record[RECORD + 1];

    (void)d;
    if (v->kmsg < 0)
        return IBC_UNSUPPORTED;
    go_back(v, since);
    for (unsigned i = 0; i < MOST_RECORDS && next_record(v->kmsg, record); i++) {
        const bool is_new = after(record) > since;
        const char *said = is_new ? complaint(record) : NULL;
        v->log_at = after(record);
        if (said && !*text) {
            strncpy(text, said, n - 1);
            text[n - 1] = '\0';
        }
    }
    t->log_at = v->log_at;
    return IBC_OK;
}
