/* SPDX-License-Identifier: MIT */
/* Rules, modules and spots as text and as JSON. */
#ifndef CAIRN_COMMON_COMMANDS_SHOW_H
#define CAIRN_COMMON_COMMANDS_SHOW_H

#include "common/base/json_writer.h"
#include "common/session/trace.h"

/* "cfa sp+16  fp u  ra [cfa-8]", and the rule's marks. */
void show_rule(struct text *text, const struct cairn_rule *rule);

/* The members of a JSON object of the rule, its addresses moved by `bias`. */
void show_rule_json(struct json_writer *json, const struct cairn_rule *rule, uint64_t bias);

/* The module's name, or where it is. */
void show_module_name(struct text *text, const struct cairn_module *module);

/* "name + 4 at file.c:31", as far as known; "??" when nothing is. */
void show_location(struct text *text, const struct code_location *spot);

/* "0x401136", of `digits` digits at least. */
void show_address(struct text *text, uint64_t address, int digits);

/* Members "pc", "function", "offset", "file", "line" without the braces. */
void show_location_json(struct json_writer *json, const struct code_location *spot);

#endif
