/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs, and reading the device's state. */
#include <criterion/criterion.h>
#include "cases.h"

#define P IBC_IS_PASS
#define F IBC_IS_FAIL
#define ANSWERED "< a SEND_ONLY\n> a ACKNOWLEDGE msn=1\n"

Test(verbs, states_and_transitions)
{
    static const struct run_case c[] = {
        {RC "qp a\n a state rts\n", P, "", ""},
        {RC "qp a state=init\n a state rts\n", F, "state Ready to Send", "state Initialized"},
        {RC "qp a state=reset\n a modify state=init\n a modify state=rtr\n a modify state=rts\n a state rts|sqd\n", P,
         NULL, NULL},
        {RC "qp a state=reset\n a modify state=rts error=transition\n a state reset\n", P, NULL, NULL},
        {RC "qp a state=reset\n a modify state=rts\n", F, NULL, NULL},
        {RC "qp a state=reset\n a modify state=init error=any\n", F, "Initialized refused: any", "Initialized done"},
        {RC "qp a state=reset\n a modify state=rts error=attr_missing\n", F, NULL, "refused: transition"},
        {RC "qp a state=init\n a modify state=rtr without=min_rnr error=attr_missing\n", P, NULL, NULL},
        {RC "qp a state=init\n a modify state=rtr only epsn=5 error=attr_missing\n", P, NULL, NULL},
        {RC "qp a recv=1\n a modify state=reset\n a modify state=init\n a recv\n a modify state=rtr epsn=0x77\n"
            "> a SEND_ONLY psn=0x77 ackreq=1\n< a ACKNOWLEDGE psn=+0\n a event comm_established\n",
         P, NULL, NULL},
        {RC "qp a state=rtr\n a modify state=rts psn=0x654321\n a post SEND len=4\n< a SEND_ONLY psn=+0\n", P, NULL,
         NULL},
        {RC "qp a\n a modify state=err\n a state err\n", P, NULL, NULL},
        {UD "qp a\n a state rts\n", P, NULL, NULL},
        {UC "qp a\n a state rts\n", P, NULL, NULL},
    };
    run_cases(c);
}

/* Verbs get values as the line writes them, and refuse bad ones; the same attribute with a valid value is accepted. */
Test(verbs, attributes_that_no_device_takes)
{
    static const struct run_case c[] = {
        {RC "qp a state=init\n a modify state=rtr epsn=0x1000000 error=attr_value\n a modify state=rtr\n", P, NULL,
         NULL},
        {RC "qp a state=init\n a modify state=rtr flow=0x100000 error=attr_value\n a modify state=rtr\n", P, NULL,
         NULL},
        {RC "qp a state=reset\n a modify state=init access=local_write error=attr_value\n a modify state=init\n", P,
         NULL, NULL},
        {RC "qp a state=init\n a modify state=rtr av=group error=attr_value\n a modify state=rtr av=stranger\n", P,
         NULL, NULL},
        {RC "qp a state=init\n a modify state=rtr av_port=2 error=attr_value\n a modify state=rtr av_port=1\n", P, NULL,
         NULL},
        {RC "qp a\n a modify state=rts alt=group only error=attr_value\n a modify state=rts alt=stranger only\n", P,
         NULL, NULL},
        {RC "qp a\n a modify state=rts alt=peer alt_port=7 only error=attr_value\n"
            " a modify state=rts alt=peer alt_port=2 only\n",
         P, NULL, NULL},
        {RC "mr f access=unknown error=any\nqp a\n a state rts\n", P, NULL, NULL},
        {RC "mr f access=local_write error=any\nqp a\n a state rts\n", F, NULL, NULL},
    };
    static const struct run_case on_ipv6[] = {
        {RC "qp a state=init\n a modify state=rtr av=nowhere error=attr_value\n a modify state=rtr\n", P, NULL, NULL},
        {RC "qp a state=init\n a modify state=rtr av=loopback error=attr_value\n a modify state=rtr\n", P, NULL, NULL},
        {RC "qp a state=init\n a modify state=rtr av=ipv4 error=attr_value\n a modify state=rtr\n", P, NULL, NULL},
        {UD "pd q\nqp a\n a post SEND pd=pd\n< a SEND_ONLY\n a completion send status=success\n a post SEND pd=q\n"
            " a completion send status=!success\n",
         P, NULL, NULL},
        {UD "qp a\n a post SEND dest=none error=any\n a post SEND av_port=1\n< a SEND_ONLY\n", P, NULL, NULL},
        {UD "qp a\n a post SEND dest=nowhere error=any\n a post SEND dest=stranger\n< a SEND_ONLY to=stranger\n", P,
         NULL, NULL},
        {UD "qp a\n a post SEND lkey=0x00bad000 error=any late=success|local_protection|local_qp_operation\n", P, NULL,
         NULL},
        {UD "qp a\n a post SEND lkey=0x00bad000 error=any late=success|local_length\n", F, NULL, NULL},
    };
    static const struct run_case on_ib[] = {
        {UD "group g lid=0x1\nqp a\nattach a g error=any\n", P, NULL, NULL},
        {UD "group g lid=0xc123\nqp a\nattach a g\ndetach a g\n", P, NULL, NULL},
    };

    run_cases(c);
    run_cases_on(IBC_LINK_roce2_ipv6, on_ipv6, sizeof on_ipv6 / sizeof *on_ipv6);
    run_cases_on(IBC_LINK_ib_local, on_ib, sizeof on_ib / sizeof *on_ib);
}

Test(verbs, work_and_completions)
{
    static const struct run_case c[] = {
        {RC "qp a\n a post SEND id=9\n" ANSWERED " a completion SEND id=9 status=success\n a completions none\n", P,
         NULL, NULL},
        {RC "qp a\n a post SEND id=9\n" ANSWERED " a completion SEND id=8\n", F, "completion.id 0x8",
         "completion.id 0x9"},
        {RC "qp a\n a post SEND\n" ANSWERED " a completion WRITE\n", F, "completion.op RDMA WRITE",
         "completion.op SEND"},
        {RC "qp a\n a post SEND\n" ANSWERED " a completion recv\n", F, "a completion recv", "no completion"},
        {RC "qp a\n a post SEND\n" ANSWERED " a completions send=1 recv=0\n a completions none\n", P, NULL, NULL},
        {RC "qp a\n a post SEND\n" ANSWERED " a completions send=2\n", F, "completions send=2 recv=0",
         "completions send=1 recv=0"},
        {RC "qp a\n a post SEND\n" ANSWERED " a completions none\n", F, "no completion",
         "a completion of SEND, Success"},
        {RC "qp a recv=1\n a modify state=err\n a completion recv status=flushed\n", P, NULL, NULL},
        {RC "qp a recv=1\n a modify state=err\n a completion recv\n", F, "completion.status Success",
         "completion.status Work Request Flushed Error"},
        {RC "qp a recv=1\n> a SEND_ONLY_IMM imm=0x1234 payload=10 se=1\n<? a ACKNOWLEDGE\n"
            " a completion RECV bytes=10 imm=0x1234 solicited=1 fill=p\n",
         P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY payload=10\n<? a ACKNOWLEDGE\n a completion RECV fill=q\n", F, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY payload=10\n<? a ACKNOWLEDGE\n a completion RECV imm=5\n", F,
         "completion.imm 0x5", NULL},
        {RC "qp a\n a post SEND len=10 at=l+100\n< a SEND_ONLY payload=10 fill=l+100\n> a ACKNOWLEDGE msn=1\n", P, NULL,
         NULL},
        {RC "qp a\n a post SEND sge=l+8:4 sge=l+100:4\n< a SEND_ONLY payload=8\n> a ACKNOWLEDGE msn=1\n", P, NULL,
         NULL},
        {RC
         "qp a\n a post WRITE len=10 to=0x77 rkey=5\n< a WRITE_ONLY va=0x77 rkey=5 dmalen=10\n> a ACKNOWLEDGE msn=1\n",
         P, NULL, NULL},
        {RC "qp a\n a post CMP_SWAP cmp=1 swap=2\n< a CMP_SWAP cmp=1 swap=2\n> a ATOMIC_ACKNOWLEDGE orig=0x55 msn=1\n"
            " a completion CMP_SWAP bytes=8\nmemory l u64=0x55\n",
         P, NULL, NULL},
        {RC "qp a\n a post FETCH_ADD add=7\n< a FETCH_ADD add=7\n> a ATOMIC_ACKNOWLEDGE orig=1 msn=1\n", P, NULL, NULL},
        {RC "qp a\n a post SEND_IMM imm=3\n< a SEND_ONLY_IMM imm=3\n> a ACKNOWLEDGE msn=1\n", P, NULL, NULL},
        {RC "qp a\n a post SEND len=0\n< a SEND_ONLY payload=0\n> a ACKNOWLEDGE msn=1\n", P, NULL, NULL},
        {RC "qp a state=init\n a post SEND error=state\n", P, NULL, NULL},
        {RC "qp a sig=wr\n a post SEND signaled=0\n" ANSWERED " a completions none\n", P, NULL, NULL},
        {RC "qp a\n a recv times=2 len=8\n> a SEND_ONLY payload=8 ackreq=1\n< a ACKNOWLEDGE\n> a SEND_ONLY payload=8 "
            "ackreq=1\n"
            "< a ACKNOWLEDGE\n a completions recv=2\nmemory l+32768 len=8 fill=p\nmemory l+32776 len=8 fill=p\nmemory "
            "l+32784 unchanged\n",
         P, NULL, NULL},
        {RC "cq c\nqp a scq=c\nqp b scq=c\n b post SEND\n< b SEND_ONLY\n> b ACKNOWLEDGE msn=1\n b completion SEND\n"
            " a completions none\n",
         P, NULL, NULL},
        {UD "qp a\n a post SEND\n< a SEND_ONLY qkey=0x11111111 srcqp=a payload=64 fill=l\n a completion SEND\n", P,
         NULL, NULL},
        {UD "qp a\n a post SEND dest=stranger qpn=0x99 qkey=7\n< a SEND_ONLY to=stranger destqp=0x99 qkey=7\n", P, NULL,
         NULL},
    };
    run_cases(c);
}

/* A work request has at most four pieces. If two headers have a field of the same name, the line means the header that
 * the packet has. */
Test(verbs, pieces_and_shared_names)
{
    static const struct run_case c[] = {
        {RC "qp a\n a post SEND sge=l:1 sge=l:1 sge=l:1 sge=l:1\n< a SEND_ONLY payload=4\n> a ACKNOWLEDGE msn=1\n", P,
         NULL, NULL},
        {RC "qp a\n a post SEND sge=l:1 sge=l:1 sge=l:1 sge=l:1 sge=l:1\n", IBC_IS_ERROR, NULL,
         "more pieces than a work request may have"},
        {RC "qp a\n a recv sge=l:4 sge=l+100:8 sge=l+200:8\n> a SEND_ONLY payload=20 ackreq=1\n< a ACKNOWLEDGE\n"
            " a completion recv fill=p\n",
         P, NULL, NULL},
        {RC "qp a\n a recv sge=l:1 sge=l:1 sge=l:1 sge=l:1 sge=l:1\n", IBC_IS_ERROR, NULL,
         "more pieces than a work request may have"},
        {RC
         "qp a\n a post CMP_SWAP cmp=1 swap=2 to=0x50 rkey=7\n< a ANY va=0x50 rkey=7\n> a ATOMIC_ACKNOWLEDGE msn=1\n",
         P, NULL, NULL},
        {RC "qp a\n a post CMP_SWAP cmp=1 swap=2 to=0x50\n< a ANY va=0x58\n", F, "atomiceth.va 0x0000000000000058",
         NULL},
        {RC "qp a\n a post WRITE len=4 to=0x50\n< a ANY va=0x50 dmalen=4\n> a ACKNOWLEDGE msn=1\n", P, NULL, NULL},
    };
    run_cases(c);
}

Test(verbs, objects_come_and_go)
{
    static const struct run_case c[] = {
        {RC
         "mr n length=4096 access=remote_read\nqp a\n> a READ_REQUEST va=n rkey=n dmalen=8\n< a READ_RESP_ONLY fill=n\n"
         " n dereg\n> a READ_REQUEST va=n rkey=n dmalen=8\n< a ACKNOWLEDGE syndrome=nak.remote_access_error\n a state "
         "err\n",
         P, NULL, NULL},
        {RC "qp a\nmr n length=4096\n> a WRITE_ONLY va=n rkey=n payload=8 ackreq=1\n< a ACKNOWLEDGE\nmemory n len=8 "
            "fill=p\n",
         P, NULL, NULL},
        {RC "qp a\nmw w\n a post BIND_MW mw=w va=m+64 len=64\n a completion BIND_MW\n"
            "> a WRITE_ONLY va=m+64 rkey=w payload=8 ackreq=1\n< a ACKNOWLEDGE syndrome=ack\n m dereg error=mem_busy\n"
            " w free\n m dereg\n",
         P, NULL, NULL},
        {RC "qp a\nmw w type=2\n a post BIND_MW mw=w va=m+64 len=64 key=0x42\n"
            "> a WRITE_ONLY va=m+64 rkey=w payload=8 ackreq=1\n< a ACKNOWLEDGE syndrome=ack\n a completion BIND_MW\n"
            " a post LOCAL_INV inv=w\n a completion LOCAL_INV\n> a WRITE_ONLY va=m+64 rkey=w payload=8 ackreq=1\n"
            "< a ACKNOWLEDGE syndrome=nak.remote_access_error\n",
         P, NULL, NULL},
        {RC "pd other\n other destroy\n", P, NULL, NULL},
        {RC "qp a\n pd destroy error=mem_pd_busy\n", P, NULL, NULL},
        {RC "qp a\n pd destroy\n", F, "destroy it", "refused: mem_pd_busy"},
        {RC "cq c\nqp a scq=c rcq=c\n c destroy error=busy\n a destroy\n c destroy\n", P, NULL, NULL},
        {RC "qp a recv=1\n a destroy\n> a SEND_ONLY ackreq=1\n a silence\n", P, NULL, NULL},
    };
    run_cases(c);
}

Test(verbs, queues_and_events)
{
    static const struct run_case c[] = {
        {RC "srq s recv=2\nqp a srq=s\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n a completion recv\nevents none\n", P,
         NULL, NULL},
        {RC "srq s recv=2\nqp a srq=s\n s limit 2\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n s event srq_limit\n"
            " s events none\n",
         P, NULL, NULL},
        {RC "srq s recv=2\nqp a srq=s\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n s event srq_limit\n", F,
         "event SRQ Limit Reached", "no event"},
        {RC "srq s\nqp a srq=s\n s recv times=2\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n", P, NULL, NULL},
        {RC "cq c\nqp a recv=2 rcq=c\n c arm\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n c notified 1\n", P, NULL, NULL},
        {RC "cq c\nqp a recv=2 rcq=c\n c arm solicited\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n c notified 1\n", F,
         "1 notifications", "0 notifications"},
        {RC "port pkey[1]=0x8123\nevent pkey_change\nqp a pkey=1 recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE "
            "pkey=0x8123\n",
         P, NULL, NULL},
        {UD "qp a recv=1\ngroup g\nattach a g\n> a SEND_ONLY to=g payload=8\n a completion recv bytes=48\ndetach a g\n"
            "> a SEND_ONLY to=g payload=8\n a silence\n a completions none\n",
         P, NULL, NULL},
        {UD "qp a\ngroup g\n a post SEND dest=g\n< a SEND_ONLY to=g\n", P, NULL, NULL},
    };
    run_cases(c);
}

Test(verbs, memory_pages_counters)
{
    static const struct run_case c[] = {
        {RC "qp a\nmemory m unchanged\nmemory l unchanged\n", P, NULL, NULL},
        {RC "qp a\nmemory m len=4 hex:00\n", F, NULL, NULL},
        {RC "qp a\nwrite m+8 hex:0102\nmemory m+8 hex:0102\nmemory m+10 unchanged\nmemory m len=8 unchanged\n", P, NULL,
         NULL},
        {RC "qp a\nwrite m+8 hex:01\nmemory m unchanged\n", F, NULL,
         "byte 8 of the memory 0x01 (... 86 bc 6c d9 [01] 04 03 99 e5 a1 dc d1 ...)"},
        {RC "qp a\nwrite m len=10000 fill=z+3\nmemory m len=10000 fill=z+3\nmemory m+1 len=9999 fill=z+4\n", P, NULL,
         NULL},
        {RC "qp a\nwrite m u64=0x1122\nmemory m u64=0x1123\n", F, "memory 0x1123", "memory 0x1122"},
        {RC "qp a\nwrite m hex:05\nmemory m hex:06\n", F, "byte 0 of the memory 0x06", "byte 0 of the memory 0x05"},
        {RC "qp a\nwrite m hex:0507\nmemory m hex:0508\n", F, "byte 1 of the memory 0x08 (05 [08])",
         "byte 1 of the memory 0x07 (05 [07])"},
        {RC "qp a\nmr o access=remote_read,on_demand\npage o absent\n> a READ_REQUEST va=o rkey=o dmalen=8\n"
            "< a ACKNOWLEDGE syndrome=rnr\npage o present\n> a READ_REQUEST psn=+0 va=o rkey=o dmalen=8\n"
            "< a READ_RESP_ONLY fill=o\n",
         P, NULL, NULL},
    };
    run_cases(c);
}

/* The runner calls a verb once; the alternatives of its line are other results. Each line checks the result of the verb
 * directly before. */
Test(verbs, alternatives)
{
#define T IBC_IS_TOLERATED
    static const struct run_case c[] = {
        {RC "qp a state=init\n a post SEND error=state\n| tolerated \"taken\" a post SEND\n", P, NULL, NULL},
        {RC "qp a state=rts\n a post SEND error=state\n| tolerated \"taken\" a post SEND\n< a SEND_ONLY psn=+0\n"
            "> a ACKNOWLEDGE msn=1\n a completions send=1\n",
         T, NULL, "post the work request done"},
        {RC "qp a state=rts\n a post SEND error=state\n| fail a post SEND\n", F, NULL, "post the work request done"},
        {RC "mr f\nqp a\n f dereg\n| done f dereg error=any\n a state init\n", F, "state Initialized", NULL},
        {RC "mr f\nqp a\n f dereg error=any\n| done f dereg\n a state init\n", P, NULL, NULL},
        {RC "mr f\nqp a\n f dereg error=any\n| f dereg\n a state init\n", F, "state Initialized", NULL},
        {RC "qp a\n a state init\n| tolerated \"other\" a state rts\n", T, "state Initialized", "state Ready to Send"},
        {RC "qp a\n a modify state=err error=any\n", F, "Error refused: any", "Error done"},
        {RC "qp a\n a modify state=err\n| fail a modify state=err error=any\n", P, NULL, NULL},
        {RC "qp a state=init\n a post SEND error=state\n", P, NULL, NULL},
        {RC "qp a state=init\n a post SEND error=any\n", P, NULL, NULL},
        {RC "qp a state=init\n a post SEND error=length\n", F, "post the work request refused: length",
         "refused: state"},
        {RC "qp a state=init\n a post SEND\n| tolerated \"refused\" a post SEND error=state\n", T,
         "post the work request done", "refused: state"},
        {RC "qp a\n a state init\n| a state rtr\n", F, "state Initialized", "state Ready to Send"},
        {RC "qp a recv=1\n a modify state=err\n a completion recv status=success\n"
            "| tolerated \"other\" a completion recv status=flushed\n a completions none\n",
         T, NULL, "completion.status Work Request Flushed Error"},
        {RC "qp a recv=1\n a modify state=err\n a completions none\n"
            "| tolerated \"other\" a completion recv status=flushed\n a completions none\n",
         T, "no completion", NULL},
        {RC "qp a recv=1\n a completion recv status=success\n| a completions none\n", P, NULL, NULL},
        {RC "qp a\n a event comm_established\n| a events none\n", P, NULL, NULL},
        {RC "qp a\n memory m len=8 fill=x\n| memory m len=8 unchanged\n", P, NULL, NULL},
    };
    run_cases(c);
}
