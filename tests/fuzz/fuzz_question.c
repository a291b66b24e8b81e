/* SPDX-License-Identifier: MIT */
/*
 * A line that a person gives as an address, up to the first NUL, and behind that the GSYM file it is about. Always:
 *   - the same line has the same answer, also when the table of names is there already;
 *   - what is a number without any names stays that number;
 *   - without functions, the call that a frame of a stack is about is at the address in its line or one byte before it.
 */
#include "fuzz.h"

#include "cli/gsym/lookup.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX = 4096 };

static void check_line(struct lookup *lookup, const char *line)
{
	uint64_t first = 0, again = 0, number = 0;
	const bool known = question_parse(lookup, line, &first);

	ALWAYS(question_parse(lookup, line, &again) == known && (!known || again == first));
	if (question_parse_address((struct cairn_bytes){ (const uint8_t *)line, strlen(line) },
	                           &number))
		ALWAYS(known && first == number);
}

/* "#N 0xADDRESS ..." with nothing else that is known */
static void check_frame(struct lookup *lookup, uint64_t address, const char *rest)
{
	char line[LINE_MAX + 64];
	uint64_t va = 0;

	snprintf(line, sizeof(line), "#0  0x%016llx %s", (unsigned long long)address, rest);
	if (question_parse(lookup, line, &va) && !strstr(rest, "+0x"))
		ALWAYS(va == address);
	line[1] = '1';
	if (question_parse(lookup, line, &va) && !strstr(rest, "+0x"))
		ALWAYS(va == address - (address > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	const size_t length = end ? (size_t)(end - data) : size;
	struct lookup lookup = { .input = { .path = "/opt/srv.gsym" }, .lowest = 0x400000 };
	struct cairn_fault fault;
	struct gsym gsym;
	char line[LINE_MAX];

	if (length >= sizeof(line))
		return 0;
	memcpy(line, data, length);
	line[length] = '\0';
	check_line(&lookup, line);
	check_frame(&lookup, length * UINT64_C(0x9e3779b97f4a7c15), line);
	if (end && gsym_open((struct cairn_bytes){ end + 1, size - length - 1 }, &gsym, &fault) ==
	                   CAIRN_OK) {
		lookup.input.gsym = &gsym;
		check_line(&lookup, line);
		functions_by_name_finish(&lookup.names);
	}
	return 0;
}
