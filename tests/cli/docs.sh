#!/bin/sh
# What README and docs show is as they say: commands end with status 0 and print what stands below
# them, or fail with the message that stands there; kernels compile on ref and cpu; whole C programs
# print what their last comment says; README's kernel is examples/dot.c; Python prints what it says.
# not under sanitizers: the other scripts run the same commands, and this takes minutes
set -eu

# The files that the pages speak of.
mkdir build
ln -s "$LANEWISE" build/lanewise
cp -r "$SOURCE/examples" .
cp examples/puzzles/dot/solution.c skeleton.c
"$LANEWISE" run examples/dot.c 'f64[1]' 'f32[1000]=rand:1:a.npy' 'f32[1000]=rand:2:b.npy' 1000 >out
PATH=$(dirname "$LANEWISE"):$PATH
# commands of Python import what was built, where their Python has NumPy
export PYTHONPATH="$BUILD/python"

# blocks PAGE - each block of C, CUDA or Python to a file: PAGE-1.c, PAGE-2.py ... One that begins
# with a line `// NAME.c` also to that file, for the page's commands.
blocks()
{
    awk -v name="$(basename "$1" .md)" '
        /^```(c|cuda|python)$/ {
            file = name "-" ++n (/python/ ? ".py" : /cuda/ ? ".cu" : ".c")
            named = ""
            first = 1
            printf "" >file
            next
        }
        /^```/ { file = ""; next }
        file && first && /^\/\/ [a-z0-9_]+\.cu?$/ { named = $2; printf "" >named }
        file { first = 0; print >>file }
        file && named { print >>named }' "$1"
}

# commands PAGE - its commands, for each: itself, what it prints where the page says so, what it
# says on standard error, and a finding, apart by \035; lines of these are apart by \036.
commands()
{
    awk '
        function flush() {
            if (command) print command "\035" said "\035" error "\035" finding
            command = said = error = finding = ""
        }
        /^```text$/ { flush(); is_text = 1; next }
        /^```/ { flush(); is_text = 0; next }
        is_text && /^\$ lanewise check / { command = substr($0, 3); next }
        is_text && command && /^              [^ ]/ { # goes on from the line above
            sub(/^ +/, " ")
            finding = finding $0
            next
        }
        is_text && command { finding = finding (finding ? "\036" : "") $0; next }
        /^    (\$ )?([A-Z_]+=[^ ]+ )?(build\/)?lanewise / || /^    python3 -c / {
            flush()
            command = $0
            sub(/^    (\$ )?/, "", command)
            sub(/   +[^ ].*$/, "", command) # what the line says about itself
            next
        }
        /^    ([a-z_:]+: [a-z0-9]+\[|\[block )/ && command {
            sub(/^ +/, "")
            said = said (said ? "\036" : "") $0
            next
        }
        /^     +\[/ && said { said = said "\036" substr($0, 5); next } # of a matrix
        /^    (lanewise: |[a-z_]+\.cu?:[0-9]+:[0-9]+: )/ && command {
            sub(/^ +/, "")
            error = error (error ? "\036" : "") $0
            next
        }
        { flush() }
        END { flush() }' "$1"
}

# has_paragraph FILE - of the lines in `said`
has_paragraph()
{
    awk -v RS= 'NR == FNR { said = $0; next } $0 == said { has = 1 } END { exit !has }' said "$1"
}

# check COMMAND SAID ERROR FINDING - ERROR begins with "lanewise: " or has ": error: " where it must
# fail; so does a FINDING that is no warning and no proof
check()
{
    case $1 in
    *\[--* | *\[[A-Za-z]*\]\ * | *\[[A-Z]*... | *\ [A-Z]*[A-Z]) return ;; # a usage line
    *FILE* | *--help* | *' bench '* | *' help '*) return ;;
    python3*) python3 -c 'import lanewise' 2>/dev/null || return 0 ;; # it may lack NumPy
    *@mine.npy*) [ -f mine.npy ] || return 0 ;; # no NumPy made it
    esac
    echo "$1"
    case ${3:-$4} in
    'lanewise: '* | *': error: '*) expected=failed ;;
    *': warning: '*) expected=passed ;;
    *': proved in bounds '*) expected=passed ;;
    *.c:[0-9]* | *.cu:[0-9]*)
        case $1 in *'lanewise check '*) expected=failed ;; *) expected=passed ;; esac ;;
    *) expected=passed ;;
    esac
    if eval "$1" >out 2>err; then status=passed; else status=failed; fi
    case $1 in *'lanewise check '*) cat out >>err ;; esac # findings are results
    [ $status = $expected ] || { cat err; echo "it $status"; exit 1; }
    [ -z "$2" ] || { echo "$2" | tr '\036' '\n' | diff - out; } || exit 1
    { [ -z "$3" ] || echo "$3" | tr '\036' '\n'; } >said
    while read -r line; do
        grep -qxF -e "$line" err || { cat err; echo "it does not say: $line"; exit 1; }
    done <said
    [ -z "$4" ] || {
        echo "$4" | tr '\036' '\n' >said
        has_paragraph out || { cat out err; echo "it does not find that"; exit 1; }
        findings=$((findings + 1))
    }
    case $1 in
    *'--stage widened'* | *--remarks*) # all remarks are on the page, each with its advice
        grep -E ': (remark|note): ' err >remarks || :
        [ "$(wc -l <remarks)" -eq "$(wc -l <said)" ] || { cat err; exit 1; } ;;
    esac
    count=$((count + 1))
}

count=0 findings=0
for page in "$SOURCE/README.md" "$SOURCE"/docs/*.md "$SOURCE"/docs/*/*.md \
    "$SOURCE"/docs/*/*/*.md; do
    blocks "$page"
    case $page in
    *ahead-of-time.md) cp vec.c ops.c ;;
    esac
    commands "$page" >list
    while IFS="$(printf '\035')" read -r command said error finding; do
        check "$command" "$said" "$error" "$finding"
    done <list
done
[ $count -ge 50 ] && [ $findings -ge 14 ]

# Every kernel in a page compiles on ref and on cpu.
kernels=0
for block in ./*-[0-9]*.c; do
    grep -q '^KERNEL' "$block" || continue
    grep -q 'include <lanewise/kernel.h>' "$block" || continue
    echo "$block"
    lanewise-compile --device ref --out 3 "$block" 3>block.image
    "$LANEWISE" show "$block" --stage widened >/dev/null 2>&1
    kernels=$((kernels + 1))
done
echo "$kernels kernels, $count commands"
[ $kernels -ge 25 ]
for block in ./*-[0-9]*.cu; do
    lanewise-compile --device ref --out 3 "$block" 3>block.image
done

# The page of the kernel language has an example in each section.
awk '
    function check() { if (name && !example) { print name " has no example"; wrong = 1 } }
    /^## / { check(); name = $0; example = 0 }
    /^```c$/ { example = 1 }
    END { check(); exit wrong }' "$SOURCE/docs/kernel-language.md"

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
[ $count -eq 9 ]

# Python that says what it prints, where the build and the tests of Python have been
python=$BUILD/python-venv/bin/python
[ -f "$BUILD/python-venv/complete-3" ] && [ -f "$BUILD/python/lanewise/_core.abi3.so" ] || exit 0
for program in README-3.py $(grep -l '^print.*# ' tutorial-*.py cuda-*.py); do
    [ "$(PYTHONPATH=$BUILD/python "$python" "$program")" = \
        "$(sed -n 's/^print.*# //p' "$program")" ]
done
