/* SPDX-License-Identifier: MIT */
/* A thread of `cairn bt --json`, or a report of `cairn crash`, as the signature of one crash. */
#ifndef CAIRN_GROUPS_CRASH_OBJECT_H
#define CAIRN_GROUPS_CRASH_OBJECT_H

#include "group_line.h"

#include "records/record.h"

/* Members of an object that is counted, besides those of a thread. */
enum crash_member {
	CRASH_REPORT,
	CRASH_ANSWER,
	CRASH_TIME,
	CRASH_CORE_FILE,
	CRASH_PATH,
	CRASH_URL,
	CRASH_REQUEST,   /* the hash of what an answer is to */
	CRASH_SIGNATURE, /* a group has these two */
	CRASH_RULES,
	CRASH_MEMBERS,
};

extern const char *const crash_member_names[CRASH_MEMBERS];

/* Fills all of an entry but its hash, from the members of an object. */
enum group_line_kind crash_object_read(struct group_reader *reader,
                                       const struct record_thread *object,
                                       const struct json_reader_value value[CRASH_MEMBERS],
                                       struct group_entry *entry, struct cairn_fault *fault);

#endif
