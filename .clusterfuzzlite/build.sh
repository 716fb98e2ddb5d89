#!/bin/bash -eu
# SPDX-License-Identifier: BSD-2-Clause
# ClusterFuzzLite calls this script in its image, and sets $CC, $CFLAGS, $CXX, $CXXFLAGS, $LIB_FUZZING_ENGINE, $SRC and $OUT.
build=$SRC/build
cmake -S "$SRC/ibproof" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DIBA_FUZZ=libfuzzer -DCMAKE_C_FLAGS="$CFLAGS -Wno-error" \
    -DCMAKE_C_LINK_EXECUTABLE="$CXX $CXXFLAGS <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>" # the engine is C++
cmake --build "$build" --target fuzz/all
"$build/fuzz/ibfuzz-dictionary" >"$OUT/words.dict"
mkdir -p "$OUT/lib"
for program in "$build"/fuzz/ibfuzz_*; do
    name=${program##*/}
    cp "$program" "$OUT/"
    cp "$OUT/words.dict" "$OUT/$name.dict"
    (cd "$SRC/ibproof/corpus/${name#ibfuzz_}" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
    # Libraries of the image that builds are not in the one that runs.
    ldd "$program" | awk '$3 ~ /lib(isal|cjson|expat|pcap|pcre2|z|dbus|systemd)/ { print $3 }' | xargs -r cp -t "$OUT/lib"
    patchelf --set-rpath '$ORIGIN/lib' "$OUT/$name" 2>/dev/null || true
done
