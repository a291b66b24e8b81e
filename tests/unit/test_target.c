/* SPDX-License-Identifier: MIT */
/* Tests targets of requests: paths, and whole URLs with their host. */
#include "server/protocol/target.h"
#include "unit.h"

#include <string.h>

static const struct {
	const char *text, *path, *host;
	bool is_absolute;
} rows[] = {
	{ "/health", "/health", "", false },
	{ "*", "*", "", false },
	{ "", "", "", false },
	{ "http:/a/b", "http:/a/b", "", false },
	{ "ftp://a/b", "ftp://a/b", "", false },
	{ "http://a/b", "/b", "a", true },
	{ "HTTPS://a:1/b//c", "/b//c", "a:1", true },
	{ "http://a", "/", "a", true },
	{ "http://", "/", "", true },
	{ "http:///b", "/b", "", true },
	{ "http://a@b/http://c/d", "/http://c/d", "a@b", true },
};

START_TEST(splits_targets)
{
	const struct request_target target = target_split(rows[_i].text);

	ck_assert_str_eq(target.path, rows[_i].path);
	ck_assert_str_eq(target.host, rows[_i].host);
	ck_assert(target.is_absolute == rows[_i].is_absolute);
}
END_TEST

/* A host that is too long is none, so that it is not allowed. */
START_TEST(takes_hosts_so_long)
{
	enum { SCHEME = 7 };
	char text[SCHEME + TARGET_HOST_MAX + 3] = "http://";

	memset(text + SCHEME, 'a', TARGET_HOST_MAX - 1);
	strcpy(text + SCHEME + TARGET_HOST_MAX - 1, "/b");
	ck_assert_uint_eq(strlen(target_split(text).host), TARGET_HOST_MAX - 1);
	memset(text + SCHEME, 'a', TARGET_HOST_MAX);
	strcpy(text + SCHEME + TARGET_HOST_MAX, "/b");
	ck_assert_str_eq(target_split(text).host, "");
	ck_assert_str_eq(target_split(text).path, "/b");
	ck_assert(target_split(text).is_absolute);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target");
	TCase *targets = tcase_create("target");

	tcase_add_loop_test(targets, splits_targets, 0, COUNT(rows));
	tcase_add_test(targets, takes_hosts_so_long);
	suite_add_tcase(suite, targets);
	return unit_run(suite);
}
