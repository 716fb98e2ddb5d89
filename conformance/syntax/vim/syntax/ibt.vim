" Scenarios of ibconform. A test compares the words with the loader's tables.
if exists('b:current_syntax')
  finish
endif
setlocal commentstring=#\ %s
setlocal iskeyword+=-

syntax region ibtString start='"' end='"' oneline contains=ibtVariable
syntax match ibtVariable '\$\%(\w\+\|{\w\+}\)'
syntax match ibtNumber '\<\%(0x\x\+\|\d\+\%(\.\d\+\)\?\)\%(KiB\|MiB\|ns\|us\|ms\|s\)\?\>'
syntax match ibtBytes '\<hex:\x\+\>'
syntax match ibtOpcode '\<\u[A-Z0-9_]\+\>'
syntax match ibtField '\<[a-z0-9]\+\%(\.[a-z0-9_]\+\)\+\ze='
syntax match ibtLive '\<\l\w*\.\%(length\|epsn\|lkey\|peer\|rkey\|psn\|qpn\|va\|tid\|lid\|id\)\>'
syntax match ibtArrow '\%(^\|\s\)\zs[<>][?*]\?\ze\s'
syntax match ibtAlternative '^\s*\zs|\ze\s' nextgroup=ibtVerdict skipwhite
syntax keyword ibtVerdict contained pass tolerated fail done

" name=value
syntax match ibtKey '\<\%(payload\|fill\|icrc\|vcrc\|cut\|extra\|insert\|remove\|poke\|repair\)\ze[=[]'
syntax match ibtKey '\<\%(pad_byte\|from\|to\|via\|times\|after\|within\|as\|same\|then\|hop\)\ze[=[]'
syntax match ibtKey '\<\%(tclass\|flow\|ecn\|dscp\|sgid\|dgid\|length\|pd\|access\|iova\|piece\|stride\|rounds\|type\)\ze[=[]'
syntax match ibtKey '\<\%(depth\|limit\|recv\|recv_bytes\|scq\|rcq\|srq\|xrcd\|rdd\|eecn\|cq\|pmtu\|epsn\|psn\|state\)\ze[=[]'
syntax match ibtKey '\<\%(timeout\|retry\|rnr_retry\|min_rnr\|rd\|dest_rd\|pkey\|qkey\)\ze[=[]'
syntax match ibtKey '\<\%(flow_control\|sig\|sq\|rq\|sl\|port\|dut\|peer\|alt\|mig\|gid\|len\|at\)\ze[=[]'
syntax match ibtKey '\<\%(lkey\|sge\|va\|rkey\|imm\|inv\|cmp\|swap\|add\|placement\|selectivity\)\ze[=[]'
syntax match ibtKey '\<\%(signaled\|solicited\|fence\|inline\|id\|dest\|qpn\|mw\|mr\|key\|error\|only\)\ze[=[]'
syntax match ibtKey '\<\%(without\|cur_state\|sqd_notify\|av\|status\|bytes\|grh\|srcqp\)\ze[=[]'
syntax match ibtKey '\<\%(pkey_index\|send\|none\|hex\|u64\|unchanged\|absent\|present\|lmc\|lid\)\ze[=[]'
syntax match ibtKey '\<\%(mtu\|congestion\|sl2vl\|n\|ackreq\|se\|migreq\|pad\|tver\|fecn\|becn\)\ze[=[]'
syntax match ibtKey '\<\%(destqp\|dmalen\|syndrome\|msn\|orig\|vl\|lnh\|lver\|dlid\|slid\|pktlen\)\ze[=[]'
syntax match ibtKey '\<\%(nxthdr\|ipver\|paylen\|sport\|dport\)\ze[=[]'
syntax match ibtKey '\<\%(tags\|tag\|mask\|handled\|app\|match\|data\)\ze[=[]'
syntax match ibtKey '\<\%(vlan\|gid_index\|path_bits\|ethertype\|srqn\|pkey_violations\|qkey_violations\)\ze[=[]'
syntax match ibtKey '\<\%(vlan\|gid_index\|path_bits\|mapped\|ethertype\|srqn\|pkey_violations\)\ze[=[]'
syntax match ibtKey '\<\%(qkey_violations\|av_port\|alt_port\|quiet\|late\|slower\|faster\|backlog\|compare\|datagrams\|both\|alt_lid\)\ze[=[]'
syntax match ibtKey '\<\%(ports\|sm\|mkey\|protect\|lease\|route\|vls\|credits\|refresh\|unmapped\|ipd\|one\|other\|priority\|sweep\|poll\|full\|limited\)\ze[=[]'
syntax match ibtWord '\<\%(good\|bad\|none\|any\|ack\|rnr\|nak\|reset\|init\|rtr\|rts\|sqd\|sqe\)\>=\@!'
syntax match ibtWord '\<\%(err\|success\|migrated\|rearm\|all\|wr\|forward\|drop\|twice\|hold\)\>=\@!'
syntax match ibtWord '\<\%(corrupt\|peer\|stranger\|rkeys\|qpns\|psns\)\>=\@!'
syntax match ibtWord '\<\%(nowhere\|loopback\|ipv4\|unknown\|armed\)\>=\@!'

syntax match ibtStep '\<\%(call\|told\|gives\|silence\|wait\|post\|recv\|modify\|state\|completion\|completions\)\ze\%(\s\|$\)'
syntax match ibtStep '\<\%(event\|events\|destroy\|dereg\|reregister\|free\|arm\|notified\|resize\|limit\|tag\|untag\|sync\|attach\)\ze\%(\s\|$\)'
syntax match ibtStep '\<\%(detach\|memory\|write\|page\|prefetch\|port\|counter\|pace\|pass\|release\|score\)\ze\%(\s\|$\)'
syntax match ibtStep '\<\%(health\|repeat\|end\|set\|get\|pull\|plug\|start\|stop\|has\|gets\|subnet\)\ze\%(\s\|$\)'
syntax match ibtFlag '\<mapped\>=\@!'
syntax match ibtObject '^\s*\zs\%(manager\|partition\|switch\|adapter\|router\|wire\|cable\|handle\|group\|xrcd\|srq\|cm\|cq\|mr\|mw\|pd\|qp\)\ze\s\+\l'
syntax match ibtFlag '\<\%(repair\|only\|solicited\|absent\|present\|unchanged\|no_fault\|later\)\>=\@!'

" the head
syntax match ibtHead '^\s*\zs\%(service\|covers\|class\|needs\|title\|link\|note\|role\|spec\|vary\|hazard\|see\|drawn\)\>'
syntax match ibtText '^\s*\%(title\|note\|hazard\|see\|covers\|spec\|drawn\)\>.*$' contains=ibtHead,ibtComment
syntax match ibtNeeds '^\s*\%(needs\|role\|class\|service\|link\)\>.*$' contains=ibtHead,ibtComment,ibtCapability,ibtOneOf
syntax keyword ibtCapability contained rc uc ud raw management write read atomic flush persistent atomic_write send_inv mw1 mw2 mw2a
syntax keyword ibtCapability contained fast_reg reregister reregister_range xrc_tgt pieces inline_data zero_based resize_cq srq tags multicast odp prefetch page_hook apm credits congestion
syntax keyword ibtCapability contained pkey_table limited_pkey lmc two_ports two_devices qp_states rate_control exact_depth notify counters cm cm_fields cm_verbs
syntax keyword ibtCapability contained virtual_time counter_hook xrc rd fabric sm
syntax keyword ibtCapability contained counter_hook xrc
syntax keyword ibtCapability contained virtual_time
syntax keyword ibtOneOf contained responder requester both middle verbs fabric sm mandatory optional recommended conditional
syntax keyword ibtOneOf contained informational security roce2-ipv4 roce2-ipv6 roce1 ib-local ib-global rc uc ud
syntax keyword ibtOneOf contained raw-ipv6 raw-ethertype smi gsi xrc-ini xrc-tgt rd ee

syntax match ibtComment '\%(^\|\s\)\zs#.*$'

highlight default link ibtComment Comment
highlight default link ibtString String
highlight default link ibtVariable Identifier
highlight default link ibtNumber Number
highlight default link ibtBytes Number
highlight default link ibtOpcode Function
highlight default link ibtField Type
highlight default link ibtKey Type
highlight default link ibtLive Identifier
highlight default link ibtArrow Operator
highlight default link ibtAlternative Operator
highlight default link ibtVerdict Exception
highlight default link ibtWord Constant
highlight default link ibtStep Statement
highlight default link ibtObject Structure
highlight default link ibtFlag Type
highlight default link ibtHead PreProc
highlight default link ibtText String
highlight default link ibtCapability Constant
highlight default link ibtOneOf Constant

let b:current_syntax = 'ibt'
