#!/bin/sh
# SPDX-License-Identifier: MIT
# Does scripts/lint.sh notice defects? lint_test.sh ROOT
#
# Checks one function with a defect per kind, and the same function without.
command -v clang-tidy >/dev/null || {
	echo 'skipped: clang-tidy is not installed'
	exit 77
}
root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-lint.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# lint CODE: the exit status of lint.sh for a file which contains CODE
lint() {
	printf '%s\n' '#include <signal.h>' '#include <stdlib.h>' '#include <string.h>' "$1" >"$work/tried.c"
	echo "[{\"directory\": \"$work\", \"command\": \"cc -c tried.c\", \"file\": \"tried.c\"}]" >"$work/compile_commands.json"
	"$root/scripts/lint.sh" "$work" "$work/tried.c" >"$work/output" 2>&1
}

lint 'void f(char *p) { memset(p, 0, 3); }' || {
	echo 'a function without a defect is rejected:'
	cat "$work/output"
	failed=1
}
while read -r check code; do
	! lint "$code" && grep -q "$check" "$work/output" || {
		echo "not noticed: $check"
		cat "$work/output"
		failed=1
	}
done <<'END'
bugprone-suspicious-memset-usage void f(int *p) { memset(p, 0xabcd, sizeof(*p)); }
bugprone-suspicious-string-compare int f(const char *a, const char *b) { return strcmp(a, b) == 0 || strcmp(a, b) ? 1 : 0; }
bugprone-infinite-loop void f(int n) { int i = 0; while (i < n) { n++; n--; } int j = 0; while (j < 10) { } }
bugprone-misplaced-operator-in-strlen-in-alloc char *f(const char *s) { return malloc(strlen(s + 1)); }
END
exit $failed
