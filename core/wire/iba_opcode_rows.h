/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of BTH opcodes: each has one row, and a name for its code. Only files that name an opcode include this
 * header. All other files read iba_opcodes[] (iba_opcode.h), so that a new row does not rebuild them. */
#ifndef IBA_OPCODE_ROWS_H
#define IBA_OPCODE_ROWS_H

/* clang-format off */
/* One row per opcode, in the order of the book's opcode table (Table 38 of release 1.3, C9-2; catalogue 1.6). `ext` is the
 * set of headers after the BTH; IBA_IB_HEADERS gives their order. FLUSH and ATOMIC WRITE are Annex A19, XRC is A14.
 *   +-----+--------------------+------+---------------+-----+--------+-----------+-----------------------------+---------------------------+
 *   | svc | name               | code | operation     | dir | pos    | payload   | ext                         | title                     |
 *   +-----+--------------------+------+---------------+-----+--------+-----------+-----------------------------+---------------------------+ */
#define IBA_OPCODES(OP, X)                                                                                                     \
    OP( RC , SEND_FIRST         , 0x00 , SEND          , REQ , FIRST  , PMTU      , 0                           , "RC SEND First" )             \
    OP( RC , SEND_MIDDLE        , 0x01 , SEND          , REQ , MIDDLE , PMTU      , 0                           , "RC SEND Middle" )            \
    OP( RC , SEND_LAST          , 0x02 , SEND          , REQ , LAST   , 1_TO_PMTU , 0                           , "RC SEND Last" )              \
    OP( RC , SEND_LAST_IMM      , 0x03 , SEND          , REQ , LAST   , 1_TO_PMTU , X(immdt)                    , "RC SEND Last with Immediate" ) \
    OP( RC , SEND_ONLY          , 0x04 , SEND          , REQ , ONLY   , 0_TO_PMTU , 0                           , "RC SEND Only" )              \
    OP( RC , SEND_ONLY_IMM      , 0x05 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(immdt)                    , "RC SEND Only with Immediate" ) \
    OP( RC , WRITE_FIRST        , 0x06 , WRITE         , REQ , FIRST  , PMTU      , X(reth)                     , "RC RDMA WRITE First" )       \
    OP( RC , WRITE_MIDDLE       , 0x07 , WRITE         , REQ , MIDDLE , PMTU      , 0                           , "RC RDMA WRITE Middle" )      \
    OP( RC , WRITE_LAST         , 0x08 , WRITE         , REQ , LAST   , 1_TO_PMTU , 0                           , "RC RDMA WRITE Last" )        \
    OP( RC , WRITE_LAST_IMM     , 0x09 , WRITE         , REQ , LAST   , 1_TO_PMTU , X(immdt)                    , "RC RDMA WRITE Last with Immediate" ) \
    OP( RC , WRITE_ONLY         , 0x0a , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(reth)                     , "RC RDMA WRITE Only" )        \
    OP( RC , WRITE_ONLY_IMM     , 0x0b , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(reth)|X(immdt)            , "RC RDMA WRITE Only with Immediate" ) \
    OP( RC , READ_REQUEST       , 0x0c , READ          , REQ , ONLY   , NONE      , X(reth)                     , "RC RDMA READ Request" )      \
    OP( RC , READ_RESP_FIRST    , 0x0d , READ_RESPONSE , RSP , FIRST  , PMTU      , X(aeth)                     , "RC RDMA READ Response First" ) \
    OP( RC , READ_RESP_MIDDLE   , 0x0e , READ_RESPONSE , RSP , MIDDLE , PMTU      , 0                           , "RC RDMA READ Response Middle" ) \
    OP( RC , READ_RESP_LAST     , 0x0f , READ_RESPONSE , RSP , LAST   , 1_TO_PMTU , X(aeth)                     , "RC RDMA READ Response Last" ) \
    OP( RC , READ_RESP_ONLY     , 0x10 , READ_RESPONSE , RSP , ONLY   , 0_TO_PMTU , X(aeth)                     , "RC RDMA READ Response Only" ) \
    OP( RC , ACKNOWLEDGE        , 0x11 , ACK           , RSP , ONLY   , NONE      , X(aeth)                     , "RC Acknowledge" )            \
    OP( RC , ATOMIC_ACKNOWLEDGE , 0x12 , ATOMIC_ACK    , RSP , ONLY   , NONE      , X(aeth)|X(atomicacketh)     , "RC ATOMIC Acknowledge" )     \
    OP( RC , CMP_SWAP           , 0x13 , ATOMIC        , REQ , ONLY   , NONE      , X(atomiceth)                , "RC CmpSwap" )                \
    OP( RC , FETCH_ADD          , 0x14 , ATOMIC        , REQ , ONLY   , NONE      , X(atomiceth)                , "RC FetchAdd" )               \
    OP( RC , SEND_LAST_INV      , 0x16 , SEND          , REQ , LAST   , 1_TO_PMTU , X(ieth)                     , "RC SEND Last with Invalidate" ) \
    OP( RC , SEND_ONLY_INV      , 0x17 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(ieth)                     , "RC SEND Only with Invalidate" ) \
    OP( RC , FLUSH              , 0x1c , FLUSH         , REQ , ONLY   , NONE      , X(feth)|X(reth)             , "RC FLUSH" )                  \
    OP( RC , ATOMIC_WRITE       , 0x1d , ATOMIC_WRITE  , REQ , ONLY   , EIGHT     , X(reth)                     , "RC ATOMIC WRITE" )           \
                                                                                                                               \
    OP( UC , SEND_FIRST         , 0x20 , SEND          , REQ , FIRST  , PMTU      , 0                           , "UC SEND First" )             \
    OP( UC , SEND_MIDDLE        , 0x21 , SEND          , REQ , MIDDLE , PMTU      , 0                           , "UC SEND Middle" )            \
    OP( UC , SEND_LAST          , 0x22 , SEND          , REQ , LAST   , 1_TO_PMTU , 0                           , "UC SEND Last" )              \
    OP( UC , SEND_LAST_IMM      , 0x23 , SEND          , REQ , LAST   , 1_TO_PMTU , X(immdt)                    , "UC SEND Last with Immediate" ) \
    OP( UC , SEND_ONLY          , 0x24 , SEND          , REQ , ONLY   , 0_TO_PMTU , 0                           , "UC SEND Only" )              \
    OP( UC , SEND_ONLY_IMM      , 0x25 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(immdt)                    , "UC SEND Only with Immediate" ) \
    OP( UC , WRITE_FIRST        , 0x26 , WRITE         , REQ , FIRST  , PMTU      , X(reth)                     , "UC RDMA WRITE First" )       \
    OP( UC , WRITE_MIDDLE       , 0x27 , WRITE         , REQ , MIDDLE , PMTU      , 0                           , "UC RDMA WRITE Middle" )      \
    OP( UC , WRITE_LAST         , 0x28 , WRITE         , REQ , LAST   , 1_TO_PMTU , 0                           , "UC RDMA WRITE Last" )        \
    OP( UC , WRITE_LAST_IMM     , 0x29 , WRITE         , REQ , LAST   , 1_TO_PMTU , X(immdt)                    , "UC RDMA WRITE Last with Immediate" ) \
    OP( UC , WRITE_ONLY         , 0x2a , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(reth)                     , "UC RDMA WRITE Only" )        \
    OP( UC , WRITE_ONLY_IMM     , 0x2b , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(reth)|X(immdt)            , "UC RDMA WRITE Only with Immediate" ) \
                                                                                                                               \
    OP( RD , SEND_FIRST         , 0x40 , SEND          , REQ , FIRST  , PMTU      , X(rdeth)|X(deth)            , "RD SEND First" )             \
    OP( RD , SEND_MIDDLE        , 0x41 , SEND          , REQ , MIDDLE , PMTU      , X(rdeth)|X(deth)            , "RD SEND Middle" )            \
    OP( RD , SEND_LAST          , 0x42 , SEND          , REQ , LAST   , 1_TO_PMTU , X(rdeth)|X(deth)            , "RD SEND Last" )              \
    OP( RD , SEND_LAST_IMM      , 0x43 , SEND          , REQ , LAST   , 1_TO_PMTU , X(rdeth)|X(deth)|X(immdt)   , "RD SEND Last with Immediate" ) \
    OP( RD , SEND_ONLY          , 0x44 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(rdeth)|X(deth)            , "RD SEND Only" )              \
    OP( RD , SEND_ONLY_IMM      , 0x45 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(rdeth)|X(deth)|X(immdt)   , "RD SEND Only with Immediate" ) \
    OP( RD , WRITE_FIRST        , 0x46 , WRITE         , REQ , FIRST  , PMTU      , X(rdeth)|X(deth)|X(reth)    , "RD RDMA WRITE First" )       \
    OP( RD , WRITE_MIDDLE       , 0x47 , WRITE         , REQ , MIDDLE , PMTU      , X(rdeth)|X(deth)            , "RD RDMA WRITE Middle" )      \
    OP( RD , WRITE_LAST         , 0x48 , WRITE         , REQ , LAST   , 1_TO_PMTU , X(rdeth)|X(deth)            , "RD RDMA WRITE Last" )        \
    OP( RD , WRITE_LAST_IMM     , 0x49 , WRITE         , REQ , LAST   , 1_TO_PMTU , X(rdeth)|X(deth)|X(immdt)   , "RD RDMA WRITE Last with Immediate" ) \
    OP( RD , WRITE_ONLY         , 0x4a , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(rdeth)|X(deth)|X(reth)    , "RD RDMA WRITE Only" )        \
    OP( RD , WRITE_ONLY_IMM     , 0x4b , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(rdeth)|X(deth)|X(reth)|X(immdt) , "RD RDMA WRITE Only with Immediate" ) \
    OP( RD , READ_REQUEST       , 0x4c , READ          , REQ , ONLY   , NONE      , X(rdeth)|X(deth)|X(reth)    , "RD RDMA READ Request" )      \
    OP( RD , READ_RESP_FIRST    , 0x4d , READ_RESPONSE , RSP , FIRST  , PMTU      , X(rdeth)|X(aeth)            , "RD RDMA READ Response First" ) \
    OP( RD , READ_RESP_MIDDLE   , 0x4e , READ_RESPONSE , RSP , MIDDLE , PMTU      , X(rdeth)                    , "RD RDMA READ Response Middle" ) \
    OP( RD , READ_RESP_LAST     , 0x4f , READ_RESPONSE , RSP , LAST   , 1_TO_PMTU , X(rdeth)|X(aeth)            , "RD RDMA READ Response Last" ) \
    OP( RD , READ_RESP_ONLY     , 0x50 , READ_RESPONSE , RSP , ONLY   , 0_TO_PMTU , X(rdeth)|X(aeth)            , "RD RDMA READ Response Only" ) \
    OP( RD , ACKNOWLEDGE        , 0x51 , ACK           , RSP , ONLY   , NONE      , X(rdeth)|X(aeth)            , "RD Acknowledge" )            \
    OP( RD , ATOMIC_ACKNOWLEDGE , 0x52 , ATOMIC_ACK    , RSP , ONLY   , NONE      , X(rdeth)|X(aeth)|X(atomicacketh) , "RD ATOMIC Acknowledge" ) \
    OP( RD , CMP_SWAP           , 0x53 , ATOMIC        , REQ , ONLY   , NONE      , X(rdeth)|X(deth)|X(atomiceth) , "RD CmpSwap" )              \
    OP( RD , FETCH_ADD          , 0x54 , ATOMIC        , REQ , ONLY   , NONE      , X(rdeth)|X(deth)|X(atomiceth) , "RD FetchAdd" )             \
    OP( RD , RESYNC             , 0x55 , RESYNC        , REQ , ONLY   , NONE      , X(rdeth)|X(deth)            , "RD RESYNC" )                 \
    OP( RD , FLUSH              , 0x5c , FLUSH         , REQ , ONLY   , NONE      , X(rdeth)|X(deth)|X(feth)|X(reth) , "RD FLUSH" )             \
                                                                                                                               \
    OP( UD , SEND_ONLY          , 0x64 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(deth)                     , "UD SEND Only" )              \
    OP( UD , SEND_ONLY_IMM      , 0x65 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(deth)|X(immdt)            , "UD SEND Only with Immediate" ) \
                                                                                                                               \
    OP( CNP, IB                 , 0x80 , CNP           , RSP , ONLY   , NONE      , X(cnp)                      , "CNP (InfiniBand)" )          \
    OP( CNP, ROCE               , 0x81 , CNP           , RSP , ONLY   , NONE      , X(cnp)                      , "CNP (RoCEv2)" )              \
                                                                                                                               \
    OP( XRC, SEND_FIRST         , 0xa0 , SEND          , REQ , FIRST  , PMTU      , X(xrceth)                   , "XRC SEND First" )            \
    OP( XRC, SEND_MIDDLE        , 0xa1 , SEND          , REQ , MIDDLE , PMTU      , X(xrceth)                   , "XRC SEND Middle" )           \
    OP( XRC, SEND_LAST          , 0xa2 , SEND          , REQ , LAST   , 1_TO_PMTU , X(xrceth)                   , "XRC SEND Last" )             \
    OP( XRC, SEND_LAST_IMM      , 0xa3 , SEND          , REQ , LAST   , 1_TO_PMTU , X(xrceth)|X(immdt)          , "XRC SEND Last with Immediate" ) \
    OP( XRC, SEND_ONLY          , 0xa4 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(xrceth)                   , "XRC SEND Only" )             \
    OP( XRC, SEND_ONLY_IMM      , 0xa5 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(xrceth)|X(immdt)          , "XRC SEND Only with Immediate" ) \
    OP( XRC, WRITE_FIRST        , 0xa6 , WRITE         , REQ , FIRST  , PMTU      , X(xrceth)|X(reth)           , "XRC RDMA WRITE First" )      \
    OP( XRC, WRITE_MIDDLE       , 0xa7 , WRITE         , REQ , MIDDLE , PMTU      , X(xrceth)                   , "XRC RDMA WRITE Middle" )     \
    OP( XRC, WRITE_LAST         , 0xa8 , WRITE         , REQ , LAST   , 1_TO_PMTU , X(xrceth)                   , "XRC RDMA WRITE Last" )       \
    OP( XRC, WRITE_LAST_IMM     , 0xa9 , WRITE         , REQ , LAST   , 1_TO_PMTU , X(xrceth)|X(immdt)          , "XRC RDMA WRITE Last with Immediate" ) \
    OP( XRC, WRITE_ONLY         , 0xaa , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(xrceth)|X(reth)           , "XRC RDMA WRITE Only" )       \
    OP( XRC, WRITE_ONLY_IMM     , 0xab , WRITE         , REQ , ONLY   , 0_TO_PMTU , X(xrceth)|X(reth)|X(immdt)  , "XRC RDMA WRITE Only with Immediate" ) \
    OP( XRC, READ_REQUEST       , 0xac , READ          , REQ , ONLY   , NONE      , X(xrceth)|X(reth)           , "XRC RDMA READ Request" )     \
    OP( XRC, READ_RESP_FIRST    , 0xad , READ_RESPONSE , RSP , FIRST  , PMTU      , X(aeth)                     , "XRC RDMA READ Response First" ) \
    OP( XRC, READ_RESP_MIDDLE   , 0xae , READ_RESPONSE , RSP , MIDDLE , PMTU      , 0                           , "XRC RDMA READ Response Middle" ) \
    OP( XRC, READ_RESP_LAST     , 0xaf , READ_RESPONSE , RSP , LAST   , 1_TO_PMTU , X(aeth)                     , "XRC RDMA READ Response Last" ) \
    OP( XRC, READ_RESP_ONLY     , 0xb0 , READ_RESPONSE , RSP , ONLY   , 0_TO_PMTU , X(aeth)                     , "XRC RDMA READ Response Only" ) \
    OP( XRC, ACKNOWLEDGE        , 0xb1 , ACK           , RSP , ONLY   , NONE      , X(aeth)                     , "XRC Acknowledge" )           \
    OP( XRC, ATOMIC_ACKNOWLEDGE , 0xb2 , ATOMIC_ACK    , RSP , ONLY   , NONE      , X(aeth)|X(atomicacketh)     , "XRC ATOMIC Acknowledge" )    \
    OP( XRC, CMP_SWAP           , 0xb3 , ATOMIC        , REQ , ONLY   , NONE      , X(xrceth)|X(atomiceth)      , "XRC CmpSwap" )               \
    OP( XRC, FETCH_ADD          , 0xb4 , ATOMIC        , REQ , ONLY   , NONE      , X(xrceth)|X(atomiceth)      , "XRC FetchAdd" )              \
    OP( XRC, SEND_LAST_INV      , 0xb6 , SEND          , REQ , LAST   , 1_TO_PMTU , X(xrceth)|X(ieth)           , "XRC SEND Last with Invalidate" ) \
    OP( XRC, SEND_ONLY_INV      , 0xb7 , SEND          , REQ , ONLY   , 0_TO_PMTU , X(xrceth)|X(ieth)           , "XRC SEND Only with Invalidate" ) \
    OP( XRC, FLUSH              , 0xbc , FLUSH         , REQ , ONLY   , NONE      , X(xrceth)|X(feth)|X(reth)   , "XRC FLUSH" )                 \
    OP( XRC, ATOMIC_WRITE       , 0xbd , ATOMIC_WRITE  , REQ , ONLY   , EIGHT     , X(xrceth)|X(reth)           , "XRC ATOMIC WRITE" )
/* clang-format on */

enum iba_op { /* IBA_RC_SEND_FIRST = 0x00, ... */
#define IBA_OP_ID(svc, name, code, ...) IBA_##svc##_##name = (code),
              IBA_OPCODES(IBA_OP_ID, )
};
#endif
