/* SPDX-License-Identifier: BSD-2-Clause */
/* Work requests of the device, and the tester's responses. */
#include "rules.h"

/* clang-format off */
static const struct fuzz_rule rules[] = {
    /* ---- receives ---- */
    ANY("receive", "  {a|a|a|s} recv len={{len}|1024|{mtu}} id={id}{times?}"),
    ANY("receive", "  a recv len={mtu}*4 id={id} times={1..4}"),
    ANY("receive", "  a recv at={l|f|x|o|m}+{0..4}*512 len=1024 id={id} {lkey={l.lkey^1|f.lkey|x.lkey|0|o.lkey}|}"),
    ANY("receive", "  a recv sge=l+{0..9}*64:{1..64} sge=l+2048:{1..600} {sge=l+8192:1000|} id={id}"),
    ANY("times", " times={2..6}"),

    /* ---- conditions of the sequence ---- */
    ANY("circumstance", "  a modify state={rts|sqd|rts|err|rts}"),
    ANY("circumstance", "  wait {1us|50us|200us|3ms}"),
    ANY("circumstance", "  write {m|f}+{place} len={1..64} fill={a|x}"),
    ANY("circumstance", "  {f|x|i} dereg"),
    ANY("circumstance", "  c arm{| solicited}"),
    ANY("circumstance", "  c arm{| solicited}"),
    IF("circumstance", pkey_table, "  port pkey[{1|1|2}]={pkeys}"),
    IF("circumstance", page_hook, "  page o+{0|4096} {absent|present}"),
    IF("circumstance", srq, "  s limit {0..5}"),
    IF("circumstance", virtual_time, "  wait {20ms|300ms|2s|9s|80s|700s}"),
    ON("circumstance", IB, "  port lid=0x0010"),
    ON("circumstance", IB, "  port lmc={0..3}"),
    ON("circumstance", IB, "  port sl2vl[{0|3}]={0..3}"),
    IF("circumstance", counter_hook, "  port {pkey|qkey}_violations=0xfffe"),

    /* ---- a connection that is set up again ---- */
    ANY("heal", "  a modify state=reset\n  a modify state=init{odd?}\n{receive}\n  a modify state=rtr\n  a modify state=rts{anew}"),
    ANY("odd", " {attr}"),

    /* ---- the device's timers: in real time, shorter than playing an input takes ---- */
    ANY("rnr", "1"),
    IF("rnr", virtual_time, "{0..31}"),
    IF("rnr", virtual_time, "{0..31}"),
    IF("rnr", virtual_time, "{2..12}"),
    ANY("timeout", " timeout=0"),
    IF("timeout", virtual_time, " timeout={0..31}"),
    IF("timeout", virtual_time, " timeout={8..16}"),

    /* ---- work requests ---- */
    ANY("local", "{at=l+{0..4096}|at=l+{0..4096}|at=m+{0..64}|at=f+8 lkey=f.lkey|{badlocal}}"),
    ANY("badlocal", "{at=l+{0..64}|at=l+{0..64}|at=l+{0..64} lkey={l.lkey^1|x.lkey|0}|at=l+65500|at=o|at=x}"),
    ANY("remote", " to={0|0x10000|{u64}} rkey={u32}"),
    ANY("remote8", " to={0x10000|0x7f0000000008} rkey={u32}"),
    IF("remote8", virtual_time, " to=0x10001 rkey={u32}"), /* a device may refuse to post it */
    ANY("flags", " {signaled=0|solicited=1|solicited=1|fence=1|fence=1|signaled=0 solicited=1}"),
    ANY("credit", "{|||:{0..31}}"),
    ANY("rq", "{post}"),
    ANY("rq", "{post}"),
    ANY("rq", "{post}"),
    ANY("rq", "{post}\n{post}"),
    ANY("rq", "{answer}"),
    ANY("rq", "{answer}"),
    ANY("rq", "{answer}"),
    ANY("rq", "{answer}"),
    ANY("rq", "{all}"),
    ANY("rq", "{refusal}"),
    ANY("rq", "{bad_answer}"),
    ANY("rq", "{storm}"),
    ANY("rq", "{heal}"),
    ANY("rq", "{again}"),
    ANY("rq", "{circumstance}"),
    IF("rq", virtual_time, "  wait {10us|100us|1ms|5ms|20ms|100ms|300ms|700ms|2s|5s|20s|80s|300s|1200s|6000s}"),
    IF("rq", virtual_time, "{refusal}\n  wait {20us|100us|1ms|10ms|30ms|100ms|400ms|700ms}"),
    ANY("rq", "  a post SEND len=16 id={id} {lkey=0x00bad000|sge=l:8 sge=l+64:8|sge=l:8 sge=x:8 lkey=l.lkey|fence=1|signaled=0}"),
    IF("rq", mw2, "  a post LOCAL_INV inv={i.rkey|w.rkey|v.rkey|f.rkey|m.rkey} id={id}{flags?}"),
    IF("rq", mw1, "{bind}"),
    ANY("rq", "> a SEND_ONLY psn=+0 ackreq=1 payload=8"),

    /* ---- windows and regions ---- */
    IF("bind", mw1, "  a post BIND_MW mw={w|v|v} mr={m|m|m|f|g|i|z} va={m|m|f|g|i|z}+{0|0|64|65473} len={64|1024|0|65537} access={rights} {key={v.rkey^1|w.rkey^1|v.rkey|{0..255}}|} id={id}"),
    IF("bind", mw2, "  a post BIND_MW mw=v mr=x va=x+{0|64} len={64|1024} access={rights} key=v.rkey^1 id={id}"),
    {"bind", FUZZ_CAP(mw1) | FUZZ_CAP(virtual_time), FUZZ_ANY, "  a post BIND_MW mw=w mr=x va=x+{0|64} len={64|1024} access={rights} id={id}"},
    IF("bind", mw1, "  a post BIND_MW mw=w mr=m va=m+{0|64} len={64|1024|0} access={rights} id={id}"),
    IF("bind", mw2, "  a post BIND_MW mw=v mr=m va=m+{0|64} len={64|1024|0} access={rights} key=v.rkey^{1|1|3|0} id={id}"),
    ANY("rights", "{remote_write|remote_read|remote_write,remote_read,remote_atomic|remote_atomic|remote_read,zero_based|remote_write,local_write|flush_global|none|remote_write,remote_read}"),
    ANY("any", "{a|a|b|e|j}"),
    ANY("window", "{bind}"),
    ANY("window", "{bind}"),
    ANY("window", "{bound}"),
    ANY("window", "{bound}"),
    IF("bound", mw2, "  a post BIND_MW mw=w mr={m|f|g|i|z} va={m|f|g|i|z}+{0|64} len={64|1024} access={rights} id={id}\n{through}"),
    IF("bound", mw2, "  a post BIND_MW mw=w mr=m va=m+{0|64} len={64|1024|0} access={rights} id={id}\n{through}\n{through}"),
    IF("bound", mw2, "  a post BIND_MW mw=v mr=m va=m+64 len=64 access={rights} key=v.rkey^{1|3} id={id}\n{through2}\n{through2}"),
    IF("bound", mw2, "  a post LOCAL_INV inv={i|v}.rkey id={id}\n{through}\n{through2}"),
    ANY("through", "> {any} {WRITE_ONLY payload=8|READ_REQUEST dmalen=8|FETCH_ADD add=1} va=m+{0|64|120|124|128} rkey=w.rkey ackreq=1"),
    ANY("through2", "> {any} {WRITE_ONLY payload=8|READ_REQUEST dmalen=8} va=m+{64|120|124|0} rkey=v.rkey ackreq=1"),
    ANY("through2", "> {any} {WRITE_ONLY payload=8|READ_REQUEST dmalen=8} va={0|8|60} rkey={v|w}.rkey ackreq=1"),
    ANY("through2", "  {any} post LOCAL_INV inv=v.rkey id={id}"),
    ANY("window", "> {any} {WRITE_ONLY payload=8|WRITE_ONLY payload=8|READ_REQUEST dmalen=8|CMP_SWAP} va={m|m|m+64|m+60|m+1016|m+1020|m+1024|0|8} rkey={w|v}.rkey{|||^1} {ackreq=1|}"),
    ANY("window", "> {any} {WRITE_ONLY payload=8|READ_REQUEST dmalen=8} va={w|v|f|g|x|i|z|0|8} rkey={f|g|x|i|z|m|l}.rkey ackreq=1"),
    ANY("window", "> {any} {WRITE_ONLY payload={len}|READ_REQUEST dmalen={long}} va={m|f|g|i}+{0|65500|65528|65529|65535} rkey={m|f|g|i}.rkey ackreq=1"),
    ANY("window", "> {any} {WRITE_ONLY payload=8|READ_REQUEST dmalen=8|FETCH_ADD add=1} va={same}"),
    ANY("same", "{f rkey=f.rkey|g rkey=g.rkey|x rkey=x.rkey|i rkey=i.rkey|z rkey=z.rkey|m rkey=m.rkey|l rkey=l.rkey|o rkey=o.rkey|0 rkey=z.rkey|4090 rkey=z.rkey}"),
    ANY("window", "  {any} post LOCAL_INV inv={i|w|v|f|m|x}.rkey{|||^1} id={id}"),
    IF("window", send_inv, "> {any} SEND_ONLY_INV ackreq=1 payload=8 inv={i|w|v|f|m|x}.rkey{|||^1}"),
    ANY("window", "  {w|v} free"),
    ANY("window", "  {f|g|x|i|z} dereg"),
    ANY("window", "  {b destroy|p destroy|a modify state=err|b modify state={reset|err}}"),
    ANY("window", "  {any} post {SEND|WRITE|READ} len=16 at={f|g|x|i|z|o|m|l}+{0|65530} {|lkey={f|g|x|i|z|l}.lkey} id={id}"),
    ANY("window", "  {any} recv at={f|g|x|i|z|o|m|l}+{0|65530} len=16 {|lkey={f|g|x|i|z|l}.lkey} id={id}"),
    ANY("window", "> {any} SEND_ONLY ackreq=1 payload=16"),
    ANY("window", "  mr y length={0|1|4096} access={region} {|pd=p|iova={0|0x1000|0xfffffffffffff000}}"),
    ANY("region", "{remote_write|local_write,remote_write|remote_atomic|remote_read|none|local_write,zero_based,remote_read|unknown|local_write,flush_global|mw_bind|local_write,invalidate}"),

    ANY("xrc", "  a post {SEND|WRITE|WRITE_IMM imm=5|READ|SEND_IMM imm=7} len={long} srqn={u20} id={id}{flags?}"),
    ANY("xrc", "> a XRC_ACKNOWLEDGE psn=+{0..4} syndrome={ack|ack|ack|nak:{0..4}|rnr:{rnr}} msn={0..4}{spoil?}"),
    ANY("xrc", "> a XRC_READ_RESP_ONLY psn=+{0..4} syndrome=ack msn=1 payload=8"),

    /* ---- datagrams ---- */
    ANY("send", "  a post {SEND|SEND|SEND_IMM imm={u32}} len={len} {local} id={id} {ud}{flags?}"),
    ANY("send", "  a post {SEND|SEND_IMM imm={u32}} len={len} id={id}{flags?}"),
    ANY("ud", "{|qkey={u32}|qkey=0x80000000|dest=stranger|dest=none|qkey=0x80010000}"),
    IF("ud", multicast, "dest={n|h}"),
    ANY("send", "  a post SEND len={{mtu}|{mtu}+1|4096|4097} id={id}"),
    ANY("send", "  a post {READ|WRITE|CMP_SWAP|FETCH_ADD} len=8 id={id}"),
    ANY("send", "{circumstance}"),
    ANY("send", "  a post SEND len=8 id={id} {lkey=0x00bad000|sge=l:8 sge=x:8 lkey=l.lkey|pd=p|av_port={1|2}}"),

    /* ---- the sender of an unreliable connection ---- */
    ANY("uc", "  a post {SEND|SEND|SEND_IMM imm={u32}} len={long} {local} id={id}{flags?}"),
    ANY("uc", "  a post {WRITE|WRITE_IMM imm={u32}} len={long} {local}{remote} id={id}{flags?}"),
    ANY("uc", "  a post {READ|CMP_SWAP|FETCH_ADD|SEND_INV} len=8 id={id}"),
    ANY("uc", "> a {ACKNOWLEDGE|RC_ACKNOWLEDGE} psn=+0 syndrome=ack"),
    ANY("uc", "{circumstance}"),
    ANY("uc", "{bind}"),
};
/* clang-format on */
const struct fuzz_rules fuzz_work_rules = {rules, sizeof rules / sizeof *rules};
