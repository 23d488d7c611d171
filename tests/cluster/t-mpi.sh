#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# MPI programs under srun: LAMMPS with Open MPI through PMIx, and a small
# program with MPICH through PMI2.  Ranks are the MPI library's.

. "$(dirname "$0")/lib.sh"
RUN_LIMIT=120
# Ranks that wait for each other on perhaps two processors: let them yield.
HL_USER_ENV=(OMPI_MCA_mpi_yield_when_idle=1)

ranks_of_four() { # NAME
    is "$1: status 0" "$status" 0
    is "$1: one rank row for each rank, on its node" "$(rank_rows rank,node)" \
        "$(printf '%s\n' '0|n1' '1|n1' '2|n2' '3|n2')"
    is "$1: all ended well" "$(rank_rows ended,exit_code,signal | sort -u)" 'exit|0|0'
    is "$1: no rank without allocations" "$(rank_rows allocs | awk '$1 < 100')" ''
    is "$1: no peak below the live heap" "$(rank_rows peak_heap_bytes,live_heap_at_exit_bytes | awk -F'|' '$1 < $2')" ''
    is "$1: the summary has been printed once" "$(grep -Fc -e "$(head -n 1 "$step/summary.txt")" <<<"$err")" 1
}

lammps() {
    if ! have lmp; then
        skip 'LAMMPS' 'lmp (package lammps) is not installed'
        return
    fi
    cp "$top_srcdir/tests/cluster/in.melt" . && recorded --mpi=pmix -N2 --ntasks-per-node=2 lmp -in in.melt -log none
    ranks_of_four LAMMPS
    matches 'LAMMPS: its own output is whole' "$out" 'Loop time of .* on 4 procs'
    is 'LAMMPS: the executable' "$(rank_rows exe | sort -u)" "$(readlink -f "$(command -v lmp)")"
}

mpich() {
    if ! have mpicc.mpich; then
        skip 'MPICH' 'mpicc.mpich (package libmpich-dev) is not installed'
        return
    fi
    CC=mpicc.mpich compile mpi_counts
    recorded --mpi=pmi2 -N2 --ntasks-per-node=2 ./mpi_counts
    ranks_of_four MPICH
    is 'MPICH: its own output' "$out" 'world 4 sum 6 last 0'
    is 'MPICH: no rank holds less than its block' \
        "$(rank_rows rank,peak_heap_bytes | awk -F'|' '$2 < ($1 + 1) * 1048576')" ''
}

lammps
mpich
is 'nothing is left behind' "$(settle)" ''
finish
