#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# The table of columns in doc/record-format.md is that of metrics.def, and the
# man page knows every option that the program has.
#
#   columns.sh [--update]   --update writes the table into the document

here=$(cd "$(dirname "$0")" && pwd)
top_srcdir=$(cd "${top_srcdir:-$here/../..}" && pwd)
top_builddir=$(cd "${top_builddir:-.}" && pwd)
REPORT=${HL_REPORT:-$top_builddir/heapline-report}
doc=$top_srcdir/doc/record-format.md
begin='<!-- columns:'
end='<!-- end of columns -->'

table() {
    echo '| Column | Since | Kind | Added up | Meaning |'
    echo '|---|---|---|---|---|'
    sed -n 's/^HL_COLUMN(\([^"]*\)"\(.*\)")$/\1|\2/p' "$top_srcdir/libheapline/metrics.def" |
        awk -F'|' '
            BEGIN {
                kind["INT"] = "number"; kind["MS"] = "s"; kind["STR"] = "text"; kind["WORD"] = "word"
                merge["NONE"] = ""; merge["SUM"] = "sum"; merge["MAX"] = "largest"; merge["MIN"] = "smallest"
            }
            {
                split($1, part, /, */)
                printf "| `%s` | %s | %s | %s | %s |\n", part[2], part[5], kind[part[3]], merge[part[4]], $2
            }'
}

in_document() { awk -v begin="$begin" -v end="$end" 'index($0, end) == 1 { on = 0 } on { print } index($0, begin) == 1 { on = 1 }' "$doc"; }

if [ "${1-}" = --update ]; then
    table >"$doc.table"
    awk -v begin="$begin" -v end="$end" -v table="$doc.table" '
        index($0, end) == 1 { on = 0 }
        !on { print }
        index($0, begin) == 1 { on = 1; while ((getline line < table) > 0) print line }' "$doc" >"$doc.new"
    mv "$doc.new" "$doc"
    rm "$doc.table"
fi

status=0
result() { # WORD NUMBER NAME
    echo "$1 $2 - $3"
    [ "$1" = ok ] || status=1
}
rows=$(table | wc -l)
if [ "$rows" = 30 ] && difference=$(diff <(table) <(in_document)); then
    result ok 1 'the table of columns is that of metrics.def'
else
    result 'not ok' 1 'the table of columns is that of metrics.def'
    echo "# $rows lines; run tests/report/columns.sh --update"
    printf '%s\n' "${difference-}" | sed 's/^/#   /'
fi
missing=$("$REPORT" --help | grep -o -- '--[a-z]*' | sort -u | while read -r option; do
    sed 's/\\-/-/g' "$top_srcdir/doc/heapline-report.1" | grep -q -- "$option" || echo "$option"
done)
if [ -z "$missing" ] && "$REPORT" --help >/dev/null; then
    result ok 2 'the man page has every option'
else
    result 'not ok' 2 "the man page has every option: $missing"
fi
echo 1..2
exit $status
