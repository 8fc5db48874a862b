#!/bin/sh
# mpi - operations over MPI, Open MPI's and MPICH's: the bits of one rank with 1 to 4 processes, or
# those of MPI_RANKS; a late rank and a killed one are errors on the others. mpi.h compiles as C++.
# With tests/run -s K/N one MPI has the odd numbers of processes, and the other the even ones.
set -eu

# As root, and more processes than processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset LANEWISE_NUM_THREADS

fail() { echo "mpi.sh: $*"; exit 1; }

# start MPI COUNT PROGRAM... - one that is killed must not end the others, where that can be said
start()
{
    mpi=$1 count=$2
    shift 2
    case $mpi in
    openmpi) set -- mpirun.openmpi --enable-recovery --oversubscribe -n "$count" "$@" ;;
    mpich) set -- mpirun.mpich -n "$count" "$@" ;;
    esac
    timeout 100 "$@"
}

# compile MPI FILE PROGRAM OPTIONS...
compile()
{
    mpi=$1 file=$2 program=$3
    shift 3
    "mpicc.$mpi" -std=gnu11 -O1 -Wall -Wextra -Werror "$@" -I"$SOURCE/include" \
        -I"$SOURCE/tests/unit" "$file" -o "$program" -L"$BUILD/src/ops" -L"$BUILD/src/run" \
        -llanewise-ops -llanewise -Wl,-rpath,"$BUILD/src/ops:$BUILD/src/run" -lpthread
}

# each MPI COUNT PROGRAM... - what a rank prints goes to a file of its own, said.RANK: a launcher
# may put another's words between a line and its end
each()
{
    mpi=$1 count=$2
    shift 2
    rm -f said.*
    # shellcheck disable=SC2016 # each rank's own variables
    start "$mpi" "$count" sh -c 'exec "$@" >"said.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"' rank "$@" \
        2>err
}

# right RANK... - these have said so, and no others
right()
{
    wanted=$(printf 'rank %s: right\n' "$@")
    [ "$(grep -h '^rank' said.*)" = "$wanted" ] || { cat said.* err; return 1; }
}

# one_number - two runs printed the same; MPI may have said more
one_number()
{
    awk '{ print } /^-?0x/ { n++; bad = bad || (n > 1 && $0 != first); first = $0 }
        END { exit bad || n != 2 }'
}

# ranks MPI - the numbers of processes
ranks()
{
    case ${TEST_EVERY:-1}-$1 in
    1-*) echo 1 2 3 4 ;;
    *-openmpi) echo 1 3 ;;
    *) echo 2 4 ;;
    esac
}

# try MPI - all of it
try()
{
    echo '#include <lanewise/mpi.h>' >header.cc
    "mpicxx.$1" -DOMPI_SKIP_MPICXX -Wall -Wextra -Werror -I"$SOURCE/include" -c header.cc
    for name in $tests; do
        compile "$1" "$SOURCE/tests/unit/ops_dist_$name.c" "$name" -DLW_TEST_MPI
        for count in ${MPI_RANKS-$(ranks "$1")}; do
            echo "$1: $name on $count"
            start "$1" "$count" "./$name" cpu 8 || fail "$name on $count ranks of $1"
        done
    done
    compile "$1" "$SOURCE/examples/dist/dot_mpi.c" dot_mpi
    for count in 1 3; do
        start "$1" $count ./dot_mpi cpu 100001
    done | one_number >bits || { cat bits; fail "the example of $1"; }
    compile "$1" "$SOURCE/tests/robust/dist_late.c" late
    # Beside two busy loops a processor: ranks that wait must still answer each other.
    loops=
    for loop in $(seq $(($(nproc) * 2))); do
        timeout 20 sh -c 'while :; do :; done' &
        loops="$loops $!"
    done
    each "$1" 4 ./late late || { cat said.* err; fail "a late rank of $1"; }
    # shellcheck disable=SC2086 # the loops are words
    kill $loops
    right 0 2 3 || fail "a late rank of $1"
    # MPICH's launcher ends all processes with the first.
    each "$1" 4 ./late killed && status=0 || status=$?
    case $1 in
    openmpi) right 0 2 3 || fail "a killed rank of $1" ;;
    *) [ $status -ne 0 ] && [ $status -ne 124 ] || fail "a killed rank of $1: status $status" ;;
    esac
}

# in_python MPI - the example, and a rank that does not come, with the system's mpi4py
in_python()
{
    export PYTHONPATH="$BUILD/python"
    for count in 1 3; do
        start "$1" $count /usr/bin/python3 "$SOURCE/examples/dist/mean.py"
    done | one_number >bits || { cat bits; fail "the example in Python"; }
    cat >late.py <<'END'
import time
import lanewise as lw
import numpy as np

comm = lw.dist.mpi()
part = (9, 3 * comm.rank)
lw.dist.sum(comm, np.ones(3), part=part)  # the first builds
comm.set_limit(1)
try:
    if comm.rank == 1:
        time.sleep(4)
    else:
        lw.dist.sum(comm, np.ones(3), part=part)
except lw.TimeoutError as error:
    right = str(error).endswith("rank 1 did not answer within 1 s")
    print(f"rank {comm.rank}: {'right' if right else error}")
END
    each "$1" 3 /usr/bin/python3 late.py || { cat said.* err; fail "late.py"; }
    right 0 2 || fail "a late rank in Python"
}

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    exit 77 # a program without a sanitizer does not load a sanitizer's library
fi
tests="reduce rows"
found=no
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    found=yes
    try $mpi
done
[ $found = yes ] || exit 77
# Debian's mpi4py is for Open MPI.
if [ -f "$BUILD/python/lanewise/_core.abi3.so" ] && command -v mpirun.openmpi >/dev/null &&
    /usr/bin/python3 -c 'import mpi4py, numpy' 2>/dev/null; then
    in_python openmpi
else
    echo "no mpi4py of the system: Python over MPI was not tried"
fi
