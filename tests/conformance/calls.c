/* SPDX-License-Identifier: MIT */
/*
 * calls x86-64|aarch64: lines of a table of instructions on standard input, "BYTES LENGTH CALL" or
 * "WORD CALL" with TABs between them.  Prints "PASS n", and a line for each difference.
 */
#include "isa/calls.h"
#include "base/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_CAPACITY = 256, BYTES_CAPACITY = 64 };

static bool check(const char *kind, char *line)
{
	uint8_t bytes[BYTES_CAPACITY];
	size_t size = 0, at;
	bool is_arm = strcmp(kind, "aarch64") == 0;
	char *code = strtok(line, "\t"), *first = strtok(NULL, "\t"), *second = strtok(NULL, "\t");
	struct calls_instruction got = { .length = 0 };

	if (!code || !first || (!is_arm && !second) || strlen(code) > 2 * BYTES_CAPACITY ||
	    !hex_decode((struct cairn_bytes){ (const uint8_t *)code, strlen(code) }, bytes, &size,
	                &at))
		return false;
	for (size_t i = 0; is_arm && i < 2; i++) {
		uint8_t held = bytes[i];
		bytes[i] = bytes[3 - i];
		bytes[3 - i] = held;
	}
	bool read = calls_next(is_arm ? CAIRN_MACHINE_AARCH64 : CAIRN_MACHINE_AMD64,
	                       (struct cairn_bytes){ bytes, size }, 0, &got);
	int length = is_arm ? 4 : atoi(first), call = atoi(is_arm ? first : second);
	if (read && got.length == length && got.is_call == (call != 0))
		return true;
	printf("symbfile: insn: %s: expected length %d, call %d, got %d, %d\n", code, length, call,
	       got.length, got.is_call);
	return false;
}

int main(int argc, char **argv)
{
	char line[LINE_CAPACITY];
	unsigned passed = 0;

	if (argc != 2)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		passed += check(argv[1], line);
	}
	printf("PASS %u\n", passed);
	return 0;
}
