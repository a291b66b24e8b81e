/* SPDX-License-Identifier: MIT */
/* Prints groups as JSON that group_line_read() accepts. */
#ifndef CAIRN_CLI_GROUP_H
#define CAIRN_CLI_GROUP_H

#include "groups/groups.h"
#include "output/json.h"

void group_print(struct json *json, const struct group_rules *rules,
                 const struct group_entry *group);

/*
 * Print {"id":"..."} or, if `entry` is NULL because there is no signature, {"id":null,"why":"..."}.
 */
void group_print_id(struct json *json, const struct group_entry *entry, const char *why);

#endif
