/* SPDX-License-Identifier: MIT */
/* Formats unwind rules as text. */
#include "rule.h"

#include "base/machine.h"

#include <inttypes.h>
#include <stdio.h>

static const char *register_name(enum cairn_machine machine, uint16_t number)
{
	const struct arch *arch = arch_of(machine);

	if (!arch)
		return NULL;
	return number == arch->sp ? "sp" : number == arch->fp ? "fp" : NULL;
}

static void base_text(enum cairn_machine machine, uint16_t base, char text[16])
{
	const char *name = base == CAIRN_BASE_CFA ? "cfa" : register_name(machine, base);

	if (name)
		snprintf(text, 16, "%s", name);
	else
		snprintf(text, 16, "r%u", (unsigned)base);
}

static void place_text(enum cairn_machine machine, const struct cairn_register_rule *place,
                       const char *unknown, char text[RULE_PLACE_CAPACITY])
{
	char base[16];

	base_text(machine, place->base, base);
	switch (place->kind) {
	case CAIRN_REGISTER_UNDEFINED:
		snprintf(text, RULE_PLACE_CAPACITY, "%s", unknown);
		break;
	case CAIRN_REGISTER_SAME_VALUE:
		snprintf(text, RULE_PLACE_CAPACITY, "u");
		break;
	case CAIRN_REGISTER_VALUE:
		snprintf(text, RULE_PLACE_CAPACITY, "%s%+" PRId64, base, place->offset);
		break;
	case CAIRN_REGISTER_MEMORY:
		snprintf(text, RULE_PLACE_CAPACITY, "[%s%+" PRId64 "]", base, place->offset);
		break;
	}
}

static bool has_flag(const struct cairn_rule *rule, unsigned index)
{
	const bool flags[RULE_FLAGS] = { rule->signal,    rule->key_b,   rule->mangled,
		                         rule->outermost, rule->patched, rule->trampoline };
	return flags[index];
}

const char *rule_flag_name(const struct cairn_rule *rule, unsigned index)
{
	static const char *const names[RULE_FLAGS] = { "signal",    "key-b",   "mangled",
		                                       "outermost", "patched", "trampoline" };
	return has_flag(rule, index) ? names[index] : NULL;
}

static void flags_text(const struct cairn_rule *rule, char text[RULE_FLAGS_CAPACITY])
{
	static const char letters[RULE_FLAGS] = { 'S', 'B', 'M', 'U', 'P', 'T' };
	char *end = text;

	for (unsigned i = 0; i < RULE_FLAGS; i++)
		if (has_flag(rule, i))
			*end++ = letters[i];
	if (end == text)
		*end++ = '-';
	*end = '\0';
}

struct rule_text rule_text(const struct cairn_rule *rule)
{
	struct rule_text text;

	place_text(rule->machine, &rule->cfa, "-", text.cfa);
	place_text(rule->machine, &rule->fp, "-", text.fp);
	place_text(rule->machine, &rule->ra, rule->outermost ? "undef" : "-", text.ra);
	flags_text(rule, text.flags);
	return text;
}
