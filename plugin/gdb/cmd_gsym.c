/* SPDX-License-Identifier: MIT */
/* add-gsym: a file of symbols that the user names. */
#include "loading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The words of add-gsym. */
struct gift {
	char path[4096];
	const char *module;
	uint64_t offset;
	bool force, only;
};

static void add_word(struct gift *gift, const char *word)
{
	size_t size = strlen(gift->path), more = strlen(word);

	if (size + more + 2 > sizeof(gift->path))
		return;
	if (size > 0)
		gift->path[size++] = ' ';
	memcpy(gift->path + size, word, more + 1);
}

static void take_quotes(char *path)
{
	size_t size = strlen(path);

	if (size < 2 || (*path != '"' && *path != '\'') || path[size - 1] != *path)
		return;
	memmove(path, path + 1, size - 2);
	path[size - 2] = '\0';
}

static bool parse_offset(const char *word, uint64_t *offset)
{
	char *end;

	*offset = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && *end == '\0';
}

/* Options may stand before the file and behind it. */
static bool read_gift(struct call *call, struct gift *gift)
{
	const struct request *r = call->request;

	*gift = (struct gift){ .path = "" };
	for (unsigned i = 0; i < r->word_count; i++) {
		const char *word = r->words[i], *name = word_bare(word);
		bool option = word[0] == '-', more = i + 1 < r->word_count;
		if (option && strcmp(name, "force") == 0)
			gift->force = true;
		else if (option && strcmp(name, "only") == 0)
			gift->only = true;
		else if (option && strcmp(name, "json") == 0)
			call->json = true;
		else if (option && more && strcmp(name, "module") == 0)
			gift->module = r->words[++i];
		else if (option && more && strcmp(name, "offset") == 0) {
			if (!parse_offset(r->words[++i], &gift->offset)) {
				reply_error(call, "not a number: %s", r->words[i]);
				return false;
			}
		} else
			add_word(gift, word);
	}
	take_quotes(gift->path);
	if (!gift->path[0])
		reply_error(call, "FILE is missing; see \"help cairn add-gsym\"");
	return gift->path[0] != '\0';
}

static bool same(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size > 0 && a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void hex(struct text *text, struct cairn_bytes id)
{
	for (size_t i = 0; i < id.size; i++)
		text_print(text, "%02x", id.data[i]);
	text_add(text, id.size ? "" : "none");
}

/* "... build ID ab.., not cd.." */
static void refuse(struct call *call, const struct gift *gift, const char *what,
                   struct cairn_bytes own, struct cairn_bytes wanted)
{
	struct text why = { .data = NULL };

	text_print(&why, "%s: %s: its build ID is ", gift->path, what);
	hex(&why, own);
	if (wanted.size) {
		text_add(&why, ", the module's ");
		hex(&why, wanted);
	}
	text_add(&why, gift->module ? "; -force takes it"
	                            : "; -module NAME -force takes it for a module");
	reply_error(call, "%s", why.data ? why.data : what);
	text_finish(&why);
}

/* Is it the one that the file is for? */
static bool is_meant(const struct gift *gift, const struct cairn_module *module,
                     struct cairn_bytes own)
{
	if (gift->module)
		return survey_is_called(module, gift->module);
	return same(own, module->build_id);
}

/* Finds the module that the file is for; false with the reason said. */
static bool accept_gift(struct call *call, const struct survey *survey, const struct gift *gift,
                        struct cairn_bytes own)
{
	struct cairn_module module;

	for (size_t i = 0; i < survey->files.count; i++) {
		if (!survey_module(call, survey, i, &module) || !is_meant(gift, &module, own))
			continue;
		if (!gift->force && !same(own, module.build_id)) {
			refuse(call, gift, "made for another build", own, module.build_id);
			return false;
		}
		if (module.build_id.size == 0) {
			reply_error(call, "%s has no build ID to know it again by", module.name);
			return false;
		}
		if (sources_give(&call->session->sources, gift->path, module.build_id,
		                 gift->offset)) {
			if (!gift->only)
				loading_module(call, survey, i, &module);
			else
				reply_say(call, "%s: symbols in %s", module.name, gift->path);
			return !gift->only;
		}
		reply_error(call, "out of memory, or more than %d files", SOURCES_MAX);
		return false;
	}
	if (gift->module)
		reply_error(call, "no module %s that can be read; \"cairn modules\" lists them",
		            gift->module);
	else
		refuse(call, gift, "no module here is of that build", own,
		       (struct cairn_bytes){ own.data, 0 });
	return false;
}

static void give(struct call *call, const struct survey *survey)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_symbol_file *file;
	struct cairn_fault fault;
	struct gift gift;

	loading_begin(false, false);
	if (!read_gift(call, &gift))
		return;
	if (cairn_symbol_file_open(gift.path, any, &file, &fault) != CAIRN_OK) {
		if (fault.status == CAIRN_UNREADABLE)
			reply_error(call, "%s: %s", gift.path, fault.what);
		else
			reply_error(call, "%s: %s at byte %" PRIu64 " (0x%" PRIx64 ")", gift.path,
			            fault.what, fault.offset, fault.offset);
		return;
	}
	struct cairn_bytes own = cairn_symbols_build_id(cairn_symbol_file_symbols(file));
	bool load = accept_gift(call, survey, &gift, own);
	cairn_symbol_file_close(file);
	if (load)
		loading_go_on(call);
}

void command_add_gsym(struct call *call)
{
	struct gift gift;

	call->json = false;
	if (call->session->asked == ASKED_NOTHING) {
		if (read_gift(call, &gift) && loading_can_read(call))
			survey_ask(call);
	} else if (call->session->asked == ASKED_SURVEY) {
		give(call, survey_take(call));
	} else if (read_gift(call, &gift)) {
		loading_go_on(call);
	}
}
