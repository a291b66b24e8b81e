/* SPDX-License-Identifier: MIT */
/* Groups as JSON, which group_line_read() reads again. */
#ifndef CAIRN_CLI_GROUP_PRINT_H
#define CAIRN_CLI_GROUP_PRINT_H

#include "groups/groups.h"
#include "output/json.h"

/* One object on a line, with its hashes if it has them.  `rules` are those of the user; NULL: none. */
void group_print(struct json *json, const struct group_rules *rules,
                 const struct group_entry *group);

/* {"id":"..."}; without an entry {"id":null,"why":"..."}. */
void group_print_id(struct json *json, const struct group_entry *entry, const char *why);

#endif
