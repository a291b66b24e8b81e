# two compilers, of one source; then the quiet form, which reports by its exit status alone
cairn gsym diff dwarf/v5.o dwarf/clang.o
echo "exit status $?"
cairn gsym diff --json dwarf/v5.o dwarf/clang.o
cairn gsym diff --quiet dwarf/v5.o dwarf/clang.o
