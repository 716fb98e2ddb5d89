# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154
# A minimal Debian of any release in a directory, made from this machine's apt mirror. For tools that test on a bare machine. Sourced,
# never run. The caller sets: own (this machine's release), codename (the release wanted), work (a
# directory of its own), system (where the Debian goes), and die().

# mirrors SUITE: what apt of this machine would use for the release's own suites, named as another release's: URI, suite, one
# line each.
mirrors()
{
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v codename="$own" -v suite="$1" '$3 == "main" && ($2 == codename || $2 == codename "-updates" ||
            $2 == codename "-security") { print $1, suite substr($2, length(codename) + 1) }' | sort -u
}

# keyrings: the files that this machine's sources name in Signed-By, and Debian's own.
keyrings()
{
    {
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true
    } | sed -nE 's/^[[:space:]]*Signed-By:[[:space:]]*//Ip; s/^deb[^#]*signed-by=([^] ]*).*/\1/p' | tr -s ', ' '\n' |
        { grep '^/' || true; } | cat - <(echo /usr/share/keyrings/debian-archive-keyring.gpg) | sort -u |
        while read -r file; do if [ -r "$file" ]; then echo "$file"; fi; done
}

# Binary key files may be concatenated; an armoured one must be decoded first.
binary_keys()
{
    case $(head -c 5 "$1" | tr -d '\0') in
    -----) sed -n '/^[[:space:]]*$/,/^=/p' "$1" | grep -v '^=' | base64 -d ;;
    *) cat "$1" ;;
    esac
}

# in_chroot COMMAND...: runs the command in the chroot, with no variable of this environment except the proxies, and without input.
in_chroot()
{
    local proxies=() name
    for name in http_proxy https_proxy no_proxy; do
        [ -z "${!name:-}" ] || proxies+=("$name=${!name}")
    done
    chroot "$system" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/ CI=true \
        "${proxies[@]}" "$@" </dev/null
}

# prepare: writes the files that the functions below need into $work: mirrors, keyring.gpg.
prepare()
{
    mirrors "$codename" >"$work/mirrors"
    grep -q " $codename$" "$work/mirrors" || die "apt of this machine knows no mirror of its own Debian '$own'"
    [ -e "/usr/share/debootstrap/scripts/$codename" ] || die "debootstrap knows no suite '$codename'"
    keyrings | while read -r file; do binary_keys "$file"; done >"$work/keyring.gpg"
}

# can_isolate: whether this machine lets us make a Debian in a mount namespace.
can_isolate()
{
    local tool
    [ "$(id -u)" -eq 0 ] || die "needs root, to make a chroot"
    for tool in debootstrap apt-get unshare git; do
        command -v "$tool" >/dev/null || die "needs $tool; tools/setup installs it on Debian"
    done
    unshare --mount --pid --fork true || die "cannot make a mount namespace here"
}

bootstrap()
{
    local uri include=()
    uri=$(awk -v codename="$codename" '$2 == codename { print $1; exit }' "$work/mirrors")
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    [ "${http_proxy:-DIRECT}" = DIRECT ] || export http_proxy
    [ "${https_proxy:-DIRECT}" = DIRECT ] || export https_proxy
    [[ $uri != https:* ]] || include=(--include=ca-certificates)
    debootstrap --variant=minbase --keyring="$work/keyring.gpg" "${include[@]}" "$codename" "$system" "$uri" \
        >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log" && return 1; }
    echo "$(chroot "$system" dpkg-query -W | wc -l) packages from $uri"
}

# The configuration of the mirror on this machine: sources, keyrings, apt's own settings for fetching, names.
connect()
{
    local file uri suite
    : >"$system/etc/apt/sources.list"
    while read -r uri suite; do
        echo "deb [signed-by=/etc/apt/keyrings/mirror.gpg] $uri $suite main" >>"$system/etc/apt/sources.list"
    done <"$work/mirrors"
    mkdir -p "$system/etc/apt/keyrings"
    cp "$work/keyring.gpg" "$system/etc/apt/keyrings/mirror.gpg"
    apt-config dump | grep -E '^Acquire::(http|https|ftp|Check|Retries|Force)' >"$system/etc/apt/apt.conf.d/90mirror" || true
    for file in resolv.conf hosts; do
        [ ! -e /etc/$file ] || cp -L /etc/$file "$system/etc/$file"
    done
    [[ $(cat "$work/mirrors") != *https:* ]] || cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
}

# Without /proc and /dev/shm Criterion runs no case and LeakSanitizer gives up.
mount_kernel()
{
    local node
    mount -t proc proc "$system/proc"
    mount -t tmpfs -o mode=755,nosuid dev "$system/dev"
    for node in null zero full random urandom tty; do
        : >"$system/dev/$node"
        mount --bind "/dev/$node" "$system/dev/$node"
    done
    mkdir "$system/dev/shm" "$system/dev/pts"
    mount -t tmpfs -o mode=1777,nosuid,nodev shm "$system/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$system/dev/pts"
    ln -s pts/ptmx "$system/dev/ptmx"
    ln -s /proc/self/fd "$system/dev/fd"
}
