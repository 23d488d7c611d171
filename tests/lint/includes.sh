#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Which room may include which: the three products meet in the formats and
# nowhere else, and only the plugin knows Slurm.

. "$(dirname "$0")/files.sh"

# The front door of libheapline/: what the other rooms may include.
front='metrics\.def|profile\.h|profile_read\.h|record\.h|text\.h|error\.h|env\.h'

# includes ROOM: its lines FILE:"room/file.h" or FILE:<system.h>
includes() {
    c_files | grep "^$1/" | xargs -r -d '\n' grep -HE '^ *# *include' |
        sed -E 's/: *# *include */:/; s/([>"])[ \t]*(\/\*.*)?$/\1/'
}

# foreign ROOM ALLOWED: includes of our own files that ALLOWED does not match
foreign() { includes "$1" | grep ':"' | grep -Ev ":\"($2)\"\$"; }

is 'libheapline/ includes only itself' "$(foreign libheapline '(libheapline/[a-z_]+\.(h|def))|config/config\.h|config\.h')" ''
is 'spank/ includes only itself and the front door' \
    "$(foreign spank "spank/[a-z_]+\.(h|def)|libheapline/($front)|config/config\.h|config\.h")" ''
is 'report/ includes only itself and the front door' \
    "$(foreign report "report/[a-z_]+\.(h|def)|libheapline/($front)|config/config\.h|config\.h")" ''
is 'Slurm'\''s headers are spank/'\''s' \
    "$({ includes libheapline; includes report; } | grep ':<slurm/')" ''
is 'the gather and the pure parts know no Slurm' \
    "$(includes spank | grep -E '^spank/(gather[a-z_]*|preload|plugconf|pattern)\.[ch]:' | grep '<slurm/')" ''
is 'no .c file is included' "$(includes '[a-z/]*' | grep '\.c["<>]')" ''

# What runs in the user's process has no stdio and no locale.
library_sources() {
    awk '/^libheapline_la_SOURCES/ { on = 1 } on { print } on && !/\\$/ { exit }' libheapline/Makemodule.am |
        grep -o 'libheapline/[a-z_]*\.[ch]'
}
if [ -n "$(library_sources)" ]; then
    is 'the preload library includes no stdio, locale or syslog' \
        "$(library_sources | xargs grep -lE '# *include <(stdio|locale|syslog|wchar)\.h>')" ''
else
    fail 'libheapline_la_SOURCES is in libheapline/Makemodule.am'
fi

# Headers of one room form no circle.
circle() {
    includes '[a-z]*' | grep '\.h:"' | sed 's/:"/ /; s/"$//' | { tsort >/dev/null; } 2>&1
}
is 'headers include each other in one direction' "$(circle)" ''
finish
