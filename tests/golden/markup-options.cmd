cairn markup --basenames --no-demangle --functions=short --repeat-prefix --adjusted --debug-file-directory=markup/debug markup/frames.log 2>/dev/null
