/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_opcode.h"
#include "iba_opcode_rows.h"

#define X(h) IBA_HDR_BIT(IBA_H_##h)
#define ROW(svc_, name_, code, operation_, dir_, pos_, pay_, ext, title_)                                              \
    [code] = {.name = #svc_ "_" #name_,                                                                                \
              .title = title_,                                                                                         \
              .svc = IBA_##svc_,                                                                                       \
              .operation = IBA_OPERATION_##operation_,                                                                 \
              .dir = IBA_##dir_,                                                                                       \
              .pos = IBA_##pos_,                                                                                       \
              .pay = IBA_PAY_##pay_,                                                                                   \
              .hdrs = X(bth) | (ext)},
const struct iba_opcode iba_opcodes[256] = {IBA_OPCODES(ROW, X)};

#define CHECK_SVC(svc_, name_, code, ...)                                                                              \
    _Static_assert((code) >> 5 == IBA_##svc_, #svc_ "_" #name_ " stands in the wrong service");
IBA_OPCODES(CHECK_SVC, )

static const struct {
    const char *name, *unnamed;
} services[8] = {
    [IBA_RC] = {"RC", "RC reserved opcode"},
    [IBA_UC] = {"UC", "UC reserved opcode"},
    [IBA_RD] = {"RD", "RD reserved opcode"},
    [IBA_UD] = {"UD", "UD reserved opcode"},
    [IBA_CNP] = {"CNP", "CNP reserved opcode"},
    [IBA_XRC] = {"XRC", "XRC reserved opcode"},
    [IBA_MSP0] = {"MSP", "Manufacturer specific opcode"},
    [IBA_MSP1] = {"MSP", "Manufacturer specific opcode"},
};

const char *iba_opcode_title(uint8_t code)
{
    return iba_opcodes[code].title ? iba_opcodes[code].title : services[code >> 5].unnamed;
}

const char *iba_svc_name(enum iba_svc svc)
{
    return services[svc & 7].name;
}

const char *iba_operation_name(enum iba_operation o)
{
    static const char *const names[IBA_OPERATION_COUNT] = {[IBA_OPERATION_NONE] = "none",
#define NAME(name, words) [IBA_OPERATION_##name] = (words),
                                                           IBA_OPERATIONS(NAME)};
    return names[o];
}

size_t iba_hdrs_bytes(uint64_t hdrs)
{
    size_t n = 0;

    for (; hdrs; hdrs &= hdrs - 1)
        n += iba_headers[__builtin_ctzll(hdrs)].bytes;
    return n;
}

bool iba_payload_allowed(const struct iba_opcode *op, size_t len, size_t pmtu)
{
    static const struct {
        bool least_is_pmtu, most_is_pmtu;
        uint8_t least, most;
    } rule[] = {
        [IBA_PAY_NONE] = {false, false, 0, 0},     [IBA_PAY_PMTU] = {true, true, 0, 0},
        [IBA_PAY_1_TO_PMTU] = {false, true, 1, 0}, [IBA_PAY_0_TO_PMTU] = {false, true, 0, 0},
        [IBA_PAY_EIGHT] = {false, false, 8, 8},
    };
    const size_t least = rule[op->pay].least_is_pmtu ? pmtu : rule[op->pay].least;
    const size_t most = rule[op->pay].most_is_pmtu ? pmtu : rule[op->pay].most;

    return least <= len && len <= most;
}
