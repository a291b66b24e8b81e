/* SPDX-License-Identifier: MIT */
/* Makes a store from all programs and debug files below a folder. */
#include "tree.h"

#include <stdlib.h>

static int choose_status(const struct tree *tree)
{
	if (tree->count[TREE_FAILED] || tree->unreadable)
		return EXIT_BROKEN;
	return tree->count[TREE_MADE] + tree->count[TREE_KEPT] ? EXIT_CLEAN : EXIT_MISSING;
}

int tree_run(struct tree *tree)
{
	int status = EXIT_BROKEN;

	tree->json = json_to(stdout);
	if (tree_crawl(tree)) {
		tree_make(tree);
		tree_report_counts(tree);
		status = choose_status(tree);
		if (status == EXIT_MISSING)
			print_diagnostic(tree->folder, "%s", tree->verb->nothing);
	}
	for (size_t i = 0; i < tree->files; i++)
		free(tree->file[i].path);
	free(tree->file);
	return status;
}
