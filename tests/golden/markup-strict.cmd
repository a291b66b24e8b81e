cairn markup --strict --debug-file-directory=markup/debug markup/missing.log 2>/dev/null; echo $?; printf 'all good\n' | cairn markup --strict
