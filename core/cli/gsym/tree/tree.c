/* SPDX-License-Identifier: MIT */
/* cairn gsym create --tree: a store of symbols from all programs and debug files below a folder. */
#include "tree.h"

static int choose_status(const struct tree *tree)
{
	if (tree->count[TREE_FAILED] || tree->unreadable)
		return EXIT_BROKEN;
	return tree->count[TREE_MADE] + tree->count[TREE_KEPT] ? EXIT_CLEAN : EXIT_MISSING;
}

int tree_run(const struct create *create, const char *folder)
{
	struct tree tree = {
		.folder = folder, .store = create->out, .create = create, .json = json_to(stdout)
	};
	int status = EXIT_BROKEN;

	if (tree_crawl(&tree)) {
		tree_make(&tree);
		tree_report_counts(&tree);
		status = choose_status(&tree);
		if (status == EXIT_MISSING)
			print_diagnostic(folder, "no file in it has symbols and a build ID");
	}
	tree_finish(&tree);
	return status;
}
