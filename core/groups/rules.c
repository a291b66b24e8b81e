/* SPDX-License-Identifier: MIT */
/* Reads a user's rules and matches names against them. */
#include "rules.h"

#include "signature.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>

enum { VERSION_BYTES = 8 };

static const char *const kind_words[] = {
	[GROUP_RULE_INNER] = "inner", [GROUP_RULE_OUTER] = "outer", [GROUP_RULE_RUNTIME] = "runtime"
};

#define BLANKS " \t\r"

static bool is_blank_byte(uint8_t c)
{
	return memchr(BLANKS, c, sizeof(BLANKS) - 1) != NULL;
}

/*
 * Remove a comment. '#' only begins one at the start of a word, because function names may contain
 * it elsewhere.
 */
static struct cairn_bytes cut_comment(struct cairn_bytes line)
{
	for (size_t i = 0; i < line.size; i++)
		if (line.data[i] == '#' && (i == 0 || is_blank_byte(line.data[i - 1]))) {
			line.size = i;
			break;
		}
	return bytes_trim(line, BLANKS, BLANKS);
}

static struct cairn_bytes take_word(struct cairn_bytes *line)
{
	struct cairn_bytes word = { line->data, 0 };

	while (word.size < line->size && !is_blank_byte(line->data[word.size]))
		word.size++;
	line->data += word.size;
	line->size -= word.size;
	*line = bytes_trim(*line, BLANKS, BLANKS);
	return word;
}

static bool read_rule_kind(struct cairn_bytes word, enum group_rule_kind *kind)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(*kind_words); i++)
		if (bytes_are(word, kind_words[i])) {
			*kind = (enum group_rule_kind)i;
			return true;
		}
	return false;
}

static const char *add_group_rule(struct group_rules *rules, struct group_rule rule)
{
	if (rules->count >= GROUP_RULES_MAX)
		return "more than 1,024 rules";
	if (rule.text.size > NAME_FORM_MAX)
		return "a pattern of more than 1,024 bytes";
	if (!ARRAY_APPEND(rules->rule, rules->count, rules->room, rule))
		return "out of memory";
	return NULL;
}

/* Read one line. Return NULL, or a description of the fault. */
static const char *read_rule_line(struct group_rules *rules, struct cairn_bytes line)
{
	struct group_rule rule = { .kind = GROUP_RULE_INNER };
	struct cairn_bytes rest = cut_comment(line);

	if (rest.size == 0)
		return NULL;
	if (!read_rule_kind(take_word(&rest), &rule.kind))
		return "a rule begins with inner, outer or runtime";
	if (rest.size == 0)
		return "a rule without a pattern";
	rule.is_prefix = rest.data[rest.size - 1] == '*';
	rule.text = (struct cairn_bytes){ rest.data, rest.size - rule.is_prefix };
	if (rule.text.size == 0)
		return "a pattern that stands for every name";
	if (memchr(rule.text.data, '*', rule.text.size) && rule.kind == GROUP_RULE_RUNTIME)
		return "a '*' that is not at the end";
	return add_group_rule(rules, rule);
}

static int compare_rules(const void *a, const void *b)
{
	const struct group_rule *one = a, *other = b;
	const int order = bytes_order(one->text, other->text);

	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return order != 0 ? order : (int)one->is_prefix - (int)other->is_prefix;
}

/*
 * Make the version from a hash of the rules, sorted and without duplicates, so that order and
 * comments do not affect it.
 */
static void make_version(struct group_rules *rules)
{
	struct sha256 hash = sha256_open();
	uint8_t digest[SHA256_SIZE];
	char digits[2 * VERSION_BYTES + 1];

	if (rules->count > 0)
		qsort(rules->rule, rules->count, sizeof(*rules->rule), compare_rules);
	for (size_t i = 0; i < rules->count; i++) {
		const struct group_rule *rule = &rules->rule[i];
		if (i > 0 && compare_rules(rule - 1, rule) == 0)
			continue;
		const char *word = kind_words[rule->kind], *end = rule->is_prefix ? "*\n" : "\n";
		sha256_put(&hash, (struct cairn_bytes){ (const uint8_t *)word, strlen(word) });
		sha256_put(&hash, (struct cairn_bytes){ (const uint8_t *)" ", 1 });
		sha256_put(&hash, rule->text);
		sha256_put(&hash, (struct cairn_bytes){ (const uint8_t *)end, strlen(end) });
	}
	sha256_finish(&hash, digest);
	hex_encode((struct cairn_bytes){ digest, VERSION_BYTES }, digits);
	snprintf(rules->version, sizeof(rules->version), "%d+%s", SIGNATURE_RULES, digits);
}

static bool refuse_rules(struct group_rules_fault *fault, uint64_t line, const char *what)
{
	*fault = (struct group_rules_fault){ line, what };
	return false;
}

bool group_rules_read(struct group_rules *rules, struct cairn_bytes bytes,
                      struct group_rules_fault *fault)
{
	uint64_t line = 1;

	if (bytes.size > GROUP_RULES_BYTES_MAX)
		return refuse_rules(fault, 0, "a file of rules of more than 1 MiB");
	for (; bytes.size > 0; line++) {
		const char *what = read_rule_line(rules, bytes_take_part(&bytes, '\n'));
		if (what)
			return refuse_rules(fault, line, what);
	}
	make_version(rules);
	return true;
}

bool group_rules_match(const struct group_rules *rules, enum group_rule_kind kind,
                       struct cairn_bytes name)
{
	for (size_t i = 0; rules && i < rules->count; i++) {
		const struct group_rule *rule = &rules->rule[i];
		if (rule->kind == kind && name.size >= rule->text.size &&
		    (rule->is_prefix || name.size == rule->text.size) &&
		    memcmp(name.data, rule->text.data, rule->text.size) == 0)
			return true;
	}
	return false;
}

void group_rules_finish(struct group_rules *rules)
{
	free(rules->rule);
	*rules = (struct group_rules){ 0 };
}
