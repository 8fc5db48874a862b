# cli_commands.sh - commands and their words that are wrong: exit status and text.
set -eu

# refused STATUS TEXT WORDS...
refused()
{
    want=$1 text=$2
    shift 2
    got=0
    "$LANEWISE" "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || { echo "lanewise $*: status $got, expected $want"; cat err; exit 1; }
    grep -qF -- "$text" err || { echo "lanewise $*: lacks '$text'"; cat err; exit 1; }
    [ ! -s out ] || { echo "lanewise $*: printed"; cat out; exit 1; }
}

printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a[0] = 1;\n}\n' >one.c

refused 2 'usage: lanewise COMMAND'
refused 2 "there is no command 'walk'" walk
refused 2 'check needs a FILE' check
refused 2 "there is no row 'soup'" bench soup
refused 2 "'--soup' is no option" bench --soup
refused 2 'cc needs -o OUT.o' cc one.c
refused 2 'run needs a FILE' run
refused 2 "devices takes no 'one.c'" devices one.c
refused 2 'the option -g is not for this command' show one.c -g 1
refused 2 'none.c: No such file or directory' run none.c
refused 2 'none.c: No such file or directory' show none.c --stage ir
refused 2 '.: a directory' show . --stage ir
refused 2 'show needs --stage' show one.c
refused 2 "there is no stage 'soup'" show one.c --stage soup
refused 2 'stages uniform, widened, asm and ptx, not ir' show one.c --stage ir -k one
refused 2 "there is no kernel 'two'" show one.c --stage uniform -k two
refused 2 "the stage uniform is on the way to device cpu, not to 'ref'" \
    show one.c --stage uniform -d ref
refused 2 "the stage ptx is on the way to device cuda, not to 'cpu:avx2'" \
    show one.c --stage ptx -d cpu:avx2
refused 2 'each 1 or more, at most 1024 together' show one.c --stage uniform -b 1025
refused 2 "show takes one FILE, not also 'two.c'" show one.c two.c --stage ir

# A device that is misspelt is a mistake of the words, one that is not here is not.
for device in soup '' cpu:avx2 cpu: ref:x null:0 cuda: cuda:x cuda:1x cuda0 CPU; do
    refused 2 "device '$device'" run one.c -d "$device" 'f32[1]'
done
for device in soup '' ref:x null:0 cuda: cuda:x CPU; do
    refused 2 "there is no device '$device' to compile for" show one.c --stage ir -d "$device"
    refused 2 "there is no device '$device'" bench --device "$device"
done
refused 2 'the device is cpu:baseline, cpu:avx2' show one.c --stage asm -d cpu:soup
refused 2 'the device is cuda:sm_70, ' show one.c --stage ptx -d cuda:sm_12
for device in cuda cuda:0 cuda:31; do
    LANEWISE_CUDA_DRIVER=/nonexistent.so refused 4 "device '$device' cannot be used: " \
        run one.c -d $device 'f32[1]'
    LANEWISE_CUDA_DRIVER=/nonexistent.so refused 4 '/nonexistent.so' bench --device $device
done

# The compiler is not there, dies, or says nothing.
printf '#!/bin/sh\nkill -9 $$\n' >killed
printf '#!/bin/sh\nkill -XCPU $$\n' >slow
printf '#!/bin/sh\nexit 7\n' >seven
printf 'no program\n' >text
chmod +x killed slow seven
export LANEWISE_CACHE=0
for command in 'show one.c --stage ir' 'run one.c -d null f32[1]'; do
    # shellcheck disable=SC2086 # words
    for compiler in /nonexistent ./text .; do
        LANEWISE_COMPILE=$compiler refused 5 "$compiler" $command
    done
    # shellcheck disable=SC2086
    {
        LANEWISE_COMPILE=./killed refused 5 'ended by signal' $command
        LANEWISE_COMPILE=./slow refused 3 'more than its limit, 60 s of processor time' $command
        LANEWISE_COMPILE=./seven refused 5 'exit status 7' $command
        LANEWISE_COMPILE=/bin/true refused 5 '' $command
    }
done
LANEWISE_COMPILE=/bin/true refused 5 'is cut off' show one.c --stage ir
unset LANEWISE_CACHE

# Results that cannot be delivered.
if [ -w /dev/full ]; then
    status=0
    "$LANEWISE" run one.c -d null 'f32[1]' >/dev/full 2>err || status=$?
    [ "$status" = 4 ] && grep -q 'standard output: No space left' err || { cat err; exit 1; }
fi
