# image-files.sh - lanewise-compile --image alone, as the build starts it for the operations: the
# files are those of `lanewise cc`, messages are printed, and what cannot be saved has a status.
set -eu

compile=$BUILD/src/compile/lanewise-compile
printf '#include <lanewise/kernel.h>\n#include "half.h"\nKERNEL void one(float *a)\n{\n' >one.c
printf '    a[0] = HALF | HALF == 0;\n}\n' >>one.c
printf '#define HALF 1\n' >half.h
printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a = b;\n}\n' >wrong.c

"$LANEWISE" cc one.c -o cc.o --header cc.h --depfile cc.d -b 64 --targets ref,cpu:avx2 2>cc.err
"$compile" --image one --object a.o --header a.h --depfile a.d --block 64 --targets ref,cpu:avx2 \
    --bounds yes one.c 2>err
cmp cc.o a.o
cmp cc.h a.h
sed 's/^a\.o:/cc.o:/' a.d | cmp - cc.d
grep -q '^a.o: ' a.d && grep -q '^  .*lanewise-compile ' a.d && grep -q '^  one.c' a.d
grep -q 'half.h' a.d
# The same message, with its picture.
grep -q "^one.c:5:.*: warning: .*precedence" err && grep -q '\^' err
diff cc.err err

# ends STATUS TEXT WORDS...
ends()
{
    want=$1 text=$2
    shift 2
    got=0
    "$compile" --image one "$@" 2>err || got=$?
    [ "$got" = "$want" ] || { echo "$*: status $got, expected $want"; cat err; exit 1; }
    grep -qF -- "$text" err || { echo "$*: lacks '$text'"; cat err; exit 1; }
}
ends 1 "wrong.c:4:9: error: use of undeclared identifier 'b'" --object w.o --header w.h wrong.c
ends 2 '--image needs --object' one.c
ends 2 'none/w.o: No such file or directory; it is not saved' --object none/w.o --targets ref one.c
[ ! -e /dev/full ] || ends 5 '/dev/full: No space left on device; it is not saved' \
    --object /dev/full --targets ref one.c
[ ! -e w.o ] && [ ! -e w.h ] || { echo "something was written"; exit 1; }

# A path that make and Ninja would cut or read as something else.
"$compile" --image one --object 'w $#.o' --depfile w.d --targets ref one.c 2>err
head -n 1 w.d | grep -qxF 'w\ $$\#.o: \'
[ -s 'w $#.o' ]
