/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of libibumad that open ports, register agents, send and receive. An open port is the descriptor from
 * which datagrams are read, as it is in libibumad. */
#include <assert.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "connection.h"

static_assert(sizeof(struct ib_user_mad) == sizeof(struct mad_envelope), "the envelope is Linux's");
static_assert(offsetof(struct ib_user_mad, addr.gid) == offsetof(struct mad_envelope, gid), "the envelope is Linux's");
static_assert(offsetof(struct ib_user_mad, addr.pkey_index) == offsetof(struct mad_envelope, pkey_index),
              "the envelope is Linux's");

enum { PATHS = 16 };

static struct port {
    int fd, control; /* 0: not used */
    uint32_t number;
} ports[UMAD_MAX_PORTS];
/* A path for the program to open while it is a subnet manager (umad_get_issm_path): the reading end of a pipe. */
static struct path {
    int writing;     /* it has an error while nobody has the reading end open; 0: not used */
    uint32_t number; /* of the port */
    bool told;       /* the server knows that the program is a subnet manager */
} paths[PATHS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the lock. A program may cancel its thread, as OpenSM does when it ends: not while the thread holds the lock,
 * which all other threads would wait for. Returns the state to give to leave(). */
static int enter(void)
{
    int was;

    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
    (void)pthread_mutex_lock(&lock);
    return was;
}

static void leave(int was)
{
    (void)pthread_mutex_unlock(&lock);
    (void)pthread_setcancelstate(was, &was);
}

/* ---- the layout of a datagram, which has a P_Key index ---- */

size_t umad_size(void)
{
    return sizeof(struct ib_user_mad);
}

void *umad_get_mad(void *umad)
{
    return ((struct ib_user_mad *)umad)->data;
}

int umad_set_pkey(void *umad, int pkey_index)
{
    ((struct ib_user_mad *)umad)->addr.pkey_index = (uint16_t)pkey_index;
    return 0;
}

int umad_get_pkey(void *umad)
{
    return ((struct ib_user_mad *)umad)->addr.pkey_index;
}

/* ---- ports ---- */

/* The caller holds the lock. */
static struct port *find(int fd)
{
    for (unsigned i = 0; i < UMAD_MAX_PORTS; i++)
        if (fd > 0 && ports[i].fd == fd)
            return &ports[i];
    return NULL;
}

static int ask(const struct port *p, void *request, size_t len, void *more, size_t n_more, uint32_t *value)
{
    struct mad_answer a;
    const int error = connection_ask(p->control, request, len, more, n_more, &a, sizeof a, NULL);

    if (!error && value)
        *value = a.value;
    return error;
}

static int ask_setting(const struct port *p, uint16_t kind, uint32_t value)
{
    struct mad_setting m = {.head = {MAD_MAGIC, kind, 0}, .value = value};

    return ask(p, &m, sizeof m, NULL, 0, NULL);
}

static int open_port(struct port *p, uint32_t number)
{
    struct mad_place m = {.head = {MAD_MAGIC, MAD_GET_PORT, 0}};
    struct mad_port known;
    struct mad_answer a;
    int fd = -1, control = connection_open(), error;

    if (control < 0)
        return control;
    connection_place(&m, number);
    error = connection_ask(control, &m, sizeof m, NULL, 0, &known, sizeof known, NULL);
    if (!error) {
        m.head.kind = MAD_OPEN;
        m.port = known.number;
        error = connection_ask(control, &m, sizeof m, NULL, 0, &a, sizeof a, &fd);
    }
    if (!error && fd > 0) {
        *p = (struct port){fd, control, known.number};
        return fd;
    }
    (void)close(control);
    return error ? error : -EPROTO;
}

int umad_open_port(const char *ca_name, int portnum)
{
    int fd = -EMFILE, was;

    if (portnum < 0 || (ca_name && strcmp(ca_name, MAD_CA_NAME) != 0))
        return -EINVAL;
    was = enter();
    for (unsigned i = 0; i < UMAD_MAX_PORTS; i++)
        if (ports[i].fd == 0) {
            fd = open_port(&ports[i], (uint32_t)portnum);
            break;
        }
    leave(was);
    return fd;
}

int umad_close_port(int portid)
{
    struct port *p;
    int was;

    was = enter();
    p = find(portid);
    if (p) {
        (void)close(p->control);
        (void)close(p->fd);
        *p = (struct port){0};
    }
    leave(was);
    return p ? 0 : -EINVAL;
}

int umad_get_fd(int portid)
{
    return portid;
}

/* ---- IsSM ---- */

/* A program says that it is a subnet manager by opening a path, and that it is none by closing it. For that a program
 * calls no function of this library. So the path is that of a pipe, whose other end shows whether it is open. */
int umad_get_issm_path(const char *ca_name, int portnum, char path[], int max)
{
    struct mad_port p;
    int end[2], error, was;
    unsigned i = 0;

    if (portnum < 0 || max < 1 || (ca_name && strcmp(ca_name, MAD_CA_NAME) != 0))
        return -EINVAL;
    error = connection_ask_once(MAD_GET_PORT, (uint32_t)portnum, &p, sizeof p);
    if (error)
        return error;
    was = enter();
    while (i < PATHS && paths[i].writing && paths[i].number != p.number)
        i++;
    if (i == PATHS) {
        error = -EMFILE;
    } else if (!paths[i].writing) {
        error = pipe(end) < 0 ? -errno : 0;
        if (!error) {
            (void)close(end[0]);
            paths[i] = (struct path){.writing = end[1], .number = p.number};
        }
    }
    if (!error)
        (void)snprintf(path, (size_t)max, "/proc/self/fd/%d", paths[i].writing);
    leave(was);
    return error;
}

static bool is_open(const struct path *a)
{
    struct pollfd p = {.fd = a->writing};

    return poll(&p, 1, 0) == 0 || !(p.revents & POLLERR);
}

/* Tells the server when the program has become a subnet manager, or is none any more. The caller holds the lock. */
static void check_issm(struct port *p)
{
    for (unsigned i = 0; i < PATHS; i++) {
        struct path *a = &paths[i];
        if (!a->writing || a->number != p->number || is_open(a) == a->told)
            continue;
        if (ask_setting(p, MAD_SET_ISSM, !a->told) == 0)
            a->told = !a->told;
    }
}

/* ---- agents ---- */

static int ask_registration(int portid, struct mad_registration *m, const void *methods, uint32_t *agent)
{
    int error = -EINVAL, was;
    struct port *p;

    m->head = (struct mad_head){MAD_MAGIC, MAD_REGISTER, 0};
    if (methods)
        memcpy(m->methods, methods, sizeof m->methods);
    was = enter();
    p = find(portid);
    if (p) {
        check_issm(p);
        error = ask(p, m, sizeof *m, NULL, 0, agent);
    }
    leave(was);
    return error;
}

int umad_register(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
                  long method_mask[16 / sizeof(long)])
{
    struct mad_registration m = {
        .class = (uint8_t)mgmt_class, .version = (uint8_t)mgmt_version, .rmpp_version = rmpp_version};
    uint32_t agent;

    return ask_registration(portid, &m, method_mask, &agent) == 0 ? (int)agent : -EPERM;
}

int umad_register_oui(int portid, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3],
                      long method_mask[16 / sizeof(long)])
{
    enum { FIRST = 0x30, LAST = 0x4f };
    struct mad_registration m = {.class = (uint8_t)mgmt_class,
                                 .version = 1,
                                 .rmpp_version = rmpp_version,
                                 .has_oui = 1,
                                 .oui = {oui[0], oui[1], oui[2]}};
    uint32_t agent;

    if (mgmt_class < FIRST || mgmt_class > LAST)
        return -EINVAL;
    return ask_registration(portid, &m, method_mask, &agent) == 0 ? (int)agent : -EPERM;
}

int umad_register2(int port_fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
    struct mad_registration m = {.class = attr->mgmt_class,
                                 .version = attr->mgmt_class_version,
                                 .rmpp_version = attr->rmpp_version,
                                 .flags = attr->flags & UMAD_USER_RMPP ? MAD_USER_RMPP : 0,
                                 .has_oui = attr->oui != 0,
                                 .oui = {(uint8_t)(attr->oui >> 16), (uint8_t)(attr->oui >> 8), (uint8_t)attr->oui}};

    if (attr->flags & ~(uint32_t)UMAD_USER_RMPP)
        return EINVAL;
    return -ask_registration(port_fd, &m, attr->method_mask, agent_id);
}

int umad_unregister(int portid, int agentid)
{
    int error = -EINVAL, was;
    struct port *p;

    was = enter();
    p = find(portid);
    if (p && agentid >= 0)
        error = ask_setting(p, MAD_UNREGISTER, (uint32_t)agentid);
    leave(was);
    return error;
}

/* ---- datagrams ---- */

int umad_send(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
    struct ib_user_mad *u = umad;
    struct mad_sent m = {.head = {MAD_MAGIC, MAD_SEND, 0}};
    int error = EINVAL, was;
    struct port *p;

    u->timeout_ms = (uint32_t)timeout_ms;
    u->retries = (uint32_t)retries;
    u->agent_id = (uint32_t)agentid;
    memcpy(&m.envelope, u, sizeof m.envelope);
    was = enter();
    p = find(portid);
    if (p && length >= MAD_HEADER && length <= MAD_LONGEST) {
        check_issm(p);
        error = -ask(p, &m, sizeof m, u->data, (size_t)length, NULL);
    }
    leave(was);
    if (!error)
        return 0;
    errno = error;
    return -EIO;
}

/* Waits for a datagram. A program that ceases to be a subnet manager in the meantime is noticed, too. */
static int wait_for(int portid, int timeout_ms)
{
    struct pollfd fds[1 + PATHS] = {{.fd = portid, .events = POLLIN}};
    nfds_t n = 1;
    struct port *p;
    int came, was;

    was = enter();
    p = find(portid);
    if (p)
        check_issm(p);
    for (unsigned i = 0; p && i < PATHS; i++)
        if (paths[i].told && paths[i].number == p->number)
            fds[n++] = (struct pollfd){.fd = paths[i].writing};
    leave(was);
    if (!p)
        return -EINVAL;
    came = poll(fds, n, timeout_ms);
    if (came > 0 && !fds[0].revents) {
        was = enter();
        p = find(portid);
        if (p)
            check_issm(p);
        leave(was);
        came = poll(fds, 1, timeout_ms);
    }
    if (came == 0)
        return -ETIMEDOUT;
    return came < 0 ? -EIO : 0;
}

int umad_poll(int portid, int timeout_ms)
{
    return wait_for(portid, timeout_ms);
}

/* Returns the number of bytes of the datagram; if it does not fit, it stays, and umad has the beginning of it. */
static ssize_t take(int portid, struct ib_user_mad *umad, size_t room)
{
    struct iovec part = {umad, room};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    int was;
    ssize_t n;

    was = enter();
    n = recvmsg(portid, &m, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);
    if (n >= 0 && (size_t)n <= room)
        n = recv(portid, umad, room, MSG_DONTWAIT);
    else if (n < 0)
        n = -errno;
    leave(was);
    return n;
}

int umad_recv(int portid, void *umad, int *length, int timeout_ms)
{
    struct ib_user_mad *u = umad;
    size_t room;
    ssize_t n;

    errno = 0;
    if (!umad || !length || *length < 0) {
        errno = EINVAL;
        return -EINVAL;
    }
    if (timeout_ms) {
        const int error = wait_for(portid, timeout_ms);
        if (error) {
            errno = errno ? errno : -error;
            return error;
        }
    }
    room = sizeof *u + (size_t)*length;
    n = take(portid, u, room);
    if (n >= (ssize_t)(sizeof *u + MAD_HEADER)) {
        *length = (int)((size_t)n - sizeof *u);
        if ((size_t)n <= room)
            return (int)u->agent_id;
        errno = ENOSPC;
        return -ENOSPC;
    }
    errno = n < 0 ? (int)-n : EIO;
    return n < 0 ? (int)n : -EIO;
}
