/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A small MPI program: each rank keeps 1 MiB * (rank + 1) until the end, so
 * that its live heap is at least that; rank 0 prints the size of the world.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *block = malloc((size_t)(rank + 1) << 20);
    if (!block)
        return 1;
    memset(block, rank, (size_t)(rank + 1) << 20);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("world %d sum %d last %d\n", size, sum, block[0]);
    MPI_Finalize();
    return 0;
}
