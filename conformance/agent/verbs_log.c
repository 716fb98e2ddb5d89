/* What the kernel complains of while it is tested: Linux' log, where this process may read it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs_device.h"

enum {
    RECORD = 8192, /* bytes of one, as the kernel writes them */
    MOST_RECORDS = 100000,
    LEVEL = 7, /* bits of a record's number; the others are its facility */
    LEVEL_CRITICAL = 2,
};

/* From its end on: what was said before is not of this device as it is tested. */
int verbs_log_open(void)
{
    const int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0)
        (void)lseek(fd, 0, SEEK_END);
    return fd;
}

/* "6,339,5140900,-;text\n more\n": what is critical, and where the kernel found itself at fault. What a driver says of
 * requests that it refuses is no complaint. */
static const char *complaint(char *record)
{
    static const char *const words[] = {"WARNING:", "BUG:", "kernel BUG", "UBSAN:", "KASAN:", "refcount_t:"};
    char *text = strchr(record, ';');
    const unsigned long level = strtoul(record, NULL, 10) & LEVEL;
    bool bad = level <= LEVEL_CRITICAL;

    if (!text++)
        return NULL;
    text[strcspn(text, "\n")] = '\0';
    for (size_t i = 0; !bad && i < sizeof words / sizeof *words; i++)
        bad = strncmp(text, words[i], strlen(words[i])) == 0;
    return bad ? text : NULL;
}

enum ibc_rc verbs_log(struct ibc_target *t, unsigned d, char *text, size_t n)
{
    const struct verbs *v = verbs_of(t);
    char record[RECORD + 1];

    (void)d;
    if (v->kmsg < 0)
        return IBC_UNSUPPORTED;
    for (unsigned i = 0; i < MOST_RECORDS; i++) {
        const ssize_t got = read(v->kmsg, record, RECORD);
        if (got < 0 && errno == EPIPE) /* some were overwritten before they were read: the next one is there */
            continue;
        if (got <= 0)
            break;
        record[got] = '\0';
        const char *said = complaint(record);
        if (said && !*text) {
            strncpy(text, said, n - 1);
            text[n - 1] = '\0';
        }
    }
    return IBC_OK;
}
