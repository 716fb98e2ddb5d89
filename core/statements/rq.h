/* SPDX-License-Identifier: BSD-2-Clause */
/* Requester of a reliable connection: area RQ of the statements; see conformance/statements/statement.c for the
 * columns. */
#ifndef IBA_STATEMENTS_RQ_H
#define IBA_STATEMENTS_RQ_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_RQ(OPEN, SHUT) \
    OPEN(RQ, "RQ-01", "9.7.2",     "",       "",    M, S, "A requester starts at its send PSN and gives each request packet the next one.") \
    OPEN(RQ, "RQ-02", "9.7.2",     "",       "",    M, S, "A READ request takes as many PSNs as it will have responses; ATOMIC, FLUSH and ATOMIC WRITE take one.") \
    OPEN(RQ, "RQ-03", "9.7.1",     "",       "",    M, K, "A requester has fewer than 2^23 PSNs outstanding at a time.") \
    OPEN(RQ, "RQ-04", "9.7.3",     "",       "",    M, S, "A requester sends messages in the order they were posted and never mixes the packets of two.") \
    OPEN(RQ, "RQ-05", "9.7.3",     "",       "",    M, S, "A requester sets AckReq at least in the last packet of its send queue.") \
    OPEN(RQ, "RQ-06", "9.7.3",     "",       "",    M, S, "A requester repeats a packet with the same PSN, opcode, headers and payload.") \
    OPEN(RQ, "RQ-07", "9.7.4.1",   "",       "",    M, S, "A requester that lost part of a READ asks for all of it again or for the rest from the first missing PSN.") \
    OPEN(RQ, "RQ-08", "9.4",       "",       "",    M, S, "A requester has no more READs and ATOMICs outstanding than agreed on; later requests wait.") \
    OPEN(RQ, "RQ-09", "10.8.3",    "",       "",    M, S, "A requester starts a fenced request after all earlier READs and ATOMICs are done.") \
    OPEN(RQ, "RQ-10", "10.8.3.3",  "",       "1.4", M, S, "A READ sees every SEND, WRITE and ATOMIC before it; without a fence, requests after a READ may overtake it.") \
    OPEN(RQ, "RQ-11", "9.5",       "",       "1.4", M, S, "Receives complete in the order in which the requester posted the messages.") \
    OPEN(RQ, "RQ-12", "9.4.3",     "C9-88",  "",    M, S, "A requester sends a message of zero length as one Only packet without payload.") \
    OPEN(RQ, "RQ-13", "9.9.2",     "",       "",    M, S, "A requester that finds a fault in its own buffer stops sending the message, fails it and enters Error.") \
    OPEN(RQ, "RQ-14", "9.9.2",     "",       "",    M, K, "A requester that meets a local fault first completes the work requests posted before it.") \
    OPEN(RQ, "RQ-15", "11.4.1",    "",       "",    M, S, "A requester refuses an operation that its service does not have, and sends nothing.") \
    OPEN(RQ, "RQ-16", "9.2.2",     "",       "",    M, S, "A requester sets the solicited event bit as in the work request, in the message's last packet only.") \
    OPEN(RQ, "RQ-17", "9.4.1.1",   "",       "",    C, S, "A SEND with Invalidate names the key in its last packet; the others are those of a SEND.") \
    OPEN(RQ, "RQ-18", "9.7.6.1.3", "C9-140", "",    M, S, "A requester's timeout of code 1 to 31 is 4.096 us times 2 to that power; code 0 means no timeout.") \
    OPEN(RQ, "RQ-19", "9.7.6.1.3", "",       "",    M, K, "A requester sends again after at least its timeout and at most four times that.") \
    OPEN(RQ, "RQ-20", "9.7.6.1.3", "",       "",    M, S, "A requester's timer runs while a response is due, restarts with progress, and stops during an RNR wait.") \
    OPEN(RQ, "RQ-21", "9.7.6.1.3", "",       "",    M, S, "A requester that times out goes back to the oldest unacknowledged PSN.") \
    OPEN(RQ, "RQ-22", "9.7.6.1.3", "",       "",    M, S, "A requester sends a packet again as often as the retry count says, 7 times at 7, then fails the request.") \
    OPEN(RQ, "RQ-23", "9.7.6.1",   "",       "",    M, S, "Timeouts, sequence NAKs and implied NAKs share one retry counter; RNR NAKs have their own.") \
    OPEN(RQ, "RQ-24", "9.7.6.1",   "",       "",    M, S, "A requester reloads its retry counters when a response acknowledges a new PSN.") \
    OPEN(RQ, "RQ-25", "17.2.8",    "",       "",    C, S, "An armed requester whose retries are exhausted continues along the alternate path.") \
    OPEN(RQ, "RQ-26", "9.7.5.2",   "",       "",    M, S, "A sequence NAK acknowledges earlier PSNs, and the requester sends again from its PSN.") \
    OPEN(RQ, "RQ-27", "9.7.6",     "",       "",    M, S, "A requester ignores an ACK or NAK for a PSN that it never sent or that was acknowledged before.") \
    OPEN(RQ, "RQ-28", "9.7.5.2.8", "",       "",    M, S, "After an RNR NAK a requester sends nothing for at least the time of its code, then continues at that PSN.") \
    OPEN(RQ, "RQ-29", "9.7.5.2.8", "",       "",    M, S, "A requester tolerates as many RNR NAKs as its RNR retry count says, without limit at 7, then fails the request.") \
    OPEN(RQ, "RQ-30", "9.7.5.2.8", "",       "",    M, S, "An RNR NAK acknowledges earlier PSNs.") \
    OPEN(RQ, "RQ-31", "9.7.5.2.8", "",       "",    M, S, "Progress reloads a requester's RNR retry counter; timeouts do not use it up, nor RNR NAKs the other counter.") \
    OPEN(RQ, "RQ-32", "9.7.6",     "",       "",    M, S, "A requester ignores an RNR NAK for an acknowledged PSN.") \
    OPEN(RQ, "RQ-33", "9.7.5.1",   "",       "",    M, S, "A requester accepts responses to outstanding PSNs, and drops those to older or unsent ones.") \
    OPEN(RQ, "RQ-34", "9.7.7",     "",       "",    M, S, "From an ACK that repeats the last one a requester takes only the credits.") \
    OPEN(RQ, "RQ-35", "9.7.5.1.2", "",       "",    M, S, "A requester completes every SEND and WRITE up to an ACK's PSN.") \
    OPEN(RQ, "RQ-36", "9.7.5.1",   "",       "1.4", M, S, "A response after an unanswered READ or ATOMIC tells the requester that its response was lost.") \
    OPEN(RQ, "RQ-37", "9.7.5.1",   "",       "",    M, S, "A gap in READ responses tells a requester of a loss; it drops later responses until it has asked again.") \
    OPEN(RQ, "RQ-38", "9.7.5.1",   "",       "",    M, S, "A requester completes a READ with its responses and an ATOMIC with its result, never with a plain ACK.") \
    OPEN(RQ, "RQ-39", "9.7.6",     "",       "",    O, S, "A requester may complete requests by PSN alone and ignore the MSN.") \
    OPEN(RQ, "RQ-40", "9.7.7.2",   "",       "",    M, S, "A requester starts messages that need a receive only up to the MSN and credits of the last ACK.") \
    OPEN(RQ, "RQ-41", "9.7.7.2",   "",       "",    M, S, "A requester out of credits starts one message beyond its limit and no more.") \
    OPEN(RQ, "RQ-42", "9.7.7.2",   "",       "",    M, S, "A requester needs no credit for READ, ATOMIC and WRITE without immediate data.") \
    OPEN(RQ, "RQ-43", "9.7.7.2",   "",       "",    M, S, "A requester sends without limit once an ACK carried credit code 31.") \
    OPEN(RQ, "RQ-44", "9.7.7.2",   "",       "",    M, S, "A requester never lowers its credit limit because of an older ACK.") \
    OPEN(RQ, "RQ-45", "12.6",      "",       "",    M, S, "A requester obeys credits if they were agreed on, and begins with one message.") \
    OPEN(RQ, "RQ-46", "9.7.5.1",   "",       "",    M, S, "A requester refuses READ responses whose First, Middle, Last or Only is out of place.") \
    OPEN(RQ, "RQ-47", "9.7.5.1",   "",       "",    M, S, "A requester refuses a READ response of a wrong length, fails the READ and writes nothing outside its buffer.") \
    OPEN(RQ, "RQ-48", "9.9.2",     "",       "",    M, S, "A requester never completes a request with a response of another kind.") \
    OPEN(RQ, "RQ-49", "9.7.5.1",   "",       "",    M, K, "A requester that completed a READ does not write to its buffer again.") \
    OPEN(RQ, "RQ-50", "9.4.5",     "",       "",    C, S, "An ATOMIC's result is written to the local buffer in host byte order, 8 bytes.") \
    OPEN(RQ, "RQ-51", "11.6.2",    "",       "",    M, S, "A requester fails the request that a NAK names with that NAK's status, completes earlier ones and enters Error.") \
    OPEN(RQ, "RQ-52", "9.7.6",     "",       "",    M, S, "A requester goes on waiting when a response has a reserved syndrome.") \
    OPEN(RQ, "RQ-53", "10.7.3.1",  "",       "",    M, S, "A request that fails completes, even if no completion was asked for.") \
    OPEN(RQ, "RQ-54", "10.7.3",    "",       "",    M, K, "A send queue's completions come in posting order, and each covers the unsignaled ones before it.") \
    OPEN(RQ, "RQ-55", "10.8.4",    "",       "",    M, S, "The first failed request has the cause; all later requests and all receives are flushed.") \
    SHUT(RQ, "RQ-56", "9.9.2",     "",       "",    I, K, UNTESTABLE, "The faults of a requester are in classes by their effects.",  "letters of the specification; other rows describe each class") \
    OPEN(RQ, "RQ-57", "11.6.2",    "",       "",    M, S, "A completion has the status of its cause of failure.") \
    OPEN(RQ, "RQ-58", "10.3.1",    "",       "",    M, S, "A requester in SQD goes on accepting acknowledgements and retrying outstanding requests.") \
    OPEN(RQ, "RQ-59", "9.7.6",     "",       "",    M, K, "A response that fails header checks is treated as lost.") \
    OPEN(RQ, "RQ-60", "A14",       "",       "A14", C, S, "An XRC initiator names the shared receive queue in each request and follows the other requester rules.") \
    OPEN(RQ, "RQ-61", "9.7.6",     "",       "",    M, K, "A QP in Error sends nothing.") \
    OPEN(RQ, "RQ-62", "9.9.2",     "",       "",    I, S, "A WRITE that is sent again is written to memory once, since the second is a duplicate.")
/* clang-format on */
#endif
