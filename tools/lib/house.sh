# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Shared by the scripts in tools/: where the tree is, an environment that does not depend on who runs it, and steps.
# Sourced, never run. After it: $self is the calling script, $root the checkout and the working directory.

self=$(realpath -- "$0")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit

export LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1
# A checkout owned by somebody else (container, bind mount) must not make git refuse to list its files.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$root
# Nothing outside build/ needs to be writable.
mkdir -p build/log build/tmp
export TMPDIR=$root/build/tmp

die()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Ends a script that cannot judge on this machine, and says why: 77, which no step counts as failed.
cannot()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 77
}

# The comment block at the head of the calling script, which is its help text.
usage()
{
    sed -n '2,/^[^#]/{/SPDX-/d;/^#/s/^# \{0,1\}//p}' "$self"
}

# The part of a failed step's log to show: of a test run the failed tests, of anything else the unexpected and the end.
excerpt()
{
    if grep -qE '^ *[0-9]+/[0-9]+ Test +#' "$1"; then
        awk '/^ *[0-9]+\/[0-9]+ Test +#/ { show = !/   Passed / } /% tests passed/ { show = 1 } /^ +Start +[0-9]+:/ || /^$/ { next } show' "$1" | tail -n 200
    else
        grep -aE '^ *(FAIL|XPASS|ERROR|INCONCLUSIVE) .*: expected |: WRONG, ' "$1" | head -n 20 || true
        tail -n 40 "$1"
    fi
}

# step_run NAME COMMAND...: one line for the reader, everything else in build/log/NAME.log; part of it when it fails. A command
# that ends with 77 could not be judged here, and its last line says why: so does ours.
step_run()
{
    local name=$1 log=build/log/$1.log start=$SECONDS code=0
    shift
    "$@" >"$log" 2>&1 </dev/null || code=$?
    case $code in
    0 | 77)
        printf '%-5s %-15s %4d s  %s\n' "$([ $code -eq 0 ] && echo ok || echo skip)" "$name" $((SECONDS - start)) \
            "$(tail -n 1 "$log" | cut -c1-90)"
        return $code
        ;;
    esac
    printf 'FAIL  %-15s %4d s  %s\n' "$name" $((SECONDS - start)) "$log"
    excerpt "$log" | sed 's/^/      | /'
    return 1
}
