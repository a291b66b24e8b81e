mkdir "$work/empty"
ln -sf "$PWD/markup/debug/.build-id/ca/1f0123456789ab.debug" "$work/larder.so"
cairn markup --reports --debug-file-directory="$work/empty" --exe "$work/larder.so" markup/reports.log
grep 'unknown>\|thread 7\|#1  ' markup/reports.log | cairn markup --reports --debug-file-directory="$work/empty" --exe markup/debug/.build-id/ca/1f0123456789ab.debug@0x7f0000000000
