# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Shared by the scripts in tools/: where the tree is, an environment that does not depend on who runs it, and steps.
# Sourced, never run. Sets $self to the calling script, and $root to the checkout, which becomes the working directory.

self=$(realpath -- "$0")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit

export LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1
# A checkout owned by somebody else (container, bind mount) must not make git refuse to list its files.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$root
# The scripts write only into build/.
mkdir -p build/log build/tmp
export TMPDIR=$root/build/tmp

die()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Ends a script that cannot judge on this machine, and prints the reason. The exit code is 77, which no step counts as failed.
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

# Prints a part of a failed step's log: the failed tests of a test run; of other logs unexpected lines and the end.
excerpt()
{
    if grep -qE '^ *[0-9]+/[0-9]+ Test +#' "$1"; then
        awk '/^ *[0-9]+\/[0-9]+ Test +#/ { show = !/   Passed / } /% tests passed/ { show = 1 } /^ +Start +[0-9]+:/ || /^$/ { next } show' "$1" | tail -n 200
    else
        grep -aE '^ *(FAIL|XPASS|ERROR|INCONCLUSIVE) .*: expected |: WRONG, ' "$1" | head -n 20 || true
        tail -n 40 "$1"
    fi
}

# step_run NAME COMMAND...: prints one line, and a part of the output if the command fails; all output goes to build/log/NAME.log. A
# command that ends with 77 could not judge here, and its last line has the reason; the printed line repeats the reason.
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
