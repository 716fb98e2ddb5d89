/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of fault, with its error message. */
#include "load.h"

static const struct {
    const char *text, *err;
} faults[] = {
    /* ---- text ---- */
    {"title t\x01\n", "f.ibt:1:8: byte 0x01 is no text"},
    {HEAD "a \"silence\n", "f.ibt:5:3: the quote never ends"},
    /* ---- head ---- */
    {"", "f.ibt: the head has no 'title' line"},
    {"titel t\n", "f.ibt:1:1: unknown step 'titel'; did you mean 'title'?"},
    {"title\n", "f.ibt:1:1: 'title' says nothing"},
    {"title t\ntitle u\n", "f.ibt:2:1: 'title' is given twice"},
    {"title t\nrole both\nservice rc\nwait 1s\n", "f.ibt:4:1: the head has no 'spec' line"},
    {"title t\nspec A\nservice rc\nwait 1s\n", "f.ibt:4:1: the head has no 'role' line"},
    {"title t\nspec A\nrole both\nwait 1s\n", "f.ibt:4:1: the head has no 'service' line"},
    {"title t\nspec A B A\n", "f.ibt:2:10: 'A' is given twice"},
    {"title t\nrole respnder\n", "f.ibt:2:6: unknown role 'respnder'; did you mean 'responder'?"},
    {"title t\nrole both middle\n", "f.ibt:2:11: one role is enough"},
    {"title t\nclass strict\n", "f.ibt:2:7: unknown class 'strict'"},
    {"title t\nservice rc ucc\n", "f.ibt:2:12: unknown service 'ucc'; did you mean 'uc'?"},
    {"title t\nlink roce3\n", "f.ibt:2:6: unknown link 'roce3'; did you mean 'roce1'?"},
    {"title t\nneeds atomics\n",
     "f.ibt:2:7: unknown capability 'atomics'; did you mean 'atomic'? (`ibconform list --capabilities` lists them)"},
    {"title t\nneeds read read\n", "f.ibt:2:12: 'read' is given twice"},
    {"title t\ndrawn two words\n", "f.ibt:2:11: the reason is one text between quotes"},
    {HEAD, "f.ibt: there is no step"},
    {HEAD "wait 1s\ntitle late\n", "f.ibt:6:1: 'title' belongs to the head, above"},
    /* ---- vary ---- */
    {HEAD "vary a\nwait 1s\n", "f.ibt:5:1: a name and its values are wanted"},
    {HEAD "vary a 1 2\nwait 1s\n", "f.ibt:5:6: 'a' varies, and nothing uses it"},
    {HEAD "vary a 1 2\nvary b 1s\nwait $b\n", "f.ibt:5:6: 'a' varies, and nothing uses it"},
    {HEAD "vary a,a 1,2\nwait $a\n", "f.ibt:5:6: 'a' is varied twice"},
    {HEAD "vary a,b 1,2 3\nwait 1s\n", "f.ibt:5:14: 2 values are wanted, commas between"},
    {HEAD "vary i 1\nwait $i\n", "f.ibt:5:6: 'i' counts in repeats"},
    {HEAD "vary a-b 1\nwait 1s\n", "f.ibt:5:6: 'a-b': a name has 1 to 31 letters, digits and '_'"},
    {HEAD "vary a 1s 2\nwait $a\n", "f.ibt:6:6: '2': a time ends in ns, us, ms or s (with a=2)"},
    {HEAD "wait $pmtu\n", "f.ibt:5:6: unknown variable 'pmtu'"},
    {HEAD "vary pmtu 1s\nwait $pntu\n", "f.ibt:6:6: unknown variable 'pntu'; did you mean 'pmtu'? (with pmtu=1s)"},
    /* ---- lines ---- */
    {HEAD "qp a\na silense\n", "f.ibt:6:3: unknown step 'silense'; did you mean 'silence'?"},
    {HEAD "qp a\nb silence\n", "f.ibt:6:1: unknown object 'b'"},
    {HEAD "slience\n", "f.ibt:5:1: unknown step 'slience'; did you mean 'silence'?"},
    {HEAD "wait\n", "f.ibt:5:1: a value is missing"},
    {HEAD "qp a\n> a SEND_ONLY icrc:bad\n", "f.ibt:6:15: unknown field 'icrc:bad'"},
    {HEAD "qp a\n> a SEND_ONLY psn:5\n", "f.ibt:6:15: unknown field 'psn:5'; did you mean 'psn'?"},
    {HEAD "health now\n", "f.ibt:5:8: unknown word 'now'"},
    {HEAD "m state rts\n", "f.ibt:5:1: 'm' is a mr, which cannot stand here"},
    {HEAD "qp a\nrelease\n", "f.ibt:6:1: the object is missing"},
    {HEAD "qp a\n recv\n", "f.ibt:6:2: the object is missing"},
    {HEAD "qp a\na > SEND_ONLY\n", "f.ibt:6:3: unknown step '>'"},
    {HEAD "qp a\na destroy\nend\n", "f.ibt:7:1: there is no repeat to end"},
    {HEAD "repeat 2\nwait 1s\n", "f.ibt:5:1: the repeat has no end"},
    {HEAD "repeat 2\nend\n", "f.ibt:6:1: there is nothing to repeat"},
    {HEAD "repeat 2\nqp a\nend\n", "f.ibt:6:1: objects are not made in a repeat"},
    {HEAD "repeat 1\nrepeat 1\nrepeat 1\nwait 1s\nend\nend\nend\n", "f.ibt:7:1: more than 2 repeats in each other"},
    {HEAD "repeat 4097\nwait 1s\nend\n", "f.ibt:5:8: '4097': a number up to 4096 is wanted"},
    {HEAD "repeat 100\nrepeat 100\nwait 1s\nend\nend\n", "f.ibt:7:1: more than 4096 steps"},
    {HEAD
     "repeat 4096\nrepeat 0\nwait 1s\nend\nrepeat 0\nwait 1s\nend\nrepeat 0\nwait 1s\nend\nrepeat 0\nwait 1s\nend\n"
     "repeat 0\nwait 1s\nend\nend\n",
     "f.ibt:15:1: too much to repeat"},
    /* ---- objects ---- */
    {HEAD "qp\n", "f.ibt:5:1: a name is missing"},
    {HEAD "qp A\n", "f.ibt:5:4: 'A': a name has 1 to 31 small letters, digits and '_', a letter first"},
    {HEAD "mr m\n", "f.ibt:5:4: 'm' is always there"},
    {HEAD "mr any\n", "f.ibt:5:4: 'any' is a word"},
    {HEAD "mr title\n", "f.ibt:5:4: 'title' is a word"},
    {HEAD "qp a\nmr a\nwait 1s\n", "f.ibt:6:4: 'a' was made in line 5 already"},
    {HEAD "qp a scq=c\ncq c\nwait 1s\n", "f.ibt:5:10: 'c' is made in line 6, not yet here"},
    {HEAD "qp a scq=m\nwait 1s\n", "f.ibt:5:10: 'm' is a mr, which cannot stand here"},
    {HEAD "qp a pmut=256\nwait 1s\n", "f.ibt:5:6: unknown word 'pmut'; did you mean 'pmtu'?"},
    {HEAD "qp a sl=16\nwait 1s\n", "f.ibt:5:9: '16' is too large: at most 0xf"},
    {HEAD "qp a flow=0x100000\nwait 1s\n", "f.ibt:5:11: '0x100000' is too large: at most 0xfffff"},
    {HEAD "qp a epsn=0x1000000\nwait 1s\n", "f.ibt:5:11: '0x1000000' is too large: at most 0xffffff"},
    {HEAD "qp a access=local_write\nwait 1s\n", "f.ibt:5:13: unknown access right of a QP 'local_write'"},
    {HEAD "qp a access=remote_red\nwait 1s\n",
     "f.ibt:5:13: unknown access right of a QP 'remote_red'; did you mean 'remote_read'?"},
    {HEAD "mw w type=0\nwait 1s\n", "f.ibt:5:11: unknown type of window '0'"},
    {HEAD "mw w\nqp a\n> a SEND_ONLY times=0\n", "f.ibt:7:21: '0': at least 1"},
    /* ---- packets ---- */
    {HEAD "qp a\n> a\n", "f.ibt:6:3: the operation is missing"},
    {HEAD "qp a\n> a SEND_ONYL\n", "f.ibt:6:5: unknown opcode 'SEND_ONYL'; did you mean 'SEND_ONLY'?"},
    {HEAD "qp a type=uc\n< a ACKNOWLEDGE\n", "f.ibt:6:5: UC has no ACKNOWLEDGE"},
    {HEAD "qp a\n> a 256\n", "f.ibt:6:5: '256' is no opcode"},
    {HEAD "qp a\n> a ANY\n", "f.ibt:6:5: ANY is to be expected, not sent"},
    {HEAD "qp a\n> a RAW payload=4\n", "f.ibt:6:5: RAW is what raw queue pairs send, and all they send"},
    {HEAD "qp a type=raw-ipv6\n> a 4\n", "f.ibt:6:5: RAW is what raw queue pairs send, and all they send"},
    {HEAD "qp a type=raw-ipv6\n> a SEND_ONLY\n", "f.ibt:6:5: Raw IPv6 has no SEND_ONLY"},
    {HEAD "qp a\n> a SEND_ONLY psm=+0\n", "f.ibt:6:15: unknown field 'psm'; did you mean 'psn'?"},
    {HEAD "qp a\n> a SEND_ONLY bth.pns=0\n", "f.ibt:6:15: unknown field 'bth.pns'; did you mean 'bth.psn'?"},
    {HEAD "qp a\n> a SEND_ONLY va=0\n", "f.ibt:6:15: 'va': this packet has no atomiceth"},
    {HEAD "qp a type=raw-ipv6\n> a RAW psn=0\n", "f.ibt:6:9: 'psn': this packet has no bth"},
    {HEAD "qp a\n> a SEND_ONLY psn=0x1000000\n", "f.ibt:6:19: '0x1000000' is too large: at most 0xffffff"},
    {HEAD "qp a\n> a SEND_ONLY ackreq=+1\n", "f.ibt:6:22: '+1': only a PSN may be relative"},
    {HEAD "qp a\n> a SEND_ONLY psn=+0 bth.psn=+1\n", "f.ibt:6:22: 'bth.psn' is given twice"},
    {HEAD "qp a\n> a SEND_ONLY psn=1|2\n", "f.ibt:6:19: '1|2': no number"},
    {HEAD "qp a\n> a SEND_ONLY psn=\n", "f.ibt:6:19: a value is missing"},
    {HEAD "qp a\n> a SEND_ONLY destqp=m\n", "f.ibt:6:22: a mr has no qpn"},
    {HEAD "qp a\n> a SEND_ONLY psn=a\n", "f.ibt:6:19: 'a' is no number: one of its values is wanted, as 'a.qpn'"},
    {HEAD "qp a\n> a SEND_ONLY destqp=a.qpm\n", "f.ibt:6:22: unknown attribute 'qpm'; did you mean 'qpn'?"},
    {HEAD "qp a\n> a SEND_ONLY repair=1\n", "f.ibt:6:15: 'repair' stands alone, without '='"},
    {HEAD "qp a\n> a SEND_ONLY same=x\n", "f.ibt:6:20: unknown packet 'x'"},
    {HEAD "qp a\n> a SEND_ONLY poke=5\n", "f.ibt:6:20: '5' has no ':'"},
    {HEAD "qp a\n> a SEND_ONLY poke=5:0\n", "f.ibt:6:20: '0': bytes are pairs of hex digits"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:\n", "f.ibt:6:23: no bytes"},
    {HEAD "qp a\n> a SEND_ONLY fill=1\n", "f.ibt:6:20: '1' is no pattern: a letter, or x+100"},
    {HEAD "qp a\n> a SEND_ONLY icrc=god\n", "f.ibt:6:20: unknown kind of CRC 'god'; did you mean 'good'?"},
    {HEAD "qp a\n> a SEND_ONLY dgid=::g\n", "f.ibt:6:20: '::g' is no IPv6 address"},
    {HEAD "qp a\n> a SEND_ONLY dgid=hex:00\n", "f.ibt:6:20: 1 bytes, and 16 are wanted"},
    {HEAD "qp a\n> a SEND_ONLY ip.src=1.2.3\n", "f.ibt:6:22: '1.2.3' is no IPv4 address"},
    {HEAD "qp a\n> a SEND_ONLY eth.src=0:0:0:0:0:0\n", "f.ibt:6:23: '0:0:0:0:0:0' is no Ethernet address"},
    {HEAD "qp a\n> a SEND_ONLY ecn=cd\n", "f.ibt:6:19: unknown word 'cd'; did you mean 'ce'?"},
    {HEAD "qp a\n> a SEND_ONLY dlid=multicast\n", "f.ibt:6:20: 'multicast' is several values: which one to send?"},
    {HEAD "qp a\n> a SEND_ONLY within=1s\n", "f.ibt:6:15: unknown field 'within'"},
    {HEAD "qp a\n> a ACKNOWLEDGE syndrome=nack\n", "f.ibt:6:26: unknown word 'nack'; did you mean 'ack'?"},
    {HEAD "qp a\n> a ACKNOWLEDGE syndrome=ack:32\n", "f.ibt:6:26: '32' is too large: at most 0x1f"},
    {HEAD "qp a\n> a ACKNOWLEDGE syndrome=nak.remote_acess_error\n",
     "f.ibt:6:26: unknown nak 'remote_acess_error'; did you mean 'remote_access_error'?"},
    {HEAD "qp a\n< a ACKNOWLEDGE msn=3..1\n", "f.ibt:6:21: '3..1': the range is empty"},
    {HEAD "qp a\n< a ACKNOWLEDGE msn=!1|2\n", "f.ibt:6:21: '!' and '|' do not go together"},
    {HEAD "qp a\n< a ACKNOWLEDGE msn=1|2|3|4|5|6|7\n", "f.ibt:6:21: more than 6 alternatives"},
    {HEAD "qp a\n< a ACKNOWLEDGE times=1|2\n", "f.ibt:6:23: '1|2': no number"},
    /* ---- alternatives ---- */
    {HEAD "qp a\n| < a ANY\n", "f.ibt:6:1: an alternative belongs below what may come, or a verb"},
    {HEAD "qp a\n<* a ANY\n| < a ANY\n", "f.ibt:7:1: an alternative belongs below what may come, or a verb"},
    {HEAD "qp a\n  a completion recv\n| < a ANY\n", "f.ibt:7:3: this is no alternative to 'completion'"},
    {HEAD "qp a\n  a post SEND error=any\n| a recv\n", "f.ibt:7:3: this is no alternative to 'post'"},
    {HEAD "qp a\nqp b\n  a post SEND error=any\n| b post SEND\n",
     "f.ibt:8:3: an alternative is what the same verb may answer"},
    {HEAD "qp a\n  a post SEND error=any\n| a post SEND_IMM\n",
     "f.ibt:7:3: an alternative is what the same verb may answer"},
    {HEAD "qp a\n< a ANY\n| fail\n", "f.ibt:7:1: the alternative is missing"},
    {HEAD "qp a\n< a ANY\n| fail > a SEND_ONLY\n",
     "f.ibt:7:8: an alternative is what may come, or what a verb may answer"},
    {HEAD "qp a\n< a ANY\n| fial < a ANY\n", "f.ibt:7:3: unknown verdict 'fial'; did you mean 'fail'?"},
    /* ---- verbs ---- */
    {HEAD "qp a\na post SENT\n", "f.ibt:6:8: unknown operation 'SENT'; did you mean 'SEND'?"},
    {HEAD "qp a\na post SEND rkey=1\n", "f.ibt:6:13: SEND has no 'rkey'"},
    {HEAD "qp a\na modify epsn=1\n", "f.ibt:6:10: 'state=' is missing"},
    {HEAD "qp a\na modify state=rtr epsn=0x100000000\n", "f.ibt:6:25: '0x100000000' is too large: at most 0xffffffff"},
    {HEAD "qp a\na modify state=rtr av=nobody\n", "f.ibt:6:23: unknown end of a path 'nobody'"},
    {HEAD "qp a\na state rst\n", "f.ibt:6:9: unknown state 'rst'; did you mean 'rts'?"},
    {HEAD "qp a\na completion staus=success\n", "f.ibt:6:14: unknown word 'staus'; did you mean 'status'?"},
    {HEAD "qp a\na completion status=sucess\n",
     "f.ibt:6:21: unknown completion status 'sucess'; did you mean 'success'?"},
    {HEAD "qp a\na completions\n", "f.ibt:6:3: a word is missing"},
    {HEAD "qp a\na post SEND error=sate\n", "f.ibt:6:19: unknown error of a verb 'sate'; did you mean 'state'?"},
    {HEAD "memory m\n", "f.ibt:5:8: one of fill, hex, u64, unchanged is wanted"},
    {HEAD "memory m fill=x u64=1\n", "f.ibt:5:17: one of fill, hex, u64, unchanged is wanted"},
    {HEAD "port\n", "f.ibt:5:1: a word is missing"},
    {HEAD "port pkey=1\n", "f.ibt:5:6: which one? pkey[I]="},
    {HEAD "port pkey[1=1\n", "f.ibt:5:6: ']' is missing"},
    {HEAD "port lid[1=1\n", "f.ibt:5:6: unknown word 'lid[1=1'"},
    {HEAD "port pkey[1]x=1\n", "f.ibt:5:6: ']' is missing"},
    {HEAD "port pkey[]=1\n", "f.ibt:5:6: '' is no index"},
    {HEAD "port pkey[256]=1\n", "f.ibt:5:6: '256' is no index"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:0G\n", "f.ibt:6:23: '0G': bytes are pairs of hex digits"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:0g\n", "f.ibt:6:23: '0g': bytes are pairs of hex digits"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:0@\n", "f.ibt:6:23: '0@': bytes are pairs of hex digits"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:0`\n", "f.ibt:6:23: '0`': bytes are pairs of hex digits"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:0:\n", "f.ibt:6:23: '0:': bytes are pairs of hex digits"},
    {HEAD "qp a\n> a SEND_ONLY payload=hex:/0\n", "f.ibt:6:23: '/0': bytes are pairs of hex digits"},
    {HEAD "port lid[1]=1\n", "f.ibt:5:6: unknown word 'lid[1]=1'"},
    {HEAD "port pkey[300]=1\n", "f.ibt:5:6: '300' is no index"},
    {HEAD "counter x 1\n", "f.ibt:5:11: '1': +N is wanted"},
    {HEAD "qp a\n> a SEND_ONLY psn={5\n", "f.ibt:6:19: '{5': no number"},
    {HEAD "qp a\n> a SEND_ONLY psn=[5\n", "f.ibt:6:19: '[5': no number"},
    {HEAD "qp a\n> a SEND_ONLY psn=@5\n", "f.ibt:6:19: '@5': no number"},
    {HEAD "qp a\n> a SEND_ONLY psn=`5\n", "f.ibt:6:19: '`5': no number"},
    {HEAD "wait 5A\n", "f.ibt:5:6: '5A': a time ends in ns, us, ms or s"},
    {HEAD "wait 5Z\n", "f.ibt:5:6: '5Z': a time ends in ns, us, ms or s"},
    {HEAD "wait 5a\n", "f.ibt:5:6: '5a': a time ends in ns, us, ms or s"},
    {HEAD "wait 5z\n", "f.ibt:5:6: '5z': a time ends in ns, us, ms or s"},
    {HEAD "wait 5_\n", "f.ibt:5:6: '5_': a time ends in ns, us, ms or s"},
    {HEAD "wait 5KiB\n", "f.ibt:5:6: '5KiB': a time ends in ns, us, ms or s"},
    {HEAD "qp a\na recv len=5ms\n", "f.ibt:6:12: '5ms': a number ends in digits, KiB or MiB"},
    {HEAD "qp a\na post SEND len:5\n", "f.ibt:6:13: unknown word 'len:5'; did you mean 'len'?"},
    {HEAD "qp a\n> a SEND_ONLY psn=+x\n", "f.ibt:6:19: '+x': no number"},
    {HEAD "qp a\n> a SEND_ONLY psn=1.5\n", "f.ibt:6:19: '1.5': no number"},
    {HEAD "qp a\n> a SEND_ONLY dgid=g\n", "f.ibt:6:20: unknown object 'g'"},
    {HEAD "qp a\n> a SEND_ONLY ip.src=5.6\n", "f.ibt:6:22: '5.6' is no IPv4 address"},
    {HEAD "qp a\n< a SEND_ONLY psn=2..1\n", "f.ibt:6:19: '2..1': the range is empty"},
    {HEAD "qp a\n< a SEND_ONLY psn=1..x\n", "f.ibt:6:19: 'x': no number"},
    {"title t\nrole b\x7f\n", "f.ibt:2:7: byte 0x7f is no text"},
    {"title t\nrole b~\x80\n", "f.ibt:2:6: unknown role 'b~\x80'"},
    {"title t\nneeds zz\n", "f.ibt:2:7: unknown capability 'zz' (`ibconform list --capabilities` lists them)"},
    {"title t\nneeds two_port\n", "f.ibt:2:7: unknown capability 'two_port'; did you mean 'two_ports'? (`ibconform "
                                  "list --capabilities` lists them)"},
    {"title t\nneeds cm_verb\n",
     "f.ibt:2:7: unknown capability 'cm_verb'; did you mean 'cm_verbs'? (`ibconform list --capabilities` lists them)"},
    {"title t\nneeds srqs\n",
     "f.ibt:2:7: unknown capability 'srqs'; did you mean 'srq'? (`ibconform list --capabilities` lists them)"},
    {HEAD "vary abcdefghijklmnopqrstuvwxyz012345 1\nwait 1s\n",
     "f.ibt:5:6: 'abcdefghijklmnopqrstuvwxyz012345': a name has 1 to 31 letters, digits and '_'"},
    {HEAD "vary abcdefghijklmnopqrstuvwxyz01234 1s\nwait $abcdefghijklmnopqrstuvwxyz01234\n\nwait\n",
     "f.ibt:8:1: a value is missing"},
    {HEAD "wait 2h\n", "f.ibt:5:6: '2h': a time ends in ns, us, ms or s"},
    {HEAD "wait 43201s\n", "f.ibt:5:6: '43201s' is too long: at most twelve hours"},
    {"title t\nspec A\nrole both\nservice rc\npass\n", "f.ibt:5:1: role both has no 'pass'"},
    {"title t\nspec A\nrole both\nservice rc\nqp a dut=2\n", "f.ibt:5:6: 'dut' is for role middle"},
    {"title t\nspec A\nrole both\nservice rc\nqp a\n< a ANY then=drop\n", "f.ibt:6:9: 'then' is for role middle"},
    {"title t\nspec A\nrole verbs\nservice rc\nqp a\n> a SEND_ONLY\n", "f.ibt:6:1: role verbs has no '>'"},
    {"title t\nspec A\nrole fabric\nqp a\n", "f.ibt:4:1: role fabric has no 'qp'"},
    {"title t\nspec A\nrole fabric\nmanager a at=b.1\n", "f.ibt:4:1: role fabric has no 'manager'"},
    {"title t\nspec A\nrole sm\nadapter a lid=3\n", "f.ibt:4:11: 'lid' is for role fabric"},
    {"title t\nspec A\nrole sm\nadapter a\na.0 gets GE PortInfo\n",
     "f.ibt:5:10: unknown method 'GE'; did you mean 'GET'?"},
    {"title t\nspec A\nrole sm\nadapter a\na.0 has PortInfo slid=1\n", "f.ibt:5:18: unknown word 'slid'"},
    {HEAD "switch s\n", "f.ibt:5:1: role middle has no 'switch'"},
    {"title t\nspec A\nrole fabric\nwire w\n", "f.ibt:4:1: wires are made with their switch, adapter or router"},
    {"title t\nspec A\nrole fabric\nswitch s ports=x\n",
     "f.ibt:4:1: a node has a short name, and ports= is a plain number"},
    {"title t\nspec A\nrole fabric\nswitch s\nwait 1s\nswitch t\n", "f.ibt:6:1: a switch stands above the first step"},
    {"title t\nspec A\nrole fabric\nswitch s\n> s.1 GET\n", "f.ibt:5:7: the attribute is missing"},
    {"title t\nspec A\nrole fabric\nswitch s\n> s.1 GET PortInf\n",
     "f.ibt:5:11: unknown attribute 'PortInf'; did you mean 'PortInfo'?"},
    {"title t\nspec A\nrole fabric\nswitch s\n> s.1 GET P_KeyTable pkey[32]=1\n",
     "f.ibt:5:22: unknown field 'pkey[32]=1'"},
};

Test(fault, each_says_what_and_where)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char err[500];
        struct ibc_scenario *s = load_text(faults[i].text, err);

        cr_expect_null(s, "loads: %s", faults[i].text);
        cr_expect_str_eq(err, faults[i].err, "got      '%s'\nexpected '%s'", err, faults[i].err);
        ibc_free(s);
    }
}

static struct ibc_scenario *load_long(size_t n, const char *each, char err[500])
{
    char *text = calloc(1, n * strlen(each) + sizeof HEAD + 100);
    struct ibc_scenario *s;

    strcpy(text, HEAD);
    for (char *at = text + strlen(text); n > 0; n--, at += strlen(each))
        strcpy(at, each);
    strcat(text, "\nwait 1s\n");
    s = load_text(text, err);
    free(text);
    return s;
}

Test(fault, what_is_too_much_is_refused)
{
    char err[500];

    cr_expect_null(load_long(8000, "wait 1s\n ", err));
    cr_expect_str_eq(err, "f.ibt: more than 64 KiB");
    cr_expect_null(load_long(1001, "#", err));
    cr_expect_str_eq(err, "f.ibt:5:1001: the line has more than 1000 bytes");
    cr_expect_null(load_long(4097, "wait 1s\n", err));
    cr_expect_str_eq(err, "f.ibt:4101:1: more than 4096 steps");
    cr_expect_null(load_long(1,
                             "wait 1s 2s 3s 4s 5s 6s 7s 8s 9s 1s 2s 3s 4s 5s 6s 7s 8s 9s 1s 2s 3s 4s 5s 6s 7s 8s 9s "
                             "1s 2s 3s 4s 5s 6s 7s 8s 9s 1s 2s 3s 4s 5s 6s 7s 8s 9s",
                             err));
    cr_expect_str_eq(err, "f.ibt:5:123: more than 40 words");
    cr_expect_null(
        load_text("title t\nvary a 1 2 3 4 5 6 7 8 9\nvary b 1 2 3 4 5 6 7 8 9\nvary c 1 2 3 4 5 6 7\n", err));
    cr_expect_str_eq(err, "f.ibt:4:1: more than 512 variations");
    cr_expect_null(load_long(1,
                             "vary a 0123456789012345678901234567890123456789\nvary b $a$a$a$a$a$a\nvary c $b$b$b$b\n"
                             "vary d $c$c$c$c$c\ncounter $d +1",
                             err));
    cr_expect_str_eq(err, "f.ibt:8:6: more than 1000 bytes with its variables filled in");
    cr_expect_null(load_long(1,
                             "vary a 1 2 3 4 5 6 7 8 9\nvary b 1 2 3 4 5 6 7 8 9\nvary c 1 2 3 4 5 6\nrepeat "
                             "$a*0+$b*0+$c*0+4000\nwait 1s\nend\n",
                             err));
    cr_expect_str_eq(err, "f.ibt: too many steps in all variations together");
}

Test(fault, a_scenario_s_name_ends_in_ibt)
{
    char err[500];

    cr_expect_null(ibc_load_text(HEAD, strlen(HEAD), "x.txt", "x", err, sizeof err));
    cr_expect_str_eq(err, "x.txt: a scenario's name ends in .ibt");
    cr_expect_null(ibc_load("/nowhere/x.ibt", "x", err, sizeof err));
    cr_expect_str_eq(err, "/nowhere/x.ibt: cannot be opened: No such file or directory");
}

Test(fault, nobody_has_to_listen)
{
    cr_expect_null(ibc_load_text("x", 1, "x.ibt", "x", NULL, 0));
}
