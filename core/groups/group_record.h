/* SPDX-License-Identifier: MIT */
/* A group as `cairn group` prints it, read again. */
#ifndef CAIRN_GROUPS_GROUP_RECORD_H
#define CAIRN_GROUPS_GROUP_RECORD_H

#include "group_line.h"

/* Reads a line that is one JSON object.  Returns false, with the fault, if it was made by other rules, or if its members contradict each other. */
bool group_record_read(struct group_reader *reader, struct cairn_bytes line,
                       struct group_entry *entry, struct cairn_fault *fault);

#endif
