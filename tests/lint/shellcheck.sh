#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# All shell code pleases shellcheck.  Not asked: variables and arguments that
# cross files (SC2034, SC2154, SC2120), which tests/lib.sh lives on.

. "$(dirname "$0")/files.sh"
need_command shellcheck
each 'shellcheck has nothing to say' shellcheck -x -S warning -e SC2034,SC2154,SC2120 < <(shell_files)
finish
