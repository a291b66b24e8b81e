/* SPDX-License-Identifier: MIT */
/* Prints the answers of `cairn gsym lookup` as text, lines, JSON or addr2line output. */
#include "lookup.h"

#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <string.h>

/* One answer on its way out. */
struct reply {
	uint64_t va;
	const struct cairn_symbol_answer *answer;
};

/* The locations of one function. */
struct chain {
	const struct cairn_location *locations;
	size_t count;
};

/* Goes over the other functions of the same code, from a chain of zeros on. */
static bool next_folded(const struct reply *reply, struct chain *chain)
{
	const struct cairn_symbol_answer *answer = reply->answer;

	if (answer->count == answer->all) /* none, and `locations` may be NULL */
		return false;
	chain->locations = chain->locations ? chain->locations + chain->count
	                                    : answer->locations + answer->count;
	for (chain->count = 0; chain->locations + chain->count < answer->locations + answer->all;)
		if (!chain->locations[chain->count++].inlined)
			break;
	return chain->count > 0;
}

static void print_name(struct cairn_bytes name)
{
	if (name.size)
		print_text(stdout, name);
	else
		fputs("??", stdout);
}

/* As it is in the file, or readable.  The readable form of a short name may be long. */
static struct cairn_bytes choose_name(struct lookup *lookup, struct cairn_bytes linkage)
{
	const struct cairn_bytes name = lookup->linkage_names ? linkage : readable_name(linkage);

	return name.data == linkage.data ? linkage : printed_text(&lookup->printed, name);
}

static void print_location_text(struct lookup *lookup, const struct cairn_location *location)
{
	const struct cairn_location l = printed_location(&lookup->printed, location);

	print_name(choose_name(lookup, l.function));
	if (l.offset)
		printf("+0x%" PRIx64, l.offset);
	if (l.file.size || l.directory.size || l.line) {
		fputs(" at ", stdout);
		print_source_location(stdout, &l);
	}
	putchar('\n');
}

static void print_reply_text(struct lookup *lookup, const struct reply *reply)
{
	const struct cairn_symbol_answer *answer = reply->answer;
	struct chain other = { NULL, 0 };

	printf("0x%" PRIx64 ": ", reply->va);
	if (answer->count == 0)
		puts(answer->status == CAIRN_NOT_FOUND ? "no function covers it"
		                                       : "its record is damaged");
	for (size_t i = 0; i < answer->count; i++) {
		if (i > 0)
			fputs("  inlined into ", stdout);
		print_location_text(lookup, &answer->locations[i]);
	}
	while (next_folded(reply, &other)) {
		fputs("  same code: ", stdout);
		for (size_t i = 0; i < other.count; i++) {
			if (i > 0)
				fputs("    inlined into ", stdout);
			print_location_text(lookup, &other.locations[i]);
		}
	}
}

static void print_location_lines(struct lookup *lookup, const struct cairn_location *location)
{
	const struct cairn_location l = printed_location(&lookup->printed, location);

	putchar(' ');
	print_word(stdout, l.function);
	printf(" 0x%" PRIx64 " ", l.start);
	print_source_location_word(stdout, &l);
}

static void print_outcome_lines(const struct reply *reply)
{
	const enum cairn_status status = reply->answer->status;

	printf("0x%" PRIx64 " %s ", reply->va, cairn_status_name(status));
	if (status == CAIRN_OK || status == CAIRN_NOT_FOUND)
		putchar('-');
	else
		printf("%" PRIu64, reply->answer->fault.offset);
}

static void print_reply_lines(struct lookup *lookup, const struct reply *reply)
{
	struct chain other = { NULL, 0 };

	print_outcome_lines(reply);
	for (size_t i = 0; i < reply->answer->count; i++)
		print_location_lines(lookup, &reply->answer->locations[i]);
	while (next_folded(reply, &other)) {
		fputs(" same-code", stdout);
		for (size_t i = 0; i < other.count; i++)
			print_location_lines(lookup, &other.locations[i]);
	}
	putchar('\n');
}

static void print_location_json(struct lookup *lookup, const struct cairn_location *location)
{
	const struct cairn_location bounded = printed_location(&lookup->printed, location);

	const struct cairn_bytes readable = readable_name(bounded.function);

	json_location_named(&lookup->json, &bounded,
	                    readable.data == bounded.function.data
	                            ? (struct cairn_bytes){ readable.data, 0 }
	                            : printed_text(&lookup->printed, readable));
}

static void print_folded_json(struct lookup *lookup, const struct reply *reply)
{
	struct json *j = &lookup->json;
	struct chain other = { NULL, 0 };

	if (reply->answer->all == reply->answer->count)
		return;
	json_array(j, "same_code");
	while (next_folded(reply, &other)) {
		json_array(j, NULL);
		for (size_t i = 0; i < other.count; i++)
			print_location_json(lookup, &other.locations[i]);
		json_end(j);
	}
	json_end(j);
}

static void print_reply_json(struct lookup *lookup, const struct reply *reply)
{
	struct json *j = &lookup->json;

	json_object(j, NULL);
	json_address(j, "address", reply->va);
	json_string(j, "outcome", cairn_status_name(reply->answer->status));
	if (reply->answer->status != CAIRN_OK && reply->answer->status != CAIRN_NOT_FOUND) {
		json_number(j, "offset", reply->answer->fault.offset);
		json_string(j, "what", reply->answer->fault.what);
	}
	json_array(j, "frames");
	for (size_t i = 0; i < reply->answer->count; i++)
		print_location_json(lookup, &reply->answer->locations[i]);
	json_end(j);
	print_folded_json(lookup, reply);
	json_end(j);
}

/* As in addr2line -fi: two lines for each location, "??" for what is not known. */
static void print_reply_addr2line(struct lookup *lookup, const struct reply *reply)
{
	if (reply->answer->count == 0)
		puts("??\n??:0");
	for (size_t i = 0; i < reply->answer->count; i++) {
		const struct cairn_location bounded =
			printed_location(&lookup->printed, &reply->answer->locations[i]);
		print_addr2line_name(stdout, bounded.function);
		putchar('\n');
		print_addr2line_place(stdout, &bounded, true);
	}
}

static void report_flaw(struct lookup *lookup, const struct cairn_symbol_answer *answer)
{
	if (answer->status == CAIRN_NOT_FOUND) {
		lookup->status = choose_worse(lookup->status, EXIT_MISSING);
	} else if (answer->status != CAIRN_OK) {
		print_fault_diagnostic(lookup->input.path, NULL, &answer->fault,
		                       "the answer is what could be read");
		lookup->status = EXIT_BROKEN;
	}
}

void lookup_end_answer(struct lookup *lookup, uint64_t va)
{
	if (!lookup->printed.over)
		return;
	lookup->status = fail_with(
		lookup->input.path,
		"0x%" PRIx64 ": calls share too many bytes of names; the rest is left out", va);
}

void lookup_print(struct lookup *lookup, uint64_t va, const struct cairn_symbol_answer *answer)
{
	const struct reply reply = { va, answer };

	printed_begin_answer(&lookup->printed);
	if (lookup->style == STYLE_ADDR2LINE)
		print_reply_addr2line(lookup, &reply);
	else if (lookup->form == FORM_JSON)
		print_reply_json(lookup, &reply);
	else if (lookup->form == FORM_LINES)
		print_reply_lines(lookup, &reply);
	else
		print_reply_text(lookup, &reply);
	report_flaw(lookup, answer);
	lookup_end_answer(lookup, va);
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
		if (lookup->form == FORM_LINES || bytes.size == 0)
			print_word(stdout, bytes);
		else
			print_text(stdout, bytes);
		puts(lookup->form == FORM_LINES ? " bad-address -" : ": no address");
	}
	print_diagnostic(lookup->input.path,
	                 lookup->style == STYLE_CAIRN
	                         ? "an address is expected, decimal or 0x and hexadecimal, or a "
	                           "function that is in it"
	                         : "an address is expected, decimal or 0x and hexadecimal");
	lookup->status = choose_worse(lookup->status, EXIT_USAGE);
}
