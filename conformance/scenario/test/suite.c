/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of scenarios, and patterns that select among them. */
#include "load.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHOLE HEAD "wait 1s\n"

static void put(const char *dir, const char *name, const char *text)
{
    char path[600];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static char *folder(char *dir)
{
    char sub[600];

    cr_assert_not_null(mkdtemp(dir));
    snprintf(sub, sizeof sub, "%s/rc", dir);
    mkdir(sub, 0777);
    put(sub, "b-2.ibt", WHOLE);
    put(sub, "a.ibt", WHOLE);
    put(dir, "z.ibt", WHOLE);
    put(dir, "README.md", "for readers");
    put(dir, ".hidden", "");
    return dir;
}

static void gone(const char *dir)
{
    char command[700];

    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_assert_eq(system(command), 0);
}

Test(suite, ids_are_paths_and_sorted)
{
    char dir[] = "suite-XXXXXX", err[500] = "";
    struct ibc_suite u;

    cr_assert(ibc_suite_load(&u, folder(dir), err, sizeof err), "%s", err);
    cr_assert_eq(u.n, 3);
    cr_expect_str_eq(u.s[0]->id, "rc.a");
    cr_expect_str_eq(u.s[1]->id, "rc.b-2");
    cr_expect_str_eq(u.s[2]->id, "z");
    ibc_suite_free(&u);
    gone(dir);
}

static void refused(const char *name, const char *text, const char *what)
{
    char dir[] = "suite-XXXXXX", err[500] = "";
    struct ibc_suite u;

    put(folder(dir), name, text);
    cr_expect_not(ibc_suite_load(&u, dir, err, sizeof err));
    cr_expect(strstr(err, what) != NULL, "%s", err);
    cr_expect(u.n == 0 && u.s == NULL);
    gone(dir);
}

Test(suite, one_bad_file_spoils_it)
{
    refused("bad.ibt", "tilte\n", "/bad.ibt:1:1: unknown step 'tilte'; did you mean 'title'?");
    refused("x.txt", WHOLE, "/x.txt: a scenario's name ends in .ibt");
    refused("x.ibt.bak", WHOLE, "/x.ibt.bak: a name has");
    refused("B.ibt", WHOLE, "/B.ibt: a name has");
    refused("a.b.ibt", WHOLE, "/a.b.ibt: a name has");
}

/* One load of the suite reports every faulty file, and in each file every step that is wrong by itself. */
Test(suite, all_faults_are_told)
{
    char dir[] = "suite-XXXXXX", err[4000] = "";
    struct ibc_suite u;

    put(folder(dir), "a.ibt", "tilte\n");
    put(dir, "b.ibt", WHOLE);
    put(dir, "c.ibt",
        "title t\nspec RR-03\nrole responder\nservice rc\nqp a\n> a SEND_ONYL psn=+0\n< a ACKNOWLEDGE "
        "psm=+0\n> a SEND_ONLY psn=+0\n a sate rts\n");
    put(dir, "D.ibt", WHOLE);
    cr_expect_not(ibc_suite_load(&u, dir, err, sizeof err));
    for (size_t i = 0; i < 5; i++) {
        static const char *const told[] = {
            "/a.ibt:1:1: ", "/c.ibt:6:5: ", "/c.ibt:7:17: ", "/c.ibt:9:4: ", "/D.ibt: a name has"};
        cr_expect(strstr(err, told[i]), "%s is not reported:\n%s", told[i], err);
    }
    cr_expect_null(strstr(err, "/b.ibt"));
    cr_expect_null(strstr(err, "/c.ibt:8"));
    gone(dir);
}

/* Loads a suite whose only scenario lies `deep` folders down, and whose file name has `len` letters and ".ibt". */
static bool loads(unsigned deep, size_t len, char err[500])
{
    char dir[] = "suite-XXXXXX", at[600], name[300] = "";
    struct ibc_suite u;

    cr_assert_not_null(mkdtemp(dir));
    strcpy(at, dir);
    for (unsigned i = 0; i < deep; i++) {
        strcat(at, "/d");
        cr_assert_eq(mkdir(at, 0777), 0);
    }
    memset(name, 'n', len);
    strcpy(name + len, ".ibt");
    put(at, name, WHOLE);
    err[0] = '\0';
    const bool good = ibc_suite_load(&u, dir, err, 500);
    cr_expect_eq(u.n, good ? 1 : 0);
    cr_expect(!good || strlen(u.s[0]->id) == 2 * deep + len, "%s", u.s ? u.s[0]->id : "");
    ibc_suite_free(&u);
    gone(dir);
    return good;
}

Test(suite, names_and_folders_have_limits)
{
    char err[2000], path[1100];
    struct ibc_suite u;

    cr_expect(loads(8, 1, err), "%s", err);
    cr_expect_not(loads(9, 1, err));
    cr_expect(strstr(err, ": more than 8 folders deep"), "%s", err);
    cr_expect(loads(0, 154, err), "%s", err);
    cr_expect_not(loads(0, 155, err));
    cr_expect(strstr(err, ": the name 'nnnnnnnnnnnn") && strstr(err, "' is too long"), "%s", err);
    cr_expect(loads(2, 149, err), "%s", err);
    cr_expect(loads(2, 151, err), "%s", err);
    cr_expect_not(loads(2, 152, err));
    memset(path, 'p', sizeof path);
    path[1024] = '\0';
    cr_expect_not(ibc_suite_load(&u, path, err, sizeof err));
    cr_expect(strstr(err, ": the name is too long"), "%s", err);
    path[1023] = '\0';
    cr_expect_not(ibc_suite_load(&u, path, err, sizeof err));
    cr_expect_null(strstr(err, ": the name is too long"));
}

/* When the buffer of the messages is full, the last message is cut, and later ones are left out: its text is the
 * beginning of that in a large buffer. */
Test(suite, faults_fill_what_room_there_is)
{
    char dir[] = "suite-XXXXXX", all[500] = "", err[500];
    struct ibc_suite u;

    put(folder(dir), "a.ibt", "tilte\n");
    put(dir, "b.ibt", "tilte\n");
    put(dir, "c.ibt", "tilte\n");
    cr_expect_not(ibc_suite_load(&u, dir, all, sizeof all));
    for (size_t room = 20; room < strlen(all) + 4; room++) {
        memset(err, '#', sizeof err);
        cr_expect_not(ibc_suite_load(&u, dir, err, room));
        const size_t n = strnlen(err, room);
        cr_assert_lt(n, room, "%zu", room);
        cr_expect_eq(err[room], '#', "%zu", room);
        cr_assert_neq(err[n - 1], '\n', "%zu", room);
        cr_assert_geq(n + 2, room < strlen(all) ? room : strlen(all), "%zu: %s", room, err);
        cr_assert(strncmp(err, all, n) == 0, "%zu: %s", room, err);
    }
    gone(dir);
}

Test(suite, no_such_folder)
{
    char err[500] = "";
    struct ibc_suite u;

    cr_expect_not(ibc_suite_load(&u, "no-such-folder", err, sizeof err));
    cr_expect_str_eq(err, "no-such-folder: cannot be opened: No such file or directory");
}

Test(suite, the_tree_s_own_scenarios_load)
{
    char err[500] = "";
    struct ibc_suite u;

    cr_assert(ibc_suite_load(&u, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    cr_expect_gt(u.n, 0);
    for (size_t i = 0; i < u.n; i++)
        cr_expect_gt(u.s[i]->n_spec, 0, "%s cites no statement", u.s[i]->id);
    ibc_suite_free(&u);
}

Test(suite, patterns)
{
    char err[500];
    struct ibc_scenario *s = ibc_load_text(WHOLE, strlen(WHOLE), "x.ibt", "rc.responder.psn-gap", err, sizeof err);
    static const struct {
        const char *pattern;
        bool matches;
    } is[] = {{"rc.responder.psn-gap", true},
              {"rc.responder", true},
              {"rc", true},
              {"rc.resp", false},
              {"rc.*", true},
              {"*", true},
              {"*gap", true},
              {"*ga", false},
              {"rc.*.psn-???", true},
              {"r*r*p*", true},
              {"RR-03", true},
              {"RR-04", false},
              {"RR-*", true},
              {"", false},
              {"responder", false},
              {"rc.responder.", false},
              {"?c.responder", false}};

    cr_assert_not_null(s, "%s", err);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        cr_expect_eq(ibc_id_matches(s, is[i].pattern), is[i].matches, "%s", is[i].pattern);
    ibc_free(s);
}

/* The path of a file has up to 1023 bytes. */
Test(suite, long_paths)
{
    enum { LONGEST = 1023 };
    char dir[] = "suite-XXXXXX", path[LONGEST + 8], err[2 * LONGEST] = "", want[2 * LONGEST];
    struct ibc_suite u;

    cr_assert_not_null(mkdtemp(dir));
    put(dir, "a.ibt", WHOLE);
    for (size_t n = LONGEST - 6; n < LONGEST - 4; n++) { /* "/a.ibt" follows */
        const size_t before = n - strlen(dir);
        memset(path, '/', sizeof path); /* a dot and many slashes */
        path[0] = '.';
        memcpy(path + before, dir, sizeof dir);
        const bool loads = ibc_suite_load(&u, path, err, sizeof err);
        snprintf(want, sizeof want, "%s: the name 'a.ibt' is too long", path);
        cr_expect_eq(loads, n == LONGEST - 6, "%zu: %s", n, err);
        if (loads)
            ibc_suite_free(&u);
        else
            cr_expect_str_eq(err, want, "%s", err);
    }
    gone(dir);
}
