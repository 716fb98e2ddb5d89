# SPDX-License-Identifier: BSD-2-Clause
"""The compiled part of the Python package: libiba's packet view and engine, by cffi in API mode, so the compiler knows the layouts.

IBPROOF_CORE is the folder of headers, IBPROOF_LIBIBA the library to link; else pkg-config says both.
"""
import os
import pathlib
import subprocess

import cffi

DECLARATIONS = """
enum iba_link { IBA_LINK_NONE, IBA_LINK_ETHERNET, IBA_LINK_IB, IBA_LINK_IB_LINK, IBA_LINK_IP, IBA_LINK_SLL, IBA_LINK_SLL2,
                IBA_LINK_ERF, IBA_LINK_IPOIB, ... };
enum iba_check { IBA_CHECK_ABSENT, IBA_CHECK_GOOD, IBA_CHECK_BAD, IBA_CHECK_TRUNCATED, IBA_CHECK_PENDING, ... };
enum iba_proto { IBA_PROTO_NONE, IBA_PROTO_UNDECIDED, IBA_PROTO_IB, IBA_PROTO_IB_RAW, IBA_PROTO_IB_LINK, IBA_PROTO_ROCE1,
                 IBA_PROTO_ROCE2, ... };
enum iba_hdr { IBA_H_bth, IBA_H_COUNT, ... };
enum iba_show { IBA_SHOW_FLAG, IBA_SHOW_MAC, IBA_SHOW_IP4, IBA_SHOW_IP6, IBA_SHOW_BYTES, IBA_SHOW_TEXT, IBA_SHOW_LE, IBA_SHOW_LEX4, ... };
enum iba_visibility { IBA_VIS_N, IBA_VIS_R, IBA_VIS_H, ... };
struct iba_field { const char *name; const char *label; uint16_t at; uint16_t bits; uint8_t show; uint8_t vis; uint8_t values; ...; };
struct iba_hdr_info { const char *name; const char *prefix; const char *title; const struct iba_field *field; uint8_t n_field;
                      uint16_t bytes; ...; };
extern const struct iba_hdr_info iba_headers[...];
struct iba_layer { uint16_t at; uint8_t hdr; ...; };
struct iba_opcode;
struct iba_view { uint32_t caplen; uint32_t len; uint64_t has; enum iba_proto proto; int err; bool truncated; uint8_t n_layer;
                  enum iba_check icrc; enum iba_check vcrc; uint32_t payload_at; uint32_t payload_len; struct iba_layer layer[...]; ...; };
struct iba_view_opts;
int view_parse(struct iba_view *v, int link, const uint8_t *wire, size_t caplen, size_t len);
void iba_view_check(struct iba_view *v);
uint32_t iba_view_icrc(const struct iba_view *v);
const char *iba_check_name(enum iba_check c);
const char *error_text(int e);
uint64_t iba_field_get(const struct iba_field *f, const uint8_t *wire);
bool iba_field_present(const struct iba_field *f, const uint8_t *wire);

enum iba_wr_op { IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_WRITE, IBA_WR_WRITE_IMM, IBA_WR_READ, IBA_WR_CMP_SWAP, IBA_WR_FETCH_ADD, ... };
enum { EN_FRAME, IBA_WC_WITH_IMM, ... };
#define IBA_PAIR_VA ...
struct iba_pair_end { uint32_t rkey; ...; };
struct iba_wc { uint64_t wr_id; uint8_t status; uint8_t flags; uint32_t byte_len; uint32_t imm_or_key; uint32_t qpn; ...; };
int iba_pair_end_open(struct iba_pair_end *e, uint64_t seed, uint64_t mac, const uint8_t *gid, void *memory, uint64_t size);
int iba_pair_end_create_qp(struct iba_pair_end *e, uint32_t *qpn);
int engine_connect(struct iba_pair_end *e, uint32_t qpn, uint64_t mac, const uint8_t *gid, uint32_t peer, uint32_t psn, uint32_t epsn,
                   int pmtu, int timeout, int retry);
int engine_send(struct iba_pair_end *e, uint32_t qpn, int op, uint64_t id, uint64_t at, uint32_t length, uint64_t va, uint32_t rkey,
                uint64_t compare_add, uint64_t swap, uint32_t imm);
int engine_receive(struct iba_pair_end *e, uint32_t qpn, uint64_t id, uint64_t at, uint32_t length);
bool engine_feed(struct iba_pair_end *e, const uint8_t *frame, size_t n, uint64_t now);
void engine_advance(struct iba_pair_end *e, uint64_t now);
size_t engine_next(struct iba_pair_end *e, uint8_t *frame, uint64_t now);
uint64_t engine_deadline(const struct iba_pair_end *e);
bool engine_poll(struct iba_pair_end *e, struct iba_wc *wc);
const char *engine_error(int error);
const char *engine_status(int status);
"""

SOURCE = """
#include <wire/iba_view.h>
static int view_parse(struct iba_view *v, int link, const uint8_t *wire, size_t caplen, size_t len)
{
    return iba_view_parse(v, (enum iba_link)link, wire, caplen, len, NULL);
}
static const char *error_text(int e)
{
    return iba_strerror((enum iba_err)e);
}
"""


def flags():
    core, library = os.environ.get("IBPROOF_CORE"), os.environ.get("IBPROOF_LIBIBA")
    if core and library:
        return {"include_dirs": [core], "extra_objects": [library], "libraries": ["isal"]}
    said = {what: subprocess.run(["pkg-config", what, "libiba"], check=True, capture_output=True, text=True).stdout.split()
            for what in ("--cflags", "--libs")}
    return {"extra_compile_args": said["--cflags"], "extra_link_args": said["--libs"]}


ffi = cffi.FFI()
ffi.cdef(DECLARATIONS)
ffi.set_source("ibproof._native", SOURCE + (pathlib.Path(__file__).parent / "engine.h").read_text(), **flags())
