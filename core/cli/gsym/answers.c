/* SPDX-License-Identifier: MIT */
#include "lookup.h"

#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <string.h>

/* One answer on its way out. */
struct reply {
	uint64_t va;
	const struct cairn_batch_item *item;
	const struct cairn_location *locations;
};

/* Goes over the other functions of the same code. */
static bool next_folded(struct lookup *lookup, const struct reply *reply, bool first,
                        struct cairn_answer *answer)
{
	if (!reply->item->has_folded)
		return false;
	if (first && cairn_symbols_peek(lookup->input.symbols, reply->va, answer) != CAIRN_OK)
		return false;
	return cairn_answer_next_folded(answer);
}

static void print_name(FILE *out, struct cairn_bytes name)
{
	if (name.size)
		print_text(out, name);
	else
		fputs("??", out);
}

static void text_location(const struct cairn_location *l)
{
	print_name(stdout, l->function);
	if (l->offset)
		printf("+0x%" PRIx64, l->offset);
	if (l->file.size || l->directory.size || l->line) {
		fputs(" at ", stdout);
		print_place(stdout, l);
	}
	putchar('\n');
}

static void text_answer(struct lookup *lookup, const struct reply *reply)
{
	struct cairn_answer other;
	struct cairn_location l;
	bool first = true;

	printf("0x%" PRIx64 ": ", reply->va);
	if (reply->item->count == 0)
		puts(reply->item->fault.status == CAIRN_NOT_FOUND ? "no function covers it"
		                                                  : "its record is damaged");
	for (size_t i = 0; i < reply->item->count; i++) {
		if (i > 0)
			fputs("  inlined into ", stdout);
		text_location(&reply->locations[i]);
	}
	for (; next_folded(lookup, reply, first, &other); first = false) {
		fputs("  same code: ", stdout);
		for (bool inner = false; cairn_answer_next(&other, &l); inner = true) {
			if (inner)
				fputs("    inlined into ", stdout);
			text_location(&l);
		}
	}
}

static void lines_location(const struct cairn_location *l)
{
	putchar(' ');
	print_word(stdout, l->function);
	printf(" 0x%" PRIx64 " ", l->start);
	print_place_word(stdout, l);
}

static void lines_head(uint64_t va, const struct cairn_fault *fault)
{
	printf("0x%" PRIx64 " %s ", va, cairn_status_name(fault->status));
	if (fault->status == CAIRN_OK || fault->status == CAIRN_NOT_FOUND)
		putchar('-');
	else
		printf("%" PRIu64, fault->offset);
}

static void lines_answer(struct lookup *lookup, const struct reply *reply)
{
	struct cairn_answer other;
	struct cairn_location l;
	bool first = true;

	lines_head(reply->va, &reply->item->fault);
	for (size_t i = 0; i < reply->item->count; i++)
		lines_location(&reply->locations[i]);
	for (; next_folded(lookup, reply, first, &other); first = false) {
		fputs(" same-code", stdout);
		while (cairn_answer_next(&other, &l))
			lines_location(&l);
	}
	putchar('\n');
}

static void json_flaw(struct json *j, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_OK || fault->status == CAIRN_NOT_FOUND)
		return;
	json_number(j, "offset", fault->offset);
	json_string(j, "what", fault->what);
}

static void json_folded(struct lookup *lookup, const struct reply *reply)
{
	struct json *j = &lookup->json;
	struct cairn_answer other;
	struct cairn_location l;
	bool first = true;

	if (!reply->item->has_folded)
		return;
	json_array(j, "same_code");
	for (; next_folded(lookup, reply, first, &other); first = false) {
		json_array(j, NULL);
		while (cairn_answer_next(&other, &l))
			json_location(j, &l);
		json_end(j);
	}
	json_end(j);
}

static void json_answer(struct lookup *lookup, const struct reply *reply)
{
	struct json *j = &lookup->json;

	json_object(j, NULL);
	json_address(j, "address", reply->va);
	json_string(j, "outcome", cairn_status_name(reply->item->fault.status));
	json_flaw(j, &reply->item->fault);
	json_array(j, "frames");
	for (size_t i = 0; i < reply->item->count; i++)
		json_location(j, &reply->locations[i]);
	json_end(j);
	json_folded(lookup, reply);
	json_end(j);
}

/* As in addr2line -fi: two lines for each location, "??" for what is not known. */
static void addr2line_answer(const struct reply *reply)
{
	struct location_path path;

	if (reply->item->count == 0)
		puts("??\n??:0");
	for (size_t i = 0; i < reply->item->count; i++) {
		const struct cairn_location *l = &reply->locations[i];
		location_path(&path, l);
		if (l->function.size)
			print_plain(stdout, l->function);
		else
			fputs("??", stdout);
		putchar('\n');
		if (path.text.size)
			print_plain(stdout, path.text);
		else
			fputs("??", stdout);
		if (l->line)
			printf(":%" PRIu32 "\n", l->line);
		else
			puts(":?");
	}
}

static void tell_flaw(struct lookup *lookup, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_NOT_FOUND) {
		lookup->status = worse(lookup->status, EXIT_MISSING);
	} else if (fault->status != CAIRN_OK) {
		complain_fault(lookup->input.path, NULL, fault, "what could be read is given");
		lookup->status = EXIT_BROKEN;
	}
}

void lookup_print(struct lookup *lookup, uint64_t va, const struct cairn_batch *batch, size_t at)
{
	const struct cairn_batch_item *item = &batch->items[at];
	const struct cairn_location *first = item->count ? batch->locations + item->first : NULL;
	struct reply reply = { va, item, first };

	if (lookup->style == STYLE_ADDR2LINE)
		addr2line_answer(&reply);
	else if (lookup->form == FORM_JSON)
		json_answer(lookup, &reply);
	else if (lookup->form == FORM_LINES)
		lines_answer(lookup, &reply);
	else
		text_answer(lookup, &reply);
	tell_flaw(lookup, &item->fault);
}

void lookup_print_no_address(struct lookup *lookup, const char *text)
{
	struct cairn_bytes bytes = { (const uint8_t *)text, strlen(text) };

	if (lookup->style == STYLE_ADDR2LINE) {
		puts("??\n??:0");
	} else if (lookup->form == FORM_JSON) {
		json_object(&lookup->json, NULL);
		json_string(&lookup->json, "address", text);
		json_string(&lookup->json, "outcome", "bad-address");
		json_end(&lookup->json);
	} else {
		print_word(stdout, bytes);
		puts(lookup->form == FORM_LINES ? " bad-address -" : ": no address");
	}
	complain(lookup->input.path, "an address is expected, decimal or 0x and hexadecimal");
	lookup->status = worse(lookup->status, EXIT_USAGE);
}
