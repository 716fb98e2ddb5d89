/* SPDX-License-Identifier: BSD-2-Clause */
/* Words FIELD=VALUE that set the details of a notice (layouts of section 14.2.5.1). */
#include "typed.h"
#include <criterion/criterion.h>
#include <string.h>

#define PATH30 "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1dfE"

Test(typed, values)
{
    static const struct {
        enum iba_mad_layout layout;
        const char *word;
        size_t at, n;
        const char *bytes;
    } rows[] = {
        {IBA_M_trap_switch, "lidaddr=65535", 0, 2, "\xff\xff"},
        {IBA_M_trap_switch, "lidaddr=0x1234", 0, 2, "\x12\x34"},
        {IBA_M_trap_switch, "lidaddr=017", 0, 2, "\0\x0f"},
        {IBA_M_trap_mkey, "mkey=0xffffffffffffffff", 14, 8, "\xff\xff\xff\xff\xff\xff\xff\xff"},
        {IBA_M_trap_mkey, "mkey=0x0102030405060708", 14, 8, "\1\2\3\4\5\6\7\x08"},
        {IBA_M_trap_mkey, "drnotice=1", 23, 1, "\x80"},
        {IBA_M_trap_mkey, "drhopcount=63", 23, 1, "\x3f"},
        {IBA_M_trap_mkey, "method=0x81", 6, 1, "\x81"},
        {IBA_M_trap_mkey, "drnoticereturnpath=" PATH30, 24, 30,
         "\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\xfe"},
        {IBA_M_trap_key, "gidaddr1=fe80::1:2", 18, 16, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\1\0\2"},
        {IBA_M_trap_key, "gidaddr2=::ffff:1.2.3.4", 34, 16, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4"},
        {IBA_M_trap_key, "sl=15", 10, 1, "\xf0"},
        {IBA_M_trap_key, "qp1=0xabcdef", 11, 3, "\xab\xcd\xef"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t details[IBA_BYTES_notice_data] = {0}, want[IBA_BYTES_notice_data] = {0};
        char err[TYPED_ERROR] = "";
        memcpy(want + rows[i].at, rows[i].bytes, rows[i].n);
        cr_expect_null(typed_field(rows[i].layout, rows[i].word, details, err), "%s: %s", rows[i].word, err);
        cr_expect_eq(memcmp(details, want, sizeof want), 0, "%s", rows[i].word);
    }
}

Test(typed, wrong_values)
{
    static const struct {
        enum iba_mad_layout layout;
        const char *word, *says;
    } rows[] = {
        {IBA_M_trap_switch, "lidaddr=65536", "'lidaddr=65536': no value of 16 bits"},
        {IBA_M_trap_switch, "lidaddr=", "'lidaddr=': no value of 16 bits"},
        {IBA_M_trap_switch, "lidaddr=7x", "'lidaddr=7x': no value of 16 bits"},
        {IBA_M_trap_switch, "lidaddr=-1", "'lidaddr=-1': no value of 16 bits"},
        {IBA_M_trap_mkey, "mkey=-1", "'mkey=-1': no value of 64 bits"},
        {IBA_M_trap_mkey, "mkey=0x10000000000000000", "'mkey=0x10000000000000000': no value of 64 bits"},
        {IBA_M_trap_mkey, "drhopcount=64", "'drhopcount=64': no value of 6 bits"},
        {IBA_M_trap_mkey, "drnotice=2", "'drnotice=2': no value of 1 bits"},
        {IBA_M_trap_mkey, "drnoticereturnpath=" PATH30 "0",
         "'drnoticereturnpath=0102030405060708090a0b0c0d0e0f10111213141': no value of 240 bits"},
        {IBA_M_trap_mkey, "drnoticereturnpath=00", "'drnoticereturnpath=00': no value of 240 bits"},
        {IBA_M_trap_mkey, "drnoticereturnpath=g10203040506070809a0b0c0d0e0f101112131415161718191a1b1c1d1e1",
         "'drnoticereturnpath=g10203040506070809a0b0c0d0e0f101112131415': no value of 240 bits"},
        {IBA_M_trap_key, "gidaddr1=fe80", "'gidaddr1=fe80': no value of 128 bits"},
        {IBA_M_trap_switch, "reserved1=1", "'reserved1=1' sets no field; FIELD=VALUE, with lidaddr"},
        {IBA_M_trap_switch, "lidaddr", "'lidaddr' sets no field; FIELD=VALUE, with lidaddr"},
        {IBA_M_trap_switch, "lid=1", "'lid=1' sets no field; FIELD=VALUE, with lidaddr"},
        {IBA_M_trap_switch, "lidaddr2=1", "'lidaddr2=1' sets no field; FIELD=VALUE, with lidaddr"},
        {IBA_M_trap_gid, "=1", "'=1' sets no field; FIELD=VALUE, with gidaddr"},
        {IBA_M_trap_port, "0123456789012345678901234567890123456789x",
         "'0123456789012345678901234567890123456789' sets no field; FIELD=VALUE, with lidaddr portno"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t details[IBA_BYTES_notice_data] = {0};
        char err[TYPED_ERROR] = "";
        const char *said = typed_field(rows[i].layout, rows[i].word, details, err);
        cr_assert_not_null(said, "%s", rows[i].word);
        cr_expect_str_eq(said, rows[i].says, "%s: %s", rows[i].word, said);
    }
}

/* Fields of one notice do not disturb each other. */
Test(typed, several)
{
    uint8_t details[IBA_BYTES_notice_data] = {0};
    static const char *const words[] = {"drpathtruncated=1", "drhopcount=5", "drslid=0x1234", "attributeid=0x15",
                                        "attributemodifier=9"};
    char err[TYPED_ERROR] = "";

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_assert_null(typed_field(IBA_M_trap_mkey, words[i], details, err), "%s", err);
    cr_expect_eq(memcmp(details, "\0\0\0\0\x12\x34\0\0\0\x15\0\0\0\x09", 14), 0);
    cr_expect_eq(details[23], 0x45);
}
