/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"
#include "field/field.h"
#include "output/printer.h"

/* Offsets of settings, after the two bytes of bits. */
enum { TIME = 2, FILTER, FIELD, STRIDE, STATISTIC = COMMAND_STATISTIC, OTHER = COMMAND_OTHER };

static void add(struct command *c, const char *word)
{
    FUZZ_CHECK(c->n + 1 < COMMAND_WORDS);
    c->word[c->n++] = word;
    c->word[c->n] = NULL;
}

static void add_pair(struct command *c, const char *option, const char *value)
{
    add(c, option);
    add(c, value);
}

/* The row of a table that a byte selects; the first row is NULL, and is as likely as the others. */
#define ROW(table, byte) (table)[(byte) % (sizeof(table) / sizeof *(table))]

static void add_form(struct command *c, const uint8_t *head)
{
    static const char *const times[] = {NULL, "a", "ad", "d", "dd", "e", "u", "ud"};
    size_t n = 1;

    while (printers[n].name)
        n++;
    c->form = printers[(head[0] & COMMAND_FORM) % n].name;
    add_pair(c, "-T", c->form);
    if (ROW(times, head[TIME]))
        add_pair(c, "-t", ROW(times, head[TIME]));
}

/* Adds -e, and -E, which only -T fields takes. */
static void add_fields(struct command *c, const uint8_t *head)
{
    enum { MOST = 7 };
    static const char *const quotes[] = {NULL, "quote=d", "quote=s", "occurrence=f"};
    const bool fields = strcmp(c->form, "fields") == 0;
    const unsigned count = (head[TIME] >> 3 & MOST) + fields;
    size_t n;
    const struct field *const all = field_all(&n);
    const size_t first = (size_t)head[FIELD] * n / 256;

    if (!strstr("fields json jsonl ek", c->form))
        return;
    for (size_t i = 0; i < count; i++)
        add_pair(c, "-e", all[(first + i * head[STRIDE]) % n].name);
    if (fields && head[1] & COMMAND_HEADER)
        add_pair(c, "-E", "header=y");
    if (fields && ROW(quotes, head[TIME] >> 6))
        add_pair(c, "-E", ROW(quotes, head[TIME] >> 6));
}

static const char *const filters[] = {NULL,
                                      "infiniband",
                                      "infiniband.analysis",
                                      "infiniband.analysis.response_in",
                                      "infiniband.analysis.retransmission || infiniband.analysis.gap",
                                      "infiniband.bth.opcode == 4 && infiniband.bth.psn > 3",
                                      "infiniband.bth.destqp in {1, 17..42}",
                                      "!(ip.addr == 10.0.0.1) or ipv6.src == fe80::1",
                                      "frame.len > 60 and frame.number <= 5",
                                      "infiniband.mad",
                                      "infiniband.aeth.syndrome & 0x60",
                                      "infiniband.payload contains 01:02",
                                      "frame.time_delta > 0.001",
                                      "udp.port == 4791 && infiniband.invariant.crc"};

/* A statistic of -z. "All statistics" are those before the last two rows. The intervals are long, because times that
 * are far apart would give many lines. */
enum { ALL_STATISTICS = 18 };
static const char *const statistics[] = {NULL,
                                         "icrc",
                                         "opcode,tree",
                                         "io,stat,100000000",
                                         "io,stat,0",
                                         "conv,qp",
                                         "expert",
                                         "rc,analysis",
                                         "qp",
                                         "messages",
                                         "srt",
                                         "agreed",
                                         "cm",
                                         "mad",
                                         "perf",
                                         "fabric",
                                         "hosts",
                                         "tm",
                                         "io,stat,1000000,infiniband.aeth,SUM(bth.psn)",
                                         "expert,warn"};

static void add_statistics(struct command *c, const uint8_t *head)
{
    if (head[STATISTIC] < COMMAND_NO_STATISTIC)
        return;
    c->stats = head[1] & COMMAND_STATS || ROW(statistics, head[STATISTIC]);
    for (size_t i = 1; head[1] & COMMAND_STATS && i < ALL_STATISTICS; i++)
        add_pair(c, "-z", statistics[i]);
    if (!(head[1] & COMMAND_STATS) && ROW(statistics, head[STATISTIC]))
        add_pair(c, "-z", ROW(statistics, head[STATISTIC]));
}

static void add_other(struct command *c, const uint8_t *head)
{
    static const char *const rows[][2] = {{NULL, NULL},
                                          {"-c", "1"},
                                          {"-c", "3"},
                                          {"-o", "icrc:off"},
                                          {"-o", "analysis:off"},
                                          {"--mtu", "256"},
                                          {"--mtu", "4096"},
                                          {"--port", "1024"},
                                          {"--fail-on=note", NULL},
                                          {"--fail-on=error", NULL},
                                          {"-d", "infiniband.bth.service==RD,dc"},
                                          {"-d", "user0,infiniband"},
                                          {"-d", "user1,eth"},
                                          {"-d", "qp==18,mad"},
                                          {"-d", "qp==17,ipoib"},
                                          {"-d", "qp==17,tm"},
                                          {"-d", "infiniband.cm.serviceid==0x1000,srp"}};

    if (ROW(rows, head[OTHER])[0])
        add(c, ROW(rows, head[OTHER])[0]);
    if (ROW(rows, head[OTHER])[1])
        add(c, ROW(rows, head[OTHER])[1]);
}

static void add_switches(struct command *c, const uint8_t *head)
{
    static const struct {
        uint8_t byte, bit;
        const char *word;
    } rows[] = {{0, COMMAND_HEX, "-x"},    {0, COMMAND_HOLD, "-2"},  {0, COMMAND_QUIET, "-q"},
                {0, COMMAND_ANYWAY, "-P"}, {0, COMMAND_LINES, "-l"}, {1, COMMAND_COLOR, "--color=always"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (head[rows[i].byte] & rows[i].bit)
            add(c, rows[i].word);
}

void command_of(struct command *c, const uint8_t head[FUZZ_HEAD], const struct command_paths *at)
{
    *c = (struct command){.quiet = (head[0] & COMMAND_QUIET) != 0};
    add(c, "ibdissect");
    add(c, "--no-sandbox"); /* a sandbox would stay for all further inputs */
    add_form(c, head);
    add_fields(c, head);
    add_switches(c, head);
    add_statistics(c, head);
    add_other(c, head);
    if (ROW(filters, head[FILTER]))
        add_pair(c, "-Y", ROW(filters, head[FILTER]));
    if (at->write) {
        add_pair(c, "-w", at->write);
        c->quiet |= !(head[0] & COMMAND_ANYWAY);
    }
    if (at->page)
        add_pair(c, "--report", at->page);
    for (size_t i = 0; i < 2 && at->file[i]; i++)
        add(c, at->file[i]);
}
