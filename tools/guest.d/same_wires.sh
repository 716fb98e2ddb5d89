#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# same_wires.sh IBCONFORM [ARGUMENT]...: plays the same over the unix: wire of a guest and over a tap interface, in a network
# namespace, whose cable leads to it (cable.py): the verdicts must agree. A command of `tools/guest run`; the reports stay in
# build/wires.
set -euo pipefail
here=$(dirname "$0")
program=$1 out=build/wires
shift
mkdir -p "$out"
# The comparison reports its failures.
"$program" run --target live --wire "$IBPROOF_WIRE" --agent "$IBPROOF_AGENT" --json "$out/unix.json" "$@" >/dev/null || true
mapped=()
[ $EUID -eq 0 ] || mapped=(--user --map-root-user)
unshare ${mapped[@]+"${mapped[@]}"} --net "$here/cable.py" tap0 "${IBPROOF_WIRE#unix:}" "$program" run --target live --wire afpacket:tap0 --agent "$IBPROOF_AGENT" \
    --user root --json "$out/tap.json" "$@" >/dev/null || true
"$here/same_verdicts.py" "$out/unix.json" "$out/tap.json"
