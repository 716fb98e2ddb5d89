/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_print.h"
#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "output/finding_text.h"
#include "wire/iba_endpoints.h"

enum { ADDR_BYTES = 64, QP_BYTES = 16 };

static const char *addr(char *buf, const struct iba_flow_key *k, const uint8_t *a)
{
    if (k->kind == IBA_ADDR_LID)
        snprintf(buf, ADDR_BYTES, "LID %u", a[0] << 8 | a[1]);
    else
        inet_ntop(k->kind == IBA_ADDR_IPV4 ? AF_INET : AF_INET6, a, buf, ADDR_BYTES);
    return buf;
}

/* The QP a flow comes from; false when nothing told. */
static bool source_qp(const struct ibc_check_print *p, const struct iba_flow *f, uint32_t *qp)
{
    const struct iba_flow *peer = iba_observer_peer(p->observer, f);

    if (f->has_qkey)
        *qp = f->src_qp;
    else if (peer)
        *qp = peer->key.qpn;
    else
        return false;
    return true;
}

/* "0x00002c", "0x00002c?" for a guess, "?" for what is not known. */
static const char *source_text(char *buf, const struct ibc_check_print *p, const struct iba_flow *f)
{
    uint32_t qp = 0;

    if (source_qp(p, f, &qp))
        snprintf(buf, QP_BYTES, "0x%06" PRIx32 "%s", qp, f->guess ? "?" : "");
    else
        snprintf(buf, QP_BYTES, "?");
    return buf;
}

static void print_text(struct ibc_check_print *p, const struct iba_finding *f)
{
    const struct iba_finding_info *info = &iba_findings[f->kind];
    char src[ADDR_BYTES], dst[ADDR_BYTES], qp[QP_BYTES], text[FINDING_TEXT_BYTES];

    finding_text(text, sizeof text, f, f->cause_tag != f->tag ? p->file[f->cause_tag] : NULL);
    fprintf(p->out, "%s: frame %" PRIu64 ": ", p->file[f->tag], f->frame);
    if (f->flow)
        fprintf(p->out, "%s QP %s -> %s QP 0x%06" PRIx32 ": ", addr(src, &f->flow->key, f->flow->key.src),
                source_text(qp, p, f->flow), addr(dst, &f->flow->key, f->flow->key.dst), f->flow->key.qpn);
    fprintf(p->out, "%s: %s: %s [%s]\n", iba_severity_name(info->severity), info->field, text, info->clause);
}

static void print_object(FILE *to, cJSON *o)
{
    char *text = cJSON_PrintUnformatted(o);

    fprintf(to, "%s\n", text ? text : "{}");
    free(text);
    cJSON_Delete(o);
}

static void add_flow(cJSON *o, const struct ibc_check_print *p, const struct iba_flow *f)
{
    char text[ADDR_BYTES];
    uint32_t qp = 0;

    cJSON_AddStringToObject(o, "service", iba_svc_name((enum iba_svc)f->svc));
    cJSON_AddStringToObject(o, "src", addr(text, &f->key, f->key.src));
    if (source_qp(p, f, &qp))
        cJSON_AddNumberToObject(o, "src_qp", qp);
    else
        cJSON_AddNullToObject(o, "src_qp");
    cJSON_AddStringToObject(o, "dst", addr(text, &f->key, f->key.dst));
    cJSON_AddNumberToObject(o, "dst_qp", f->key.qpn);
    cJSON_AddBoolToObject(o, "guess", f->guess);
}

static void print_json(struct ibc_check_print *p, const struct iba_finding *f)
{
    const struct iba_finding_info *info = &iba_findings[f->kind];
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "type", "finding");
    cJSON_AddStringToObject(o, "file", p->file[f->tag]);
    cJSON_AddNumberToObject(o, "frame", (double)f->frame);
    cJSON_AddNumberToObject(o, "time", (double)(f->at - p->start) / 1e9);
    cJSON_AddStringToObject(o, "analysis", info->field);
    cJSON_AddStringToObject(o, "kind", info->name);
    cJSON_AddStringToObject(o, "severity", iba_severity_name(info->severity));
    cJSON_AddStringToObject(o, "sentence", info->sentence);
    cJSON_AddStringToObject(o, "clause", info->clause);
    cJSON_AddNumberToObject(o, "psn", f->psn.v);
    if (f->flow)
        add_flow(o, p, f->flow);
    if (f->cause) {
        cJSON_AddNumberToObject(o, "cause_frame", (double)f->cause);
        cJSON_AddStringToObject(o, "cause_file", p->file[f->cause_tag]);
    }
    cJSON_AddNumberToObject(o, "count", f->count);
    cJSON_AddNumberToObject(o, "wait_ns", (double)f->wait_ns);
    print_object(p->out, o);
}

void ibc_check_finding(struct ibc_check_print *p, const struct iba_finding *f)
{
    p->severity[iba_findings[f->kind].severity]++;
    (p->json ? print_json : print_text)(p, f);
}

static bool has_findings(const struct iba_flow *f)
{
    for (unsigned i = 0; f && i < IBA_FINDING_COUNT; i++)
        if (f->found[i])
            return true;
    return false;
}

static void direction_text(const struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    char src[ADDR_BYTES], dst[ADDR_BYTES], qp[QP_BYTES];

    fprintf(to, "%s %s QP %s -> %s QP 0x%06" PRIx32 ": %" PRIu64 " packets", iba_svc_name((enum iba_svc)f->svc),
            addr(src, &f->key, f->key.src), source_text(qp, p, f), addr(dst, &f->key, f->key.dst), f->key.qpn,
            f->packets);
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (f->found[i])
            fprintf(to, ", %" PRIu32 " %s", f->found[i], iba_findings[i].name);
    if (f->fatal.frame)
        fprintf(to, "; ended by frame %" PRIu64, f->fatal.frame);
    fputc('\n', to);
}

static void direction_json(const struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    cJSON *o = cJSON_CreateObject(), *found;

    cJSON_AddStringToObject(o, "type", "connection");
    add_flow(o, p, f);
    cJSON_AddNumberToObject(o, "packets", (double)f->packets);
    cJSON_AddNumberToObject(o, "bytes", (double)f->bytes);
    cJSON_AddNumberToObject(o, "requests", (double)f->requests);
    cJSON_AddNumberToObject(o, "responses", (double)f->responses);
    cJSON_AddNumberToObject(o, "pmtu", f->pmtu);
    if (f->fatal.frame)
        cJSON_AddNumberToObject(o, "fatal_frame", (double)f->fatal.frame);
    found = cJSON_AddObjectToObject(o, "found");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (f->found[i])
            cJSON_AddNumberToObject(found, iba_findings[i].name, f->found[i]);
    print_object(to, o);
}

void ibc_check_connection(struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    const struct iba_flow *peer = iba_observer_peer(p->observer, f);
    const bool second = peer && (peer->first.at < f->first.at || (peer->first.at == f->first.at && peer < f));

    if (second)
        return;
    p->connections++;
    if (!p->verbose && !has_findings(f) && !has_findings(peer))
        return;
    (p->json ? direction_json : direction_text)(p, to, f);
    if (peer)
        (p->json ? direction_json : direction_text)(p, to, peer);
}

void ibc_check_totals(struct ibc_check_print *p)
{
    if (!p->json) {
        fprintf(p->out,
                "%" PRIu64 " packets of %" PRIu64 " connections: %" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64
                " notes\n",
                p->observer->packets, p->connections, p->severity[IBA_ERROR], p->severity[IBA_WARN],
                p->severity[IBA_NOTE]);
        return;
    }
    cJSON *o = cJSON_CreateObject(), *found;
    cJSON_AddStringToObject(o, "type", "totals");
    cJSON_AddNumberToObject(o, "packets", (double)p->observer->packets);
    cJSON_AddNumberToObject(o, "others", (double)p->observer->others);
    cJSON_AddNumberToObject(o, "seen_twice", (double)p->observer->seen_twice);
    cJSON_AddNumberToObject(o, "connections", (double)p->connections);
    cJSON_AddNumberToObject(o, "error", (double)p->severity[IBA_ERROR]);
    cJSON_AddNumberToObject(o, "warn", (double)p->severity[IBA_WARN]);
    cJSON_AddNumberToObject(o, "note", (double)p->severity[IBA_NOTE]);
    found = cJSON_AddObjectToObject(o, "found");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (p->observer->found[i])
            cJSON_AddNumberToObject(found, iba_findings[i].name, p->observer->found[i]);
    print_object(p->out, o);
}
