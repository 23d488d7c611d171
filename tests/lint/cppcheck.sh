#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# cppcheck over the products.  Not asked: system headers (too slow, and glibc's
# are not ours to judge).

. "$(dirname "$0")/files.sh"
need_command cppcheck
check 'cppcheck has nothing to say' cppcheck --quiet --error-exitcode=1 -j 2 --std=c11 \
    --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem \
    '-DSPANK_PLUGIN(name,version)=' -D_GNU_SOURCE -D__x86_64__ -I. libheapline spank report
finish
