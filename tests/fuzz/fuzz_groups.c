/* SPDX-License-Identifier: MIT */
/*
 * Lines of `cairn group`, of any bytes.  Always:
 *   - a line that is counted has a signature of at least one name, none of which is empty, too long, or has a control
 *     character, and the ID of it; one that is wrong has a fault within the line;
 *   - the normal form of a name is no longer than its room, and is made again as it was;
 *   - the lines in the opposite order give the same groups, byte for byte;
 *   - groups that are printed and read again are the same groups.
 */
#include "fuzz.h"

#include "cli/group.h"
#include "groups/groups.h"

#include <string.h>

static struct group_reader reader;

struct text {
	char *data;
	size_t size;
};

static void check_signature(const struct group_entry *entry)
{
	size_t names = 0, size = 0;

	ALWAYS(entry->text.size > 0 && entry->text.data[entry->text.size - 1] == '\n');
	for (size_t i = 0; i < entry->text.size; i++) {
		const uint8_t c = entry->text.data[i];
		ALWAYS(c == '\n' || (c >= ' ' && c != 0x7f));
		ALWAYS(c != '\n' || (size > 0 && size <= NAME_FORM_MAX));
		names += c == '\n';
		size = c == '\n' ? 0 : size + 1;
	}
	ALWAYS(names <= SIGNATURE_NAMES_MAX);
	ALWAYS(entry->id == signature_id(NULL, entry->names, entry->text));
	ALWAYS(entry->count > 0 && (!entry->has_time || entry->first <= entry->last));
}

static void count_line(struct groups *groups, struct cairn_bytes line)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct group_entry entry;
	const enum group_line_kind kind = group_line_read(&reader, line, &entry, &fault);

	ALWAYS(kind != GROUP_LINE_NO_MEMORY);
	ALWAYS((kind == GROUP_LINE_WRONG) == (fault.what != NULL));
	ALWAYS(fault.offset <= line.size);
	if (kind != GROUP_LINE_COUNTED)
		return;
	check_signature(&entry);
	ALWAYS(groups_add(groups, &entry));
}

/* The groups as they are printed. */
static struct text print_groups(struct groups *groups)
{
	struct text text = { NULL, 0 };
	FILE *out = open_memstream(&text.data, &text.size);
	struct json json = json_to(out);

	ALWAYS(out != NULL);
	groups_sort(groups);
	for (size_t i = 0; i < groups->count; i++)
		group_print(&json, NULL, &groups->group[i]);
	ALWAYS(fclose(out) == 0);
	groups_finish(groups);
	return text;
}

static struct text group_forwards(struct cairn_bytes rest)
{
	struct groups groups = { 0 };

	while (rest.size > 0) {
		const uint8_t *end = memchr(rest.data, '\n', rest.size);
		const size_t size = end ? (size_t)(end - rest.data) : rest.size;
		count_line(&groups, (struct cairn_bytes){ rest.data, size });
		rest.data += size + (end != NULL);
		rest.size -= size + (end != NULL);
	}
	return print_groups(&groups);
}

static struct text group_backwards(struct cairn_bytes rest)
{
	struct groups groups = { 0 };

	while (rest.size > 0) {
		size_t begin = rest.size;
		while (begin > 0 && rest.data[begin - 1] != '\n')
			begin--;
		count_line(&groups, (struct cairn_bytes){ rest.data + begin, rest.size - begin });
		rest.size = begin > 0 ? begin - 1 : 0;
	}
	return print_groups(&groups);
}

static void check_equal(struct text a, struct text b)
{
	ALWAYS(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
	free(b.data);
}

static void check_form(struct cairn_bytes name)
{
	char *one = malloc(NAME_FORM_GROWTH * name.size + 1),
	     *other = malloc(NAME_FORM_GROWTH * name.size + 1);

	ALWAYS(one && other);
	const size_t size = name_form(name, one);
	ALWAYS(size <= NAME_FORM_MAX && (size > 0) == (name.size > 0));
	ALWAYS(name_form(name, other) == size && memcmp(one, other, size) == 0);
	free(one);
	free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	const struct text text = group_forwards(bytes);

	check_equal(text, group_backwards(bytes));
	check_equal(text,
	            group_forwards((struct cairn_bytes){ (const uint8_t *)text.data, text.size }));
	check_form(bytes);
	free(text.data);
	group_line_finish(&reader);
	return 0;
}
