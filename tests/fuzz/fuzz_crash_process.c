/* SPDX-License-Identifier: MIT */
/*
 * What /proc had of a process, of any bytes: parts of two bytes of length and as many bytes, in the order
 * of enum crash_fact.  Always: the report is JSON, and no larger than what was put into it may get.
 */
#include "fuzz.h"

#include "base/json_reader.h"
#include "cli/crash/process.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	GROWTH = 12,  /* a byte is six at most, and what is a text of its own has four more */
	KEYS = 4096,  /* keys, and numbers */
	MODULE = 200, /* a module of 30 bytes has two addresses and four keys */
};

static struct crash_facts split_facts(struct cairn_bytes in)
{
	struct crash_facts facts = { .root = -1 };

	for (unsigned i = 0; i < FACT_COUNT; i++) {
		size_t size = in.size < 2 ? 0 : in.data[0] | (size_t)in.data[1] << 8;
		size_t head = in.size < 2 ? in.size : 2;
		in.data += head;
		in.size -= head;
		size = size < in.size ? size : in.size;
		facts.fact[i] = (struct cairn_bytes){ in.data, size };
		in.data += size;
		in.size -= size;
	}
	return facts;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct crash_facts facts =
		split_facts((struct cairn_bytes){ data ? data : (const uint8_t *)"", size });
	struct json_reader_value value, member;
	struct cairn_fault fault;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct json json = json_to(out);

	ALWAYS(out != NULL);
	json_object(&json, NULL);
	json_object(&json, "process");
	crash_print_process(&json, &facts, UINT64_C(1) << 60);
	json_end(&json);
	crash_print_modules(&json, &facts);
	json_end(&json);
	ALWAYS(fclose(out) == 0);
	ALWAYS(json_reader_open((struct cairn_bytes){ (uint8_t *)text, length }, &value, &fault) ==
	       CAIRN_OK);
	ALWAYS(json_reader_member(&value, "modules", &member));
	ALWAYS(length <= size * GROWTH + size / 30 * MODULE + KEYS);
	free(text);
	return 0;
}
