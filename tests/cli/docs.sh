#!/bin/sh
# What README and docs show is as they say: commands end with status 0 and print what stands below
# them, whole C programs print what their last comment says, README's kernel is examples/dot.c, and
# its Python prints what it says.
set -eu

# The files that the pages speak of.
mkdir build
ln -s "$LANEWISE" build/lanewise
cp -r "$SOURCE/examples" .
cp examples/puzzles/01-dot/solution.c skeleton.c
"$LANEWISE" run examples/dot.c 'f64[1]' 'f32[1000]=rand:1:a.npy' 'f32[1000]=rand:2:b.npy' 1000 >out
PATH=$(dirname "$LANEWISE"):$PATH

# blocks PAGE - each block of C or Python to a file: PAGE-1.c, PAGE-2.py ...
blocks()
{
    awk -v name="$(basename "$1" .md)" '
        /^```(c|python)$/ {
            file = name "-" ++n (/python/ ? ".py" : ".c")
            printf "" >file
            next
        }
        /^```/ { file = ""; next }
        file { print >>file }' "$1"
}

# commands PAGE - its commands; what each prints, where the page says so, behind a tab.
commands()
{
    awk '
        function flush() { if (command) print command "\t" said; command = said = "" }
        /^    (\$ )?(build\/)?lanewise / {
            flush()
            command = $0
            sub(/^    (\$ )?/, "", command)
            sub(/   +[^ ].*$/, "", command) # what the line says about itself
            next
        }
        /^    [a-z_]+: [a-z0-9]+\[/ && command { said = $0; sub(/^ +/, "", said) }
        { flush() }
        END { flush() }' "$1"
}

# check COMMAND SAID
check()
{
    case $1 in
    *\[[A-Za-z]*\]\ * | *\[[A-Z]*... | *\ [A-Z]*[A-Z] | *FILE* | *--help* | *' bench '*) return ;;
    esac
    echo "$1"
    eval "$1" >out
    [ -z "$2" ] || [ "$(cat out)" = "$2" ]
    count=$((count + 1))
}

count=0
for page in "$SOURCE/README.md" "$SOURCE"/docs/*.md; do
    blocks "$page"
    case $page in
    *kernel-language.md) cp kernel-language-1.c scale.c ;;
    *ahead-of-time.md)
        cp ahead-of-time-1.c vec.c
        cp vec.c ops.c
        ;;
    esac
    commands "$page" >list
    while IFS="$(printf '\t')" read -r command said; do check "$command" "$said"; done <list
done
[ $count -ge 12 ]

# README's kernel
sed -n '/^KERNEL/,$p' examples/dot.c >kernel
sed -n '/^KERNEL/,$p' README-1.c | cmp - kernel

# Whole programs
if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "a program without a sanitizer does not load a sanitizer's library"
    exit 0
fi
count=0
for program in ./*-[0-9]*.c; do
    grep -q '^int main' "$program" || continue
    object=
    [ "$program" != ./ahead-of-time-2.c ] || object=vec.o
    # shellcheck disable=SC2086 # one word, or none
    "$CC" -Wall -Wextra -Werror -I. -I"$SOURCE/include" "$program" $object -o program \
        -L"$BUILD/src/ops" -L"$BUILD/src/run" -llanewise-ops -llanewise \
        -Wl,-rpath,"$BUILD/src/ops:$BUILD/src/run"
    said=$(sed -n 's|^ *printf.*/\* \(.*\) \*/$|\1|p' "$program")
    [ -n "$said" ] && [ "$(./program)" = "$said" ]
    count=$((count + 1))
done
[ $count -eq 3 ]

# README's Python, where the build and the tests of Python have been
python=$BUILD/python-venv/bin/python
[ -x "$python" ] && [ -f "$BUILD/python/lanewise/_core.abi3.so" ] || exit 0
[ "$(PYTHONPATH=$BUILD/python "$python" README-3.py)" = \
    "$(sed -n 's/^print.*# //p' README-3.py)" ]
