# cc-errors.sh - what `lanewise cc` refuses: exit status and text; and nothing is left behind.
set -eu

# refused STATUS TEXT WORDS...
refused()
{
    want=$1 text=$2
    shift 2
    got=0
    "$LANEWISE" cc "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || { echo "lanewise cc $*: status $got, expected $want"; cat err; exit 1; }
    grep -qF -- "$text" err || { echo "lanewise cc $*: lacks '$text'"; cat err; exit 1; }
    [ ! -s out ] || { echo "lanewise cc $*: printed"; cat out; exit 1; }
}

printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a[0] = 1;\n}\n' >one.c
printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a = b;\n}\n' >wrong.c
printf '#include <lanewise/kernel.h>\nKERNEL void program(float *a)\n{\n    a[0] = 1;\n}\n' >name.c
printf 'int x(void);\n' >none.c
mkdir folder

refused 2 'cc needs a FILE'
refused 2 'cc needs -o OUT.o' one.c
refused 2 "cc takes one FILE, not also 'two.c'" one.c two.c -o one.o
refused 2 'missing.c: No such file or directory' missing.c -o one.o
refused 2 'folder: not a regular file' folder -o one.o
refused 2 "there is no target 'cpu:soup'" one.c -o one.o --targets cpu:avx2,cpu:soup
refused 2 "there is no target 'cuda:sm_60'" one.c -o one.o --targets cuda:sm_60
refused 2 "there is no target ''" one.c -o one.o --targets cpu:avx2,
refused 2 "there is no target 'cpu:avx2/32'" one.c -o one.o --targets cpu:avx2/32
refused 2 "--targets has 'ref' twice" one.c -o one.o --targets ref,ref
refused 2 'cpu:avx2 is x86-64 code and cpu:aarch64 is AArch64 code' one.c -o one.o \
    --targets cpu:avx2,cpu:aarch64
refused 2 "'soup' is not a whole number" one.c -o one.o -b soup
refused 2 'at most 1024 together' one.c -o one.o -b 1025
refused 2 'at most 1024 together' one.c -o one.o -b 8,8,65
refused 2 "is for 'cpu:aarch64', which is none of the targets" one.c -o one.o -b cpu:aarch64=64
refused 2 "is for 'ref', which is none of the targets" one.c -o one.o -b ref=64
refused 2 'the option -d is not for this command' one.c -o one.o -d cpu
refused 3 "wrong.c:4:9: error: use of undeclared identifier 'b'" wrong.c -o one.o --header one.h
refused 3 "kernel 'program' would be the function name_program" name.c -o one.o
refused 3 'there is no KERNEL' none.c -o one.o
refused 2 'nowhere/one.o: No such file or directory' one.c -o nowhere/one.o --targets ref
refused 2 'folder' one.c -o one.o --header folder --targets ref
refused 2 'nowhere/h: No such file or directory' one.c -o one.o --header nowhere/h --targets ref
[ ! -e /dev/full ] || refused 4 'No space left' one.c -o /dev/full --targets ref
LANEWISE_COMPILE=/nonexistent refused 5 '/nonexistent' one.c -o one.o
printf '#!/bin/sh\nkill -9 $$\n' >killed && chmod +x killed
LANEWISE_COMPILE=$PWD/killed refused 5 'signal 9' one.c -o one.o
printf '#!/bin/sh\nexit 0\n' >silent && chmod +x silent
LANEWISE_COMPILE=$PWD/silent refused 5 'is cut off' one.c -o one.o
[ ! -e one.o ] && [ ! -e one.h ] || { echo "something was written"; exit 1; }
ls >left
if grep tmp left; then echo "left behind"; exit 1; fi

# An error behind the front end names its target; the object that was there stays.
printf 'old\n' >one.o
refused 3 'error' wrong.c -o one.o
grep -q old one.o
