# image-version.sh - what an object of `lanewise cc` and the library agree on does not change while
# LW_IMAGE_VERSION stays as it is: the library would take old objects, and misread them. The digest
# is of these headers' words, without comments; but for manifest.h, whose comment is the format.
#
# Where it fails: add one to LW_IMAGE_VERSION, and write both numbers here. A change that old
# objects do not notice, as of words in manifest.h, takes a new digest alone.
set -eu
version=7 digest=1834368037

words() # FILE: on one line
{
    tr -s ' \t\n' ' ' <"$1"
}

code() # FILE
{
    words "$1" | sed 's:/\*[^*]*\*\**\([^/*][^*]*\*\**\)*/::g' | tr -d ' '
}

cd "$SOURCE"
for header in include/lanewise/image.h src/base/cpu_abi.h src/base/ref_abi.h src/base/cuda_abi.h \
    src/base/bounds_abi.h src/base/proof_abi.h include/lanewise/warp_ops.def; do
    code $header | sed 's/LW_IMAGE_VERSION=[0-9]*//'
done >"$TMP/all"
words src/base/manifest.h >>"$TMP/all"
is=$(cksum <"$TMP/all" | cut -d' ' -f1)
has=$(sed -n 's/^enum { LW_IMAGE_VERSION = \([0-9]*\) };/\1/p' include/lanewise/image.h)
if [ "$is" != $digest ] || [ "$has" != $version ]; then
    echo "LW_IMAGE_VERSION is $has, the digest $is; here they are $version and $digest"
    exit 1
fi
