/* SPDX-License-Identifier: MIT */
/* Stacks with callbacks from the C library: qsort(), bsearch(), trees and printing. */
#define _GNU_SOURCE
#include "stops.h"

#include <fnmatch.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 60 };

static int values[COUNT];
static int depth;

static NOINLINE int sort_all(unsigned seed);

static NOINLINE int compare(const void *left, const void *right)
{
	const int a = *(const int *)left, b = *(const int *)right;

	ENTER();
	int result = a < b ? -1 : a > b;
	if (a % 17 == 0 && depth < 3)
		stops_sink += (unsigned)sort_all((unsigned)a);
	LEAVE();
	return result;
}

static NOINLINE int compare_with(const void *left, const void *right, void *context)
{
	ENTER();
	int result = compare(left, right) * *(int *)context;
	LEAVE();
	return result;
}

static NOINLINE void visit(const void *node, VISIT which, int level)
{
	char text[200];

	ENTER();
	if (which == preorder || which == leaf)
		stops_sink += (unsigned)snprintf(text, sizeof(text), "%d %s %.10g %x", **(const int *const *)node, "node",
		                                 (double)level / 3, level);
	LEAVE();
}

static void no_free(void *node)
{
	(void)node;
}

static NOINLINE int walk_tree(unsigned seed)
{
	int keys[20];
	void *root = NULL;

	ENTER();
	for (int i = 0; i < 20; i++) {
		keys[i] = (int)(seed * 31 + (unsigned)i * 7) % 1000;
		tsearch(&keys[i], &root, compare);
	}
	twalk(root, visit);
	tdestroy(root, no_free);
	LEAVE();
	return 0;
}

static NOINLINE int sort_all(unsigned seed)
{
	int own[COUNT], sign = seed % 2 ? 1 : -1;

	ENTER();
	depth++;
	for (int i = 0; i < COUNT; i++)
		own[i] = (int)((seed + (unsigned)i) * 2654435761u >> 16);
	qsort(own, COUNT, sizeof(*own), compare);
	int *found = bsearch(&own[7], own, COUNT, sizeof(*own), compare);
	qsort_r(own, COUNT, sizeof(*own), compare_with, &sign);
	depth--;
	LEAVE();
	return found ? *found : 0;
}

static NOINLINE void parse(unsigned seed)
{
	char text[64];
	struct tm tm;
	time_t now = (time_t)seed * 1000;

	ENTER();
	snprintf(text, sizeof(text), "%u.%ue-3", seed, seed * 7);
	stops_sink += (unsigned long)fabs(strtod(text, NULL)) + (unsigned long)sin(seed);
	stops_sink += (unsigned)fnmatch("*a*b*[c-f]?", "xxaaybzzdq", 0);
	gmtime_r(&now, &tm);
	stops_sink += strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	char *copy = strdup(text);
	stops_sink += strlen(copy) + (strstr(copy, "99") != NULL);
	free(copy);
	LEAVE();
}

int main(int argc, char **argv)
{
	stops_begin(argc, argv);
	for (unsigned seed = 1; !stops_enough(); seed++) {
		values[0] = sort_all(seed);
		walk_tree(seed);
		parse(seed);
	}
	return stops_end("callbacks");
}
