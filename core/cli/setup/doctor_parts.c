/* SPDX-License-Identifier: MIT */
/* Checks which optional libraries cairn was built with, and names the missing features. */
#include "doctor.h"

#include <string.h>

/* State of an optional library, passed by meson.build. */
enum part_state {
	PART_ABSENT, /* not found by the build */
	PART_BUILT,
	PART_OFF, /* disabled by a build option */
};

static const struct part {
	const char *name;
	enum part_state state;
	const char *lost;    /* what does not work without this part */
	const char *package; /* name of Debian's development package */
} parts[] = {
	{ "libdw", CAIRN_PART_LIBDW, "'cairn sframe verify' compares with nothing",
	  "libelf-dev libdw-dev" },
	{ "zlib", CAIRN_PART_ZLIB, "sections and files packed by zlib are not read", "zlib1g-dev" },
	{ "libdeflate", CAIRN_PART_LIBDEFLATE, "what zlib packed is unpacked more slowly",
	  "libdeflate-dev" },
	{ "libzstd", CAIRN_PART_ZSTD, "sections and files packed by zstd are not read",
	  "libzstd-dev" },
	{ "liblzma", CAIRN_PART_LZMA, ".gnu_debugdata and files packed by xz are not read",
	  "liblzma-dev" },
	{ "liblz4", CAIRN_PART_LZ4, "files packed by lz4 are not read", "liblz4-dev" },
	{ "libcurl", CAIRN_PART_NET, "'cairn symbfile' neither serves, fetches nor pushes",
	  "libcurl4-openssl-dev libmicrohttpd-dev libzstd-dev" },
	{ "librabbitmq", CAIRN_PART_AMQP, "'cairn work' takes nothing from a queue",
	  "librabbitmq-dev" },
};

static void append_text(char *list, size_t size, const char *separator, const char *text)
{
	size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used > 0 ? separator : "", text);
}

void doctor_parts(struct finding *finding)
{
	char built[FINDING_TEXT / 4] = "", lacking[FINDING_TEXT / 2] = "",
				  packages[FINDING_TEXT / 4] = "", text[FINDING_TEXT / 8];

	for (size_t i = 0; i < COUNT(parts); i++) {
		if (parts[i].state == PART_BUILT) {
			append_text(built, sizeof(built), ", ", parts[i].name);
			continue;
		}
		snprintf(text, sizeof(text), "%s (%s): %s", parts[i].name,
		         parts[i].state == PART_OFF ? "switched off" : "not found", parts[i].lost);
		append_text(lacking, sizeof(lacking), "; ", text);
		append_text(packages, sizeof(packages), " ", parts[i].package);
	}
	if (!lacking[0]) {
		find_what(finding, FINDING_OK, "built with %s", built);
		return;
	}
	find_what(finding, FINDING_NOTE, "built without %s", lacking);
	find_advice(finding,
	            "'apt-get install %s' on Debian, then build cairn again, without options that "
	            "switch parts off",
	            packages);
}
