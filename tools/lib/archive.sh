# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Packages of Debian's archive, unpacked and not installed. Sourced after house.sh by scripts that need another version of a
# program than this machine has. $store: the folder below the checkout that keeps the packages, by version.
#
# The mirror is the one that apt uses here. If it lacks a package, the script says so and fails: no verdict without the
# package.

: "${root:?house.sh comes first}" "${store:?the folder that packages are kept in}"
apt=(-o APT::Sandbox::User=root)

# own_suite: prints the release that this machine runs
own_suite()
{
    (. /etc/os-release && echo "${VERSION_CODENAME:-}")
}

# archive_uri: the mirror of Debian's archive that apt uses here; nothing when it uses none
archive_uri()
{
    local uri=''
    # shellcheck disable=SC2016 # apt's own variables
    read -r uri < <(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
        'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | awk '$2 !~ /-/ { print $1 }') || true
    echo "$uri"
}

# use_suite SUITE: from here on packages are those of this suite, by lists apart from the machine's own.
use_suite()
{
    local suite=$1 lists=$root/$store/$1 uri='' key=/usr/share/keyrings/debian-archive-keyring.gpg
    [ "$suite" != "$(own_suite)" ] || return 0
    uri=$(archive_uri)
    [ -n "$uri" ] || die "$suite: no Debian archive among apt's sources"
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
    printf 'deb [signed-by=%s] %s %s main\n' "$key" "$uri" "$suite" >"$lists/sources.list"
    : >"$lists/status"
    apt+=(-o Dir::Etc::sourcelist="$lists/sources.list" -o Dir::Etc::sourceparts=-
        -o Dir::State::lists="$lists/lists" -o Dir::Cache="$lists/cache" -o Dir::State::status="$lists/status")
    apt-get "${apt[@]}" -qq -o APT::Update::Error-Mode=any update >build/log/archive-update.log 2>&1 ||
        [ -n "$(find "$lists/lists" -name '*_Packages*' -print -quit)" ] ||
        die "$suite cannot be reached at $uri (build/log/archive-update.log)"
}

is_whole()
{
    [ -f "$1" ] && [ "$(stat -c %s "$1")" = "$2" ] && sha256sum --quiet --check <<<"$3  $1" >/dev/null 2>&1
}

# unpacked PACKAGE: downloads the package unless $store has this version, and sets $tree to the folder of its files.
unpacked()
{
    local name version size sum file new
    for name in "$1" "$1t64"; do # Debian 13 has renamed libraries whose times have 64 bits
        read -r version size sum < <(apt-cache "${apt[@]}" show --no-all-versions "$name" 2>/dev/null |
            awk '/^Version:/ { v = $2 } /^Size:/ { s = $2 } /^SHA256:/ { h = $2 } END { print v, s, h }') || true
        [ -z "$sum" ] || break
    done
    [ -n "$sum" ] || die "no package $1 in apt's lists (apt-get update?)"
    file=$store/deb/${1}_${version//:/_}.deb tree=$store/tree/${1}_${version//:/_}
    if [ -d "$tree" ]; then
        return
    fi
    if ! is_whole "$file" "$size" "$sum"; then
        mkdir -p "$store/deb"
        new=$(mktemp -d -p "$root/$store")
        (cd "$new" && apt-get "${apt[@]}" -qq download "$name=$version") >build/log/archive-download.log 2>&1 ||
            { rm -rf "$new" && die "$name $version cannot be downloaded (build/log/archive-download.log)"; }
        mv "$new"/*.deb "$file" && rmdir "$new"
        is_whole "$file" "$size" "$sum" || die "$file is not what the package index says"
    fi
    rm -rf "$tree.new"
    mkdir -p "$tree.new"
    dpkg-deb -x "$file" "$tree.new"
    mv "$tree.new" "$tree"
}
