#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Manual pages are well-formed and free of roff that only one formatter knows.

. "$(dirname "$0")/files.sh"
need_command mandoc
pages=$(find doc -name '*.[1-8]' | sort)
[ -n "$pages" ] || skip_all 'no manual pages in doc/'
for page in $pages; do
    is "mandoc has nothing to say about $page" "$(mandoc -T lint -W warning "$page" 2>&1)" ''
done
finish
