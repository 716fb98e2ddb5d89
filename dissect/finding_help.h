/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice about each finding: one row a kind, in the order of IBA_FINDINGS. `ibdissect -G findings` prints the rows,
 * and ibproof-findings(7) is made of them. Three texts, each of full sentences: what the finding means for the
 * connection, what causes it in practice, and what to look at or to do. */
#ifndef DISSECT_FINDING_HELP_H
#define DISSECT_FINDING_HELP_H
#include "observer/iba_finding_kinds.h"

struct finding_help {
    const char *means, *causes, *advice;
};

/* clang-format off */
#define FINDING_HELP(H) \
    H(RETRY_NAK, \
      "The responder missed a packet, sent a NAK with code PSN Sequence Error, and the requester went back to that PSN.", \
      "A packet was lost between the requester and the responder: a full switch queue, a port without flow control, a damaged frame.", \
      "Look for the GAP before it and compare both ends' captures: where the packet is last seen it was lost. Read the discard counters of the switch ports between them (tail drops, PFC, ECN), and the symbol errors of the links.") \
    H(RETRY_RNR, \
      "The receiver had no receive posted, sent an RNR NAK, and the requester waited for the time in it.", \
      "The application posts receives more slowly than its peer sends, or the receive queue is too short for a burst.", \
      "Post more receives, or post them earlier. Look at the time between RNR NAK and repeat: it is the receiver's min_rnr_timer, and each one is time lost.") \
    H(RETRY_IMPLIED, \
      "A response of a later request showed that an earlier response was lost, and the requester asked again without waiting for its timer.", \
      "A READ response or an acknowledgement was lost between the responder and the requester.", \
      "Look for loss in the direction from the responder to the requester; it is often another path than that of the requests.") \
    H(RETRY_TIMEOUT, \
      "No response came before the requester's timer ran out, so the packet was sent again. The connection stood still for that time.", \
      "The last packet of a message or its acknowledgement was lost, so that no NAK could tell of it; or the responder answered too late; or the responder is gone.", \
      "Compare the pause before it with the timeout of the QP (ibdissect -z agreed). Look whether the packet and its answer reached the other end. A few of these cost more time than many RETRY_NAK.") \
    H(RETRY_UNCLEAR, \
      "The packet was sent before, and the capture shows no reason why it is sent again.", \
      "The capture lacks the NAK, or it was taken at one end only, or packets were dropped by the capture.", \
      "Capture at both ends, and read the number of packets that the capture itself dropped.") \
    H(RETRY_CHANGED, \
      "The repeat has the PSN of an earlier request, but other headers. A responder that took the first one may execute another request.", \
      "A fault of the requester: its state was overwritten, or a QP was started again with PSNs that are in use.", \
      "Compare both packets field by field (ibdissect -V). Report it to the maker of the requester with both packets.") \
    H(RETRY_PAYLOAD, \
      "The repeat carries other bytes than the first packet. The architecture allows it: the adapter reads the buffer again.", \
      "The application changed the buffer before the completion returned it.", \
      "Look at the application: a send buffer belongs to the adapter until its completion. It is a fault only if the receiver can see old bytes as new.") \
    H(RETRY_LIMIT, \
      "The packet came more often than seven repeats, which is the most that the retry counter of 3 bits can count.", \
      "An adapter that does not count repeats, or starts to count again after each NAK; adaptive retransmission of some adapters.", \
      "Look at the retry count that both ends agreed on (ibdissect -z agreed), and at settings of the adapter's vendor.") \
    H(ANSWER_AGAIN, \
      "The responder answers a request that it has answered before. This is its duty when a request is sent again.", \
      "The first answer was lost or late.", \
      "Nothing to do here: look at the repeat that it answers.") \
    H(NETWORK_COPY, \
      "The same packet arrived twice, and its sender did not send it twice.", \
      "A mirror port that copies both directions, a loop, a bond that floods, or a capture of two interfaces in a file that does not tell them apart (pcap).", \
      "Check how the capture was taken first. If it was taken on one port, look for a loop or a flooding switch.") \
    H(GAP, \
      "PSNs between the last packet and this one are missing: packets of the requester were lost before the capture.", \
      "Loss in the network before the capture point, or packets that the capture dropped.", \
      "If the responder answers with a NAK, they were lost in the network. If it acknowledges them (NOT_CAPTURED), the capture lost them.") \
    H(RESPONSE_GAP, \
      "Responses of a READ between the last one and this one are missing.", \
      "Loss between the responder and the capture point.", \
      "Look at the path from the responder to the requester. The requester will ask again (RETRY_IMPLIED or RETRY_TIMEOUT).") \
    H(ANSWER_MISSING, \
      "A later request was answered, although an earlier READ or ATOMIC has no response yet. Its response was lost.", \
      "Loss between the responder and the capture point.", \
      "As for RESPONSE_GAP.") \
    H(NOT_CAPTURED, \
      "The responder acknowledges requests that this capture does not have. They did arrive.", \
      "The capture dropped packets, or began after them, or the requests take another link than the captured one.", \
      "Do not count these as loss. Capture with a shorter snap length, a larger buffer, or on the other port of a bond.") \
    H(LATE, \
      "The packet arrived after packets that were sent after it.", \
      "Packets of one connection take several paths: adaptive routing, packet spraying, a link aggregation that does not hash by flow.", \
      "On adapters that expect packets in order each of these costs a NAK. Look at the hashing of the switches, or at the adapter's support of out-of-order packets.") \
    H(REORDERED, \
      "Packets overtake each other in this direction, and the receiver takes them in any order.", \
      "Adaptive routing or packet spraying, as configured. Not a fault.", \
      "Nothing to do, unless you expected one path.") \
    H(NAK_SEQUENCE, \
      "The responder received a later packet than it expects, and asks for the one in the NAK.", \
      "Loss or reordering between the requester and the responder.", \
      "As for RETRY_NAK.") \
    H(NAK_INVALID, \
      "The responder cannot execute the request. The connection ends: both QPs go to Error.", \
      "A message longer than the receive, an operation that the QP does not allow (a READ to a QP without that right), too many READs or ATOMICs at once, or a request out of order within a message.", \
      "Look at the request that it answers: its opcode, length, and the number of READs in flight against what was agreed (ibdissect -z agreed).") \
    H(NAK_ACCESS, \
      "The R_Key, the address or the length of the request names memory that the responder does not open to it. The connection ends.", \
      "A key that was deregistered or invalidated too early, an address beyond the region, a right that is missing, or another protection domain.", \
      "Print address, R_Key and DMA length of the request (RETH) and compare them with what the responder's application has registered and sent to its peer.") \
    H(NAK_OPERATION, \
      "The responder failed for a reason of its own while it executed the request. The connection ends.", \
      "The receive posted there has a bad L_Key or is too short for the local rules, or the adapter had an internal error.", \
      "Read the completion status and the kernel's log at the responder.") \
    H(NAK_RD, \
      "The responder refuses a request of the service Reliable Datagram, which no adapter that is sold has.", \
      "A damaged or invented packet, or a reserved code that is used for something else.", \
      "Look at the sender of the NAK.") \
    H(NAK_RESERVED, \
      "The NAK has a code that the architecture reserves. What it means is not defined.", \
      "A fault of the responder, or a manufacturer's extension.", \
      "Report it to the maker of the responder.") \
    H(SYNDROME_RESERVED, \
      "The AETH has a syndrome that the architecture reserves.", \
      "A fault of the responder, or a manufacturer's extension.", \
      "Report it to the maker of the responder.") \
    H(NAK_AGAIN, \
      "The responder sends the same NAK again, before the packet that it asked for came. One NAK a gap is allowed.", \
      "A responder that sends a NAK for each packet it drops. It costs bandwidth and can make the requester go back twice.", \
      "Report it to the maker of the responder if it happens often.") \
    H(NAK_AFTER_RNR, \
      "The responder sends a NAK for a request right after it sent an RNR NAK for it.", \
      "A responder that does not drop what follows an RNR NAK.", \
      "Report it to the maker of the responder.") \
    H(NAK_IGNORED, \
      "The responder asked for a packet, and the requester sent it only when its timer ran out.", \
      "The NAK was lost between the capture point and the requester, or the requester ignored it.", \
      "Capture at the requester: if the NAK arrives there, its maker should know.") \
    H(RNR, \
      "The receiver has no receive for this message, and says for how long the sender shall wait.", \
      "As for RETRY_RNR.", \
      "As for RETRY_RNR.") \
    H(RNR_EARLY, \
      "The requester sends again before the time in the RNR NAK is over.", \
      "A requester that uses a fixed wait, or a coarse timer.", \
      "Compare the wait with the timer in the RNR NAK. Report it to the maker of the requester.") \
    H(GHOST_ACK, \
      "A response names a PSN that the requester has not sent.", \
      "The capture lacks the requests; or an old connection of the same QP number still answers; or somebody forges packets.", \
      "Look whether the requests were captured at all. If they were, compare MAC and IP addresses of this packet with those before.") \
    H(ACK_AGAIN, \
      "The packet acknowledges what is acknowledged already. This is harmless.", \
      "The request was sent again, or the responder coalesces acknowledgements and repeats the last one.", \
      "Nothing to do.") \
    H(CREDIT_UPDATE, \
      "The responder tells of new receive credits with an acknowledgement of its own.", \
      "Receives were posted after the credits had run out. This is as intended.", \
      "Nothing to do.") \
    H(CREDIT_STALL, \
      "The sender had a message ready and no credit for it: it waited for the receiver to post a receive.", \
      "The receiving application posts receives too slowly, or the receive queue is short.", \
      "Post more receives. The pause before this packet is what it cost.") \
    H(MSN_WRONG, \
      "The message sequence number in the AETH does not match the messages that the responder has completed.", \
      "A fault of the responder. Some requesters rely on it for credits.", \
      "Report it to the maker of the responder with the messages before it.") \
    H(SILENCE, \
      "The request asks for a response, and no good one came until the capture ended or the packet was sent again.", \
      "The response was lost, the responder dropped the request (wrong P_Key, wrong QP, bad ICRC), or the responder is gone.", \
      "Look at the responder's counters of dropped packets, and whether the request reached it.") \
    H(AFTER_FATAL, \
      "A NAK ended the connection, and the requester still sends new requests on it.", \
      "The NAK was lost between the capture point and the requester, or the requester does not go to Error.", \
      "If the requester received the NAK, report it to its maker.") \
    H(END_REFUSED, \
      "The connection manager's peer refuses the connection.", \
      "No listener on that service, parameters that do not fit, or the application said no. The reason is in the REJ.", \
      "Read the reason (ibdissect -z cm).") \
    H(END_NAK, \
      "The NAK is the last that happened on this connection.", \
      "An error that ends a connection: see the finding on the NAK.", \
      "Look at the request that was answered by it.") \
    H(END_RETRIES, \
      "The requester gave up: no response came to any repeat.", \
      "The responder or the path to it is gone: a reboot, a killed process, a link that went down, a wrong route.", \
      "Look for the last packet that the peer sent on any connection. If the peer is alive elsewhere, its process has ended.") \
    H(END_RNR, \
      "The requester gave up: the receiver was never ready.", \
      "The receiving application hangs or has stopped posting receives.", \
      "Look at the application at the receiver at that time.") \
    H(QP_REUSED, \
      "The QP number serves a new connection from here on.", \
      "A job that ended and another that began, or a host that booted again.", \
      "Nothing to do. If the old connection should still live, its host has restarted.") \
    H(SEQUENCE, \
      "A message of several packets was begun, and this packet does not continue it.", \
      "A fault of the sender, or loss in an unreliable connection.", \
      "For UC look for loss. For RC report it to the maker of the requester.") \
    H(ANSWER_KIND, \
      "The response is of another kind than the request asks for, for example an ACK for a READ.", \
      "A fault of the responder, or two ends that count PSNs differently.", \
      "Compare the PSNs of requests and responses (ibdissect -V).") \
    H(ANSWER_SEQUENCE, \
      "A READ response has a position (First, Middle, Last, Only) that does not belong at its PSN.", \
      "A fault of the responder, often after a READ was repeated in part.", \
      "Report it to the maker of the responder with the READ request.") \
    H(PSN_OF_READ, \
      "A READ takes as many PSNs as it has responses, and this request uses one of them.", \
      "Both ends use different path MTUs, or the requester counts wrongly.", \
      "Compare the path MTU of both QPs: it must be the same.") \
    H(SERVICE, \
      "The opcode belongs to another transport service than the packets before and after it on the same QP.", \
      "A fault of the sender, or a damaged packet.", \
      "Look whether the ICRC is good: then it was sent like this.") \
    H(OPCODE_RESERVED, \
      "The opcode is reserved.", \
      "A fault of the sender, or a new opcode that this version does not know.", \
      "Look at the ICRC and at the version of the sender's software.") \
    H(OPCODE_VENDOR, \
      "The opcode is in the range that manufacturers may use as they like.", \
      "A manufacturer's extension.", \
      "Nothing to do.") \
    H(LENGTH, \
      "The payload is longer or shorter than the opcode allows: a First or Middle has exactly the path MTU, a Last at least one byte.", \
      "Both ends use different path MTUs, or the sender cuts messages wrongly.", \
      "Compare the path MTU of both QPs (ibdissect -z agreed).") \
    H(DMA_LENGTH, \
      "The packets of a WRITE carry more or fewer bytes than its RETH announced.", \
      "A fault of the requester.", \
      "Report it to the maker of the requester with all packets of the message.") \
    H(ANSWER_LENGTH, \
      "The READ response carries another number of bytes than the rest of the READ has.", \
      "A fault of the responder, or different path MTUs.", \
      "Compare the path MTU of both QPs.") \
    H(MALFORMED, \
      "Lengths or headers of the packet contradict each other, so that it cannot be read to its end.", \
      "A fault of the sender, a damaged packet, or something else on the RoCE port.", \
      "Look at the bytes (ibdissect -x).") \
    H(BAD_ICRC, \
      "The invariant CRC is wrong. A receiver drops the packet silently.", \
      "A bit was damaged in a switch or adapter (links have a checksum of their own), a device between both ends that changes packets, or a capture before the adapter fills in the CRC.", \
      "If all packets that a host sends have it in its own capture, the adapter fills it in later. If only some have it, look for the device on the path: compare captures at its two sides.") \
    H(BAD_VCRC, \
      "The variant CRC of the last link is wrong.", \
      "A bad cable or port on that link.", \
      "Read the symbol error counters of both ports, and replace the cable.") \
    H(PKEY, \
      "The partition key differs from that of the packets before it. A QP has one.", \
      "A fault of the sender, or a changed partition.", \
      "Compare with the P_Key table of the port.") \
    H(MAD_PKEY, \
      "The answer to a management datagram is in another partition than the question.", \
      "A manager that answers with its default P_Key.", \
      "Look at the partition configuration of the subnet manager.") \
    H(QKEY, \
      "The Q_Key differs from that of the datagrams before it to this QP.", \
      "Applications that use several Q_Keys, or a wrong one that the receiver drops.", \
      "If datagrams are missing at the receiver, compare with the Q_Key of its QP.") \
    H(SPOOF, \
      "A packet for a connected QP comes from another address than that of its peer.", \
      "A changed address (failover), a stale peer, a misrouted packet, or somebody who forges packets.", \
      "Compare MAC and IP addresses with the inventory. A receiver must drop it.") \
    H(PATH_CHANGED, \
      "Fields that routers hash on, or that show the route, changed within the connection.", \
      "Path migration, a new route, or a sender that changes the UDP source port to spread its load.", \
      "If packets come late from here on, the new path is longer or both are in use.") \
    H(CNP, \
      "The receiver asks the sender to slow down, because packets with a congestion mark arrived.", \
      "Congestion at a switch on the path: incast, a slow link, or marking thresholds that are too low.", \
      "Look for ECN marks in the other direction, and count senders to the same host at that time.") \
    H(ECN, \
      "A switch on the path marked the packet: its queue was longer than its threshold.", \
      "As for CNP.", \
      "As for CNP.") \
    H(EVICTED, \
      "ibdissect has a bound on the connections that it follows, and forgot the one that was idle for longest.", \
      "A capture with more than a hundred thousand connections, or with forged addresses.", \
      "Filter the capture, or split it by hosts, and judge the parts.") \
    H(CM_VERSION, \
      "A message of the connection manager (REQ, REP and so on) has another class version in its header than 2.", \
      "A fault of the sender, or an implementation from before the first edition of the specification.", \
      "Report it to the sender's maker. Linux answers such a REQ with REJ reason 31, or not at all.") \
    H(CM_METHOD, \
      "All messages of the connection manager are unsolicited: their method is Send (3).", \
      "A fault of the sender, which takes REP for the response of a Set or Get.", \
      "Report it to the sender's maker: a receiver drops the message.") \
    H(CM_UNDEFINED, \
      "A reason, status or code of the message has no meaning in the specification: the reason of a REJ, the status of an APR or SIDR_REP, the message that an MRA or REJ names, the service or path MTU of a REQ.", \
      "A fault of the sender; or a value that a later edition defines.", \
      "Look at the value (-V), and in the edition of the specification that the sender's maker names.") \
    H(CM_ROLE, \
      "Only the active end, which sent the REQ, sends an RTU or answers a REP; only the passive end answers a REQ. The message comes from the wrong one, or names the wrong one in an MRA or REJ.", \
      "A fault of the sender, which takes itself for the other end.", \
      "Report it to the sender's maker. A receiver may drop the message, and then repeats its own.") \
    H(CM_TRANSACTION, \
      "An answer carries the transaction ID of the message that it answers. This one has another.", \
      "A fault of the sender, or somebody who forges answers without having seen the question.", \
      "Compare MAC and IP addresses with the inventory. A receiver that looks at the transaction ID drops the answer and repeats its message.") \
    H(CM_IDS, \
      "REQ and REP give the connection two communication IDs; later messages name both. This one has one of them wrong, or its sender used another before.", \
      "A fault of the sender; a host that restarted and continues an old exchange; somebody who forges a DREQ or REJ.", \
      "Compare MAC and IP addresses with the inventory. A receiver answers as for a connection that it does not know, or drops the message.") \
    H(CM_OTHER_QP, \
      "DREQ and LAP name the peer's queue pair, as REQ and REP did. This one names another.", \
      "A fault of the sender, or somebody who forges a DREQ.", \
      "A receiver must ignore such a DREQ: the connection goes on, and the sender repeats it in vain.") \
    H(CM_BOUNDS, \
      "REP may grant at most the READs and ATOMICs that the REQ has a depth for, and take at most those that the REQ has resources for.", \
      "An application that gives its own wishes to its CM, whatever the REQ says, and a CM that does not bound them.", \
      "If READs are lost or refused (NAK_INVALID), look at the values of both messages with -z agreed.") \
    H(CM_SERVICE, \
      "A SIDR_REP repeats the service ID of its SIDR_REQ. This one gives a queue pair, and names another service.", \
      "A fault of the sender.", \
      "Report it to the sender's maker.") \
    H(CM_UNKNOWN, \
      "The end that asked for the connection says, by a REJ with reason 6, that it has no connection with the ID that its own REQ gave.", \
      "It gave up, and the REJ that says so was lost before the capture point; it took the REQ of its peer instead, when both asked at once; or a fault of its CM.", \
      "Look at the time from REQ to REP: if it is longer than the response time and its retries, the passive end is too slow.") \
    H(CM_AGAIN, \
      "REQ, REP, DREQ, LAP and SIDR_REQ are repeated until an answer comes. The capture has no answer so far.", \
      "A lost datagram, a peer that is down or too busy, or one that listens nowhere and says nothing.", \
      "If this is the first repeat, look for loss. If all repeats stay without answer, look whether the peer sends anything at all.") \
    H(CM_AGAIN_ANSWERED, \
      "The message is repeated although the capture has its answer.", \
      "The answer was lost between the capture point and the receiver, or came when the repeat was in flight. If it happens each time: the receiver does not take the answer.", \
      "Look at the answer: its IDs, its transaction ID, its P_Key. Compare with a capture at the receiver.") \
    H(CM_AGAIN_CHANGED, \
      "A repeat is the same datagram once more. This one has other content under the same transaction ID, or the same content under another.", \
      "A fault of the sender, which builds the message again.", \
      "Report it to the sender's maker: a receiver may take the repeat for a second request.") \
    H(CM_AGAIN_EARLY, \
      "The REQ says how long the peer may take for an answer. The message is repeated in less than three quarters of that time.", \
      "A sender that has a fixed timer of its own.", \
      "If the peer is merely slow it works in vain. Set the response time at the sender, or let the peer ask for more time (MRA).") \
    H(CM_AGAIN_LIMIT, \
      "The REQ says how often a message may be repeated (MaxCMRetries). The message was sent more often.", \
      "A sender that has a limit of its own.", \
      "Report it to the sender's maker. A peer that relies on the number has already forgotten the connection.") \
    H(SWITCH_LOST, \
      "The packet was captured on the link into a switch, and not on the link out of it. The switch or a link lost it, or the capture of that link missed it.", \
      "The lifetime of packets ended (HOQLife, LifeTimeValue) since a lane stood still; the link of the next port went down; a damaged buffer; a port that is not Active.", \
      "Read PortXmitDiscards of the port that it should have left by, and -z fabric: a lane whose credits are 0 stood still. Compare with what the capture point dropped.") \
    H(SWITCH_NO_ROUTE, \
      "The forwarding table of the switch, as its agent answered last, has no port for the LID. The switch drops the packet, as it should.", \
      "The manager removed the LID, or has not set the table of this switch; the sender uses an old LID.", \
      "Read the table (ibroute LID_OF_SWITCH) and PortRcvSwitchRelayErrors. Ask the manager for a sweep; look whether the receiver still has this LID.") \
    H(SWITCH_PARTITION, \
      "A port of the switch enforces partitions, and its P_Key table lacks the one of the packet. The switch drops the packet, as it should.", \
      "The sender is not a member of the partition, or the manager has not set it at the ports on the path.", \
      "Read the P_Key tables of the ports on the path (smpquery pkeys LID PORT) and the constraint errors of their counters. Compare with the partitions that the manager is configured with.") \
    H(SWITCH_NO_LANE, \
      "The SL-to-VL table of the switch gives the SL no lane that is operational at the next port. The switch drops the packet, as it should.", \
      "The sender uses an SL that the manager has not provided for; a port that operates fewer lanes than the others.", \
      "Read the table (smpquery sl2vl LID PORT) and the operational VLs of the ports on the path. The SL must come from a path record.") \
    H(ROUTE_WRONG, \
      "The packet left the switch by another port than the forwarding table has, as the agent of the switch answered last.", \
      "A fault of the switch; adaptive routing, which takes several ports; a table that was changed in another way than by datagrams in the capture.", \
      "With adaptive routing this is no fault, so it is a note. Without it read the table again (ibroute LID_OF_SWITCH): if it is as before, report it to the maker of the switch.") \
    H(ROUTE_LOOP, \
      "The packet came to a switch for the second time. It goes round until a lifetime ends, and takes credits of each link that it crosses.", \
      "Forwarding tables of two switches that point at each other: two managers, a manager that ended during a change, tables set by hand.", \
      "Follow the LID through the tables (ibtracert, ibroute) from the switches that its frames name. Look which manager is master, and let it sweep.") \
    H(LANE_WRONG, \
      "The packet left the switch on another lane than the SL-to-VL table has, as the agent of the switch answered last. A route without credit loops may have them on other lanes.", \
      "A fault of the switch; a table that was changed in another way than by datagrams in the capture.", \
      "Read the table again (smpquery sl2vl LID PORT). If it is as before, report it to the maker of the switch.") \
    H(PARTITION_PASSED, \
      "A port of the switch enforces partitions, its P_Key table lacks the one of the packet, and the switch forwarded it.", \
      "A fault of the switch: the partition is not enforced. Or a table that was changed in another way than by datagrams in the capture.", \
      "Read the table again (smpquery pkeys LID PORT) and the enforcement of the port (smpquery portinfo LID PORT). If they are as before, report it to the maker of the switch.") \
    H(LANE_STALL, \
      "The packet was in the switch for 262 us or more while flow-control packets of the next port said that it has no room for a packet of this size on this lane. In this time each receiver must announce at least once (65,536 symbol times of the slowest link), so the wait is not for an announcement. The frame that it names is the last that refused. Nothing is broken: this is why the packet is slow.", \
      "Congestion: a receiver that is slower than its link, many senders to one port, a credit loop.", \
      "Follow the lane from port to port, in the direction of the packets, to the first port that has credits: it leads to the slow receiver. Read PortXmitWait of the ports on the path, and -z fabric. If the ports form a circle, the routes have a credit loop: choose a routing engine without (up/down, lanes for dimensions).") \
    H(TRAP_AGAIN, \
      "An agent repeats a trap until a TrapRepress comes. It waits at least the subnet timeout of its port each time.", \
      "No manager runs, or the LID of the manager at this port is that of an earlier one; the manager does not repress; the TrapRepress has a wrong M_Key or was lost.", \
      "Look whether the trap reaches the manager, and whether a TrapRepress with its transaction ID comes back. Compare the LID it goes to with that of the master (sminfo).") \
    H(TRAP_REPRESSED, \
      "The TrapRepress was captured on the link into the agent that sent the trap, with the trap's transaction ID and notice, and with the M_Key of the port. The agent sends the trap again, later than the time in which it says it responds.", \
      "The agent dropped the TrapRepress: VL 15 has no credits, and a full buffer loses datagrams. Or a fault of the agent, which does not end the repetition.", \
      "Read VL15Dropped of the port. If it stands still and each TrapRepress is in vain, report it to the maker of the node: the manager handles the trap again and again.") \
    H(M_KEY_OTHER, \
      "The port has an M_Key, as its agent answered last, and the datagram has another. It gets no answer, and the port counts a violation.", \
      "Two managers with different M_Keys; a tool that was started without --m_key; somebody who may not manage the subnet.", \
      "Look who sent it, and read M_KeyViolations of the port. The trap 256 that may follow names the sender, the key, and the attribute.") \
    H(M_KEY_IGNORED, \
      "The agent executed or at least answered a Set whose M_Key was not that of the port.", \
      "A fault of the agent: anybody can change the node. Or the M_Key was changed in another way than by datagrams in the capture.", \
      "Read the attribute: if it was changed, report it to the maker of the node.") \
    H(SM_HANDOVER, \
      "A master gives the subnet to a standby manager of higher priority (Set(SMInfo) HANDOVER).", \
      "A manager of higher priority, or of equal priority and lower GUID, was started.", \
      "Nothing to do if it was meant. If it comes again and again, compare the priorities of the managers (sminfo).")
/* clang-format on */

static const struct finding_help finding_help[] = {
#define FINDING_HELP_ROW(kind, ...) [IBA_FINDING_##kind] = {__VA_ARGS__},
    FINDING_HELP(FINDING_HELP_ROW)};
#define FINDING_HELP_ONE(...) +1
_Static_assert(FINDING_HELP(FINDING_HELP_ONE) == IBA_FINDING_COUNT, "each finding has a row in FINDING_HELP");
#endif
