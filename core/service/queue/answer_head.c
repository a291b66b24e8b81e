/* SPDX-License-Identifier: MIT */
/* Parses the first members of an answer, up to the result and its reason. */
#include "answer_head.h"

#include "base/bytes.h"

static const enum request_result results[] = { REQUEST_DONE, REQUEST_NO_SYMBOLS, REQUEST_NOT_YET,
	                                       REQUEST_REJECTED, REQUEST_TRY_AGAIN };

static bool read_result(struct cairn_bytes text, enum request_result *result)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (bytes_are(text, request_result_word(results[i]))) {
			*result = results[i];
			return true;
		}
	return false;
}

static bool is_hash(struct cairn_bytes text)
{
	if (text.size != ANSWER_HASH_SIZE)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (!(text.data[i] >= '0' && text.data[i] <= '9') &&
		    !(text.data[i] >= 'a' && text.data[i] <= 'f'))
			return false;
	return true;
}

static bool take_member(const struct json_step *step, struct answer_head *head, bool *has_result)
{
	const struct json_reader_value value = { step->kind, step->text };

	if (bytes_are(step->name, "request")) {
		head->hash = step->text;
		if (step->kind == JSON_READER_NULL)
			head->hash.size = 0;
		return head->hash.size == 0 ||
		       (step->kind == JSON_READER_STRING && is_hash(step->text));
	}
	if (bytes_are(step->name, "result"))
		*has_result =
			step->kind == JSON_READER_STRING && read_result(step->text, &head->result);
	else if (bytes_are(step->name, "reason"))
		return json_reader_text(&value, head->reason, sizeof(head->reason));
	return true;
}

bool answer_head_read(struct cairn_bytes line, struct answer_head *head)
{
	struct json_walk walk = json_walk_open(line);
	struct json_step step;
	bool has_result = false;

	*head = (struct answer_head){ .hash = { line.data, 0 } };
	if (line.size == 0 || line.data[line.size - 1] != '}' || !json_walk_next(&walk, &step) ||
	    step.kind != JSON_READER_OBJECT)
		return false;
	for (unsigned i = 0; i < ANSWER_HEAD_MEMBERS; i++) {
		if (!json_walk_next(&walk, &step) || step.ends || json_step_opens(&step))
			break;
		if (!take_member(&step, head, &has_result))
			return false;
	}
	return has_result && reader_ok(&walk.in);
}
