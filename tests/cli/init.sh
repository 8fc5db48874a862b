# init.sh - `lanewise init` makes a folder in which clangd, and a C compiler, find the header; what
# is in compile_flags.txt stays.
set -eu

fail() { echo "$*"; cat compile_flags.txt out err; exit 1; }
init() { "$LANEWISE" init "$@" >out 2>err; }
unset LANEWISE_INCLUDE

init
grep -qx 'wrote compile_flags.txt' out || fail 'a new file'
[ "$(wc -l <compile_flags.txt)" = 3 ] && grep -qx -- -xc compile_flags.txt || fail 'the flags'
include=$(sed -n 's/^-I//p' compile_flags.txt | head -n 1)
grep -qxF -e "-I$include/lanewise/libc" compile_flags.txt || fail 'our math.h'
[ -f "$include/lanewise/kernel.h" ] || fail 'the folder'
cp compile_flags.txt before

# The header says nothing under strict warnings, with the file's flags.
cat >k.c <<'C'
#include <lanewise/kernel.h>
#include <math.h>
KERNEL void k(TENSOR(float, 2) a, int rows, int cols, const float b[rows][cols])
{
    SHARED float tile[32];
    tile[lane_id()] = b[0][thread_idx.x];
    barrier();
    at(a, 0, thread_idx.x) = block_sum(tile[31 - lane_id()]) + shuffle_xor(1.0f, 1);
    printf("%g\n", (double)at(a, 0, 0));
}
C
for compiler in clang-19 clangd-19; do
    command -v "$compiler" >/dev/null || continue
    case $compiler in
    clang-19)
        { cat compile_flags.txt; echo k.c; } |
            xargs -d '\n' clang-19 -std=gnu17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
                >out 2>err || fail "$compiler"
        [ ! -s err ] || fail "$compiler" ;;
    clangd-19)
        printf -- '-Wall\n-Wextra\n-Wpedantic\n' >>compile_flags.txt
        clangd-19 --check=k.c --check-lines=1-1 --log=error >out 2>err || fail "$compiler"
        ! grep -E '^[EW]\[.*\] \[' out err || fail "$compiler"
        cp before compile_flags.txt ;;
    esac
done

init
grep -qx 'compile_flags.txt has all that is needed' out && cmp before compile_flags.txt ||
    fail 'a second time'

# One's own lines stay, also without a last end of line, and a folder of one's own is enough.
printf -- '-DMINE' >compile_flags.txt
init
[ "$(cat compile_flags.txt)" = "$(printf -- '-DMINE\n'; cat before)" ] || fail 'own lines'
grep -qx 'added to compile_flags.txt' out || fail 'own lines'
ln -s "$include" own
printf -- '-Iown\n-Iown/lanewise/libc\n-xc\n' >compile_flags.txt
init
grep -q 'all that is needed' out && [ "$(wc -l <compile_flags.txt)" = 3 ] || fail 'own folder'
echo '[]' >compile_commands.json
init
grep -q '^compile_commands.json is here too' out || fail 'a database'

got=0
LANEWISE_INCLUDE=/nonexistent init || got=$?
[ "$got" = 2 ] && grep -q "LANEWISE_INCLUDE is '/nonexistent'; need a folder" err || fail 'include'
got=0
init now || got=$?
[ "$got" = 2 ] && grep -q "init takes no 'now'" err || fail 'a word'
rm compile_flags.txt && mkdir compile_flags.txt
got=0
init || got=$?
rmdir compile_flags.txt && touch compile_flags.txt
[ "$got" = 2 ] && grep -q 'compile_flags.txt: Is a directory' err || fail 'a folder in its place'
