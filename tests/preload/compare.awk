# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# compare.awk EXPECTED FIGURES: each "key value" of the first file holds in the
# second; key.min and key.max are bounds of key.  Prints what does not hold.
NR == FNR { if ($1 == "wrong:") { print; bad = 1 } else want[$1] = $2; n++; next }
{ have[$1] = $2 }
END {
    if (!n) { print "the program has said nothing"; exit 1 }
    for (key in want) {
        name = key
        if (sub(/\.min$/, "", name)) holds = have[name] + 0 >= want[key] + 0
        else if (sub(/\.max$/, "", name)) holds = have[name] + 0 <= want[key] + 0
        else holds = have[name] "" == want[key] ""
        if (!(name in have) || !holds) {
            printf "%s: expected %s, is %s\n", key, want[key], have[name]
            bad = 1
        }
    }
    exit bad
}
