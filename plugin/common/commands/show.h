/* SPDX-License-Identifier: MIT */
/* Rules, modules and spots as text and as JSON. */
#ifndef CAIRN_COMMON_COMMANDS_SHOW_H
#define CAIRN_COMMON_COMMANDS_SHOW_H

#include "common/base/json_writer.h"
#include "common/session/trace.h"

/* Show a rule as "cfa sp+16  fp u  ra [cfa-8]", followed by its flags. */
void show_rule(struct text *text, const struct cairn_rule *rule);

/* Add the rule as members of a JSON object, with `bias` added to its addresses. */
void show_rule_json(struct json_writer *json, const struct cairn_rule *rule, uint64_t bias);

/* Show the module's name, or its address if it does not have one. */
void show_module_name(struct text *text, const struct cairn_module *module);

/* Show "name + 4 at file.c:31" as far as known, or "??". */
void show_location(struct text *text, const struct code_location *spot);

/* Show an address such as "0x401136" with at least `digits` digits. */
void show_address(struct text *text, uint64_t address, int digits);

void show_location_json(struct json_writer *json, const struct code_location *spot);

#endif
