cairn open -o /dev/null ../fuzz/corpus/core_stacks/threads.core
cairn open -o /dev/null minidump/amd64.dmp
cairn bt --quiet --build-ids ../fuzz/corpus/minidump/old
