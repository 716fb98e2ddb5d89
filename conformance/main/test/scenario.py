# SPDX-License-Identifier: BSD-2-Clause
"""A scenario that the reference passes, which tests change in places."""
GOOD = """title    a SEND is acknowledged
spec     RR-03 RR-04
role     responder
service  rc
vary     pmtu 256 1024
qp a     pmtu=$pmtu recv=1
> a SEND_ONLY psn=+0 ackreq=1 payload=64
< a ACKNOWLEDGE psn=+0 syndrome=ack msn=1
"""
