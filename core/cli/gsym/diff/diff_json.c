/* SPDX-License-Identifier: MIT */
/* Writes differences as JSON, one object for each. */
#include "diff.h"

static const char *name_difference(const struct gsym_difference *difference)
{
	switch (difference->kind) {
	case GSYM_ONLY_FIRST:
	case GSYM_ONLY_SECOND:
		return "function";
	case GSYM_DIFFERENT_RANGE:
		return "size";
	case GSYM_DIFFERENT_NAME:
		return "name";
	case GSYM_DIFFERENT_LINES:
		return difference->marks_only ? "marks" : "place";
	case GSYM_DIFFERENT_INLINE:
		return "inlined";
	case GSYM_DIFFERENT_CALL:
		return "call_site";
	}
	return "";
}

static void write_name(struct diff *diff, const char *key, struct cairn_bytes name)
{
	json_text(&diff->json, key, printed_text(&diff->printed, name));
}

static void write_place(struct diff *diff, const struct function *function, uint32_t file,
                        uint32_t line)
{
	static struct location_path path;
	const struct cairn_location place = diff_place(diff, function, file, line);

	location_path(&path, &place);
	json_place(&diff->json, path.text, line, 0);
}

static void write_call(struct diff *diff, const struct gsym_difference_side *side)
{
	const struct function_inline *call = side->call;
	const struct cairn_range *range = side->function->range;

	write_name(diff, "function", call->name);
	json_number(&diff->json, "depth", call->depth);
	json_array(&diff->json, "ranges");
	for (uint32_t i = 0; i < call->ranges; i++) {
		json_array(&diff->json, NULL);
		json_address(&diff->json, NULL, range[call->range + i].low);
		json_address(&diff->json, NULL, range[call->range + i].high);
		json_end(&diff->json);
	}
	json_end(&diff->json);
	write_place(diff, side->function, call->call_file, call->call_line);
}

static void write_site(struct diff *diff, const struct function_call *site)
{
	json_number(&diff->json, "flags", site->flags);
	json_array(&diff->json, "callees");
	for (uint32_t i = 0; i < site->callees; i++)
		write_name(diff, NULL, site->callee[i]);
	json_end(&diff->json);
}

static void write_head_field(struct diff *diff, const struct gsym_difference *difference,
                             const struct function *function)
{
	if (difference->kind != GSYM_DIFFERENT_RANGE)
		write_name(diff, "function", function->name);
	if (difference->kind != GSYM_DIFFERENT_NAME)
		json_number(&diff->json, "size", function->size);
}

static bool has_side(const struct gsym_difference *difference,
                     const struct gsym_difference_side *side)
{
	if (difference->kind == GSYM_DIFFERENT_INLINE)
		return side->call != NULL;
	if (difference->kind == GSYM_DIFFERENT_CALL)
		return side->site != NULL;
	return side->function != NULL;
}

/* What one file has; nothing when it has none. */
static void write_side(struct diff *diff, const char *key, const struct gsym_difference *difference,
                       const struct gsym_difference_side *side)
{
	if (!has_side(difference, side))
		return;
	json_object(&diff->json, key);
	if (difference->kind == GSYM_DIFFERENT_INLINE)
		write_call(diff, side);
	else if (difference->kind == GSYM_DIFFERENT_CALL)
		write_site(diff, side->site);
	else if (difference->kind != GSYM_DIFFERENT_LINES)
		write_head_field(diff, difference, side->function);
	else if (side->row)
		write_place(diff, side->function, side->row->file, side->row->line);
	json_end(&diff->json);
}

void diff_print_json(struct diff *diff, const struct gsym_difference *difference)
{
	const struct function *function = difference->first.function ? difference->first.function
	                                                             : difference->second.function;

	json_object(&diff->json, NULL);
	json_string(&diff->json, "difference", name_difference(difference));
	json_address(&diff->json, "start", function->start);
	write_name(diff, "function", function->name);
	json_address(&diff->json, "low", difference->low);
	if (difference->high > difference->low && difference->high != UINT64_MAX)
		json_address(&diff->json, "high", difference->high);
	write_side(diff, "first", difference, &difference->first);
	write_side(diff, "second", difference, &difference->second);
	json_end(&diff->json);
}

void diff_print_json_build_ids(struct diff *diff)
{
	json_object(&diff->json, NULL);
	json_string(&diff->json, "difference", "build_id");
	json_hex(&diff->json, "first", diff->first.gsym->uuid);
	json_hex(&diff->json, "second", diff->second.gsym->uuid);
	json_end(&diff->json);
}

void diff_print_json_counts(struct diff *diff)
{
	json_object(&diff->json, NULL);
	json_bool(&diff->json, "equal", !diff->differs);
	json_number(&diff->json, "equal_functions", diff->counts.equal);
	json_number(&diff->json, "different_functions", diff->counts.differ);
	json_number(&diff->json, "only_first", diff->counts.only_first);
	json_number(&diff->json, "only_second", diff->counts.only_second);
	json_end(&diff->json);
}
