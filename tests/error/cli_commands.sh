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

refused 2 'lanewise run FILE'
refused 2 "there is no command 'walk'" walk
refused 5 'check is not built yet' check one.c
refused 2 "there is no row 'soup'" bench soup
refused 2 "'--soup' is no option" bench --soup
refused 2 'cc is not built yet' cc one.c -o one.o
refused 2 'run needs a FILE' run
refused 2 "devices takes no 'one.c'" devices one.c
refused 2 'the option -g is not for this command' show one.c -g 1
refused 2 'none.c: No such file or directory' run none.c
refused 2 'none.c: No such file or directory' show none.c --stage ir
refused 2 '.: a directory' show . --stage ir
refused 2 'show needs --stage' show one.c
refused 2 "there is no stage 'soup'" show one.c --stage soup
refused 2 'stages uniform, widened, asm and ptx, not ir' show one.c --stage ir -k one
refused 3 "there is no kernel 'two'" show one.c --stage uniform -k two
refused 4 'exit status 3' show one.c --stage uniform -d ref
refused 4 'exit status 2' show one.c --stage uniform -b 1025
refused 2 "show takes one FILE, not also 'two.c'" show one.c two.c --stage ir

# The compiler is not there, dies, or says nothing.
LANEWISE_COMPILE=/nonexistent refused 4 '/nonexistent' show one.c --stage ir
printf '#!/bin/sh\nkill -9 $$\n' >killed && chmod +x killed
LANEWISE_COMPILE=./killed refused 4 'ended by signal 9' show one.c --stage ir
printf '#!/bin/sh\nexit 7\n' >seven && chmod +x seven
LANEWISE_COMPILE=./seven refused 4 'exit status 7' show one.c --stage ir
LANEWISE_COMPILE=/bin/true refused 4 'not complete' show one.c --stage ir

# Results that cannot be delivered.
if [ -w /dev/full ]; then
    status=0
    "$LANEWISE" run one.c -d null 'f32[1]' >/dev/full 2>err || status=$?
    [ "$status" = 4 ] && grep -q 'standard output: No space left' err || { cat err; exit 1; }
fi
