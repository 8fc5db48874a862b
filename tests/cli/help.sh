# help.sh - help of every command in each way of asking for it, the manual page and the completion
# for bash, all from one source: they have the options that the parser takes, and no others. And the
# version.
# not under sanitizers: it is text, and starts the command hundreds of times
set -eu

fail() { echo "$*" && exit 1; }

# ---- each command --------------------------------------------------------------------------------

"$LANEWISE" help >all
"$LANEWISE" --help | cmp - all
"$LANEWISE" -h | cmp - all
"$LANEWISE" help --help | cmp - all
sed -n '/^commands/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p' all >commands
[ "$(wc -l <commands)" -ge 11 ]
while read -r command; do
    # shellcheck disable=SC2086 # a form of bench is two words
    {
        "$LANEWISE" help $command >one || fail "help $command"
        grep -q "^usage: lanewise $command" one || fail "help $command: no usage"
        grep -q '^exit status' one
        awk 'length > 80 { print; bad = 1 } END { exit bad }' one || fail "help $command: long"
        [ "$command" = help ] || "$LANEWISE" $command --help | cmp - one
        [ "$command" = help ] || "$LANEWISE" $command -h | cmp - one
    }
done <commands
for words in walk 'bench walk' 'run show cc'; do
    status=0
    # shellcheck disable=SC2086
    "$LANEWISE" help $words >out 2>err || status=$?
    [ $status = 2 ] && [ ! -s out ] && grep -q 'there is no command' err || fail "help $words"
done

# ---- the options of the help and of the parser are the same --------------------------------------

# What the parser knows says so in another way than that there is no such option. The help is asked
# for behind it, or as its value and behind that: so nothing runs.
all_options=$(grep -o '^OPTION("[^"]*"' "$SOURCE/cli/core/help.def" | cut -d '"' -f 2 | sort -u)
[ "$(echo "$all_options" | wc -l)" -ge 25 ]
for command in run show cc op graph devices cache init learn 'bench op' 'bench operations' \
    'bench dot'; do
    # shellcheck disable=SC2086
    "$LANEWISE" help $command | sed -n '/^options/,/^$/s/^  \(-[^ []*\).*/\1/p' >has
    for option in $all_options; do
        [ "$command $option" != 'run -g0' ] || continue # which is -g 0
        # shellcheck disable=SC2086
        "$LANEWISE" $command "$option" --help --help >out 2>err </dev/null || :
        grep -qE "there is no option|is not for this command" err && takes=no || takes=yes
        grep -qxF -- "$option" has && helps=yes || helps=no
        [ "$takes" = "$helps" ] || fail "$command $option: parser: $takes, help: $helps"
    done
done
for option in $("$LANEWISE" help bench | sed -n '/^options/,/^$/s/^  \(-[^ []*\).*/\1/p'); do
    [ "$option" != -- ] || continue
    "$LANEWISE" bench "$option" 1 --help >out 2>err || :
    if grep -q "is no option" err; then fail "bench does not take $option"; fi
done
"$LANEWISE" bench --list | grep -q '^  dot24 '

# The page about the command names each.
for option in $all_options; do
    case $option in
    --rows | --level | --device | --quick | --commit) page=bench ;;
    *) page=cli ;;
    esac
    grep -qF -- "\`$option" "$SOURCE/docs/$page.md" || fail "docs/$page.md lacks $option"
done

# ---- the manual page and the completion ----------------------------------------------------------

# shellcheck disable=SC2086
while read -r command; do
    for option in $("$LANEWISE" help $command | sed -n '/^options/,/^$/s/^  \(-[^ []*\).*/\1/p'); do
        [ "$option" != -- ] || continue
        roff=$(printf '%s\n' "$option" | sed 's/-/\\-/g')
        grep -qF -- "\\fB$roff\\fR" "$BUILD/cli/lanewise.1" ||
            fail "the manual page lacks $option"
    done
done <commands
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$BUILD/cli/lanewise.1" || fail "mandoc warns"
fi
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -P-bcou "$BUILD/cli/lanewise.1" 2>err >page
    [ ! -s err ] || fail "groff warns: $(cat err)"
    grep -q 'EXIT STATUS' page
fi

command -v bash >/dev/null || exit 0
cat >ask.sh <<'B'
. "$BUILD/cli/lanewise.bash"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_lanewise
printf '%s\n' "${COMPREPLY[@]}"
B
offers() # WORD WORDS...: the last of the words is completed to WORD, among others
{
    word=$1
    shift
    bash ask.sh "$LANEWISE" "$@" >out 2>err || { cat err && fail "completion of $*"; }
    [ ! -s err ] || { cat err && fail "completion of $*"; }
    grep -qxF -- "$word" out || { cat out && fail "$* is not completed to $word"; }
}
printf '#include <lanewise/kernel.h>\nKERNEL void add_all(int *a) { a[0] = 1; }\n' >k.c
mkdir folder
offers show sh
offers operations bench oper
offers --timeout run --ti
offers --header cc --h
offers --filter bench operations --fi
offers --quick bench --q
offers cpu run k.c -d c
offers cpu:avx2 show k.c -d cpu:
offers widened show k.c --stage w
offers widened show k.c --stage = w
offers add_all run k.c -k a
offers k.c run k
printf 'template <typename T> __global__ void scale(T *x) {}\n' >k.cu
offers scale run k.cu -k s
offers k.cu show k
offers sm_90 run k.cu --arch sm_
offers folder run k.c -I f
offers softmax op soft
offers layer_norm bench op lay
offers dot24 bench dot2
offers devices help dev
offers prefix-sum learn pre
offers --hint learn 1 --h

# ---- the version ---------------------------------------------------------------------------------

"$LANEWISE" --version | grep -qxE 'lanewise [0-9.]+(, commit [0-9A-Za-z.-]+)?(, LLVM 19[0-9.]*)?'
commit=$(git -C "$SOURCE" describe --always --dirty --abbrev=12 2>/dev/null) || exit 0
case $commit in *-dirty) exit 0 ;; esac
"$LANEWISE" --version | grep -q ', commit [0-9A-Za-z.-]*, LLVM 19' || fail "no commit"
