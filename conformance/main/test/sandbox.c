/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that ibconform keeps when it confines itself: those of its options and no others. The confinement is the
 * test's own, which writes down what it is asked. */
#include "main/sandbox.h"
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "parts.h"
#include "system/confine.h"
#include "system/privileges.h"
#include "targets/live_host.h"

static char asked[4096];

static void __attribute__((format(printf, 1, 2))) note(const char *format, ...)
{
    const size_t used = strlen(asked);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(asked + used, sizeof asked - used, format, args);
    va_end(args);
}

void __wrap_confine_begin(struct confine *c);
void __wrap_confine_begin(struct confine *c)
{
    c->rules = 77;
    note("begin\n");
}

static void note_place(const struct confine *c, const char *what, const char *path, unsigned may)
{
    cr_expect_eq(c->rules, 77);
    note("%s %s%s%s%s\n", what, path, may & CONFINE_READ ? " read" : "", may & CONFINE_WRITE ? " write" : "",
         may & CONFINE_RENAME ? " rename" : "");
}

void __wrap_confine_allow(struct confine *c, const char *path, unsigned may);
void __wrap_confine_allow(struct confine *c, const char *path, unsigned may)
{
    note_place(c, "path", path, may);
}

void __wrap_confine_allow_folder_of(struct confine *c, const char *path, unsigned may);
void __wrap_confine_allow_folder_of(struct confine *c, const char *path, unsigned may)
{
    note_place(c, "folder of", path, may);
}

unsigned __wrap_confine_end(struct confine *c, unsigned uses);
unsigned __wrap_confine_end(struct confine *c, unsigned uses)
{
    cr_expect_eq(c->rules, 77);
    note("end %x\n", uses);
    return 0;
}

void __wrap_privileges_leave(enum privileges_keep keep, const char *folder);
void __wrap_privileges_leave(enum privileges_keep keep, const char *folder)
{
    note("leave %d %s\n", (int)keep, folder ? folder : "");
}

bool __wrap_live_host_open(void);
bool __wrap_live_host_open(void)
{
    note("host\n");
    return true;
}

static const char *text_of(const struct options *o, const struct live_dut *live, const struct ibc_suite *suite)
{
    const struct dut d = {.spec = "live", .live = live};

    asked[0] = '\0';
    parts_listen();
    sandbox_enter(&d, o, suite);
    parts_hear();
    return asked;
}

#define END "path /sys/class read\npath /sys/devices read\nend 16\n"
_Static_assert((CONFINE_TALK | CONFINE_FILES | CONFINE_CHILDREN) == 0x16, "the uses of END");

Test(sandbox, places_of_a_run)
{
    static struct live_lane lane[2];
    static struct ibc_wire own[3] = {{.spec = "unix:b,a", .own = "a"},
                                     {.spec = "dgram:h:1,i:2", .own = "x"},
                                     {.spec = "unix:d,folder/c", .own = "folder/c"}};
    const struct live_dut live = {.lane = lane, .n = 2};
    struct ibc_scenario s[] = {{.path = (char[]){"one.ibt"}}, {.path = (char[]){"two.ibt"}}};
    struct ibc_scenario *all[] = {&s[0], &s[1]};
    const struct ibc_suite suite = {all, 2};
    struct options o = {.junit = "-"};

    cr_expect_str_eq(text_of(&o, &live, NULL), "host\nbegin\n" END);
    lane[0].live.wire[0] = &own[0];
    lane[0].live.wire[1] = &own[1];
    lane[1].live.wire[0] = &own[2];
    o = (struct options){.junit = "r.xml", .json_file = "r.json", .html = "r.html", .evidence = "seen", .waivers = "w"};
    cr_expect_str_eq(text_of(&o, &live, &suite),
                     "host\nbegin\npath w read\npath one.ibt read\npath two.ibt read\n"
                     "path r.xml read write\nfolder of r.xml read write\n"
                     "path r.json read write\nfolder of r.json read write\n"
                     "path r.html read write\nfolder of r.html read write\n"
                     "path seen read write\nfolder of a rename\nfolder of folder/c rename\n" END);
    cr_expect_str_eq(parts_said, "");
    o.no_sandbox = true;
    cr_expect_str_eq(text_of(&o, &live, &suite), "");
    cr_expect_str_eq(parts_said,
                     "ibconform: --no-sandbox: the device's answers are read with all rights of this user\n");
    cr_expect_str_eq(text_of(&o, NULL, &suite), "", "the reference says nothing that others made");
    cr_expect_str_eq(parts_said, "");
}

Test(sandbox, places_of_a_check)
{
    asked[0] = '\0';
    sandbox_enter_check();
    cr_expect_eq(strncmp(asked, "leave 0 \nbegin\nend 0\n", sizeof asked), 0, "%s", asked);
    cr_expect_eq(PRIVILEGES_KEEP_NONE, 0);
    asked[0] = '\0';
    parts_listen();
    sandbox_without_check();
    parts_hear();
    cr_expect_str_eq(parts_said, "ibconform: --no-sandbox: packets are parsed with all rights of this user\n");
    cr_expect_str_eq(asked, "");
}
