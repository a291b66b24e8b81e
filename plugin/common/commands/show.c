/* SPDX-License-Identifier: MIT */
/* Formats unwind rules, module names and source locations as text and JSON. */
#include "show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_base(struct text *text, enum cairn_machine machine, uint16_t base)
{
	static const struct {
		uint16_t sp, fp;
	} names[] = { [CAIRN_MACHINE_NONE] = { 0xff, 0xff },
		      [CAIRN_MACHINE_AMD64] = { 7, 6 },
		      [CAIRN_MACHINE_AARCH64] = { 31, 29 },
		      [CAIRN_MACHINE_S390X] = { 15, 11 } };

	if (base == CAIRN_BASE_CFA)
		text_add(text, "cfa");
	else if (base == names[machine].sp)
		text_add(text, "sp");
	else if (base == names[machine].fp)
		text_add(text, "fp");
	else
		text_print(text, "r%u", base);
}

/* Show a register rule: "sp+16", "[cfa-8]", "u" (unchanged) or "undef". */
static void show_place(struct text *text, enum cairn_machine machine,
                       const struct cairn_register_rule *place)
{
	switch (place->kind) {
	case CAIRN_REGISTER_UNDEFINED:
		text_add(text, "undef");
		return;
	case CAIRN_REGISTER_SAME_VALUE:
		text_add(text, "u");
		return;
	case CAIRN_REGISTER_VALUE:
	case CAIRN_REGISTER_MEMORY:
		break;
	}
	bool memory = place->kind == CAIRN_REGISTER_MEMORY;
	text_add(text, memory ? "[" : "");
	show_base(text, machine, place->base);
	text_print(text, "%+" PRId64 "%s", place->offset, memory ? "]" : "");
}

void show_rule(struct text *text, const struct cairn_rule *rule)
{
	if (rule->outermost || rule->trampoline) {
		text_add(text, rule->outermost ? "outermost frame" : "signal trampoline");
		return;
	}
	text_add(text, "cfa ");
	show_place(text, rule->machine, &rule->cfa);
	text_add(text, "  fp ");
	show_place(text, rule->machine, &rule->fp);
	text_add(text, "  ra ");
	show_place(text, rule->machine, &rule->ra);
	text_add(text, rule->signal ? "  signal frame" : "");
	text_add(text, rule->mangled ? "  signed return address" : "");
	text_add(text, rule->patched ? "  corrected" : "");
}

static void add_register_rule_json(struct json_writer *json, const char *key,
                                   enum cairn_machine machine,
                                   const struct cairn_register_rule *place)
{
	struct text rule = { .data = NULL };

	show_place(&rule, machine, place);
	json_add_string(json, key, rule.size ? rule.data : "");
	text_finish(&rule);
}

void show_rule_json(struct json_writer *json, const struct cairn_rule *rule, uint64_t bias)
{
	json_add_address(json, "low", rule->start + bias);
	json_add_address(json, "high", rule->end + bias);
	json_add_address(json, "function", rule->function + bias);
	add_register_rule_json(json, "cfa", rule->machine, &rule->cfa);
	add_register_rule_json(json, "fp", rule->machine, &rule->fp);
	add_register_rule_json(json, "ra", rule->machine, &rule->ra);
	json_add_bool(json, "outermost", rule->outermost);
	json_add_bool(json, "signal", rule->signal || rule->trampoline);
	json_add_bool(json, "mangled", rule->mangled);
	json_add_bool(json, "patched", rule->patched);
}

void show_module_name(struct text *text, const struct cairn_module *module)
{
	if (module->name)
		text_color(text, COLOR_FILE, module->name);
	else
		text_print(text, "module at 0x%" PRIx64, module->low);
}

void show_location(struct text *text, const struct code_location *spot)
{
	const char *plus = strstr(spot->function, " + ");
	size_t size = plus ? (size_t)(plus - spot->function) : strlen(spot->function);
	char name[sizeof(spot->function)];

	memcpy(name, spot->function, size);
	name[size] = '\0';
	text_color(text, COLOR_FUNCTION, *name ? name : "??");
	text_add(text, plus ? plus : "");
	text_add(text, spot->inlined ? " (inlined)" : "");
	if (!*spot->file)
		return;
	text_add(text, " at ");
	text_color(text, COLOR_FILE, spot->file);
	text_print(text, ":%u", spot->line);
}

void show_address(struct text *text, uint64_t address, int digits)
{
	char number[32];

	snprintf(number, sizeof(number), "0x%0*" PRIx64, digits, address);
	text_color(text, COLOR_ADDRESS, number);
}

void show_location_json(struct json_writer *json, const struct code_location *spot)
{
	const char *plus = strstr(spot->function, " + ");

	json_add_address(json, "pc", spot->pc);
	if (*spot->function) {
		size_t size = plus ? (size_t)(plus - spot->function) : strlen(spot->function);
		json_add_bytes(json, "function",
		               (struct cairn_bytes){ (const uint8_t *)spot->function, size });
		json_add_number(json, "offset", plus ? strtoul(plus + 3, NULL, 10) : 0);
	}
	if (spot->inlined)
		json_add_bool(json, "inlined", true);
	if (*spot->file) {
		json_add_string(json, "file", spot->file);
		json_add_number(json, "line", spot->line);
	}
}
