/* SPDX-License-Identifier: MIT */
/*
 * Reads STACK records:
 *
 *	stack = "CFI" "INIT" address size rule+
 *	      | "CFI" address rule+
 *	      | "WIN" ...
 *	rule  = name: token+                    a token that ends with a colon begins the next rule
 *
 * Fields are separated by spaces or tabs. Address and size are hexadecimal.
 */
#include "stack_cfi.h"

#include "tokens.h"

#include "base/bytes_compare.h"
#include "base/hex.h"

static bool read_hex_token(struct cairn_bytes *text, uint64_t *value)
{
	struct cairn_bytes token = breakpad_next_token(text);
	uint64_t sum = 0;

	for (size_t i = 0; i < token.size; i++) {
		unsigned digit = hex_digit(token.data[i]);
		if (digit == HEX_NO_DIGIT || sum >> 60)
			return false;
		sum = sum << 4 | digit;
	}
	*value = sum;
	return token.size > 0;
}

static bool is_rule_name(struct cairn_bytes token)
{
	return token.size > 1 && token.data[token.size - 1] == ':';
}

bool breakpad_next_rule(struct cairn_bytes *rules, struct breakpad_rule *rule)
{
	struct cairn_bytes ahead = *rules, name = breakpad_next_token(&ahead), rest = ahead;
	struct cairn_bytes first = breakpad_next_token(&ahead), token = first;
	const uint8_t *end = NULL;

	if (!is_rule_name(name))
		return false;
	for (; token.size > 0 && !is_rule_name(token); token = breakpad_next_token(&ahead)) {
		end = token.data + token.size;
		rest = ahead;
	}
	if (!end)
		return false;
	rule->name = (struct cairn_bytes){ name.data, name.size - 1 };
	rule->expression = (struct cairn_bytes){ first.data, (size_t)(end - first.data) };
	*rules = rest;
	return true;
}

/* Return true if the text consists of one or more rules. */
static bool has_sound_rules(struct cairn_bytes rules)
{
	struct breakpad_rule rule;
	unsigned count = 0;

	while (breakpad_next_rule(&rules, &rule))
		count++;
	return count > 0 && breakpad_next_token(&rules).size == 0;
}

static void read_rules(struct cairn_bytes text, struct breakpad_stack *stack)
{
	bool init = stack->kind == BREAKPAD_STACK_INIT;

	if (!read_hex_token(&text, &stack->address) ||
	    (init && !read_hex_token(&text, &stack->size)))
		stack->what = "an address or a size is missing, not a number, or too large";
	else if (init && stack->size > UINT64_MAX - stack->address)
		stack->what = "it ends past the end of the address space";
	else if (!has_sound_rules(text))
		stack->what = "a rule is missing, or has no expression";
	else
		stack->rules = text;
	if (stack->what)
		stack->kind = BREAKPAD_STACK_BAD;
}

void breakpad_read_stack(struct cairn_bytes text, struct breakpad_stack *stack)
{
	struct cairn_bytes word = breakpad_next_token(&text), ahead = text;

	*stack = (struct breakpad_stack){ .kind = BREAKPAD_STACK_DELTA, .rules = { text.data, 0 } };
	if (bytes_are(word, "WIN")) {
		stack->kind = BREAKPAD_STACK_WIN;
	} else if (!bytes_are(word, "CFI")) {
		stack->kind = BREAKPAD_STACK_BAD;
		stack->what = "neither CFI nor WIN";
	} else {
		if (bytes_are(breakpad_next_token(&ahead), "INIT")) {
			stack->kind = BREAKPAD_STACK_INIT;
			text = ahead;
		}
		read_rules(text, stack);
	}
}
