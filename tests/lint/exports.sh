#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What the two shared objects promise to strangers' processes: which symbols
# they define, what they need, how old a glibc will do, how little static TLS.

. "$(dirname "$0")/files.sh"
need_command nm readelf
map=libheapline/libheapline.map
need_file "$HL_LIBRARY" "$map"

defined() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort; }
needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort; }

# newer_than VERSION FILE: glibc symbol versions that an older glibc lacks.
newer_than() {
    readelf -VW "$2" | grep -o 'GLIBC_[0-9][0-9.]*' | sort -u | while read -r version; do
        newest=$(printf '%s\n' "GLIBC_$1" "$version" | sort -V | tail -n 1)
        [ "$newest" = "GLIBC_$1" ] || printf '%s\n' "$version"
    done
}

promised() { # names between "global:" and "local:" of the map
    sed -n '/global:/,/local:/{s/global://;s/local:.*//;s/[;{}]/\n/g;p}' "$map" |
        grep -v '/\*\|^ *\*\|\*/\|#' | tr -d ' \t' | grep . | sort
}

is 'libheapline.so defines what its map says' "$(defined "$HL_LIBRARY")" "$(promised)"
is 'libheapline.so needs libc only' "$(needed "$HL_LIBRARY" | grep -v '^ld-linux')" libc.so.6
is 'libheapline.so runs with glibc 2.28' "$(newer_than 2.28 "$HL_LIBRARY")" ''
lacks 'libheapline.so has no dynamic TLS' "$(nm -D --undefined-only "$HL_LIBRARY")" '__tls_get_addr'
tls=$(readelf -lW "$HL_LIBRARY" | awk '$1 == "TLS" { print $6 }')
check 'libheapline.so takes at most 64 bytes of static TLS' test $((${tls:-0})) -le 64
lacks 'libheapline.so asks for no executable stack' "$(readelf -lW "$HL_LIBRARY" | grep GNU_STACK)" 'RWE'
lacks 'libheapline.so exports no dlsym or dlopen' "$(defined "$HL_LIBRARY")" '^dl(sym|open)$'

plugin=$top_builddir/spank/.libs/heapline.so
[ -e "$plugin" ] || plugin=$top_builddir/.libs/heapline.so
if [ ! -e "$plugin" ]; then
    skip 'the plugin' 'not built (--without-slurm)'
    finish
fi
is 'heapline.so defines Slurm'\''s names and no other' \
    "$(defined "$plugin" | grep -Ev '^(plugin_(name|type|version)|spank_plugin_version|slurm_spank_[a-z_]+|spank_options)$')" ''
is 'heapline.so names itself to Slurm' \
    "$(defined "$plugin" | grep -Ec '^(plugin_(name|type|version)|spank_plugin_version)$')" 4
is 'heapline.so needs libc only' "$(needed "$plugin" | grep -v '^ld-linux')" libc.so.6
is 'heapline.so leaves open only what Slurm and libc have' \
    "$(nm -D --undefined-only "$plugin" | awk '$1 == "U" { print $2 }' | grep -Ev '@GLIBC_|^(slurm|spank)_')" ''
finish
