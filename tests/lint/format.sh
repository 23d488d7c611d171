#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# C code is as clang-format leaves it (.clang-format).

. "$(dirname "$0")/files.sh"
need_command clang-format
each 'clang-format would change nothing' clang-format --dry-run --Werror < <(c_files)
finish
