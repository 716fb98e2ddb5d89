/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_print.h"
#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "output/finding_text.h"
#include "observer/iba_finding_kinds.h"
#include "wire/iba_endpoints.h"
#include "system/text.h"

enum { ADDR_BYTES = 64, QP_BYTES = 16 };

static const char *addr(char *buf, const struct iba_flow_key *k, const uint8_t *a)
{
    if (k->kind == IBA_ADDR_LID)
        snprintf(buf, ADDR_BYTES, "LID %u", a[0] << 8 | a[1]);
    else
        inet_ntop(k->kind == IBA_ADDR_IPV4 ? AF_INET : AF_INET6, a, buf, ADDR_BYTES);
    return buf;
}

/* Finds the QP that sends this direction. False: it is not known. */
static bool source_qp(const struct ibc_check_print *p, const struct iba_flow *f, uint32_t *qp)
{
    const struct iba_flow *peer = iba_observer_peer(p->observer, f);

    if (iba_flow_src_qp(f, qp))
        return true;
    if (peer)
        *qp = iba_flow_key(peer)->qpn;
    return peer != NULL;
}

/* Returns the QP as text: "0x00002c", "0x00002c?" for a guess, or "?" if it is not known. */
static const char *source_text(char *buf, const struct ibc_check_print *p, const struct iba_flow *f)
{
    uint32_t qp = 0;

    if (source_qp(p, f, &qp))
        snprintf(buf, QP_BYTES, "0x%06" PRIx32 "%s", qp, iba_flow_is_guess(f) ? "?" : "");
    else
        snprintf(buf, QP_BYTES, "?");
    return buf;
}

static void print_text(struct ibc_check_print *p, const struct iba_finding *f)
{
    const struct iba_finding_info *info = &iba_findings[f->kind];
    char src[ADDR_BYTES], dst[ADDR_BYTES], qp[QP_BYTES], text[FINDING_TEXT_BYTES];

    finding_text(text, sizeof text, f, f->cause_tag != f->tag ? p->file[f->cause_tag] : NULL);
    text_print(p->out, p->file[f->tag], strlen(p->file[f->tag]));
    fprintf(p->out, ": frame %" PRIu64 ": ", f->frame);
    if (f->flow) {
        const struct iba_flow_key *k = iba_flow_key(f->flow);
        fprintf(p->out, "%s QP %s -> %s QP 0x%06" PRIx32 ": ", addr(src, k, k->src), source_text(qp, p, f->flow),
                addr(dst, k, k->dst), k->qpn);
    }
    text_line(p->out, "%s: %s: %s [%s]", iba_severity_name(info->severity), info->field, text, info->clause);
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
    const struct iba_flow_key *k = iba_flow_key(f);
    uint32_t qp = 0;

    cJSON_AddStringToObject(o, "service", iba_svc_name(iba_flow_svc(f)));
    cJSON_AddStringToObject(o, "src", addr(text, k, k->src));
    if (source_qp(p, f, &qp))
        cJSON_AddNumberToObject(o, "src_qp", qp);
    else
        cJSON_AddNullToObject(o, "src_qp");
    cJSON_AddStringToObject(o, "dst", addr(text, k, k->dst));
    cJSON_AddNumberToObject(o, "dst_qp", k->qpn);
    cJSON_AddBoolToObject(o, "guess", iba_flow_is_guess(f));
}

static void print_json(struct ibc_check_print *p, const struct iba_finding *f)
{
    const struct iba_finding_info *info = &iba_findings[f->kind];
    cJSON *o = cJSON_CreateObject();
    char wait[24];

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
    snprintf(wait, sizeof wait, "%" PRIu64, (uint64_t)f->wait_ns); /* a double would lose digits */
    cJSON_AddRawToObject(o, "wait_ns", wait);
    print_object(p->out, o);
}

void ibc_check_finding(struct ibc_check_print *p, const struct iba_finding *f)
{
    p->severity[iba_findings[f->kind].severity]++;
    (p->json ? print_json : print_text)(p, f);
}

static bool has_findings(const struct iba_flow *f)
{
    const uint32_t *found = f ? iba_flow_counts(f).found : NULL;

    for (unsigned i = 0; found && i < IBA_FINDING_COUNT; i++)
        if (found[i])
            return true;
    return false;
}

static void direction_text(const struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    const struct iba_flow_counts counts = iba_flow_counts(f);
    const struct iba_flow_key *k = iba_flow_key(f);
    char src[ADDR_BYTES], dst[ADDR_BYTES], qp[QP_BYTES];

    fprintf(to, "%s %s QP %s -> %s QP 0x%06" PRIx32 ": %" PRIu64 " packets", iba_svc_name(iba_flow_svc(f)),
            addr(src, k, k->src), source_text(qp, p, f), addr(dst, k, k->dst), k->qpn, counts.packets);
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (counts.found[i])
            fprintf(to, ", %" PRIu32 " %s", counts.found[i], iba_findings[i].name);
    if (counts.fatal)
        fprintf(to, "; ended by frame %" PRIu64, counts.fatal);
    fputc('\n', to);
}

static void direction_json(const struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    const struct iba_flow_counts counts = iba_flow_counts(f);
    cJSON *o = cJSON_CreateObject(), *found;

    cJSON_AddStringToObject(o, "type", "connection");
    add_flow(o, p, f);
    cJSON_AddNumberToObject(o, "packets", (double)counts.packets);
    cJSON_AddNumberToObject(o, "bytes", (double)counts.bytes);
    cJSON_AddNumberToObject(o, "requests", (double)counts.requests);
    cJSON_AddNumberToObject(o, "responses", (double)counts.responses);
    cJSON_AddNumberToObject(o, "pmtu", iba_flow_pmtu(f));
    if (counts.fatal)
        cJSON_AddNumberToObject(o, "fatal_frame", (double)counts.fatal);
    found = cJSON_AddObjectToObject(o, "found");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (counts.found[i])
            cJSON_AddNumberToObject(found, iba_findings[i].name, counts.found[i]);
    print_object(to, o);
}

void ibc_check_connection(struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    const struct iba_flow *peer = iba_observer_peer(p->observer, f);
    const iba_time began = iba_flow_counts(f).began, other = peer ? iba_flow_counts(peer).began : 0;
    const bool second = peer && (other < began || (other == began && peer < f));

    if (second)
        return;
    p->connections++;
    if (!p->verbose && !has_findings(f) && !has_findings(peer))
        return;
    (p->json ? direction_json : direction_text)(p, to, f);
    if (peer)
        (p->json ? direction_json : direction_text)(p, to, peer);
}

/* Prints this direction alone: the other one was printed when it was forgotten, or will be printed later. The
 * connection counts when the second of the two is printed. */
void ibc_check_forgotten(struct ibc_check_print *p, FILE *to, const struct iba_flow *f)
{
    const struct iba_flow *peer = iba_observer_peer(p->observer, f);

    p->connections += peer == NULL;
    if (p->verbose || has_findings(f) || has_findings(peer))
        (p->json ? direction_json : direction_text)(p, to, f);
}

void ibc_check_totals(struct ibc_check_print *p)
{
    const struct iba_observer_totals totals = iba_observer_totals(p->observer);

    if (!p->json) {
        fprintf(p->out,
                "%" PRIu64 " packets of %" PRIu64 " connections: %" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64
                " notes\n",
                totals.packets, p->connections, p->severity[IBA_ERROR], p->severity[IBA_WARN], p->severity[IBA_NOTE]);
        return;
    }
    cJSON *o = cJSON_CreateObject(), *found;
    cJSON_AddStringToObject(o, "type", "totals");
    cJSON_AddNumberToObject(o, "packets", (double)totals.packets);
    cJSON_AddNumberToObject(o, "others", (double)totals.others);
    cJSON_AddNumberToObject(o, "seen_twice", (double)totals.seen_twice);
    cJSON_AddNumberToObject(o, "connections", (double)p->connections);
    cJSON_AddNumberToObject(o, "error", (double)p->severity[IBA_ERROR]);
    cJSON_AddNumberToObject(o, "warn", (double)p->severity[IBA_WARN]);
    cJSON_AddNumberToObject(o, "note", (double)p->severity[IBA_NOTE]);
    found = cJSON_AddObjectToObject(o, "found");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        if (totals.found[i])
            cJSON_AddNumberToObject(found, iba_findings[i].name, totals.found[i]);
    print_object(p->out, o);
}
