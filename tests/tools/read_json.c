/* SPDX-License-Identifier: MIT */
/* Is standard input one document of JSON?  Exit status 0, or 1 with what is wrong. */
#include "base/json_reader.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const size_t capacity = 64 << 20;
	uint8_t *bytes = malloc(capacity);
	struct json_reader_value value;
	struct cairn_fault fault;

	if (!bytes)
		return 2;
	size_t size = fread(bytes, 1, capacity, stdin);
	if (json_reader_open((struct cairn_bytes){ bytes, size }, &value, &fault) == CAIRN_OK)
		return 0;
	fprintf(stderr, "%s at byte %llu\n", fault.what, (unsigned long long)fault.offset);
	return 1;
}
