# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Prints columns of a record file by their names, one row a line, cells split
# by '|':   awk -v columns='rank,node' -v where='role=rank,ended=signal' -f csv.awk FILE
# Reads RFC 4180, line breaks inside quotes included.  Ends with 2 if a column
# that is asked for does not exist.

function split_record(text,    i, c, quoted, cell) {
    delete cells
    count = 0
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (quoted && c == "\"" && substr(text, i + 1, 1) == "\"") {
            cell = cell c
            i++
        } else if (c == "\"") {
            quoted = !quoted
        } else if (c == "," && !quoted) {
            cells[++count] = cell
            cell = ""
        } else {
            cell = cell c
        }
    }
    cells[++count] = cell
    return !quoted
}

function place(name) {
    if (!(name in column_of)) {
        print "csv.awk: no column " name > "/dev/stderr"
        status = 2
        exit
    }
    return column_of[name]
}

function wanted(    i, n, conditions, pair) {
    n = split(where, conditions, ",")
    for (i = 1; i <= n; i++) {
        split(conditions[i], pair, "=")
        if (cells[place(pair[1])] != pair[2])
            return 0
    }
    return 1
}

function show(    i, n, names, line) {
    n = split(columns, names, ",")
    for (i = 1; i <= n; i++)
        line = line (i > 1 ? "|" : "") cells[place(names[i])]
    print line
}

/^#/ && pending == "" { next }

{
    pending = pending == "" ? $0 : pending "\n" $0
    if (!split_record(pending))
        next
    pending = ""
    if (!header) {
        for (i = 1; i <= count; i++)
            column_of[cells[i]] = i
        header = 1
    } else if (wanted()) {
        show()
    }
}

END { exit status }
