/* SPDX-License-Identifier: BSD-2-Clause */
/* Accepts clients by sockets, if the agent is not used through its standard input. */
#ifndef IBC_AGENT_LISTEN_H
#define IBC_AGENT_LISTEN_H
#include "server.h"

struct ag_listener {
    int fd;
    bool tcp;       /* each client must have the token */
    char name[160]; /* "tcp:127.0.0.1:4711", with the port that was assigned; "unix:PATH" */
};

/* Opens a listener: "unix:PATH", for this user only; "tcp:PORT", for this machine only; "tcp:HOST:PORT" or
 * "tcp:[::1]:PORT". Port 0 means any free port. False: it failed, and err has one line. */
bool ag_listen(struct ag_listener *l, const char *spec, char *err, size_t errlen);
void ag_listen_end(struct ag_listener *l);
/* Serves one client after the other, until the program must end. */
void ag_serve_listener(struct ag_server *s, struct ag_listener *l);

/* Makes a token of 32 hex digits that nobody can guess. False: the machine has no random numbers. */
bool ag_random_token(char token[AG_TEXT]);
/* Reads a token: the file's only line, of AG_TOKEN_LEAST characters or more. False: it failed, and err has one
 * line. */
bool ag_read_token(char token[AG_TEXT], const char *path, char *err, size_t errlen);
#endif
