/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of libibfabric-umad.so: what it asks, and what it makes of answers that are wrong. */
#include "umad/connection.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "umad_bed.h"

static const char *own_name(void)
{
    static char name[32];

    (void)snprintf(name, sizeof name, "script-%d", (int)getpid());
    cr_assert_eq(setenv("IBFABRIC_SIM", name, 1), 0);
    return name;
}

Test(umad_connection, answers, .timeout = 20)
{
    static const struct mad_node good = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}, .node_guid = 7, .ports = 3},
                                 magic = {.head = {MAD_MAGIC + 1, MAD_GET_NODE, 0}},
                                 kind = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}},
                                 error = {.head = {MAD_MAGIC, MAD_GET_NODE, ENODEV}};
    static const uint8_t longer[sizeof good + 8];
    static const struct {
        struct step step;
        int result;
    } rows[] = {
        {{&good, sizeof good, 0, false}, 0},
        {{&magic, sizeof magic, 0, false}, -EPROTO},
        {{&kind, sizeof kind, 0, false}, -EPROTO},
        {{&error, sizeof(struct mad_answer), 0, false}, -ENODEV},
        {{&error, sizeof(struct mad_head), 0, false}, -ENODEV},
        {{&good, sizeof(struct mad_head) - 1, 0, false}, -EIO},
        {{&good, sizeof(struct mad_answer), 0, false}, -EPROTO}, /* too short, and no error */
        {{longer, sizeof longer, 0, false}, -EPROTO},
        {{NULL, 0, 0, false}, -EIO}, /* the server ends */
    };
    const char *name = own_name();
    struct mad_node n;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct script s;
        play(&s, name, &rows[i].step, 1);
        n = (struct mad_node){0};
        cr_expect_eq(connection_ask_once(MAD_GET_NODE, 0, &n, sizeof n), rows[i].result, "row %zu", i);
        played(&s);
        cr_expect(rows[i].result || (n.node_guid == 7 && n.ports == 3));
    }
    cr_expect_eq(connection_ask_once(MAD_GET_NODE, 0, &n, sizeof n), -ECONNREFUSED, "no server");
}

Test(umad_connection, what_it_asks, .timeout = 20)
{
    static const struct mad_node good = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}};
    static const struct step step = {&good, sizeof good, 0, false};
    static const char *const nodes[] = {NULL, "Hca2",
                                        "0123456789012345678901234567890123456789012345678901234567890123456789"};
    const char *name = own_name();

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct script s;
        struct mad_node n;
        struct mad_place p, want = {.head = {MAD_MAGIC, MAD_GET_NODE, 0}, .port = (uint32_t)i + 3};
        cr_assert_eq(nodes[i] ? setenv("IBFABRIC_NODE", nodes[i], 1) : unsetenv("IBFABRIC_NODE"), 0);
        if (nodes[i])
            memcpy(want.node, nodes[i], strnlen(nodes[i], sizeof want.node));
        play(&s, name, &step, 1);
        cr_assert_eq(connection_ask_once(MAD_GET_NODE, want.port, &n, sizeof n), 0);
        played(&s);
        cr_assert_eq(s.n_asked, (ssize_t)sizeof p);
        memcpy(&p, s.asked, sizeof p);
        cr_expect_eq(memcmp(&p, &want, sizeof p), 0, "row %zu", i);
    }
}

/* The name of the socket, with the part after the colon, has 106 bytes at most. */
Test(umad_connection, names, .timeout = 20)
{
    char name[120];

    memset(name, 'n', sizeof name);
    for (size_t n = 100; n <= 103; n++) {
        name[n] = '\0';
        cr_assert_eq(setenv("IBFABRIC_SIM", name, 1), 0);
        cr_expect_eq(connection_open(), n <= 101 ? -ECONNREFUSED : -ENAMETOOLONG, "%zu", n);
        name[n] = 'n';
    }
}

/* A port is open when its descriptor has come. The second request names the port that the first answer has. */
Test(umad_connection, a_port, .timeout = 20)
{
    static const struct mad_port port = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}, .number = 5},
                                 none = {.head = {MAD_MAGIC, MAD_GET_PORT, EINVAL}};
    static const struct mad_answer open_it = {.head = {MAD_MAGIC, MAD_OPEN, 0}},
                                   full = {.head = {MAD_MAGIC, MAD_OPEN, EBUSY}};
    const struct step good[] = {{&port, sizeof port, 0, true}, {&open_it, sizeof open_it, STDERR_FILENO, false}},
                      bare[] = {{&port, sizeof port, 0, true}, {&open_it, sizeof open_it, 0, false}},
                      busy[] = {{&port, sizeof port, 0, true}, {&full, sizeof full, 0, false}},
                      wrong[] = {{&none, sizeof(struct mad_answer), 0, false}};
    const char *name = own_name();
    struct mad_place asked;
    struct script s;
    int fd;

    play(&s, name, good, 2);
    fd = umad_open_port(NULL, 2);
    played(&s);
    cr_assert_gt(fd, STDERR_FILENO);
    memcpy(&asked, s.asked, sizeof asked);
    cr_expect(asked.head.kind == MAD_OPEN && asked.head.magic == MAD_MAGIC && asked.port == 5);
    cr_expect_eq(umad_close_port(fd), 0);
    play(&s, name, bare, 2);
    cr_expect_eq(umad_open_port(NULL, 2), -EPROTO, "no descriptor came");
    played(&s);
    play(&s, name, busy, 2);
    cr_expect_eq(umad_open_port(NULL, 2), -EBUSY);
    played(&s);
    play(&s, name, wrong, 1);
    cr_expect_eq(umad_open_port(NULL, 2), -EINVAL);
    played(&s);
    cr_expect_eq(umad_open_port(NULL, 2), -ECONNREFUSED);
}

/* More P_Keys than the answer has room for. */
Test(umad_connection, too_many_keys, .timeout = 20)
{
    static const struct mad_port most = {.head = {MAD_MAGIC, MAD_GET_PORT, 0},
                                         .number = 1,
                                         .pkeys = MAD_PKEYS,
                                         .pkey[MAD_PKEYS - 1] = 9},
                                 more = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}, .number = 1, .pkeys = MAD_PKEYS + 1};
    const struct step steps[] = {{&most, sizeof most, 0, false}, {&more, sizeof more, 0, false}};
    struct script s;
    umad_port_t p;

    play(&s, own_name(), steps, 2);
    cr_assert_eq(umad_get_port(NULL, 1, &p), 0);
    cr_expect(p.pkeys_size == MAD_PKEYS && p.pkeys[MAD_PKEYS - 1] == 9);
    cr_expect_eq(umad_release_port(&p), 0);
    cr_expect_eq(umad_get_port(NULL, 1, &p), -EPROTO);
    played(&s);
}
