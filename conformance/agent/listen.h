/* SPDX-License-Identifier: BSD-2-Clause */
/* Accepts clients, when they do not use the standard input. */
#ifndef IBC_AGENT_LISTEN_H
#define IBC_AGENT_LISTEN_H
#include "server.h"

struct ag_listener {
    int fd;
    bool tcp;       /* each client must have the token */
    char name[160]; /* "tcp:127.0.0.1:4711": with the port it got; "unix:PATH" */
};

/* "unix:PATH": for this user only; "tcp:PORT", of this machine only, "tcp:HOST:PORT", "tcp:[::1]:PORT"; port 0: any
 * that is free. False with one line in err. */
bool ag_listen(struct ag_listener *l, const char *spec, char *err, size_t errlen);
void ag_listen_end(struct ag_listener *l);
/* Serves one client after the other, until the program must end. */
void ag_serve_listener(struct ag_server *s, struct ag_listener *l);

/* 32 hex digits that nobody can guess. False: the machine has none. */
bool ag_random_token(char token[AG_TEXT]);
/* The file's only line, AG_TOKEN_LEAST characters or more. False with one line in err. */
bool ag_read_token(char token[AG_TEXT], const char *path, char *err, size_t errlen);
#endif
