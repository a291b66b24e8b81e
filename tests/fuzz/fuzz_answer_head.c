/* SPDX-License-Identifier: MIT */
/*
 * Any line as what the child of a worker says.  Always:
 *   - the hash is empty or 64 digits of the line, and the reason is a text within its room;
 *   - the same line is the same answer again;
 *   - counts of what was fetched are none of an answer, and grow.
 */
#include "fuzz.h"

#include "os/fetched.h"
#include "service/child.h"

#include <string.h>

static void check_head(struct cairn_bytes line, const struct answer_head *head)
{
	ALWAYS(head->hash.size == 0 || head->hash.size == ANSWER_HASH_SIZE);
	ALWAYS(head->hash.size == 0 ||
	       (head->hash.data >= line.data &&
	        head->hash.data + head->hash.size <= line.data + line.size));
	ALWAYS(memchr(head->reason, '\0', sizeof(head->reason)) != NULL);
	ALWAYS(request_result_word(head->result) != NULL);
	ALWAYS(line.size > 1 && line.data[line.size - 1] == '}');
}

static void check_counts(struct cairn_bytes line)
{
	const struct debuginfod_counts none = { .hits = 0 };
	struct debuginfod_counts total = { .hits = 1 };
	struct answer_head head;

	if (fetch_line_add(line, &total))
		ALWAYS(total.hits >= 1 && total.misses <= FETCH_COUNT_MAX * line.size &&
		       !answer_head_read(line, &head));
	else
		ALWAYS(total.hits == 1 && total.bytes == none.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes line = { data ? data : (const uint8_t *)"", size };
	struct answer_head head, again;

	check_counts(line);
	if (!answer_head_read(line, &head))
		return 0;
	check_head(line, &head);
	ALWAYS(answer_head_read(line, &again) && again.result == head.result &&
	       strcmp(again.reason, head.reason) == 0);
	return 0;
}
